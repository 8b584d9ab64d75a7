// SPDX-License-Identifier: Apache-2.0
// The emulator itself: the meaning of its operations, and that it detects each kind of bug in a small kernel.
#include "simt/emulator.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "simt/look_back.hpp"

namespace bobbin::simt {
namespace {

constexpr int kSchedules = BOBBIN_RACES_ARE_CHECKED ? 3 : 30;

// Runs a kernel with many schedules; all must be clean.
template <class K>
void expect_clean(const K& kernel, uint64_t blocks) {
  for (uint64_t seed = 1; seed <= kSchedules; ++seed) {
    const Status status = emulate(kernel, blocks, {.seed = seed});
    ASSERT_TRUE(status.ok()) << "schedule " << seed << ": " << status.message();
  }
}

// Some schedule must show the fault. (That a fault is hidden by most is why there are many.)
template <class K>
void expect_fault(const K& kernel, uint64_t blocks, const std::string& words, uint64_t patience = 10000) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const Status status = emulate(kernel, blocks, {.seed = seed, .patience = patience});
    if (!status.ok()) {
      EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
      EXPECT_EQ(status.code(), StatusCode::device);
      return;
    }
  }
  FAIL() << "no schedule shows: " << words;
}

template <class T>
Global<T> global(std::vector<T>& values) {
  return {values.data(), values.size()};
}

struct WarpOperations {
  static constexpr uint32_t kThreads = 64;
  using Shared = NoShared;
  Global<uint32_t> out;  // 12 results per thread

  template <class Cta>
  void operator()(Cta& cta) const {
    const uint32_t lane = cta.lane();
    const uint32_t results[12] = {
        cta.shfl(lane * 10, 5),       cta.shfl_up(lane, 3),
        cta.shfl_down(lane, 4),       cta.shfl_xor(lane, 7),
        cta.ballot(lane % 3 == 0),    cta.any(lane == 31) ? 1U : 0U,
        cta.all(lane < 31) ? 1U : 0U, cta.match_any(lane / 8),
        cta.reduce_add(lane),         static_cast<uint32_t>(cta.reduce_min(static_cast<int32_t>(lane) - 7)),
        cta.reduce_or(1U << lane),    static_cast<uint32_t>(cta.shfl(uint64_t{lane} << 40, lane + 1) >> 40)};
    for (uint32_t i = 0; i < 12; ++i) {
      cta.store(out, cta.thread() * 12 + i, results[i]);
    }
  }
};

TEST(Emulator, WarpOperationsMeanWhatTheGpuMeans) {
  std::vector<uint32_t> out(64 * 12);
  expect_clean(WarpOperations{global(out)}, 1);
  for (uint32_t thread = 0; thread < 64; ++thread) {
    const uint32_t lane = thread % 32;
    const std::vector<uint32_t> expected{50,
                                         lane < 3 ? lane : lane - 3,
                                         lane > 27 ? lane : lane + 4,
                                         lane ^ 7,
                                         0x49249249,
                                         1,
                                         0,
                                         0xffU << (lane / 8 * 8),
                                         496,
                                         static_cast<uint32_t>(-7),
                                         0xffffffff,
                                         (lane + 1) % 32};
    EXPECT_EQ(std::vector(out.begin() + thread * 12, out.begin() + thread * 12 + 12), expected) << thread;
  }
}

// Reverses a block's values through shared memory.
template <bool kForgetBarrier>
struct Reverse {
  static constexpr uint32_t kThreads = 128;
  struct Shared {
    simt::Shared<uint32_t, kThreads> values;
  };
  Global<uint32_t> out;

  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    cta.store(shared.values, cta.thread(), cta.thread());
    if constexpr (!kForgetBarrier) {
      cta.sync();
    }
    cta.store(out, cta.block() * kThreads + cta.thread(),
              cta.load(shared.values, kThreads - 1 - cta.thread()));
  }
};

