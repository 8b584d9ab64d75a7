// SPDX-License-Identifier: Apache-2.0
// Orderings of designs, limits, and the parts of the framework: priorities, throttling, table, registers,
// profile.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "sim/gpu.hpp"
#include "sim/throttle.hpp"
#include "tests/sim/support.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] Config with(std::initializer_list<const char*> settings) {
  Config config;
  for (const char* setting : settings) {
    EXPECT_TRUE(set_parameter(config, setting).ok()) << setting;
  }
  return config;
}

TEST(SimDesigns, CompressibleDataOrdersTheDesigns) {
  const Workload workload = stream_workload(1 << 18, small_delta);
  const double base = run({}, workload, Design::base).ipc();
  const double mem = run({}, workload, Design::hw_bdi_mem).ipc();
  const double hardware = run({}, workload, Design::hw_bdi).ipc();
  const double ideal = run({}, workload, Design::ideal_bdi).ipc();
  const double caba = run({}, workload, Design::caba_bdi).ipc();
  EXPECT_GT(mem, 1.2 * base);
  EXPECT_GT(hardware, 0.97 * mem);
  EXPECT_GT(ideal, 0.97 * hardware);
  EXPECT_GT(ideal, 0.97 * caba);
  EXPECT_GT(caba, 1.2 * base);
}

TEST(SimDesigns, DataThatDoesNotCompressStaysNearBase) {
  const Workload workload = read_workload(1 << 19, 8, random_word);
  const double base = run({}, workload, Design::base).ipc();
  for (uint32_t design = 1; design < kNumDesigns; ++design) {
    const RunResult result = run({}, workload, static_cast<Design>(design));
    EXPECT_NEAR(result.ipc() / base, 1, 0.02) << result.design;
    EXPECT_EQ(result.counters.decompressions, 0);
  }
}

// What Ideal-BDI leaves out is said by parameters: without them it is HW-BDI whose logic takes no time.
TEST(SimDesigns, IdealWithoutItsPrivilegesIsHardwareWithoutLatency) {
  const Config config =
      with({"ideal.merges=off", "ideal.metadata=on", "hw.decompress=0", "hw.compress=0", "gpu.sms=3"});
  for (const Workload& workload : {stream_workload(1 << 14, small_delta), scatter_workload(1 << 12)}) {
    const RunResult ideal = run(config, workload, Design::ideal_bdi);
    EXPECT_EQ(ideal.counters.core_cycles, run(config, workload, Design::hw_bdi).counters.core_cycles);
    EXPECT_EQ(run(with({"gpu.sms=3"}), workload, Design::ideal_bdi).counters.md_lookups, 0);
  }
}

// Dedicated logic of HW-BDI-Mem is between L2 and DRAM: it works on what crosses that border, once.
TEST(SimDesigns, HardwareAtTheControllerWorksOnWhatDramMoves) {
  Config config = with({"gpu.sms=3"});
  config.l2_bytes = 6 * 16384;
  const RunResult result = run(config, stream_workload(1 << 15, small_delta), Design::hw_bdi_mem);
  EXPECT_EQ(result.counters.decompressions, result.counters.dram_reads);
  EXPECT_EQ(result.counters.compressions, result.counters.dram_writes);
  EXPECT_EQ(result.counters.compressions_failed, 0);
  EXPECT_GT(result.counters.dram_writes, 0);
}

// One cycle more or less anywhere moves such runs by 2 %: means over several latencies are compared.
TEST(SimDesigns, MoreCommandBandwidthDoesNotHurt) {
  const auto cycles = [](const Workload& workload, const char* commands) {
    uint64_t sum = 0;
    for (const char* latency : {"dram.latency=100", "dram.latency=103", "dram.latency=106"}) {
      sum += run(with({commands, latency}), workload, Design::base).counters.core_cycles;
    }
    return static_cast<double>(sum);
  };
  for (const Workload& workload :
       {stream_workload(1 << 17, random_word), read_workload(1 << 17, 16, random_word)}) {
    EXPECT_LT(cycles(workload, "dram.commands=chip"), 1.01 * cycles(workload, "dram.commands=channel"))
        << workload.name;
  }
}

TEST(SimDesigns, AssistWarpsThatCostNothingAreIdeal) {
  const Workload workload = stream_workload(1 << 18, small_delta);
  const double ideal = run({}, workload, Design::ideal_bdi).ipc();
  EXPECT_NEAR(run(with({"caba.free=on"}), workload, Design::caba_bdi).ipc() / ideal, 1, 0.02);
}

