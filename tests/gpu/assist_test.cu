// SPDX-License-Identifier: Apache-2.0
// Compressed arrays and the other uses of assist warps on the GPU: what tests/assist checks in the emulator.
#include "simt/cuda_launch.cuh"
#include "tests/assist/owned.hpp"
#include "tests/assist/uses.hpp"

namespace bobbin::testing {
namespace {

using TestDevice = TestDeviceOn<simt::CudaExecutor>;

TEST(GpuAssist, ArraysHoldTheirValuesInEveryLayout) {
  for (const uint64_t count : {0, 1, 1000, 40'001}) {
    check_layouts(TestDevice(), many_kinds<uint8_t>(count));
    check_layouts(TestDevice(), many_kinds<uint32_t>(count));
    check_layouts(TestDevice(), many_kinds<uint64_t>(count));
  }
}

TEST(GpuAssist, EveryPolicyReadsEveryLayout) {
  check_reading(TestDevice(), many_kinds<uint32_t>(100'001));
}

TEST(GpuAssist, ManyValuesAreReadAndWritten) {
  check_reading(TestDevice(), many_kinds<uint32_t>(20'000'003));
  check_writing(TestDevice(), many_kinds<uint32_t>(10'000'001));
}

TEST(GpuAssist, WritesAreThoseOfRawArrays) {
  check_writing(TestDevice(), many_kinds<uint8_t>(20'005));
  check_writing(TestDevice(), many_kinds<uint32_t>(20'001));
  check_writing(TestDevice(), many_kinds<uint64_t>(20'000));
}

TEST(GpuAssist, MemoizationFindsResultsOrStops) {
  check_memo_of_few_inputs(TestDevice());
  check_memo_of_many_inputs(TestDevice());
}

TEST(GpuAssist, PrefetchingWalksAheadOrStops) {
  check_prefetching(TestDevice());
}

TEST(GpuAssist, AnInjectedFaultIsFoundAndEventsAreCounted) {
  check_redundancy(TestDevice());
}

}  // namespace
}  // namespace bobbin::testing
