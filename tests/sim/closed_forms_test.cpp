// SPDX-License-Identifier: Apache-2.0
// Numbers that can be computed by hand: latencies as sums of stages, bandwidth below the pins', peak issue
// rate, flits.
#include <gtest/gtest.h>

#include "tests/sim/support.hpp"

namespace bobbin::sim {
namespace {

// One warp follows a chain: each load's address is the last one's value.
Program follow(Warp& w, Array<uint32_t> next, Array<uint32_t> out, uint32_t steps) {
  Lanes<uint32_t> at = 0;
  for (uint32_t i = 0; i < steps; ++i) {
    at = co_await w.load(next, at);
  }
  w.store(out, w.lane(), at);
}

// The chain's places are `stride` words apart, in a ring.
[[nodiscard]] Workload chain_workload(uint32_t places, uint32_t stride, uint32_t steps) {
  return {.name = "chain", .setup = [=](Memory& memory, uint64_t, bool) {
            const auto next = memory.allocate<uint32_t>("next", uint64_t{places} * stride);
            const auto out = memory.allocate<uint32_t>("out", kLanes);
            for (uint32_t i = 0; i < places; ++i) {
              memory.view(next)[uint64_t{i} * stride] = (i + 1) % places * stride;
            }
            return one_launch({1, kLanes, 12, 0, [=](Warp& w) { return follow(w, next, out, steps); }});
          }};
}

// Cycles of one more step, when `places` have been visited before.
[[nodiscard]] uint64_t step_cycles(const Config& config, uint32_t places, uint32_t stride, uint32_t steps,
                                   Design design = Design::base) {
  const uint32_t more = 64;
  Config machine = config;
  machine.gpu_sms = 1;
  const uint64_t few = run(machine, chain_workload(places, stride, steps), design).counters.core_cycles;
  const uint64_t many =
      run(machine, chain_workload(places, stride, steps + more), design).counters.core_cycles;
  EXPECT_EQ((many - few) % more, 0) << "steps take the same time each";
  return (many - few) / more;
}

TEST(SimClosedForms, AnL1HitTakesTheAddressTheQueueAndTheLatency) {
  Config config;
  EXPECT_EQ(step_cycles(config, 8, 32, 16), config.sm_alu_latency + 1 + config.l1_latency);
  config.l1_latency = 50;
  config.sm_alu_latency = 13;
  EXPECT_EQ(step_cycles(config, 8, 32, 16), 13 + 1 + 50);
}

// 256 lines fit in L2 and not in L1.
TEST(SimClosedForms, AnL2HitAddsTheCrossbarTwiceAndTheL2) {
  Config config;
  const uint64_t step = step_cycles(config, 256, 32, 512);
  const uint64_t reply_flits = 5;
  const uint64_t stages = config.sm_alu_latency + 1 + (1 + config.icnt_latency) + config.l2_latency +
                          (reply_flits + config.icnt_latency);
  EXPECT_GE(step, stages);
  EXPECT_LE(step, stages + 6);  // a cycle at each hand-over
  config.l2_latency += 50;
  EXPECT_EQ(step_cycles(config, 256, 32, 512), step + 50);
  config.icnt_latency += 10;
  EXPECT_EQ(step_cycles(config, 256, 32, 512), step + 50 + 20);
}

// Lines of zeros and one small number: all are compressed.
TEST(SimClosedForms, DedicatedLogicAddsItsCyclesAndIdealNone) {
  Config config;
  const uint64_t ideal = step_cycles(config, 256, 32, 512, Design::ideal_bdi);
  for (const uint32_t cycles : {0U, 1U, 4U}) {
    config.hw_decompress = cycles;
    EXPECT_EQ(step_cycles(config, 256, 32, 512, Design::hw_bdi), ideal + cycles);
  }
  EXPECT_LT(ideal, step_cycles(config, 256, 32, 512)) << "fewer flits than raw lines";
}

TEST(SimClosedForms, ADramAccessAddsItsLatencyAndTheChips) {
  // All clocks alike, one line per row: each access closes a row, opens its own and reads four bursts.
  Config config;
  config.clock_dram = config.clock_core;
  config.l2_bytes = 6 * 16384;
  const uint32_t row_words = config.dram_row_bytes / 4 * config.dram_chips * config.dram_channels;
  const auto step = [&] { return step_cycles(config, 256, row_words, 128); };
  const uint64_t before = step();
  const uint64_t dram = config.dram_latency + config.dram_rp + config.dram_rcd + config.dram_cl +
                        3 * config.dram_ccdl + config.dram_burst_cycles;
  const uint64_t l2 = step_cycles(config, 256, 32, 512);
  EXPECT_GE(before, l2 + dram);
  EXPECT_LE(before, l2 + dram + 6);
  config.dram_latency += 30;
  EXPECT_EQ(step(), before + 30);
  config.dram_rcd += 4;
  EXPECT_EQ(step(), before + 30 + 4);
}

// Lines of HW-BDI-Mem are raw in L2: a hit takes as long as in Base, whatever the logic costs. Only what
// comes from DRAM is expanded.
TEST(SimClosedForms, LogicAtTheControllerAddsItsCyclesToDramAccessesOnly) {
  Config config;
  config.hw_decompress = 40;
  EXPECT_EQ(step_cycles(config, 256, 32, 512, Design::hw_bdi_mem), step_cycles(config, 256, 32, 512));
  config.clock_dram = config.clock_core;
  config.l2_bytes = 6 * 16384;
  config.md_bytes = 1 << 16;  // after one round all metadata is there
  const uint32_t row_words = config.dram_row_bytes / 4 * config.dram_chips * config.dram_channels;
  const auto step = [&](uint32_t cycles) {
    config.hw_decompress = cycles;
    return step_cycles(config, 512, row_words, 512, Design::hw_bdi_mem);
  };
  EXPECT_EQ(step(40), step(0) + 40);
}

TEST(SimClosedForms, StreamingReadsUseTheBusAndNeverMore) {
  const RunResult result = run({}, read_workload(1 << 20, 8, random_word));
  EXPECT_GT(result.dram_utilisation(), 0.85);
  EXPECT_LE(result.dram_utilisation(), 1.0);
  const double bytes = static_cast<double>(result.counters.dram_bursts) * kBurstBytes;
  EXPECT_LE(bytes / result.seconds(), 177.4e9 * 1.001);
}

TEST(SimClosedForms, IndependentAdditionsIssueTwoPerCycleAndSm) {
  const RunResult result = run({}, alu_workload(180, 200, 4));
  EXPECT_GT(result.ipc(), 0.99 * 2 * 15);
  EXPECT_LE(result.ipc(), 2 * 15);
}

TEST(SimClosedForms, DependentAdditionsOfOneWarpTakeTheLatency) {
  Config config;
  config.gpu_sms = 1;
  const auto cycles = [&](uint32_t steps) {
    return run(config, alu_workload(1, steps, 1)).counters.core_cycles;
  };
  EXPECT_EQ(cycles(300) - cycles(200), 100 * config.sm_alu_latency);
}

TEST(SimClosedForms, FlitsFollowFromSizes) {
  const uint32_t count = 1 << 16;
  const uint64_t lines = count * 4 / kLineBytes;
  const auto flits = [&](Design design, FillWords fill) {
    return run({}, stream_workload(count, std::move(fill)), design).counters;
  };
  const Counters base = flits(Design::base, small_delta);
  EXPECT_EQ(base.reply_flits, 5 * lines);          // 8 + 128 bytes
  EXPECT_EQ(base.request_flits, (1 + 5) * lines);  // a request, a store
  const Counters ideal = flits(Design::ideal_bdi, small_delta);
  EXPECT_EQ(ideal.reply_flits, 3 * lines);  // 8 + 64 bytes: 4-byte values, 1-byte deltas
  EXPECT_EQ(ideal.request_flits, (1 + 3) * lines);
  EXPECT_EQ(flits(Design::hw_bdi_mem, small_delta).reply_flits, 5 * lines);
  EXPECT_EQ(ideal.dram_reads, lines);
  EXPECT_EQ(ideal.dram_read_bursts, 2 * lines);
}

TEST(SimClosedForms, BandwidthScalesWithTheClockOfTheChips) {
  Config config;
  const auto cycles = [&](uint32_t percent) {
    config.dram_bandwidth_percent = percent;
    return static_cast<double>(run(config, read_workload(1 << 19, 8, random_word)).counters.core_cycles);
  };
  const double whole = cycles(100);
  EXPECT_NEAR(cycles(50) / whole, 2, 0.2);
  EXPECT_LT(cycles(200) / whole, 0.85);
}

}  // namespace
}  // namespace bobbin::sim
