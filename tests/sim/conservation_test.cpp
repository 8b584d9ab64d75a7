// SPDX-License-Identifier: Apache-2.0
// Every store arrives once and in order: what L2 and DRAM hold at the end decodes to memory, and memory is
// that of a run without timing, for every design.
#include <gtest/gtest.h>

#include "tests/sim/support.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] Config small_machine() {
  Config config;
  config.gpu_sms = 3;
  config.l2_bytes = 6 * 16384;
  return config;
}

void expect_conserved(const Config& config, const Workload& workload, const Options& options) {
  for (uint32_t design = 0; design < kNumDesigns; ++design) {
    const auto run = simulate(config, workload, static_cast<Design>(design), options);
    ASSERT_TRUE(run.has_value()) << run.error().message();
    const Counters& counters = run->counters;
    EXPECT_EQ(counters.assist_triggers, counters.assist_completed + counters.assist_kills);
    EXPECT_EQ(counters.dram_bursts, counters.dram_read_bursts + counters.dram_write_bursts +
                                        counters.md_writebacks + (counters.md_lookups - counters.md_hits));
    EXPECT_GE(counters.dram_bursts_raw, counters.dram_read_bursts + counters.dram_write_bursts);
  }
}

TEST(SimConservation, WholeLines) {
  expect_conserved(small_machine(), stream_workload(1 << 15, small_delta), {});
  expect_conserved(small_machine(), stream_workload(1 << 15, random_word), {});
}

TEST(SimConservation, PartialWritesToCompressedLines) {
  expect_conserved(small_machine(), scatter_workload(1 << 13), {});
  const auto run = simulate(small_machine(), scatter_workload(1 << 13), Design::caba_bdi, {});
  ASSERT_TRUE(run.has_value());
  EXPECT_GT(run->counters.partial_writes_wrong, 0);
}

TEST(SimConservation, KillsAndOverflowsAtRandom) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Options options{.seed = seed, .kill_per_thousand = 400, .overflow_per_thousand = 200};
    expect_conserved(small_machine(), scatter_workload(1 << 12), options);
    expect_conserved(small_machine(), stream_workload(1 << 13, small_delta), options);
    const auto run =
        simulate(small_machine(), stream_workload(1 << 13, small_delta), Design::caba_bdi, options);
    ASSERT_TRUE(run.has_value());
    EXPECT_GT(run->counters.assist_kills, 0);
    EXPECT_GT(run->counters.store_overflows, 0);
  }
}

TEST(SimConservation, SmallTablesAndBuffersGiveTheSameMemory) {
  for (const char* setting : {"caba.awt_entries=1",
                              "store.lines=1",
                              "l1.mshrs=1",
                              "l2.mshrs=1",
                              "dram.queue=1",
                              "icnt.queue=1",
                              "sm.lsu_queue=1",
                              "caba.low_entries=1",
                              "md.bytes=128",
                              "store.wait=50",
                              "caba.free=on",
                              "caba.raw_l2=on",
                              "caba.direct_load=on",
                              "caba.l1_tags=4",
                              "caba.l2_tags=4",
                              "caba.one_encoding=off",
                              "sm.policy=rr",
                              "prefetch.enable=on",
                              "sm.schedulers=1",
                              "sm.ibuffer=4",
                              "store.copies=1",
                              "caba.low_warps=1",
                              "caba.register_policy=static",
                              "store.recompress=on",
                              "store.in_l1=off",
                              "caba.deploy_width=3",
                              "sm.alu_pipes=1",
                              "sm.collectors=1",
                              "sm.schedulers=4",
                              "clock.core=700"}) {
    Config config = small_machine();
    ASSERT_TRUE(set_parameter(config, setting).ok()) << setting;
    SCOPED_TRACE(setting);
    expect_conserved(config, scatter_workload(1 << 12), {});
    expect_conserved(config, stream_workload(1 << 12, small_delta), {});
  }
}

// Four schedulers for one pipeline and one collector: assist warps often find both busy, and must try again.
TEST(SimConservation, BusyPipelinesDelayAssistWarpsAndLoseNone) {
  Config config = small_machine();
  config.sm_alu_pipes = 1;
  config.sm_collectors = 1;
  config.sm_schedulers = 4;
  expect_conserved(config, scatter_workload(1 << 12), {});
  expect_conserved(config, stream_workload(1 << 13, small_delta), {});
  Config one = config;
  one.sm_schedulers = 1;
  const auto crowded = simulate(config, stream_workload(1 << 15, small_delta), Design::caba_bdi, {});
  const auto alone = simulate(one, stream_workload(1 << 15, small_delta), Design::caba_bdi, {});
  ASSERT_TRUE(crowded.has_value() && alone.has_value());
  EXPECT_LT(static_cast<double>(crowded->counters.core_cycles),
            1.1 * static_cast<double>(alone->counters.core_cycles))
      << "more schedulers must not make assist warps wait longer for the same pipeline";
}

TEST(SimConservation, TheSameRunGivesTheSameBytes) {
  const auto text = [] {
    return to_json(*simulate(small_machine(), scatter_workload(1 << 12), Design::caba_bdi, {}));
  };
  EXPECT_EQ(text(), text());
}

}  // namespace
}  // namespace bobbin::sim
