// SPDX-License-Identifier: Apache-2.0
// Every store arrives once and in order: what L2 and DRAM hold at the end decodes to memory, and memory is
// that of a run without timing, for every design.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/drawn.hpp"
#include "tests/sim/support.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] Config small_machine() {
  Config config;
  config.gpu_sms = 3;
  config.l2_bytes = 6 * 16384;
  return config;
}

// L2 and DRAM end with what a run without timing leaves, for every design.
void expect_conserved(const Config& config, const Workload& workload, const Options& options) {
  const auto functional = run_functionally(workload, options.seed, options.quick);
  ASSERT_TRUE(functional.has_value()) << functional.error().message();
  for (uint32_t design = 0; design < kNumDesigns; ++design) {
    std::vector<uint8_t> bytes;
    Options watched = options;
    watched.final_bytes = &bytes;
    const auto run = simulate(config, workload, static_cast<Design>(design), watched);
    ASSERT_TRUE(run.has_value()) << run.error().message();
    EXPECT_TRUE(std::ranges::equal(bytes, functional->memory.bytes())) << run->design;
    const Counters& counters = run->counters;
    EXPECT_EQ(counters.assist_triggers, counters.assist_completed + counters.assist_kills);
    EXPECT_EQ(counters.md_lookups, counters.md_hits + counters.md_merges + counters.md_misses);
    EXPECT_EQ(counters.dram_bursts, counters.dram_read_bursts + counters.dram_write_bursts +
                                        counters.md_writebacks + counters.md_misses);
    EXPECT_EQ(counters.active_cycles + counters.compute_stalls + counters.memory_stalls +
                  counters.dependence_stalls + counters.idle_cycles + counters.empty_cycles,
              counters.core_cycles * run->sms)
        << "each cycle of each SM is in one class";
    EXPECT_EQ(counters.l1_fills,
              counters.l1_loads - counters.l1_load_hits - counters.l1_load_merges + counters.prefetches)
        << "each request is answered once";
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

// Every proxy and control, each with another design: about 27 runs instead of 216.
TEST(SimConservation, WorkloadsLeaveTheMemoryOfAFunctionalRunDespiteKillsAndOverflows) {
  for (const uint64_t i : testing::drawn(workloads().size())) {
    const Workload& workload = workloads()[i];
    const auto design = static_cast<Design>(1 + i % (kNumDesigns - 1));
    std::vector<uint8_t> bytes;
    const auto run = simulate({}, workload, design,
                              {.seed = 7,
                               .quick = true,
                               .kill_per_thousand = 300,
                               .overflow_per_thousand = 100,
                               .final_bytes = &bytes});
    ASSERT_TRUE(run.has_value()) << run.error().message();
    const auto functional = run_functionally(workload, 7, true);
    ASSERT_TRUE(functional.has_value()) << functional.error().message();
    EXPECT_TRUE(std::ranges::equal(bytes, functional->memory.bytes())) << workload.name << " " << run->design;
  }
}

// Half of the lines compress: the bursts that are read are those of the stored lines, one by one.
TEST(SimConservation, BurstsAreThoseOfTheLines) {
  const auto mixed = [](uint64_t i, std::mt19937_64& random) {
    return i / 32 % 2 == 0 ? small_delta(i, random) : random_word(i, random);
  };
  const uint32_t count = 1 << 15;
  const auto run = simulate(small_machine(), read_workload(count, 4, mixed), Design::hw_bdi, {});
  ASSERT_TRUE(run.has_value());
  const uint64_t lines = count / 32;
  EXPECT_EQ(run->counters.dram_read_bursts, lines / 2 * 2 + lines / 2 * 4);
}

// Each is a corner that the usual sizes never reach.
constexpr const char* kCorners[] = {"caba.awt_entries=1",
                                    "store.lines=1",
                                    "l1.mshrs=1",
                                    "l2.mshrs=1",
                                    "dram.queue=1",
                                    "dram.outstanding=1",
                                    "dram.write_low=0",
                                    "dram.commands=chip",
                                    "dram.write_buffer=1024",
                                    "ideal.merges=off",
                                    "ideal.metadata=on",
                                    "icnt.queue=1",
                                    "sm.lsu_queue=1",
                                    "caba.low_entries=1",
                                    "md.bytes=128",
                                    "store.wait=50",
                                    "caba.free=on",
                                    "caba.raw_l2=on",
                                    "caba.direct_load=on",
                                    "caba.direct_load=coalescer",
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
                                    "clock.core=700"};

TEST(SimConservation, SmallTablesAndBuffersGiveTheSameMemory) {
  for (const char* setting : testing::drawn_of(kCorners, testing::kDrawnShare)) {
    Config config = small_machine();
    ASSERT_TRUE(set_parameter(config, setting).ok()) << setting;
    SCOPED_TRACE(setting);
    expect_conserved(config, scatter_workload(1 << 12), {});
    expect_conserved(config, stream_workload(1 << 12, small_delta), {});
  }
}

// Four schedulers for one pipeline and one collector: assist warps often find both busy, and must try again.
[[nodiscard]] Config crowded_machine() {
  Config config = small_machine();
  config.sm_alu_pipes = 1;
  config.sm_collectors = 1;
  config.sm_schedulers = 4;
  return config;
}

TEST(SimConservation, BusyPipelinesLoseNoAssistWarp) {
  expect_conserved(crowded_machine(), scatter_workload(1 << 12), {});
  expect_conserved(crowded_machine(), stream_workload(1 << 13, small_delta), {});
}

// Three warps add, the last one loads lines, one after another: nothing but a free pipeline can wake its
// expansions.
Program add_or_load(Warp& w, Array<uint32_t> in) {
  Lanes<uint32_t> x = w.lane();
  if (w.place().warp < 3) {
    for (uint32_t i = 0; i < 10000; ++i) {
      x = x + 1U;
    }
    co_return;
  }
  for (uint32_t at = 0; at < in.count; at += kLanes) {
    x = x + co_await w.load(in, w.lane() + at);
    co_await w.branch();
  }
}

TEST(SimConservation, AnExpansionThatFoundThePipelineBusyTriesAgainAtOnce) {
  const Workload workload{.name = "add or load", .setup = [](Memory& memory, uint64_t, bool) {
                            const auto in = memory.allocate<uint32_t>("in", 32 * 32);
                            for (uint32_t& x : memory.view(in)) {
                              x = 0x4000'0001;
                            }
                            return one_launch({1, 128, 8, 0, [=](Warp& w) { return add_or_load(w, in); }});
                          }};
  Config config = crowded_machine();
  config.gpu_sms = 1;
  EventLog log;
  const auto run = simulate(config, workload, Design::caba_bdi, {.log = &log});
  ASSERT_TRUE(run.has_value()) << run.error().message();
  uint64_t expanded = 0;
  uint64_t last = 0;
  for (const AssistEvent& event : log.assists) {
    expanded += event.kind == AssistEventKind::complete ? 1 : 0;
    last = event.kind == AssistEventKind::complete ? event.cycle : last;
  }
  EXPECT_EQ(expanded, 32);
  EXPECT_LT(last, 32 * 1200);
  EXPECT_GT(run->counters.core_cycles, 60000) << "the additions take much longer";
}

TEST(SimConservation, TheSameRunGivesTheSameBytes) {
  const auto text = [] {
    return to_json(*simulate(small_machine(), scatter_workload(1 << 12), Design::caba_bdi, {}));
  };
  EXPECT_EQ(text(), text());
}

}  // namespace
}  // namespace bobbin::sim
