// SPDX-License-Identifier: Apache-2.0
// Controls that compute much and move little: dmr, matmul, black-scholes, nbody.
#include "sim/routines.hpp"
#include "sim/workloads/common.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

// Functions for lanes and for the check, by the same name.
struct OnLanes {
  Warp& w;
  [[nodiscard]] Floats sqrt(const Floats& x) const { return w.sqrt(x); }
  [[nodiscard]] Floats reciprocal(const Floats& x) const { return w.reciprocal(x); }
  [[nodiscard]] Floats exp2(const Floats& x) const {
    return w.special(x, [](float v) { return std::exp2(v); });
  }
  [[nodiscard]] Floats log2(const Floats& x) const {
    return w.special(x, [](float v) { return std::log2(v); });
  }
  [[nodiscard]] Floats fma(const Floats& a, const Floats& b, const Floats& c) const { return w.fma(a, b, c); }
};
struct OnHost {
  [[nodiscard]] float sqrt(float x) const { return std::sqrt(x); }
  [[nodiscard]] float reciprocal(float x) const { return 1.0F / x; }
  [[nodiscard]] float exp2(float x) const { return std::exp2(x); }
  [[nodiscard]] float log2(float x) const { return std::log2(x); }
  [[nodiscard]] float fma(float a, float b, float c) const { return a * b + c; }
};

// ---------------------------------------------------------------------------------------------------------
// dmr: the quality of triangles, again and again; bound by the SFU

constexpr uint32_t kRefinements = 24;

template <class V, class M>
[[nodiscard]] V quality(const M& math, const V& a, const V& b, const V& c) {
  const V half = ((a + b) + c) * V(0.5F);
  const V area = math.sqrt(((half * (half - a)) * (half - b)) * (half - c) + V(0.01F));
  const V radius = ((a * b) * c) * math.reciprocal(area * V(4.0F));
  return math.log2(radius + V(1.0F)) * math.reciprocal(half);
}

// A bad triangle's sides are changed a little and tested again.
Program refine(Warp& w, Array<float> sides, Array<float> best) {
  const OnLanes math{w};
  const Words i = w.global_thread();
  Floats a = co_await w.load(sides, i * 3U);
  const Floats b = co_await w.load(sides, i * 3U + 1U);
  const Floats c = co_await w.load(sides, i * 3U + 2U);
  Floats least = 1.0e9F;
  for (uint32_t k = 0; k < kRefinements; ++k) {
    const Floats now = quality(math, a, b, c);
    const When bad(w, now < least);
    w.merge(least, now);
    w.merge(a, w.fma(a, Floats(0.97F), b * 0.02F));
    co_await end_of_loop(w);
  }
  w.store(best, i, least);
}

[[nodiscard]] float refined(float a, float b, float c) {
  float least = 1.0e9F;
  for (uint32_t k = 0; k < kRefinements; ++k) {
    const float now = quality(OnHost(), a, b, c);
    if (now < least) {
      least = now;
      a = a * 0.97F + b * 0.02F;
    }
  }
  return least;
}

[[nodiscard]] WorkloadRun set_up_dmr(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t count = quick ? 7680 : 46'080;
  std::vector<float> values(size_t{count} * 3);
  for (float& x : values) {
    x = 1.0F + unit(random);
  }
  const auto sides = memory.allocate<float>("sides", std::span<const float>(values));
  const auto best = memory.allocate<float>("best", count);
  return run_of({launch_of(count, 16, [=](Warp& w) { return refine(w, sides, best); })},
                [=](const Memory& end) {
                  std::vector<float> expected;
                  for (size_t i = 0; i < count; ++i) {
                    expected.push_back(refined(values[3 * i], values[3 * i + 1], values[3 * i + 2]));
                  }
                  return expect_equal(end, best, expected, "best");
                });
}

// ---------------------------------------------------------------------------------------------------------
// matmul: a product of float matrices in tiles of 16 x 16 in shared memory

constexpr uint32_t kMultiplyTile = 16;

