// SPDX-License-Identifier: Apache-2.0
// Proxies that stream through dense arrays: JPEG, SLA, TRA.
#include "sim/workloads/common.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

// ---------------------------------------------------------------------------------------------------------
// JPEG: quantised coefficients of 8 x 8 blocks to pixels

constexpr uint32_t kBlockCells = 64;

// An integer inverse transform of 8 coefficients, for lanes and for the check.
template <class V>
void inverse(std::array<V, 8>& d) {
  const auto half = [](const V& x) { return x >> V(1); };
  const auto quarter = [](const V& x) { return x >> V(2); };
  const V a0 = d[0] + d[4];
  const V a4 = d[0] - d[4];
  const V a2 = half(d[2]) - d[6];
  const V a6 = d[2] + half(d[6]);
  const V a1 = ((d[5] - d[3]) - d[7]) - half(d[7]);
  const V a3 = ((d[1] + d[7]) - d[3]) - half(d[3]);
  const V a5 = ((d[7] - d[1]) + d[5]) + half(d[5]);
  const V a7 = ((d[3] + d[5]) + d[1]) + half(d[1]);
  const std::array<V, 4> even = {a0 + a6, a4 + a2, a4 - a2, a0 - a6};
  const std::array<V, 4> odd = {a7 - quarter(a1), quarter(a3) - a5, a3 + quarter(a5), a1 + quarter(a7)};
  for (size_t i = 0; i < 4; ++i) {
    d[i] = even[i] + odd[i];
    d[7 - i] = even[i] - odd[i];
  }
}

// Low frequencies first, as an encoder leaves them: a mean, a few small numbers, and zeros.
[[nodiscard]] std::vector<int16_t> make_coefficients(Random& random, uint32_t blocks) {
  std::vector<int16_t> out(size_t{blocks} * kBlockCells);
  int32_t mean = 0;
  for (uint32_t block = 0; block < blocks; ++block) {
    mean = std::clamp(mean + static_cast<int32_t>(below(random, 401)) - 200, -900, 900);
    out[size_t{block} * kBlockCells] = static_cast<int16_t>(mean);
    const uint32_t others = below(random, 4) == 0 ? 0 : 1 + below(random, 10);
    for (uint32_t i = 0; i < others; ++i) {
      const uint32_t row = below(random, 1 + below(random, 5));
      const uint32_t column = 1 + below(random, 1 + below(random, 6));
      out[size_t{block} * kBlockCells + 8 * row + column] =
          static_cast<int16_t>(static_cast<int32_t>(below(random, 41)) - 20);
    }
  }
  return out;
}

[[nodiscard]] Signed half_word(Warp& w, const Words& word, uint32_t i) {
  return w.alu<int32_t>(word, [i](uint32_t x) { return static_cast<int16_t>(x >> 16 * i); });
}

// Eight rows of a block are in eight lanes; shared memory turns rows to columns and back.
Program transpose_lanes(Warp& w, std::array<Signed, 8>& d) {
  constexpr uint32_t kPitch = 9 * 4;  // no conflicts of banks
  const Words thread = w.thread();
  const Words row = thread * kPitch;
  const Words column = w.fma(thread >> 3U, Words(8 * kPitch), (thread & 7U) * 4U);
  for (uint32_t i = 0; i < 8; ++i) {
    w.store_shared(plus(row, 4 * i), d[i]);
  }
  for (uint32_t i = 0; i < 8; ++i) {
    d[i] = co_await w.load_shared<int32_t>(plus(column, kPitch * i));
  }
}

// One thread per row of 8 coefficients.
Program decode_rows(Warp& w, Array<uint64_t> coefficients, Array<uint64_t> pixels) {
  const Words i = w.global_thread();
  std::array<Signed, 8> d;
  for (uint32_t pair = 0; pair < 2; ++pair) {
    const Lanes<uint64_t> four = co_await w.load(coefficients, i * 2U + pair);
    for (uint32_t k = 0; k < 4; ++k) {
      d[4 * pair + k] = half_word(w, k < 2 ? low_of(four) : high_of(four), k % 2);
    }
  }
  inverse(d);
  co_await transpose_lanes(w, d);
  d[0] = d[0] + 32 + (128 << 6);
  inverse(d);
  co_await transpose_lanes(w, d);
  std::array<Words, 2> packed = {0U, 0U};
  for (uint32_t k = 0; k < 8; ++k) {
    const Signed pixel = w.min(w.max(d[k] >> 6, Signed(0)), Signed(255));
    packed[k / 4] = w.alu(packed[k / 4], w.bits_as<uint32_t>(pixel),
                          [k](uint32_t word, uint32_t x) { return word | x << 8 * (k % 4); });
  }
  w.store(pixels, i, pair_of(packed[0], packed[1]));
}

