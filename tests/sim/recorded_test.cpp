// SPDX-License-Identifier: Apache-2.0
// Kernels that are recorded in the emulator and replayed on the simulated machine.
#include <gtest/gtest.h>

#include <numeric>

#include "sim/simulate.hpp"

#if BOBBIN_HAS_EMULATOR
#include "sim/recorded_cta.hpp"
#include "sim/workloads/library.hpp"
#include "tests/drawn.hpp"
#include "tests/sim/support.hpp"

namespace bobbin::sim {
namespace {

using simt::Global;
using simt::Quad;

// out[i] = 2 * in[i]. One load and one store per warp.
struct DoubleKernel {
  static constexpr uint32_t kThreads = 64;
  using Shared = simt::NoShared;

  Global<const uint32_t> in;
  Global<uint32_t> out;

  template <class Cta>
  void operator()(Cta& cta) const {
    const uint32_t i = cta.block() * kThreads + cta.thread();
    cta.store(out, i, 2 * cta.load(in, i));
  }
};

// A workload from any kernel over words: `make` gets the input and the output.
template <class Make>
[[nodiscard]] Workload recorded(uint64_t blocks, uint64_t words_in, uint64_t words_out, Make make) {
  return {.name = "recorded", .setup = [=](Memory& memory, uint64_t, bool) {
            return recorded_run(memory, {}, [=](Recording& recording) -> Status {
              std::vector<uint32_t> in(words_in);
              std::iota(in.begin(), in.end(), 100U);
              std::vector<uint32_t> out(words_out);
              recording.add_input("in", std::as_bytes(std::span(in)));
              recording.add_output("out", std::as_writable_bytes(std::span(out)));
              return record(make(Global<const uint32_t>{in.data(), in.size()},
                                 Global<uint32_t>{out.data(), out.size()}),
                            blocks, recording);
            });
          }};
}

[[nodiscard]] std::span<const uint32_t> words_of(const Memory& memory, size_t allocation) {
  const Allocation& which = memory.allocations()[allocation];
  return memory.view(Array<uint32_t>{which.base, which.bytes / 4});
}

struct Counted {
  std::array<uint64_t, kNumOps> ops{};
  uint64_t all = 0;
  std::vector<uint32_t> memory_masks;  // of global accesses, in their order

  [[nodiscard]] uint64_t of(Op op) const { return ops[static_cast<size_t>(op)]; }
};

[[nodiscard]] Counted count(const Workload& workload) {
  Counted out;
  const auto run = run_functionally(workload, 1, true, 1'000'000, [&](const Warp&, const Instruction& i) {
    ++out.ops[static_cast<size_t>(i.op)];
    ++out.all;
    if (i.op == Op::load || i.op == Op::store) {
      out.memory_masks.push_back(i.mask);
    }
  });
  EXPECT_TRUE(run.has_value()) << run.error().message();
  return out;
}

TEST(SimRecorded, InstructionsOfASmallKernelAreExact) {
  const Workload workload = recorded(2, 128, 128, [](auto in, auto out) { return DoubleKernel{in, out}; });
  const Counted counted = count(workload);
  constexpr uint64_t kWarps = 4;
  EXPECT_EQ(counted.of(Op::load), kWarps);
  EXPECT_EQ(counted.of(Op::store), kWarps);
  EXPECT_EQ(counted.of(Op::exit), kWarps);
  EXPECT_EQ(counted.of(Op::branch), 0);
  // Before each access the arithmetic that is assumed, and the address.
  EXPECT_EQ(counted.of(Op::alu), kWarps * 2 * (Config().record_alu + 1));
  EXPECT_EQ(counted.all, kWarps * (3 + 2 * (Config().record_alu + 1)));
  const auto run = run_functionally(workload, 1, true);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(words_of(run->memory, 0)[5], 105);
  EXPECT_EQ(words_of(run->memory, 1)[5], 210);
}

TEST(SimRecorded, TheAssumedArithmeticIsAParameter) {
  const Workload workload = recorded(2, 128, 128, [](auto in, auto out) { return DoubleKernel{in, out}; });
  for (const uint32_t alu : {1U, 4U, 9U}) {
    Config config;
    config.record_alu = alu;
    const auto run = simulate(config, workload, Design::base, {});
    ASSERT_TRUE(run.has_value()) << run.error().message();
    EXPECT_EQ(run->counters.instructions, 4 * (3 + 2 * (alu + 1)));
  }
}

// Even lanes store, odd lanes load and store, then all store: three ways, one instruction each.
struct BranchKernel {
  static constexpr uint32_t kThreads = 32;
  using Shared = simt::NoShared;