TEST(Emulator, BarriersOrderSharedMemory) {
  std::vector<uint32_t> out(128);
  expect_clean(Reverse<false>{global(out)}, 1);
  EXPECT_EQ(out[5], 122U);
}

TEST(Emulator, FindsLoadsOfUnwrittenSharedMemory) {
  std::vector<uint32_t> out(128);
  expect_fault(Reverse<true>{global(out)}, 1, "uninitialised: block 0 thread ");
}

struct DivergentBarrier {
  static constexpr uint32_t kThreads = 64;
  using Shared = NoShared;
  template <class Cta>
  void operator()(Cta& cta) const {
    if (cta.thread() < 32) {
      cta.sync();
    } else {
      cta.sync();
    }
  }
};

struct MissedBarrier {
  static constexpr uint32_t kThreads = 64;
  using Shared = NoShared;
  template <class Cta>
  void operator()(Cta& cta) const {
    if (cta.thread() != 9) {
      cta.sync();
    }
  }
};

TEST(Emulator, FindsDivergentBarriers) {
  expect_fault(DivergentBarrier{}, 1, "divergent barrier");
  expect_fault(MissedBarrier{}, 1, "divergent barrier");
}

struct DivergentShuffle {
  static constexpr uint32_t kThreads = 32;
  using Shared = NoShared;
  Global<uint32_t> out;
  template <class Cta>
  void operator()(Cta& cta) const {
    uint32_t v = cta.lane();
    if (cta.lane() % 2 == 0) {
      v = cta.shfl_xor(v, 1);
    } else {
      v = cta.shfl_xor(v, 1);
    }
    cta.store(out, cta.thread(), v);
  }
};

struct MissedShuffle {
  static constexpr uint32_t kThreads = 32;
  using Shared = NoShared;
  template <class Cta>
  void operator()(Cta& cta) const {
    if (cta.lane() < 20) {
      static_cast<void>(cta.ballot(true));
    }
  }
};

TEST(Emulator, FindsDivergentShuffles) {
  std::vector<uint32_t> out(32);
  expect_fault(DivergentShuffle{global(out)}, 1, "divergent warp");
  expect_fault(MissedShuffle{}, 1, "divergent warp");
}

struct OutOfBounds {
  static constexpr uint32_t kThreads = 32;
  struct Shared {
    simt::Shared<uint32_t, 8> values;
  };
  Global<uint32_t> out;
  int where;
  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (where == 0) {
      cta.store(out, cta.thread(), 1U);
    } else if (where == 1) {
      static_cast<void>(cta.load(out, cta.thread()));
    } else {
      cta.store(shared.values, cta.thread(), 1U);
    }
  }
};

TEST(Emulator, FindsAccessOutsideArrays) {
  std::vector<uint32_t> out(31);
  expect_fault(OutOfBounds{global(out), 0}, 1, "global store of item 31 of 31");
  expect_fault(OutOfBounds{global(out), 1}, 1, "global load of item 31 of 31");
  expect_fault(OutOfBounds{global(out), 2}, 1, "shared store of item");
}

// Block 1 waits for a flag that block 0 sets, or does not set.
struct WaitForFlag {
  static constexpr uint32_t kThreads = 32;
  using Shared = NoShared;
  Global<uint32_t> flag;
  Global<uint32_t> data;
  bool sets;
  template <class Cta>
  void operator()(Cta& cta) const {
    if (cta.block() == 0) {
      if (cta.thread() == 0 && sets) {
        cta.store(data, 0, 77U);
        cta.template atomic_store<Order::release>(flag, 0, 1U);
      }
      return;
    }
    if (cta.thread() == 0) {
      while (cta.template atomic_load<Order::acquire>(flag, 0) == 0) {
      }
      cta.store(data, 1, cta.load(data, 0));
    }
  }
};

