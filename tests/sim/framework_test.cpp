// SPDX-License-Identifier: Apache-2.0
// Promises of the framework that one run shows: who waits for an assist warp, what a mixed access costs, and
// where lines wait to be compressed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/sim/support.hpp"

namespace bobbin::sim {
namespace {

RunResult run_with(const char* setting, const Workload& workload, Design design,
                   const Options& options = {}) {
  Config config;
  config.gpu_sms = 1;
  EXPECT_TRUE(set_parameter(config, setting).ok()) << setting;
  return run(config, workload, design, options);
}

TEST(SimFramework, AParentIssuesNothingWhileItsLineIsExpanded) {
  EventLog log;
  run_with("gpu.sms=1", read_workload(1 << 14, 4, small_delta), Design::caba_bdi, {.log = &log});
  std::map<uint32_t, std::vector<uint64_t>> issued;  // cycles, by slot
  for (const IssueEvent& event : log.issues) {
    if (!event.assist) {
      issued[event.warp].push_back(event.cycle);
    }
  }
  std::map<uint32_t, uint64_t> since;  // by entry of the table
  uint32_t expansions = 0;
  for (const AssistEvent& event : log.assists) {
    if (event.kind == AssistEventKind::trigger) {
      since[event.entry] = event.cycle;
    }
    if (event.kind != AssistEventKind::complete || event.low_priority) {
      continue;
    }
    ++expansions;
    const std::vector<uint64_t>& cycles = issued[event.warp];
    const auto first = std::lower_bound(cycles.begin(), cycles.end(), since[event.entry]);
    EXPECT_TRUE(first == cycles.end() || *first >= event.cycle) << "slot " << event.warp;
  }
  EXPECT_GT(expansions, 100);
}

Program gather(Warp& w, Array<uint32_t> words, Array<uint32_t> out) {
  const Lanes<uint32_t> x = co_await w.load(words, w.lane() * uint32_t{kLineWords});
  w.store(out, w.lane(), x);
}

// One load of 32 lines, every other of which compresses.
TEST(SimFramework, AnAccessToRawAndCompressedLinesExpandsTheCompressedOnes) {
  const Workload workload{
      .name = "mixed", .setup = [](Memory& memory, uint64_t, bool) {
        const auto words = memory.allocate<uint32_t>("words", kLanes * kLineWords);
        const auto out = memory.allocate<uint32_t>("out", kLanes);
        std::mt19937_64 random(1);
        for (uint32_t i = 0; i < words.count; ++i) {
          memory.view(words)[i] = i / kLineWords % 2 == 0 ? small_delta(i, random) : random_word(i, random);
        }
        return one_launch({1, kLanes, 12, 0, [=](Warp& w) { return gather(w, words, out); }});
      }};
  for (const Design design : {Design::hw_bdi, Design::caba_bdi, Design::ideal_bdi}) {
    const RunResult result = run_with("gpu.sms=1", workload, design);
    EXPECT_EQ(result.counters.l1_fills, kLanes) << result.design;
    EXPECT_EQ(result.counters.decompressions, kLanes / 2) << result.design;
  }
}

Program store_lines(Warp& w, Array<uint32_t> out) {
  const Lanes<uint32_t> i = w.global_thread();
  for (uint32_t step = 0; step < 100; ++step) {  // keeps the warp there while its line is compressed
    co_await w.branch();
  }
  w.store(out, i, i & 127U);
  for (uint32_t step = 0; step < 100; ++step) {
    co_await w.branch();
  }
}

[[nodiscard]] Workload shared_workload(uint32_t shared_bytes) {
  return {.name = "shared", .setup = [=](Memory& memory, uint64_t, bool) {
            const auto out = memory.allocate<uint32_t>("out", 20 * 256);
            return one_launch({20, 256, 16, shared_bytes, [=](Warp& w) { return store_lines(w, out); }});
          }};
}

TEST(SimFramework, LinesWaitInTheSharedMemoryThatBlocksLeave) {
  const uint32_t all = Config().sm_shared_bytes;
  const RunResult some = run_with("store.in_l1=off", shared_workload(all / 2), Design::caba_bdi);
  const RunResult none = run_with("store.in_l1=off", shared_workload(all), Design::caba_bdi);
  const RunResult in_l1 = run_with("store.in_l1=on", shared_workload(all), Design::caba_bdi);
  EXPECT_EQ(none.counters.compressions, 0) << "blocks have all of it";
  EXPECT_EQ(none.counters.store_overflows, 20 * 256 / kLanes);
  EXPECT_EQ(some.counters.compressions, 0) << "two blocks of half have all of it, too";
  EXPECT_GT(in_l1.counters.compressions, 0);
  EXPECT_GT(
      run_with("store.in_l1=off", shared_workload(all / 2 + 128), Design::caba_bdi).counters.compressions, 0);
}

}  // namespace
}  // namespace bobbin::sim