TEST(SimDesigns, TheProfileDisablesCompressionWhereItCannotHelp) {
  const Config config = with({"caba.profile=on"});
  const RunResult incompressible = run(config, stream_workload(1 << 16, random_word), Design::caba_bdi);
  EXPECT_TRUE(incompressible.compression_disabled);
  EXPECT_EQ(incompressible.counters.core_cycles,
            run(config, stream_workload(1 << 16, random_word), Design::base).counters.core_cycles);
  EXPECT_TRUE(run(config, alu_workload(15, 200, 2), Design::caba_bdi).compression_disabled);
  EXPECT_FALSE(run(config, stream_workload(1 << 18, small_delta), Design::caba_bdi).compression_disabled);
}

// Arithmetic with a store now and then.
Program busy(Warp& w, Array<uint32_t> out) {
  const Lanes<uint32_t> i = w.global_thread();
  std::array<Lanes<uint32_t>, 4> x = {i, i, i, i};
  for (uint32_t step = 0; step < 60; ++step) {
    for (Lanes<uint32_t>& value : x) {
      value = value + 1U;
    }
    co_await w.branch();
  }
  w.store(out, i, (i & 127U) + x[0] * 0U);
}

[[nodiscard]] Workload busy_workload() {
  return {.name = "busy", .setup = [](Memory& memory, uint64_t, bool) {
            const auto out = memory.allocate<uint32_t>("out", 180 * 256);
            return one_launch({180, 256, 16, 0, [=](Warp& w) { return busy(w, out); }});
          }};
}

TEST(SimDesigns, LowPriorityDoesNotSlowAComputeBoundKernel) {
  const uint64_t base = run({}, busy_workload(), Design::base).counters.core_cycles;
  const RunResult caba = run({}, busy_workload(), Design::caba_bdi);
  EXPECT_LT(static_cast<double>(caba.counters.core_cycles), 1.02 * static_cast<double>(base));
  EXPECT_GT(caba.counters.compressions + caba.counters.store_overflows, 0);
}

// Windows of 100 cycles and 2 slots, busy from 90 % on.
TEST(SimDesigns, ThrottlingLooksAtOneWindowAtATime) {
  ThrottleWindow window(100, 2, 90);
  // 60 % of two windows in which nobody asked are not 120 % of one.
  for (uint64_t now = 0; now < 200; ++now) {
    window.note(now, now % 5 < 3 ? 2 : 0);
  }
  EXPECT_FALSE(window.is_busy(200));
  for (uint64_t now = 200; now < 300; ++now) {
    window.note(now, 2);
  }
  EXPECT_TRUE(window.is_busy(300));
  EXPECT_TRUE(window.is_busy(399));
  EXPECT_FALSE(window.is_busy(400)) << "nothing was issued from 300 on";
  // Exactly the limit is not above it.
  for (uint64_t now = 400; now < 490; ++now) {
    window.note(now, 2);
  }
  EXPECT_FALSE(window.is_busy(500));
  window.note(510, 200);
  EXPECT_FALSE(window.is_busy(700)) << "a window without a note lies between";
}

TEST(SimDesigns, ThrottlingHoldsDeploymentsBack) {
  const RunResult held =
      run(with({"caba.throttle_percent=0", "caba.throttle_window=64"}), busy_workload(), Design::caba_bdi);
  const RunResult open = run(with({"caba.throttle=off"}), busy_workload(), Design::caba_bdi);
  EXPECT_GT(held.counters.assist_throttled, 0);
  EXPECT_EQ(open.counters.assist_throttled, 0);
}

TEST(SimDesigns, LowPriorityIssuesOnlyWhereNoParentDid) {
  EventLog log;
  log.sm = EventLog::kAllSms;
  run(with({"gpu.sms=2"}), stream_workload(1 << 14, small_delta), Design::caba_bdi, {.log = &log});
  std::map<std::tuple<uint32_t, uint64_t, uint32_t>, uint32_t> slots;
  uint64_t low = 0;
  for (const IssueEvent& event : log.issues) {
    EXPECT_EQ(++slots[std::make_tuple(event.sm, event.cycle, event.scheduler)], 1)
        << "one instruction per slot";
    EXPECT_TRUE(!event.low_priority || event.assist);
    low += event.low_priority ? 1 : 0;
  }
  EXPECT_GT(low, 0);
}