TEST(Emulator, BlocksWaitForEachOther) {
  for (uint64_t seed = 1; seed <= kSchedules; ++seed) {
    std::vector<uint32_t> flag(1);
    std::vector<uint32_t> data(2);
    ASSERT_TRUE(emulate(WaitForFlag{global(flag), global(data), true}, 2, {.seed = seed}).ok());
    ASSERT_EQ(data[1], 77U);
  }
}

TEST(Emulator, ReportsWhoWaitsWhereInADeadlock) {
  std::vector<uint32_t> flag(1);
  std::vector<uint32_t> data(2);
  const WaitForFlag kernel{global(flag), global(data), false};
  expect_fault(kernel, 2,
               "deadlock (all running threads only poll, and nothing changes); block 1: 1 threads at atomic "
               "(emulator_test.cpp:");
  // If only one block is resident, the waiting block may keep the other from starting.
  const Status alone = emulate(WaitForFlag{global(flag), global(data), true}, 2,
                               {.seed = 2, .resident_blocks = 1, .patience = 1000});
  flag[0] = 0;
  const Status other = emulate(WaitForFlag{global(flag), global(data), true}, 2,
                               {.seed = 3, .resident_blocks = 1, .patience = 1000});
  EXPECT_TRUE(alone.ok() || alone.message().find("deadlock") != std::string::npos);
  EXPECT_TRUE(other.ok() || other.message().find("deadlock") != std::string::npos);
}

struct Sum {
  static constexpr uint32_t kThreads = 64;
  struct Shared {
    simt::Shared<uint64_t, 1> tile;
  };
  Global<uint64_t> ticket;
  Global<uint64_t> states;
  Global<uint64_t> out;
  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      cta.store(shared.tile, 0, cta.template atomic_add<Order::relaxed>(ticket, 0, uint64_t{1}));
    }
    cta.sync();
    const uint64_t tile = cta.load(shared.tile, 0);
    if (cta.warp() == 0) {
      const uint64_t before = look_back(cta, states, tile, tile + 1);
      if (cta.lane() == 0) {
        cta.store(out, tile, before);
      }
    }
  }
};

TEST(Emulator, DecoupledLookBackWorksWithAnyNumberOfBlocksUnderWay) {
  for (uint64_t seed = 1; seed <= kSchedules; ++seed) {
    std::vector<uint64_t> ticket(1);
    std::vector<uint64_t> states(100);
    std::vector<uint64_t> out(100);
    const Status status = emulate(Sum{global(ticket), global(states), global(out)}, 100,
                                  {.seed = seed, .resident_blocks = static_cast<uint32_t>(1 + seed % 40)});
    ASSERT_TRUE(status.ok()) << status.message();
    for (uint64_t i = 0; i < 100; ++i) {
      ASSERT_EQ(out[i], i * (i + 1) / 2);
    }
  }
}

// Copies a tile through shared memory by a bulk copy; may forget to wait for it, or to initialise its
// barrier.
struct BulkCopy {
  static constexpr uint32_t kThreads = 32;
  struct Shared {
    simt::Shared<Quad, kThreads> tile;
    CopyBarrier loaded;
  };
  Global<const Quad> in;
  Global<Quad> out;
  bool waits = true;
  bool sets_up = true;
  uint32_t expected_bytes = kThreads * sizeof(Quad);
  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0 && sets_up) {
      cta.barrier_init(shared.loaded, 1);
    }
    cta.sync();
    if (cta.thread() == 0) {
      cta.barrier_arrive_expect(shared.loaded, expected_bytes);
      cta.bulk_load(shared.tile, 0, in, 0, kThreads, shared.loaded);
    }
    if (waits) {
      cta.barrier_wait(shared.loaded, 0);
    }
    cta.store(out, cta.thread(), cta.load(shared.tile, cta.thread()));
  }
};

