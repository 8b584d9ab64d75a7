// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/support.hpp"

#include <gtest/gtest.h>

namespace bobbin::sim {
namespace {

constexpr uint32_t kThreads = 128;

[[nodiscard]] Array<uint32_t> filled(Memory& memory, std::string name, uint32_t count, uint64_t seed,
                                     const FillWords& fill) {
  const auto array = memory.allocate<uint32_t>(std::move(name), count);
  std::mt19937_64 random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    memory.view(array)[i] = fill(i, random);
  }
  return array;
}

Program add_one(Warp& w, Array<uint32_t> in, Array<uint32_t> out) {
  const Lanes<uint32_t> i = w.global_thread();
  const Lanes<uint32_t> x = co_await w.load(in, i);
  w.store(out, i, x + 1U);
}

Program sum_lines(Warp& w, Array<uint32_t> in, Array<uint32_t> out, uint32_t lines) {
  Lanes<uint32_t> sum = 0;
  const Lanes<uint32_t> thread = w.global_thread();
  const uint32_t stride = w.place().num_blocks * w.place().block_warps * kLanes;
  for (uint32_t i = 0; i < lines; ++i) {
    sum = sum + co_await w.load(in, thread + i * stride);
    co_await w.branch();
  }
  w.store(out, thread, sum);
}

// Every thread owns 8 bytes: it writes one byte, two or four of them, now and again all.
Program scatter(Warp& w, Array<uint8_t> bytes, uint32_t rounds) {
  const Lanes<uint32_t> thread = w.global_thread();
  Lanes<uint32_t> state = thread * 2654435761U + 12345U;
  for (uint32_t i = 0; i < rounds; ++i) {
    state = state * 1664525U + 1013904223U;
    const Lanes<uint32_t> pick = state >> 29U;
    w.store(bytes, thread * 8U + pick, w.cast<uint8_t>(state >> 20U));
    const When some(w, (state & 0x30'0000U) == 0U);
    if (some.any()) {
      const Array<uint32_t> words{bytes.base, bytes.count / 4};
      w.store(words, thread * 2U + (pick & 1U), state);
    }
    co_await w.branch();
  }
  const Lanes<uint8_t> last = co_await w.load(bytes, thread * 8U);
  w.store(bytes, thread * 8U + 1U, last);
}

Program add_chains(Warp& w, uint32_t steps, uint32_t chains) {
  std::vector<Lanes<uint32_t>> values;
  for (uint32_t i = 0; i < chains; ++i) {
    values.push_back(w.lane());
  }
  for (uint32_t step = 0; step < steps; ++step) {
    for (Lanes<uint32_t>& value : values) {
      value = value + 1U;
    }
  }
  co_return;
}

}  // namespace

Workload stream_workload(uint32_t count, FillWords fill) {
  return {
      .name = "stream", .setup = [=](Memory& memory, uint64_t seed, bool) {
        const auto in = filled(memory, "in", count, seed, fill);
        const auto out = memory.allocate<uint32_t>("out", count);
        return one_launch({count / kThreads, kThreads, 12, 0, [=](Warp& w) { return add_one(w, in, out); }});
      }};
}

Workload read_workload(uint32_t count, uint32_t lines_per_warp, FillWords fill) {
  return {.name = "read", .setup = [=](Memory& memory, uint64_t seed, bool) {
            const auto in = filled(memory, "in", count, seed, fill);
            const auto out = memory.allocate<uint32_t>("out", count / lines_per_warp);
            return one_launch({count / lines_per_warp / kThreads, kThreads, 12, 0,
                               [=](Warp& w) { return sum_lines(w, in, out, lines_per_warp); }});
          }};
}

Workload scatter_workload(uint32_t count) {
  return {.name = "scatter", .setup = [=](Memory& memory, uint64_t seed, bool) {
            const auto words = filled(memory, "bytes", count, seed, small_delta);
            const Array<uint8_t> bytes{words.base, uint64_t{count} * 4};
            return one_launch(
                {count / 2 / kThreads, kThreads, 20, 0, [=](Warp& w) { return scatter(w, bytes, 6); }});
          }};
}

Workload alu_workload(uint32_t blocks, uint32_t steps, uint32_t chains) {
  return {.name = "alu", .setup = [=](Memory& memory, uint64_t, bool) {
            static_cast<void>(memory.allocate<uint32_t>("unused", 32));
            return one_launch(
                {blocks, kThreads, chains + 4, 0, [=](Warp& w) { return add_chains(w, steps, chains); }});
          }};
}

RunResult run(const Config& config, const Workload& workload, Design design, const Options& options) {
  const auto result = simulate(config, workload, design, options);
  EXPECT_TRUE(result.has_value()) << result.error().message();
  return result.has_value() ? *result : RunResult();
}

std::vector<uint8_t> bytes_of(const Workload& workload, uint64_t seed) {
  Memory memory;
  static_cast<void>(workload.setup(memory, seed, true));
  return {memory.bytes().begin(), memory.bytes().end()};
}

}  // namespace bobbin::sim