TEST(SimDesigns, TheControllerDeploysInTurn) {
  EventLog log;
  run(with({"gpu.sms=1"}), stream_workload(1 << 14, small_delta), Design::caba_bdi, {.log = &log});
  std::map<uint64_t, uint32_t> per_cycle;
  std::map<uint32_t, bool> running;
  std::map<uint32_t, uint64_t>
      passed_over;  // deployments of others since an assist warp of high priority had one
  uint64_t most = 0;
  for (const AssistEvent& event : log.assists) {
    if (event.kind == AssistEventKind::trigger) {
      EXPECT_FALSE(running[event.entry]);
    } else if (event.kind == AssistEventKind::deploy) {
      EXPECT_TRUE(running[event.entry]);
      EXPECT_LE(++per_cycle[event.cycle], 1);
      for (auto& [entry, count] : passed_over) {
        most = std::max(most, entry == event.entry ? 0 : ++count);
      }
    }
    running[event.entry] = event.kind == AssistEventKind::trigger || event.kind == AssistEventKind::deploy;
    if (event.kind == AssistEventKind::trigger && !event.low_priority) {
      passed_over[event.entry] = 0;
    } else if (event.kind == AssistEventKind::deploy || !running[event.entry]) {
      passed_over.erase(event.entry);
    }
  }
  // From trigger to first deployment no assist warp waits for more than one turn of the table.
  EXPECT_LE(most, 2 * Config().caba_awt_entries);
  EXPECT_GT(log.assists.size(), 1000);
}

// Blocks that end with a store of one byte per line, and blocks after them that only compute.
Program store_bytes_or_add(Warp& w, Array<uint8_t> bytes) {
  if (w.place().block % 2 == 0) {
    w.store(bytes, w.global_thread() * 4U, w.cast<uint8_t>(w.lane() | 0x80U));
    co_return;
  }
  Lanes<uint32_t> x = w.lane();
  for (uint32_t i = 0; i < 400; ++i) {
    x = x + 1U;
  }
}

TEST(SimDesigns, AnExpansionDoesNotStallTheNextWarpInItsParentsSlot) {
  const Workload workload{
      .name = "ended", .setup = [](Memory& memory, uint64_t, bool) {
        const auto words = memory.allocate<uint32_t>("words", 64 * 256);
        for (uint32_t& x : memory.view(words)) {
          x = 0x4000'0001;
        }
        const Array<uint8_t> bytes{words.base, words.count * 4};
        return one_launch({64, 256, 8, 0, [=](Warp& w) { return store_bytes_or_add(w, bytes); }});
      }};
  EventLog log;
  const RunResult result = run(with({"gpu.sms=1"}), workload, Design::caba_bdi, {.log = &log});
  EXPECT_GT(result.counters.partial_writes_wrong, 0);
  std::map<uint64_t, std::vector<uint32_t>> parents;  // by cycle, slots that issued
  for (const IssueEvent& event : log.issues) {
    if (!event.assist) {
      parents[event.cycle].push_back(event.warp);
    }
  }
  uint32_t others = 0;  // instructions of parents in slots whose former warp has an expansion
  std::map<uint32_t, uint64_t> since;
  for (const AssistEvent& event : log.assists) {
    if (event.kind == AssistEventKind::trigger) {
      since[event.entry] = event.cycle;
    } else if (event.kind == AssistEventKind::complete) {
      const auto end = parents.lower_bound(event.cycle);
      for (auto at = parents.upper_bound(since[event.entry]); at != end; ++at) {
        others += static_cast<uint32_t>(std::count(at->second.begin(), at->second.end(), event.warp));
      }
    }
  }
  EXPECT_GT(others, 0);
}

TEST(SimDesigns, CompressionLeavesAnEntryOfTheTableToLoads) {
  EventLog log;
  run(with({"gpu.sms=1", "caba.awt_entries=3"}), stream_workload(1 << 15, small_delta), Design::caba_bdi,
      {.log = &log});
  uint32_t low = 0;
  uint32_t most = 0;
  for (const AssistEvent& event : log.assists) {
    const bool ends = event.kind == AssistEventKind::complete || event.kind == AssistEventKind::kill;
    low += event.low_priority && event.kind == AssistEventKind::trigger ? 1 : 0;
    low -= event.low_priority && ends ? 1 : 0;
    most = std::max(most, low);
  }
  EXPECT_EQ(most, 2);
}