void transpose(std::array<std::array<int32_t, 8>, 8>& block) {
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < y; ++x) {
      std::swap(block[y][x], block[x][y]);
    }
  }
}

[[nodiscard]] std::vector<uint64_t> decoded(const std::vector<int16_t>& coefficients) {
  std::vector<uint64_t> out(coefficients.size() / 8);
  for (size_t first = 0; first < coefficients.size(); first += kBlockCells) {
    std::array<std::array<int32_t, 8>, 8> block;
    for (size_t i = 0; i < kBlockCells; ++i) {
      block[i / 8][i % 8] = coefficients[first + i];
    }
    for (auto& row : block) {
      inverse(row);
    }
    transpose(block);
    for (auto& column : block) {
      column[0] += 32 + (128 << 6);
      inverse(column);
    }
    transpose(block);
    for (size_t i = 0; i < kBlockCells; ++i) {
      const auto pixel = static_cast<uint64_t>(std::clamp(block[i / 8][i % 8] >> 6, 0, 255));
      out[(first + i) / 8] |= pixel << 8 * (i % 8);
    }
  }
  return out;
}

[[nodiscard]] WorkloadRun set_up_jpeg(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const std::vector<int16_t> values = make_coefficients(random, quick ? 5120 : 20'480);
  const auto coefficients = memory.allocate<int16_t>("coefficients", std::span(values));
  const Array<uint64_t> in{coefficients.base, values.size() / 4};
  const auto pixels = memory.allocate<uint64_t>("pixels", values.size() / 8);
  return run_of({launch_of(
                    static_cast<uint32_t>(values.size() / 8), 34,
                    [=](Warp& w) { return decode_rows(w, in, pixels); }, kBlockThreads * 9 * 4)},
                [=](const Memory& end) { return expect_equal(end, pixels, decoded(values), "pixels"); });
}

// ---------------------------------------------------------------------------------------------------------
// SLA: prefix sums of a large array: within blocks, of the blocks' sums, and both together

constexpr uint32_t kScanned = 4;  // values per thread
constexpr uint32_t kBlockScanned = kScanned * kBlockThreads;

// The sum of the lanes before each one, and `total`, which all lanes get.
[[nodiscard]] Words scan_lanes(Warp& w, const Words& x, Words& total) {
  const Words lane = w.lane();
  Words sum = x;
  for (uint32_t distance = 1; distance < kLanes; distance *= 2) {
    const Words other = w.shuffle(sum, lane - distance);
    sum = w.select(lane >= distance, sum + other, sum);
  }
  total = w.shuffle(sum, Words(kLanes - 1));
  return sum - x;
}

// Adds the sums of the warps before this one, which are in shared memory.
Program scan_block(Warp& w, Words& before, Words& total) {
  w.store_shared(Words(4 * w.place().warp), total);
  co_await w.barrier();
  const Words lane = w.lane();
  Words sums = 0U;
  {
    const When inside(w, lane < w.place().block_warps);
    const Words loaded = co_await w.load_shared<uint32_t>(lane * 4U);
    w.merge(sums, loaded);
  }
  const Words scanned = scan_lanes(w, sums, total);
  before = before + w.shuffle(scanned, Words(w.place().warp));
}

Program scan_values(Warp& w, Array<uint32_t> in, Array<uint32_t> out, Array<uint32_t> sums) {
  const Words i = w.global_thread() * 2U;
  const Lanes<uint64_t> first = co_await w.load(as_pairs(in), i);
  const Lanes<uint64_t> second = co_await w.load(as_pairs(in), i + 1U);
  const Words two = low_of(first) + high_of(first);
  const Words three = two + low_of(second);
  Words total;
  Words before = scan_lanes(w, three + high_of(second), total);
  co_await scan_block(w, before, total);
  w.store(as_pairs(out), i, pair_of(before, before + low_of(first)));
  w.store(as_pairs(out), i + 1U, pair_of(before + two, before + three));
  const When leader(w, w.thread() == 0U);
  if (leader.any()) {
    w.store(sums, Words(w.place().block), total);
  }
}

Program scan_sums(Warp& w, Array<uint32_t> sums) {
  const Words i = w.thread();
  Words x = 0U;
  const Mask inside_array = i < static_cast<uint32_t>(sums.count);
  {
    const When inside(w, inside_array);
    if (inside.any()) {
      const Words loaded = co_await w.load(sums, i);
      w.merge(x, loaded);
    }
  }
  Words total;
  Words before = scan_lanes(w, x, total);
  co_await scan_block(w, before, total);
  const When inside(w, inside_array);
  if (inside.any()) {
    w.store(sums, i, before);
  }
}

Program add_sums(Warp& w, Array<uint32_t> out, Array<uint32_t> sums) {
  const Words i = w.global_thread() * 2U;
  const Words before = co_await w.load(sums, Words(w.place().block));
  for (uint32_t k = 0; k < 2; ++k) {
    const Lanes<uint64_t> x = co_await w.load(as_pairs(out), i + k);
    w.store(as_pairs(out), i + k, pair_of(low_of(x) + before, high_of(x) + before));
  }
}

[[nodiscard]] WorkloadRun set_up_sla(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t blocks = quick ? 176 : 768;
  std::vector<uint32_t> values(size_t{blocks} * kBlockScanned);
  for (uint32_t& x : values) {
    x = below(random, 10);
  }
  const auto in = memory.allocate<uint32_t>("in", std::span<const uint32_t>(values));
  const auto out = memory.allocate<uint32_t>("out", values.size());
  const auto sums = memory.allocate<uint32_t>("sums", blocks);
  const uint32_t sum_threads = (blocks + kLanes - 1) / kLanes * kLanes;
  const uint32_t shared = 4 * kLanes;
  return run_of(
      {launch_of(
           blocks * kBlockThreads, 18, [=](Warp& w) { return scan_values(w, in, out, sums); }, shared),
       {1, sum_threads, 16, shared, [=](Warp& w) { return scan_sums(w, sums); }},
       launch_of(blocks * kBlockThreads, 12, [=](Warp& w) { return add_sums(w, out, sums); })},
      [=](const Memory& end) {
        std::vector<uint32_t> expected(values.size());
        for (size_t i = 1; i < values.size(); ++i) {
          expected[i] = expected[i - 1] + values[i - 1];
        }
        return expect_equal(end, out, expected, "out");
      });
}

// ---------------------------------------------------------------------------------------------------------
// TRA: transposition in tiles of 16 x 16, so that a line is read by one block and again by another

constexpr uint32_t kTransposeTile = 16;

Program transpose_tile(Warp& w, Array<uint32_t> in, Array<uint32_t> out, uint32_t width, uint32_t height) {
  constexpr uint32_t kPitch = 4 * (kTransposeTile + 1);
  const Words thread = w.thread();
  const Words x = thread & (kTransposeTile - 1);
  const Words y = thread >> 4U;
  const uint32_t left = w.place().block % (width / kTransposeTile) * kTransposeTile;
  const uint32_t top = w.place().block / (width / kTransposeTile) * kTransposeTile;
  const Words value = co_await w.load(in, w.fma(y + top, Words(width), x + left));
  w.store_shared(w.fma(y, Words(kPitch), x * 4U), value);
  co_await w.barrier();
  const Words turned = co_await w.load_shared<uint32_t>(w.fma(x, Words(kPitch), y * 4U));
  w.store(out, w.fma(y + left, Words(height), x + top), turned);
}

[[nodiscard]] WorkloadRun set_up_tra(Memory& memory, uint64_t, bool quick) {
  const uint32_t width = quick ? 512 : 1024;
  const uint32_t height = quick ? 320 : 768;
  std::vector<uint32_t> values(size_t{width} * height);
  for (uint32_t i = 0; i < values.size(); ++i) {
    values[i] = i;  // as in the SDK, which numbers the elements
  }
  const auto in = memory.allocate<uint32_t>("in", std::span<const uint32_t>(values));
  const auto out = memory.allocate<uint32_t>("out", values.size());
  return run_of({launch_of(
                    width * height, 12, [=](Warp& w) { return transpose_tile(w, in, out, width, height); },
                    4 * kTransposeTile * (kTransposeTile + 1))},
                [=](const Memory& end) {
                  std::vector<uint32_t> expected(values.size());
                  for (uint32_t i = 0; i < values.size(); ++i) {
                    expected[size_t{i % width} * height + i / width] = values[i];
                  }
                  return expect_equal(end, out, expected, "out");
                });
}

}  // namespace

void add_dense(std::vector<Workload>& all) {
  all.push_back({.name = "JPEG",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for CUDA SDK JPEG decoding",
                 .description = "inverse transform of 8 x 8 blocks of sparse 16-bit coefficients to pixels",
                 .setup = set_up_jpeg});
  all.push_back({.name = "SLA",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for CUDA SDK scanLargeArray",
                 .description = "prefix sums of small integers in three launches, each array read in order",
                 .setup = set_up_sla});
  all.push_back({.name = "TRA",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for CUDA SDK transpose",
                 .description = "transposition of numbered 4-byte elements in tiles of half a line",
                 .setup = set_up_tra});
}

}  // namespace bobbin::sim
