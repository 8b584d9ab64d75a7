// SPDX-License-Identifier: Apache-2.0
// Controls whose data does not compress: sc, SCP, random-stream.
#include "sim/workloads/common.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] std::vector<float> random_floats(Random& random, size_t count) {
  std::vector<float> out(count);
  for (float& x : out) {
    x = unit(random) + 0x1p-20F;
  }
  return out;
}

// ---------------------------------------------------------------------------------------------------------
// sc: what each point would gain from a new centre; one array per dimension

constexpr uint32_t kDimensions = 16;

Program gain(Warp& w, Array<float> points, Array<float> cost, Array<float> saved, uint32_t count) {
  const Words i = w.global_thread();
  Floats distance = 0.0F;
  for (uint32_t k = 0; k < kDimensions; ++k) {
    const Floats centre = co_await w.load(points, Words(k * count));
    const Floats difference = co_await w.load(points, plus(i, k * count)) - centre;
    distance = w.fma(difference, difference, distance);
  }
  const Floats now = co_await w.load(cost, i);
  w.store(saved, i, now - distance);
}

[[nodiscard]] WorkloadRun set_up_sc(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t count = quick ? 24'576 : 131'072;
  const std::vector<float> values = random_floats(random, size_t{count} * kDimensions);
  const std::vector<float> costs = random_floats(random, count);
  const auto points = memory.allocate<float>("points", std::span(values));
  const auto cost = memory.allocate<float>("cost", std::span(costs));
  const auto saved = memory.allocate<float>("saved", count);
  return run_of({launch_of(count, 12, [=](Warp& w) { return gain(w, points, cost, saved, count); })},
                [=](const Memory& end) {
                  std::vector<float> expected(count);
                  for (uint32_t i = 0; i < count; ++i) {
                    float distance = 0;
                    for (uint32_t k = 0; k < kDimensions; ++k) {
                      const float d = values[size_t{k} * count + i] - values[size_t{k} * count];
                      distance = d * d + distance;
                    }
                    expected[i] = costs[i] - distance;
                  }
                  return expect_equal(end, saved, expected, "saved");
                });
}

// ---------------------------------------------------------------------------------------------------------
// SCP: scalar products of pairs of vectors, one block per pair

constexpr uint32_t kElements = 1024;
constexpr uint32_t kPerThread = kElements / kBlockThreads;

Program scalar_product(Warp& w, Array<float> a, Array<float> b, Array<float> products) {
  const Words thread = w.thread();
  const Words first = plus(thread, w.place().block * kElements);
  Floats sum = 0.0F;
  for (uint32_t k = 0; k < kPerThread; ++k) {
    const Floats x = co_await w.load(a, plus(first, k * kBlockThreads));
    const Floats y = co_await w.load(b, plus(first, k * kBlockThreads));
    sum = w.fma(x, y, sum);
    co_await end_of_loop(w);
  }
  const Words slot = thread * 4U;
  w.store_shared(slot, sum);
  for (uint32_t distance = kBlockThreads / 2; distance > 0; distance /= 2) {
    co_await w.barrier();
    const When inside(w, thread < distance);
    if (inside.any()) {
      const Floats other = co_await w.load_shared<float>(plus(slot, 4 * distance));
      sum = sum + other;
      w.store_shared(slot, sum);
    }
  }
  const When leader(w, thread == 0U);
  if (leader.any()) {
    w.store(products, Words(w.place().block), sum);
  }
}

[[nodiscard]] float product_of(std::span<const float> a, std::span<const float> b) {
  std::array<float, kBlockThreads> sums{};
  for (size_t i = 0; i < kElements; ++i) {
    sums[i % kBlockThreads] = a[i] * b[i] + sums[i % kBlockThreads];
  }
  for (uint32_t distance = kBlockThreads / 2; distance > 0; distance /= 2) {
    for (uint32_t i = 0; i < distance; ++i) {
      sums[i] += sums[i + distance];
    }
  }
  return sums[0];
}

[[nodiscard]] WorkloadRun set_up_scp(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t pairs = quick ? 160 : 1024;
  const std::vector<float> first = random_floats(random, size_t{pairs} * kElements);
  const std::vector<float> second = random_floats(random, size_t{pairs} * kElements);
  const auto a = memory.allocate<float>("a", std::span(first));
  const auto b = memory.allocate<float>("b", std::span(second));
  const auto products = memory.allocate<float>("products", pairs);
  return run_of(
      {launch_of(
          pairs * kBlockThreads, 12, [=](Warp& w) { return scalar_product(w, a, b, products); },
          4 * kBlockThreads)},
      [=](const Memory& end) {
        std::vector<float> expected;
        for (uint32_t i = 0; i < pairs; ++i) {
          expected.push_back(product_of(std::span(first).subspan(size_t{i} * kElements, kElements),
                                        std::span(second).subspan(size_t{i} * kElements, kElements)));
        }
        return expect_equal(end, products, expected, "products");
      });
}

// ---------------------------------------------------------------------------------------------------------
// Random words, read once and written once

Program add_one(Warp& w, Array<uint32_t> in, Array<uint32_t> out) {
  const Words i = w.global_thread();
  const Words x = co_await w.load(in, i);
  w.store(out, i, x + 1U);
}

[[nodiscard]] WorkloadRun set_up_stream(Memory& memory, uint64_t seed, bool quick) {
  const uint32_t count = quick ? 1U << 18 : 1U << 21;
  Random random(seed);
  std::vector<uint32_t> values(count);
  for (uint32_t& x : values) {
    x = static_cast<uint32_t>(random());
  }
  const auto in = memory.allocate<uint32_t>("in", std::span<const uint32_t>(values));
  const auto out = memory.allocate<uint32_t>("out", count);
  return run_of({launch_of(count, 8, [=](Warp& w) { return add_one(w, in, out); })}, [=](const Memory& end) {
    std::vector<uint32_t> expected = values;
    for (uint32_t& x : expected) {
      ++x;
    }
    return expect_equal(end, out, expected, "out");
  });
}

}  // namespace

void add_controls(std::vector<Workload>& all) {
  const auto add = [&](std::string_view name, std::string_view represents, std::string_view description,
                       auto setup) {
    all.push_back({name, WorkloadClass::incompressible, represents, description, setup});
  };
  add("sc", "proxy for Rodinia streamcluster", "distances of random float points from a centre", set_up_sc);
  add("SCP", "proxy for CUDA SDK scalarProd", "scalar products of random float vectors", set_up_scp);
  add("random-stream", "control", "random words, read once and written once", set_up_stream);
}

}  // namespace bobbin::sim
