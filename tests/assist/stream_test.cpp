// SPDX-License-Identifier: Apache-2.0
// The same kernel with every policy over every view, in the emulator: all read the values.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assist/kernels.hpp"
#include "tests/assist/arrays.hpp"

namespace bobbin::testing {
namespace {

using namespace assist;

template <Policy kPolicy, class View>
void expect_values(const View& view, const std::vector<typename View::Value>& values, uint64_t seed) {
  using T = typename View::Value;
  std::vector<Quad> out(ceil_div<uint64_t>(values.size() * sizeof(T), sizeof(Quad)) + 1);
  auto* const first = reinterpret_cast<T*>(out.data());
  run_in_emulator(ReadKernel<View, kPolicy>{view, {first, values.size()}}, seed);
  EXPECT_EQ(std::vector<T>(first, first + values.size()), values)
      << "roles " << static_cast<int>(kPolicy.roles) << ", " << kPolicy.slots << " slots";
}

template <class View>
void check_policies(const View& view, const std::vector<typename View::Value>& values, uint64_t seed) {
  expect_values<Policy{.workers = 2}>(view, values, seed);
  expect_values<Policy{Roles::fetch, 1, 1, 1}>(view, values, seed);
  expect_values<Policy{Roles::fetch, 2, 1, 4}>(view, values, seed);
  expect_values<Policy{Roles::fetch, 2, 3, 6}>(view, values, seed);
  expect_values<Policy{Roles::expand, 1, 1, 1}>(view, values, seed);
  expect_values<Policy{Roles::expand, 2, 3, 6}>(view, values, seed);
}

template <class T>
void check_streams(uint64_t seed, uint64_t lines, uint64_t missing) {
  SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes, " + std::to_string(lines) + " lines");
  Random random(seed);
  Arrays<T> arrays(random, lines, missing);
  const std::vector<T> values = arrays.values();
  check_policies(arrays.raw(), values, seed);
  check_policies(arrays.tiles(), values, seed);
  check_policies(arrays.slots(), values, seed);
}

TEST(AssistStream, EveryPolicyReadsEveryLayoutAlike) {
  uint64_t seed = 1;
  for (const uint64_t lines : {1, 33, 420}) {
    check_streams<uint8_t>(++seed, lines, 5);
    check_streams<uint16_t>(++seed, lines, 0);
    check_streams<uint32_t>(++seed, lines, 3);
    check_streams<uint64_t>(++seed, lines, 1);
  }
}

// The ring goes around many times, and schedules differ.
TEST(AssistStream, TheRingIsReusedUnderManySchedules) {
  Random random(7);
  Arrays<uint32_t> arrays(random, 32 * 40, 0);
  const std::vector<uint32_t> values = arrays.values();
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    expect_values<Policy{Roles::fetch, 3, 2, 6}>(arrays.tiles(), values, seed);
    expect_values<Policy{Roles::fetch, 2, 2, 2}>(arrays.slots(), values, seed);
    expect_values<Policy{Roles::expand, 3, 1, 3}>(arrays.tiles(), values, seed);
  }
}

// A block may read several ranges one after the other, with the same shared memory.
struct TwiceKernel {
  using View = TileView<uint32_t>;
  using Reads = assist::Stream<View, Policy{Roles::fetch, 2, 1, 2}>;
  static constexpr uint32_t kThreads = Reads::kThreads;
  struct Shared {
    Reads::Shared reads;
  };
  View view;
  Global<uint32_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t half = view.num_groups() / 2;
    const auto store = [&](uint64_t index, const Quad& quad, uint32_t count) {
      store_values(cta, out, index, quad, count);
    };
    Reads::run(cta, shared.reads, view, 0, half, store);
    Reads::run(cta, shared.reads, view, half, view.num_groups(), store);
    Reads::run(cta, shared.reads, view, 3, 3, store);
  }
  [[nodiscard]] static uint64_t blocks() { return 1; }
};

TEST(AssistStream, RunsOneAfterTheOther) {
  Random random(11);
  Arrays<uint32_t> arrays(random, 32 * 7, 0);
  const std::vector<uint32_t> values = arrays.values();
  std::vector<Quad> out(values.size() / 4);
  auto* const first = reinterpret_cast<uint32_t*>(out.data());
  run_in_emulator(TwiceKernel{arrays.tiles(), {first, values.size()}});
  EXPECT_EQ(std::vector<uint32_t>(first, first + values.size()), values);
}

}  // namespace
}  // namespace bobbin::testing
