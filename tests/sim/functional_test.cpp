// SPDX-License-Identifier: Apache-2.0
// Programs, registers and memory without timing.
#include <gtest/gtest.h>

#include "sim/simulate.hpp"
#include "tests/drawn.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] Workload workload_of(uint32_t blocks, uint32_t threads, uint32_t registers,
                                   uint32_t shared_bytes,
                                   std::function<Program(Warp&, Array<uint32_t>)> kernel, uint32_t count) {
  return {.name = "test", .setup = [=](Memory& memory, uint64_t, bool) -> WorkloadRun {
            const auto array = memory.allocate<uint32_t>("array", count);
            return {.launch = [=](uint32_t number, const Memory&) -> std::optional<Launch> {
                      if (number > 0) {
                        return std::nullopt;
                      }
                      return Launch{blocks, threads, registers, shared_bytes,
                                    [=](Warp& w) { return kernel(w, array); }};
                    },
                    .check = [](const Memory&) { return Status(); }};
          }};
}

[[nodiscard]] std::span<const uint32_t> words_of(const Memory& memory) {
  return memory.view(Array<uint32_t>{memory.allocations()[0].base, memory.allocations()[0].bytes / 4});
}

Program reverse_block(Warp& w, Array<uint32_t> array) {
  const Lanes<uint32_t> thread = w.thread();
  w.store_shared(thread * 4U, thread);
  co_await w.barrier();
  const Lanes<uint32_t> other = co_await w.load_shared<uint32_t>((63U - thread) * 4U);
  w.store(array, w.global_thread(), other);
}

TEST(SimFunctional, BarriersOrderSharedMemory) {
  const auto run = run_functionally(workload_of(2, 64, 10, 256, reverse_block, 128), 1, true);
  ASSERT_TRUE(run.has_value()) << run.error().message();
  for (uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(words_of(run->memory)[i], 63 - i % 64);
  }
}

Program sum_twice(Warp& w, Array<uint32_t> array, Lanes<uint32_t>& sum) {
  for (uint32_t i = 0; i < 2; ++i) {
    sum = sum + co_await w.load(array, w.lane());
    co_await w.branch();
  }
}

Program nested(Warp& w, Array<uint32_t> array) {
  w.store(array, w.lane(), w.lane() + 1U);
  Lanes<uint32_t> sum = 0;
  co_await sum_twice(w, array, sum);
  const Mask odd = (w.lane() & 1U) == 1U;
  {
    const When inside(w, odd);
    w.merge(sum, sum * 10U);
  }
  w.store(array, w.lane(), sum);
  co_await w.atomic_add<uint32_t>(array, 0U, 5U);
}

TEST(SimFunctional, ProgramsCallProgramsAndMaskLanes) {
  const auto run = run_functionally(workload_of(1, 32, 10, 0, nested, 32), 1, true);
  ASSERT_TRUE(run.has_value()) << run.error().message();
  EXPECT_EQ(words_of(run->memory)[0], 2 + 32 * 5);
  EXPECT_EQ(words_of(run->memory)[1], 40);
  EXPECT_EQ(words_of(run->memory)[2], 6);
}

Program out_of_bounds(Warp& w, Array<uint32_t> array) {
  w.store(array, w.lane() + 1U, w.lane());
  co_return;
}

TEST(SimFunctional, AccessesOutsideAnArrayEndTheRun) {
  const auto run = run_functionally(workload_of(1, 32, 10, 0, out_of_bounds, 32), 1, true);
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().message(), "test, launch 0: block 0, warp 0, lane 31: index 32 of an array of 32");
}

Program many_values(Warp& w, Array<uint32_t> array) {
  const Lanes<uint32_t> a = w.lane();
  const Lanes<uint32_t> b = a + 1U;
  const Lanes<uint32_t> c = b + 1U;
  w.store(array, a, a + b + c);
  co_return;
}

TEST(SimFunctional, RegistersAreCounted) {
  const auto few = run_functionally(workload_of(1, 32, 4, 0, many_values, 32), 1, true);
  ASSERT_FALSE(few.has_value());
  EXPECT_EQ(few.error().message(),
            "test, launch 0: the kernel holds more than 4 values at once; raise its number of registers");
  const auto enough = run_functionally(workload_of(1, 32, 20, 0, many_values, 32), 1, true);
  ASSERT_TRUE(enough.has_value());
  // a, b, c, a + b, the sum and the address.
  EXPECT_EQ(enough->most_registers, 6);
}

TEST(SimFunctional, EveryWorkloadIsCorrect) {
  for (const Workload& workload : testing::drawn_of(workloads())) {
    const auto run = run_functionally(workload, 7, true);
    EXPECT_TRUE(run.has_value()) << run.error().message();
  }
}

}  // namespace
}  // namespace bobbin::sim