TEST(SimDesigns, AssistRegistersCanCostOccupancy) {
  Launch launch;
  launch.block_threads = 256;
  launch.registers = 20;
  Config config = with({"caba.register_policy=static"});
  // 6 blocks of 5120 registers leave 2048.
  EXPECT_EQ(occupancy_of(config, launch, 0).blocks, 6);
  EXPECT_EQ(occupancy_of(config, launch, 0).unallocated_registers, 2048);
  EXPECT_EQ(occupancy_of(config, launch, 1).blocks, 6);
  EXPECT_EQ(occupancy_of(config, launch, 2).blocks, 5);
  // 4 assist warps of 32 lanes share them, with up to 16 registers each.
  config.caba_register_policy = 0;
  EXPECT_EQ(occupancy_of(config, launch, 16).blocks, 6);
  EXPECT_EQ(occupancy_of(config, launch, 16).assist_registers, 2048);
  EXPECT_EQ(occupancy_of(config, launch, 17).blocks, 5);
  launch.shared_bytes = 12000;
  EXPECT_EQ(occupancy_of(config, launch, 0).blocks, 2);
  EXPECT_EQ(occupancy_of(config, launch, 0).unallocated_shared_bytes, 32768 - 24000);
}

TEST(SimDesigns, RoutinesMustFitTheStore) {
  const auto result = simulate(with({"caba.aws_entries=10"}), busy_workload(), Design::caba_bdi, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message().find("caba.aws_entries: the routines need "), std::string::npos);
}

TEST(SimDesigns, MetadataHitsDependOnLocality) {
  const RunResult near = run({}, read_workload(1 << 18, 4, small_delta), Design::hw_bdi);
  EXPECT_GT(near.md_hit_rate(), 0.8);
  EXPECT_GT(near.counters.md_merges, 0) << "lines of a stream arrive before their metadata does";
  EXPECT_EQ(near.counters.md_hits + near.counters.md_merges + near.counters.md_misses,
            near.counters.md_lookups);
  EXPECT_LT(near.md_hit_rate(),
            1 - static_cast<double>(near.counters.md_merges) / static_cast<double>(near.counters.md_lookups))
      << "a lookup that waits is not a hit";
  const RunResult tiny =
      run(with({"md.bytes=128", "md.line_bytes=32"}), read_workload(1 << 18, 4, small_delta), Design::hw_bdi);
  EXPECT_LT(tiny.md_hit_rate(), 0.99);
}

// A working set of twice the cache that fits when it is compressed.
Program reread(Warp& w, Array<uint32_t> in, Array<uint32_t> out, uint32_t rounds) {
  Lanes<uint32_t> sum = 0;
  const uint32_t stride = w.place().num_blocks * w.place().block_warps * kLanes;
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t at = 0; at < in.count; at += stride) {
      sum = sum + co_await w.load(in, w.global_thread() + at);
      co_await w.branch();
    }
  }
  w.store(out, w.global_thread(), sum);
}

[[nodiscard]] Workload reread_workload(uint32_t bytes, uint32_t blocks) {
  return {.name = "reread", .setup = [=](Memory& memory, uint64_t seed, bool) {
            const auto in = memory.allocate<uint32_t>("in", bytes / 4);
            const auto out = memory.allocate<uint32_t>("out", blocks * 128);
            std::mt19937_64 random(seed);
            for (uint32_t& x : memory.view(in)) {
              x = small_delta(0, random);
            }
            return one_launch({blocks, 128, 16, 0, [=](Warp& w) { return reread(w, in, out, 4); }});
          }};
}

TEST(SimDesigns, MoreTagsMakeCachesHoldMoreLines) {
  const Workload l2 = reread_workload(3 * 786432 / 2, 64);
  const double raw = run({}, l2, Design::caba_bdi).l2_hit_rate();
  const double packed = run(with({"caba.l2_tags=2"}), l2, Design::caba_bdi).l2_hit_rate();
  EXPECT_GT(packed, raw + 0.2);
  const Workload l1 = reread_workload(24576, 1);
  const RunResult without = run({}, l1, Design::caba_bdi);
  const RunResult with_tags = run(with({"caba.l1_tags=2"}), l1, Design::caba_bdi);
  EXPECT_GT(with_tags.l1_hit_rate(), without.l1_hit_rate() + 0.2);
  EXPECT_EQ(with_tags.counters.decompressions,
            with_tags.counters.l1_loads - with_tags.counters.l1_load_merges)
      << "hits are expanded too";
}

TEST(SimDesigns, ARawL2SavesDecompressionAndCostsFlits) {
  const Workload workload = reread_workload(786432 / 2, 64);
  const RunResult packed = run({}, workload, Design::caba_bdi);
  const RunResult raw = run(with({"caba.raw_l2=on"}), workload, Design::caba_bdi);
  EXPECT_LT(raw.counters.decompressions, packed.counters.decompressions);
  EXPECT_GT(raw.counters.reply_flits, packed.counters.reply_flits);
}