Program multiply_tiles(Warp& w, Array<float> a, Array<float> b, Array<float> c, uint32_t side) {
  const Words thread = w.thread();
  const Words x = thread & (kMultiplyTile - 1);
  const Words y = thread >> 4U;
  const uint32_t left = w.place().block % (side / kMultiplyTile) * kMultiplyTile;
  const uint32_t top = w.place().block / (side / kMultiplyTile) * kMultiplyTile;
  const Words slot = thread * 4U;
  const Words row = y * (4 * kMultiplyTile);
  const Words column = plus(x * 4U, 4 * kMultiplyTile * kMultiplyTile);
  const Words from_a = w.fma(y + top, Words(side), x);
  const Words from_b = w.fma(y, Words(side), x + left);
  Floats sum = 0.0F;
  for (uint32_t k = 0; k < side; k += kMultiplyTile) {
    const Floats mine_a = co_await w.load(a, plus(from_a, k));
    const Floats mine_b = co_await w.load(b, plus(from_b, k * side));
    w.store_shared(slot, mine_a);
    w.store_shared(plus(slot, 4 * kMultiplyTile * kMultiplyTile), mine_b);
    co_await w.barrier();
    for (uint32_t i = 0; i < kMultiplyTile; ++i) {
      const Floats left_value = co_await w.load_shared<float>(plus(row, 4 * i));
      const Floats right_value = co_await w.load_shared<float>(plus(column, 4 * kMultiplyTile * i));
      sum = w.fma(left_value, right_value, sum);
    }
    co_await w.barrier();
    co_await end_of_loop(w);
  }
  w.store(c, w.fma(y + top, Words(side), x + left), sum);
}

[[nodiscard]] std::vector<float> unit_floats(Random& random, size_t count) {
  std::vector<float> out(count);
  for (float& x : out) {
    x = unit(random);
  }
  return out;
}

[[nodiscard]] WorkloadRun set_up_matmul(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t side = quick ? 128 : 192;
  const std::vector<float> left = unit_floats(random, size_t{side} * side);
  const std::vector<float> right = unit_floats(random, size_t{side} * side);
  const auto a = memory.allocate<float>("a", std::span(left));
  const auto b = memory.allocate<float>("b", std::span(right));
  const auto c = memory.allocate<float>("c", left.size());
  return run_of({launch_of(
                    side * side, 16, [=](Warp& w) { return multiply_tiles(w, a, b, c, side); },
                    2 * 4 * kMultiplyTile * kMultiplyTile)},
                [=](const Memory& end) {
                  std::vector<float> expected(left.size());
                  for (size_t i = 0; i < expected.size(); ++i) {
                    for (size_t k = 0; k < side; ++k) {
                      expected[i] = left[i / side * side + k] * right[k * side + i % side] + expected[i];
                    }
                  }
                  return expect_equal(end, c, expected, "c");
                });
}

// ---------------------------------------------------------------------------------------------------------
// black-scholes: prices of options from a few quoted parameters, so that memoization can help

constexpr uint32_t kPeriods = 3;

// The normal distribution by a logistic function.
template <class V, class M>
[[nodiscard]] V normal(const M& math, const V& x) {
  const V cube = (x * x) * x;
  return math.reciprocal(math.exp2(math.fma(cube, V(-0.1029F), x * V(-2.3022F))) + V(1.0F));
}

template <class V, class M>
[[nodiscard]] V price(const M& math, const V& ratio, const V& years) {
  const V spread = math.sqrt(years) * V(0.3F);
  const V d1 = math.fma(math.log2(ratio), V(0.6931F), years * V(0.065F)) * math.reciprocal(spread);
  const V d2 = d1 - spread;
  return ratio * normal(math, d1) - normal(math, d2) * math.exp2(years * V(-0.0289F));
}

// The price of one period, remembered if there is a memoization table.
[[nodiscard]] Floats memo_price(Warp& w, const Floats& ratio, const Floats& years) {
  const Lanes<uint64_t> key = pair_of(w.bits_as<uint32_t>(ratio), w.bits_as<uint32_t>(years));
  const MemoHit hit = memo_lookup(w, key);
  Floats out = w.bits_as<float>(low_of(hit.value));
  const uint32_t missing = w.active() & ~hit.lanes;
  if (missing != 0) {
    const When inside(w, Warp::lanes_of(missing));
    const Floats computed = price(OnLanes{w}, ratio, years);
    w.merge(out, computed);
    memo_remember(w, key, pair_of(w.bits_as<uint32_t>(computed), 0U));
  }
  return out;
}

Program price_options(Warp& w, Array<float> ratios, Array<float> years, Array<float> prices) {
  const Words i = w.global_thread();
  const Floats ratio = co_await w.load(ratios, i);
  Floats time = co_await w.load(years, i);
  Floats sum = 0.0F;
  for (uint32_t k = 0; k < kPeriods; ++k) {
    sum = sum + memo_price(w, ratio, time);
    time = time + 0.25F;
    co_await end_of_loop(w);
  }
  w.store(prices, i, sum);
}

