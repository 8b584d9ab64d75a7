// SPDX-License-Identifier: Apache-2.0
// The same kernels over raw, tiled and slotted arrays, in the emulator: all results are those of the values.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assist/kernels.hpp"
#include "tests/assist/arrays.hpp"

namespace bobbin::testing {
namespace {

using namespace assist;

template <bool kFilters, class T, class View>
void expect_sum(const std::vector<T>& values, const View& view, T low, T span) {
  unsigned long long result[2] = {0, 0};
  run_in_emulator(SumKernel<View, kFilters>{view, low, span, {result, 2}});
  unsigned long long sum = 0;
  unsigned long long count = 0;
  for (const T x : values) {
    const bool hit = !kFilters || static_cast<T>(x - low) <= span;
    sum += hit ? x : T{0};
    count += hit ? 1 : 0;
  }
  EXPECT_EQ(result[0], sum);
  EXPECT_EQ(result[1], count);
}

template <class T, class View>
void expect_gather(const std::vector<T>& values, const View& view) {
  std::vector<uint32_t> indices;
  for (uint64_t i = 0; i < values.size(); i += 7) {
    indices.push_back(static_cast<uint32_t>(i * 13 % values.size()));
  }
  std::vector<T> out(indices.size());
  run_in_emulator(GatherKernel<View>{view, {indices.data(), indices.size()}, {out.data(), out.size()}});
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], values[indices[i]]) << indices[i];
  }
}

template <class T>
void check_views(uint64_t seed, uint64_t lines, uint64_t missing) {
  SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes, " + std::to_string(lines) + " lines");
  Random random(seed);
  Arrays<T> arrays(random, lines, missing);
  const std::vector<T> values = arrays.values();
  const auto check = [&](const auto& view) {
    expect_sum<false>(values, view, T{0}, T{0});
    expect_sum<true>(values, view, T{20}, static_cast<T>(T{1} << (8 * sizeof(T) - 2)));
    expect_gather(values, view);
  };
  check(arrays.raw());
  check(arrays.tiles());
  check(arrays.slots());
}

TEST(AssistViews, KernelsReadEveryLayoutAlike) {
  uint64_t seed = 1;
  for (const uint64_t lines : {1, 32, 33, 300}) {
    for (const uint64_t missing : {0, 3}) {
      check_views<uint16_t>(++seed, lines, missing);
      check_views<uint32_t>(++seed, lines, missing);
      check_views<uint64_t>(++seed, lines, missing);
    }
  }
}

// Lines of all fixed codes in every group, next to each other in every order, among them those that need four
// bits.
template <class T>
void check_mixed_groups() {
  Random random(sizeof(T));
  std::vector<simt::Quad> quads(4 * kGroupBytes / sizeof(simt::Quad));
  auto* const halves = reinterpret_cast<uint16_t*>(quads.data());
  auto* const values = reinterpret_cast<T*>(quads.data());
  const uint64_t count = quads.size() * sizeof(simt::Quad) / sizeof(T);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t kind = i * sizeof(T) / kLineBytes * 2'654'435'761 >> 5 & 7;
    const uint64_t base = kind == 0 ? random.next() : uint64_t{123'456'789} << kind;
    values[i] = static_cast<T>(base + random.below(kind < 3 ? 200 : 30'000));
  }
  for (uint64_t line = 0; line < quads.size() / 8; line += random.below(4) + 1) {
    for (uint64_t i = 0; i < kLineBytes / sizeof(uint16_t); ++i) {
      halves[line * (kLineBytes / sizeof(uint16_t)) + i] = static_cast<uint16_t>(5000 + random.below(250));
    }
  }
  const Array array = *codec::line::encode_for_reading({kDTypeOf<T>, quads.data(), count});
  const codec::line::Parts parts(array);
  EXPECT_NE(std::count(parts.codes, parts.codes + quads.size() / 8, 8), 0);
  expect_gather(std::vector<T>(values, values + count),
                TileView<T>{codec::line::reader<kLineBytes>(array), count});
}

TEST(AssistViews, SingleValuesOfGroupsOfSeveralCodes) {
  check_mixed_groups<uint32_t>();
  check_mixed_groups<uint64_t>();
}

}  // namespace
}  // namespace bobbin::testing
