// SPDX-License-Identifier: Apache-2.0
// Applications on vectors and graphs, over every layout: all bytes are those of plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "assist/apps/graphs.hpp"
#include "assist/apps/vectors.hpp"
#include "tests/assist/app_arrays.hpp"

namespace bobbin::testing {
namespace {

using namespace assist::apps;

struct MoreCountData {
  using Value = uint32_t;
  static Value value(uint64_t i) { return CountData::value(i + 1'000'000); }
};

TEST(AssistApps, Axpy) {
  AppArray<CountData> x(40'003);
  AppArray<MoreCountData> y(40'003);
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < x.values().size(); ++i) {
    expected.push_back(std::bit_cast<uint32_t>(3 * float_of(x.values()[i]) + float_of(y.values()[i])));
  }
  with_views(x, y, [&]<class X, class Y>(const X& x_view, const Y& y_view) {
    Words found(expected.size());
    run_in_emulator(AxpyApp<X, Y>{x_view, y_view, 3, found.global()});
    EXPECT_EQ(found.values(), expected);
  });
}

TEST(AssistApps, Dot) {
  AppArray<WeightData> x(70'001);
  AppArray<ActivationData> y(70'001);
  int64_t expected = 0;
  for (size_t i = 0; i < x.values().size(); ++i) {
    expected += int64_t{static_cast<int32_t>(x.values()[i])} * static_cast<int32_t>(y.values()[i]);
  }
  with_views(x, y, [&]<class X, class Y>(const X& x_view, const Y& y_view) {
    unsigned long long found = 0;
    run_in_emulator(DotApp<X, Y>{x_view, y_view, {&found, 1}});
    EXPECT_EQ(static_cast<int64_t>(found), expected);
  });
}

TEST(AssistApps, SparseMatrixTimesVector) {
  constexpr uint64_t kRows = 11 * SparseData::kRows;
  AppArray<SparseData> columns(kRows * SparseData::kEntries);
  AppArray<CoefficientData> coefficients(kRows * SparseData::kEntries);
  std::vector<float> vector(kRows + SparseData::kWidth);
  for (size_t i = 0; i < vector.size(); ++i) {
    vector[i] = static_cast<float>(draw(i, 100));
  }
  std::vector<uint32_t> expected;
  for (uint64_t row = 0; row < kRows; ++row) {
    float sum = 0;
    for (uint64_t entry = 0; entry < SparseData::kEntries; ++entry) {
      const uint64_t at = (row / SparseData::kRows * SparseData::kEntries + entry) * SparseData::kRows +
                          row % SparseData::kRows;
      sum += float_of(coefficients.values()[at]) * vector[columns.values()[at]];
    }
    expected.push_back(std::bit_cast<uint32_t>(sum));
  }
  with_views(columns, coefficients, [&]<class X, class Y>(const X& x, const Y& y) {
    Words found(kRows);
    run_in_emulator(SpmvApp<X, Y>{x, y, {vector.data(), vector.size()}, found.global()});
    EXPECT_EQ(found.values(), expected);
  });
}

TEST(AssistApps, Kmeans) {
  AppArray<PointData> points(4 * 12'345);
  const Centres centres = centres_of_points();
  std::vector<uint8_t> expected;
  for (size_t i = 0; i < points.values().size(); i += 4) {
    float distances[PointData::kCentres] = {};
    for (uint32_t c = 0; c < PointData::kCentres; ++c) {
      for (uint32_t k = 0; k < 4; ++k) {
        const float d = float_of(points.values()[i + k]) - centres.at[c][k];
        distances[c] += d * d;
      }
    }
    const auto* const least = std::min_element(distances, distances + PointData::kCentres);
    expected.push_back(static_cast<uint8_t>(least - distances));
  }
  with_streams(points, [&]<assist::Policy kPolicy, class View>(const View& view) {
    std::vector<uint8_t> found(expected.size());
    run_in_emulator(KmeansApp<View, kPolicy>{view, centres, {found.data(), found.size()}});
    EXPECT_EQ(found, expected);
  });
}

// Vertices whose values are known, the others are not reached.
std::vector<uint32_t> some_known(uint64_t vertices, uint32_t below) {
  std::vector<uint32_t> values(vertices + 2 * GridData::kWidth, kUnreached);
  for (uint64_t i = 0; i < vertices; i += 7) {
    values[i] = draw(i, below);
  }
  return values;
}

TEST(AssistApps, BreadthFirstSearch) {
  constexpr uint64_t kVertices = 3 * GridData::kWidth;
  AppArray<GridData> edges(kVertices * GridData::kDegree);
  const std::vector<uint32_t> levels = some_known(kVertices, 4);
  std::vector<uint32_t> expected = levels;
  for (uint64_t e = 0; e < edges.values().size(); ++e) {
    const uint64_t vertex = e / GridData::kDegree;
    if (levels[vertex] == kUnreached && levels[edges.values()[e]] == 2) {
      expected[vertex] = 3;
    }
  }
  ASSERT_NE(expected, levels);
  with_streams(edges, [&]<assist::Policy kPolicy, class View>(const View& view) {
    std::vector<uint32_t> found = levels;
    run_in_emulator(
        BfsApp<View, kPolicy>{view, {levels.data(), levels.size()}, 2, {found.data(), found.size()}});
    EXPECT_EQ(found, expected);
  });
}

TEST(AssistApps, ShortestPaths) {
  constexpr uint64_t kVertices = 2 * GridData::kWidth;
  AppArray<GridData> edges(kVertices * GridData::kDegree);
  AppArray<DistanceData> lengths(kVertices * GridData::kDegree);
  const std::vector<uint32_t> distances = some_known(kVertices, 500);
  std::vector<uint32_t> expected = distances;
  for (uint64_t e = 0; e < edges.values().size(); ++e) {
    const uint32_t before = distances[edges.values()[e]];
    if (before != kUnreached) {
      uint32_t& least = expected[e / GridData::kDegree];
      least = std::min(least, before + lengths.values()[e]);
    }
  }
  with_views(edges, lengths, [&]<class X, class Y>(const X& x, const Y& y) {
    std::vector<uint32_t> found = distances;
    run_in_emulator(SsspApp<X, Y>{x, y, {distances.data(), distances.size()}, {found.data(), found.size()}});
    EXPECT_EQ(found, expected);
  });
}

}  // namespace
}  // namespace bobbin::testing