TEST(Emulator, BulkCopiesArriveByTheirBarrier) {
  std::vector<Quad> in(32);
  std::vector<Quad> out(32);
  in[7].word[2] = 1234;
  const Global<const Quad> source{in.data(), in.size()};
  expect_clean(BulkCopy{source, global(out)}, 1);
  EXPECT_EQ(out[7].word[2], 1234U);
  expect_fault(BulkCopy{.in = source, .out = global(out), .waits = false}, 1, "uninitialised");
  expect_fault(BulkCopy{.in = source, .out = global(out), .sets_up = false}, 1,
               "copy barrier that was not initialised");
  expect_fault(BulkCopy{.in = source, .out = global(out), .expected_bytes = 4096}, 1,
               "deadlock (no thread can continue)");
}

// Each thread copies a quad, and reads the one of its neighbour; it may forget to wait for its copy, or for
// the neighbour.
struct AsyncLoads {
  static constexpr uint32_t kThreads = 32;
  struct Shared {
    simt::Shared<Quad, kThreads> tile;
  };
  Global<const Quad> in;
  Global<Quad> out;
  bool waits = true;
  bool meets = true;
  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    cta.load_async(shared.tile, cta.thread(), in, cta.thread());
    if (waits) {
      cta.load_wait();
    }
    if (meets) {
      cta.sync_warp();
    }
    cta.store(out, cta.thread(), cta.load(shared.tile, cta.thread() ^ 1));
  }
};

TEST(Emulator, AsynchronousLoadsArriveWhenWaitedFor) {
  std::vector<Quad> in(33);
  std::vector<Quad> out(32);
  in[7].word[2] = 1234;
  const Global<const Quad> source{in.data(), in.size()};
  expect_clean(AsyncLoads{source, global(out)}, 1);
  EXPECT_EQ(out[6].word[2], 1234U);
  expect_fault(AsyncLoads{.in = source, .out = global(out), .waits = false}, 1, "uninitialised");
  expect_fault(AsyncLoads{.in = source, .out = global(out), .meets = false}, 1, "uninitialised");
  expect_fault(AsyncLoads{.in = {in.data(), 31}, .out = global(out)}, 1, "asynchronous load");
  const Global<const Quad> odd{reinterpret_cast<const Quad*>(in[0].word + 1), 32};
  expect_fault(AsyncLoads{.in = odd, .out = global(out)}, 1, "not aligned to 16 bytes");
}

// Copies that nobody waits for.
struct ForgottenLoads {
  static constexpr uint32_t kThreads = 32;
  struct Shared {
    simt::Shared<Quad, kThreads> tile;
  };
  Global<const Quad> in;
  template <class Cta>
  void operator()(Cta& cta) const {
    cta.load_async(cta.template shared<Shared>().tile, cta.thread(), in, cta.thread());
  }
};

TEST(Emulator, BlocksWaitForTheirCopies) {
  std::vector<Quad> in(32);
  expect_fault(ForgottenLoads{{in.data(), in.size()}}, 1, "ended with copies in flight");
}

// Elements by their addresses, of which `step` apart.
struct ByAddress {
  static constexpr uint32_t kThreads = 32;
  struct Shared {
    simt::Shared<uint32_t, kThreads> words;
  };
  Global<uint32_t> out;
  uint32_t step = sizeof(uint32_t);
  uint64_t ahead = 0;
  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    cta.store(shared.words, cta.thread(), cta.thread());
    cta.prefetch(out, cta.thread() + ahead);
    cta.sync();
    cta.store(out, cta.thread(), cta.load_at(shared.words, cta.place(shared.words, 0) + step * cta.thread()));
  }
};

TEST(Emulator, ElementsHaveAddresses) {
  std::vector<uint32_t> out(32);
  expect_clean(ByAddress{global(out)}, 1);
  EXPECT_EQ(out[31], 31U);
  expect_fault(ByAddress{.out = global(out), .step = 8}, 1, "out of bounds");
  expect_fault(ByAddress{.out = global(out), .step = 2}, 1, "out of bounds");
  expect_fault(ByAddress{.out = global(out), .ahead = 1}, 1, "prefetch");
}