  Global<const uint32_t> in;
  Global<uint32_t> out;

  template <class Cta>
  void operator()(Cta& cta) const {
    uint32_t value = 7;
    if (cta.lane() % 2 == 1) {
      value = cta.load(in, cta.lane());
    } else {
      cta.store(out, 32 + cta.lane(), 1U);
    }
    cta.store(out, cta.lane(), value);
  }
};

TEST(SimRecorded, DivergentLanesIssueOneAfterTheOtherAndMeetAgain) {
  const Counted counted = count(recorded(1, 32, 64, [](auto in, auto out) { return BranchKernel{in, out}; }));
  EXPECT_EQ(counted.of(Op::load), 1);
  EXPECT_EQ(counted.of(Op::store), 2);
  EXPECT_EQ(counted.of(Op::branch), 2);  // into each side
  EXPECT_EQ(counted.memory_masks, (std::vector<uint32_t>{0x5555'5555, 0xaaaa'aaaa, 0xffff'ffff}));
}

// Lane i takes i % 4 rounds of an inner loop, twice.
struct LoopKernel {
  static constexpr uint32_t kThreads = 32;
  using Shared = simt::NoShared;

  Global<const uint32_t> in;
  Global<uint32_t> out;

  template <class Cta>
  void operator()(Cta& cta) const {
    for (uint32_t outer = 0; outer < 2; ++outer) {
      uint32_t sum = 0;
      for (uint32_t i = 0; i < cta.lane() % 4; ++i) {
        sum += cta.load(in, i);
      }
      cta.store(out, outer * 32 + cta.lane(), sum);
    }
  }
};

TEST(SimRecorded, LanesLeaveALoopOneAfterTheOther) {
  const Counted counted = count(recorded(1, 32, 64, [](auto in, auto out) { return LoopKernel{in, out}; }));
  const std::vector<uint32_t> once = {0xeeee'eeee, 0xcccc'cccc, 0x8888'8888, 0xffff'ffff};
  std::vector<uint32_t> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(counted.memory_masks, twice);
}

// All that a Cta offers in one kernel: shared memory, barriers, shuffles, atomics, 16 bytes at a time.
struct ManyKernel {
  static constexpr uint32_t kThreads = 64;
  struct Shared {
    simt::Shared<Quad, 64> quads;
    simt::Shared<uint32_t, 1> sum;
  };

  Global<const uint32_t> in;
  Global<uint32_t> out;

  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint32_t i = cta.thread();
    if (i == 0) {
      cta.store(shared.sum, 0, 0U);
    }
    const Global<const Quad> quads{reinterpret_cast<const Quad*>(in.data), in.size / 4};
    cta.store(shared.quads, i, cta.load(quads, i));
    cta.sync();
    const Quad other = cta.load(shared.quads, 63 - i);
    const uint32_t sum = cta.reduce_add(other.word[0]);
    if (cta.lane() == 0) {
      cta.template atomic_add<simt::Order::relaxed>(shared.sum, 0, sum);
    }
    cta.sync();
    const Global<Quad> to{reinterpret_cast<Quad*>(out.data), out.size / 4};
    cta.store_once(to, i, Quad{{cta.shfl_xor(other.word[0], 1), cta.load(shared.sum, 0), i, 4}});
    cta.template atomic_add<simt::Order::relaxed>(out, 256, 1U);
    cta.template atomic_or<simt::Order::relaxed>(out, 257, 1U << (i % 5));
    cta.template atomic_max<simt::Order::relaxed>(out, 258, i);
  }
};

[[nodiscard]] Workload many_workload() {
  return recorded(1, 256, 260, [](auto in, auto out) { return ManyKernel{in, out}; });
}

TEST(SimRecorded, EveryOperationLeavesTheKernelsOutput) {
  const auto run = run_functionally(many_workload(), 1, true);
  ASSERT_TRUE(run.has_value()) << run.error().message();
  const auto out = words_of(run->memory, 1);
  const uint32_t sum = 64 * 100 + 4 * (63 * 64 / 2);
  EXPECT_EQ(out[0], 100 + 4 * 62);
  EXPECT_EQ(out[1], sum);
  EXPECT_EQ(out[4 * 63 + 2], 63);
  EXPECT_EQ(out[256], 64);
  EXPECT_EQ(out[257], 31);
  EXPECT_EQ(out[258], 63);
}

// 16 bytes per lane are two instructions, each for half of the lanes.
TEST(SimRecorded, WideAccessesTakeTwoInstructions) {
  const Counted counted = count(many_workload());
  EXPECT_EQ(counted.of(Op::load), 2 * 2);
  EXPECT_EQ(counted.of(Op::store), 2 * 2);
  EXPECT_EQ(counted.of(Op::barrier), 2 * 2);
  EXPECT_EQ(counted.of(Op::vote), 2 * 2);
  EXPECT_EQ(counted.of(Op::atomic), 2 * 3);
}

// Blocks copy 512 bytes with bulk copies in and out.
struct CopyKernel {
  static constexpr uint32_t kThreads = 64;
  struct Shared {
    simt::Shared<uint32_t, 128> tile;
    simt::CopyBarrier loaded;
  };

  Global<const uint32_t> in;
  Global<uint32_t> out;

  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      cta.barrier_init(shared.loaded, 1);
    }
    cta.sync();
    if (cta.thread() == 0) {
      cta.barrier_arrive_expect(shared.loaded, 512);
      cta.bulk_load(shared.tile, 0, in, cta.block() * 128, 128, shared.loaded);
    }
    cta.barrier_wait(shared.loaded, 0);
    cta.store(shared.tile, cta.thread(), cta.load(shared.tile, cta.thread()) + 1);
    cta.bulk_fence();
    cta.sync();
    if (cta.thread() == 0) {
      cta.bulk_store(out, cta.block() * 128, shared.tile, 0, 128);
      cta.bulk_store_wait();
    }
  }
};

TEST(SimRecorded, BulkCopiesAreMadeByTheWarpThatStartsThem) {
  const Workload workload = recorded(3, 384, 384, [](auto in, auto out) { return CopyKernel{in, out}; });
  const Counted counted = count(workload);
  EXPECT_EQ(counted.of(Op::load), 3 * 2);
  EXPECT_EQ(counted.of(Op::store), 3 * 2);
  const auto run = run_functionally(workload, 1, true);
  EXPECT_EQ(words_of(run->memory, 1)[128], 100 + 128 + 1);
  EXPECT_EQ(words_of(run->memory, 1)[200], 100 + 200);
}

// The host's changes between two launches cannot be replayed, so they are found.
TEST(SimRecorded, ChangesBetweenLaunchesAreRefused) {
  const Workload workload = {.name = "changed", .setup = [](Memory& memory, uint64_t, bool) {
                               return recorded_run(memory, {}, [](Recording& recording) -> Status {
                                 std::vector<uint32_t> in(64);
                                 std::vector<uint32_t> out(64);
                                 const DoubleKernel kernel{{in.data(), 64}, {out.data(), 64}};
                                 BOBBIN_TRY(record(kernel, 1, recording));
                                 in[3] = 1;
                                 return record(kernel, 1, recording);
                               });
                             }};
  const auto run = run_functionally(workload, 1, true);
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().message(),
            "changed: results: recording: the host changed scratch 0 between two launches");
}

TEST(SimRecorded, FaultsThatTheEmulatorFindsEndTheRun) {
  const auto run = run_functionally(recorded(1, 32, 64,
                                             [](auto in, auto out) {
                                               return DoubleKernel{in, out};
                                             }),
                                    1, true);
  ASSERT_FALSE(run.has_value());
  EXPECT_NE(run.error().message().find("out of bounds"), std::string::npos) << run.error().message();
}

TEST(SimRecorded, AllDesignsLeaveTheKernelsOutput) {
  Config config;
  config.gpu_sms = 2;
  for (uint32_t i = 0; i < kNumDesigns; ++i) {
    const auto design = static_cast<Design>(i);
    const auto run = simulate(config, many_workload(), design, {});
    EXPECT_TRUE(run.has_value()) << run.error().message();
  }
}

// The same workload, but its kernel is not recorded again for each run: that takes as long as a run.
[[nodiscard]] Workload recorded_once(const Workload& workload) {
  const auto memory = std::make_shared<Memory>();
  Workload once = workload;
  once.setup = [memory, run = workload.setup(*memory, Options().seed, true)](Memory& to, uint64_t, bool) {
    to = *memory;
    return run;
  };
  return once;
}

// simulate() compares memory with what the kernel left; recording compares that with the encoded values.
TEST(SimLibrary, EveryKernelRunsOnEveryDesign) {
  EXPECT_EQ(library_workloads().size(), library_workload_names().size());
  for (const Workload& workload : testing::drawn_of(library_workloads())) {
    EXPECT_EQ(workload.kind, WorkloadClass::library);
    EXPECT_EQ(find_workload(workload.name)->name, workload.name);
    const Workload once = recorded_once(workload);
    for (const uint64_t i : testing::drawn(kNumDesigns)) {
      const auto design = static_cast<Design>(i);
      const auto run = simulate(Config(), once, design, {.quick = true});
      ASSERT_TRUE(run.has_value()) << run.error().message();
      EXPECT_GT(run->counters.dram_reads, 0) << workload.name;
    }
  }
}

TEST(SimLibrary, RunsAreDeterministicAndSeedsDecideTheData) {
  for (const Workload& workload : testing::drawn_of(library_workloads(), testing::kDrawnShare)) {
    const auto once = simulate(Config(), workload, Design::caba_bdi, {.quick = true});
    const auto again = simulate(Config(), workload, Design::caba_bdi, {.quick = true});
    ASSERT_TRUE(once.has_value() && again.has_value()) << workload.name;
    EXPECT_EQ(to_json(*once), to_json(*again)) << workload.name;
    const std::vector<uint8_t> bytes = bytes_of(workload, 1);
    EXPECT_EQ(bytes, bytes_of(workload, 1)) << workload.name;
    EXPECT_NE(bytes, bytes_of(workload, 2)) << workload.name;
  }
}

// A check that accepts anything would hide every error of the simulator.
TEST(SimLibrary, ChecksFindAWrongBit) {
  for (const Workload& workload : testing::drawn_of(library_workloads())) {
    Memory memory;
    const WorkloadRun run = workload.setup(memory, 7, true);
    EXPECT_FALSE(run.check(memory).ok()) << workload.name;  // nothing has run
    auto end = run_functionally(workload, 7, true);
    ASSERT_TRUE(end.has_value()) << end.error().message();
    EXPECT_TRUE(run.check(end->memory).ok()) << workload.name;
    for (const Allocation& allocation : end->memory.allocations()) {
      uint8_t* byte = end->memory.at(allocation.base + allocation.bytes / 2);
      *byte ^= 1;
      EXPECT_FALSE(run.check(end->memory).ok()) << workload.name << ", " << allocation.name;
      *byte ^= 1;
    }
  }
}

// The paper's experiments stay those of the proxies.
TEST(SimLibrary, KernelsAreNotAmongTheProxies) {
  for (const Workload& workload : workloads()) {
    EXPECT_NE(workload.kind, WorkloadClass::library) << workload.name;
  }
}

}  // namespace
}  // namespace bobbin::sim
#endif