TEST(SimDesigns, DirectLoadStoresNoLineBack) {
  const Workload workload = reread_workload(8192, 1);
  const RunResult whole = run({}, workload, Design::caba_bdi);
  const RunResult direct = run(with({"caba.direct_load=on"}), workload, Design::caba_bdi);
  EXPECT_GT(direct.counters.decompressions, whole.counters.decompressions) << "every access decodes";
}

TEST(SimDesigns, ACoalescerThatExtractsTakesNoAssistWarps) {
  const Workload workload = reread_workload(8192, 1);
  const RunResult by_assist = run(with({"caba.direct_load=on"}), workload, Design::caba_bdi);
  const RunResult by_coalescer = run(with({"caba.direct_load=coalescer"}), workload, Design::caba_bdi);
  EXPECT_GT(by_coalescer.counters.decompressions, 100);
  EXPECT_GT(by_assist.counters.assist_triggers, 100);
  EXPECT_LT(by_coalescer.counters.assist_triggers, 10) << "those of the stores";
  EXPECT_LT(by_coalescer.counters.core_cycles, by_assist.counters.core_cycles);
}

TEST(SimDesigns, PrefetchingHelpsALoneWarp) {
  const Workload workload = reread_workload(1 << 20, 4);
  const RunResult off = run({}, workload, Design::base);
  const RunResult on = run(with({"prefetch.enable=on", "prefetch.percent=100"}), workload, Design::base);
  EXPECT_GT(on.counters.prefetch_hits, 100);
  EXPECT_LT(on.counters.core_cycles, off.counters.core_cycles);
}

Program spin(Warp& w, Array<uint32_t> flag) {
  Lanes<uint32_t> seen = 0;
  while (w.place().warp == 0 && seen[0] == 0) {
    seen = co_await w.load(flag, 0U);
    co_await w.branch();
  }
  co_await w.barrier();
}

Program count_forever(Warp& w) {
  for (Lanes<uint32_t> x = w.lane(); x[0] < 0xffff'ffff;) {
    x = x | 1U;
  }
  co_return;
}

[[nodiscard]] Workload endless_workload(bool awaits) {
  return {
      .name = "endless", .setup = [=](Memory& memory, uint64_t, bool) {
        const auto flag = memory.allocate<uint32_t>("flag", 32);
        return one_launch({1, 64, 10, 0, [=](Warp& w) { return awaits ? spin(w, flag) : count_forever(w); }});
      }};
}

TEST(SimDesigns, RunsThatDoNotEndSayWhoWaits) {
  const auto quiet = simulate(with({"run.quiet_cycles=20000"}), endless_workload(true), Design::base, {});
  ASSERT_FALSE(quiet.has_value());
  EXPECT_NE(quiet.error().message().find("endless, base: launch 0: no store, barrier or end of a warp for "
                                         "20000 cycles (run.quiet_cycles): SM 0, block 0, warp 0"),
            std::string::npos)
      << quiet.error().message();
  const auto spins = simulate(with({"run.max_cycles=20000"}), endless_workload(true), Design::base, {});
  ASSERT_FALSE(spins.has_value());
  EXPECT_NE(
      spins.error().message().find(
          "endless, base: launch 0: not finished after 20000 cycles (run.max_cycles): SM 0, block 0, warp 0"),
      std::string::npos)
      << spins.error().message();
  const auto counts = simulate({}, endless_workload(false), Design::base, {});
  ASSERT_FALSE(counts.has_value());
  EXPECT_EQ(
      counts.error().message(),
      "endless, base: launch 0: block 0, warp 0: more than 1048576 instructions without a load, branch() or "
      "barrier()");
  EXPECT_FALSE(run_functionally(endless_workload(true), 1, true, 100000).has_value());
  EXPECT_FALSE(run_functionally(endless_workload(false), 1, true).has_value());
}

TEST(SimDesigns, ABlockThatFitsNoSmIsRefused) {
  const Config config = with({"sm.registers=1024"});
  const auto result = simulate(config, busy_workload(), Design::base, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(
      result.error().message(),
      "busy, base: launch 0: a block of 256 threads with 16 registers (and 0 of assist warps) and 0 bytes of "
      "shared memory does not fit on an SM");
}

}  // namespace
}  // namespace bobbin::sim