// The order in which threads take tickets shows the schedule.
struct TakeTickets {
  static constexpr uint32_t kThreads = 32;
  using Shared = NoShared;
  Global<uint32_t> next;
  Global<uint32_t> order;
  template <class Cta>
  void operator()(Cta& cta) const {
    cta.store(order, cta.block() * kThreads + cta.thread(),
              cta.template atomic_add<Order::relaxed>(next, 0, 1U));
  }
};

TEST(Emulator, ASeedReplaysItsSchedule) {
  const auto order = [](uint64_t seed) {
    std::vector<uint32_t> next(1);
    std::vector<uint32_t> taken(128);
    EXPECT_TRUE(emulate(TakeTickets{global(next), global(taken)}, 4, {.seed = seed}).ok());
    return taken;
  };
  EXPECT_EQ(order(5), order(5));
  EXPECT_NE(order(5), order(6));
}

#if BOBBIN_RACES_ARE_CHECKED

// ThreadSanitizer ends the process at the first race: each case runs in a child process.
struct SharedRace {
  static constexpr uint32_t kThreads = 64;
  struct Shared {
    simt::Shared<uint32_t, kThreads> values;
  };
  Global<uint32_t> out;
  template <class Cta>
  void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    cta.store(shared.values, cta.thread(), 1U);
    cta.sync();
    // Reads a neighbour's value and overwrites its own without a barrier in between.
    const uint32_t next = cta.load(shared.values, (cta.thread() + 1) % kThreads);
    cta.store(shared.values, cta.thread(), next + 1);
    cta.store(out, cta.thread(), next);
  }
};

struct GlobalRace {
  static constexpr uint32_t kThreads = 32;
  using Shared = NoShared;
  Global<uint32_t> out;
  template <class Cta>
  void operator()(Cta& cta) const {
    if (cta.thread() == 0) {
      cta.store(out, 0, cta.block());
    }
  }
};

// The flag is there, but it does not order the data.
struct RelaxedFlag {
  static constexpr uint32_t kThreads = 32;
  using Shared = NoShared;
  Global<uint32_t> flag;
  Global<uint32_t> data;
  template <class Cta>
  void operator()(Cta& cta) const {
    if (cta.thread() != 0) {
      return;
    }
    if (cta.block() == 0) {
      cta.store(data, 0, 77U);
      cta.template atomic_store<Order::relaxed>(flag, 0, 1U);
    } else {
      while (cta.template atomic_load<Order::relaxed>(flag, 0) == 0) {
      }
      cta.store(data, 1, cta.load(data, 0));
    }
  }
};

template <class K>
void run_to_exit(const K& kernel, uint64_t blocks, uint32_t resident_blocks = 4) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    static_cast<void>(emulate(kernel, blocks, {.seed = seed, .resident_blocks = resident_blocks}).ok());
  }
  std::exit(0);
}

TEST(EmulatorRaces, AreFound) {
  // ThreadSanitizer checks nothing in a child that was forked while other threads, or fibers, existed: this
  // style starts the program again.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<uint32_t> out(64);
  std::vector<uint32_t> flag(1);
  std::vector<uint32_t> many(100 * Reverse<false>::kThreads);
  EXPECT_EXIT(run_to_exit(SharedRace{global(out)}, 1), ::testing::ExitedWithCode(66), "data race");
  EXPECT_EXIT(run_to_exit(GlobalRace{global(out)}, 8), ::testing::ExitedWithCode(66), "data race");
  EXPECT_EXIT(run_to_exit(GlobalRace{global(out)}, 8, 1), ::testing::ExitedWithCode(66), "data race");
  EXPECT_EXIT(run_to_exit(RelaxedFlag{global(flag), global(out)}, 2), ::testing::ExitedWithCode(66),
              "data race");
  // No race: each block has shared memory of its own, though the emulator gives it to one after the other.
  EXPECT_EXIT(run_to_exit(Reverse<false>{global(many)}, 100), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace bobbin::simt