[[nodiscard]] WorkloadRun set_up_black_scholes(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t count = quick ? 38'400 : 256 * 1024;
  std::vector<float> ratio(count);
  std::vector<float> time(count);
  for (uint32_t i = 0; i < count; ++i) {
    ratio[i] = 0.75F + static_cast<float>(below(random, 16)) / 32.0F;
    time[i] = 0.25F * static_cast<float>(1 + below(random, 8));
  }
  const auto ratios = memory.allocate<float>("ratios", std::span<const float>(ratio));
  const auto years = memory.allocate<float>("years", std::span<const float>(time));
  const auto prices = memory.allocate<float>("prices", count);
  return run_of({launch_of(count, 18, [=](Warp& w) { return price_options(w, ratios, years, prices); })},
                [=](const Memory& end) {
                  std::vector<float> expected(count);
                  for (uint32_t i = 0; i < count; ++i) {
                    for (uint32_t k = 0; k < kPeriods; ++k) {
                      expected[i] += price(OnHost(), ratio[i], time[i] + 0.25F * static_cast<float>(k));
                    }
                  }
                  return expect_equal(end, prices, expected, "prices");
                });
}

// ---------------------------------------------------------------------------------------------------------
// nbody: all pairs of bodies, in tiles in shared memory

template <class V, class M>
[[nodiscard]] V pull(const M& math, const V& dx, const V& dy, const V& mass) {
  const V square = math.fma(dx, dx, math.fma(dy, dy, V(0.01F)));
  const V inverse = math.reciprocal(math.sqrt(square));
  return mass * ((inverse * inverse) * inverse);
}

constexpr uint32_t kTileBodies = 64;  // and threads of a block: small, so that all SMs have one

// Each body's sum over all tiles.
Program attract_all(Warp& w, Array<float> x, Array<float> y, Array<float> force, uint32_t count) {
  const OnLanes math{w};
  const Words i = w.global_thread();
  const Floats my_x = co_await w.load(x, i);
  const Floats my_y = co_await w.load(y, i);
  const Words slot = w.thread() * 4U;
  Floats sum = 0.0F;
  for (uint32_t tile = 0; tile < count; tile += kTileBodies) {
    const Floats tile_x = co_await w.load(x, plus(w.thread(), tile));
    const Floats tile_y = co_await w.load(y, plus(w.thread(), tile));
    w.store_shared(slot, tile_x);
    w.store_shared(plus(slot, 4 * kTileBodies), tile_y);
    co_await w.barrier();
    for (uint32_t k = 0; k < kTileBodies; k += 4) {
      const Floats dx = co_await w.load_shared<float>(Words(4 * k)) - my_x;
      const Floats dy = co_await w.load_shared<float>(Words(4 * (k + kTileBodies))) - my_y;
      sum = sum + pull(math, dx, dy, Floats(1.0F));
      co_await end_of_loop(w);
    }
    co_await w.barrier();
  }
  w.store(force, i, sum);
}

// Every fourth body attracts: the same arithmetic in a quarter of the time.
[[nodiscard]] WorkloadRun set_up_nbody(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t count = quick ? 1024 : 2560;
  const std::vector<float> xs = unit_floats(random, count);
  const std::vector<float> ys = unit_floats(random, count);
  const auto x = memory.allocate<float>("x", std::span(xs));
  const auto y = memory.allocate<float>("y", std::span(ys));
  const auto force = memory.allocate<float>("force", count);
  return run_of({{count / kTileBodies, kTileBodies, 16, 8 * kTileBodies,
                  [=](Warp& w) { return attract_all(w, x, y, force, count); }}},
                [=](const Memory& end) {
                  std::vector<float> expected(count);
                  for (uint32_t i = 0; i < count; ++i) {
                    for (uint32_t k = 0; k < count; k += 4) {
                      expected[i] += pull(OnHost(), xs[k] - xs[i], ys[k] - ys[i], 1.0F);
                    }
                  }
                  return expect_equal(end, force, expected, "force");
                });
}

}  // namespace

void add_compute(std::vector<Workload>& all) {
  const auto add = [&](std::string_view name, std::string_view represents, std::string_view description,
                       auto setup) {
    all.push_back({name, WorkloadClass::compute, represents, description, setup});
  };
  add("dmr", "proxy for Lonestar dmr", "quality of triangles: roots and reciprocals, bound by the SFU",
      set_up_dmr);
  add("matmul", "proxy for CUDA SDK matrixMul", "a product of float matrices in tiles of shared memory",
      set_up_matmul);
  add("black-scholes", "proxy for CUDA SDK BlackScholes",
      "prices of options from few parameters, with a memoization point", set_up_black_scholes);
  add("nbody", "proxy for CUDA SDK nbody", "attraction of bodies by tiles of shared memory", set_up_nbody);
}

}  // namespace bobbin::sim
