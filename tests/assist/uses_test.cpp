// SPDX-License-Identifier: Apache-2.0
// Other uses of assist warps than compression, in the emulator.
#include "tests/assist/uses.hpp"
#include "simt/emulator.hpp"

namespace bobbin::testing {
namespace {

using TestDevice = TestDeviceOn<simt::EmulatorExecutor>;

TEST(AssistMemo, FewInputsAreFound) {
  check_memo_of_few_inputs(TestDevice());
}

TEST(AssistMemo, ManyInputsSwitchItOff) {
  check_memo_of_many_inputs(TestDevice());
}

TEST(AssistPrefetch, WalksIndicesAheadAndStopsWhereTheyAreInOrder) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    check_prefetching(TestDevice(simt::EmulatorOptions{.seed = seed}));
  }
}

TEST(AssistRedundant, AnInjectedFaultIsFoundAndEventsAreCounted) {
  check_redundancy(TestDevice());
}

}  // namespace
}  // namespace bobbin::testing
