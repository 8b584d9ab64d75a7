// SPDX-License-Identifier: Apache-2.0
// Applications on grids, matrices and sequences, over every layout: all bytes are those of plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "assist/apps/dense.hpp"
#include "assist/apps/grids.hpp"
#include "tests/assist/app_arrays.hpp"

namespace bobbin::testing {
namespace {

using namespace assist::apps;

TEST(AssistApps, Stencil) {
  constexpr uint32_t kWarps = 2;
  constexpr uint64_t kWidth = 1024 * kWarps;
  constexpr uint64_t kHeight = 37;
  AppArray<HeatData<kWidth>> grid(kWidth * kHeight);
  const std::vector<uint32_t>& heat = grid.values();
  std::vector<uint32_t> expected;
  for (uint64_t i = 0; i < heat.size(); ++i) {
    const uint64_t x = i % kWidth;
    const uint64_t y = i / kWidth;
    const uint32_t around = heat[x == 0 ? i : i - 1] + heat[x + 1 == kWidth ? i : i + 1] +
                            heat[y == 0 ? i : i - kWidth] + heat[y + 1 == kHeight ? i : i + kWidth];
    const auto flow = static_cast<int32_t>(around - 4 * heat[i]);
    expected.push_back(heat[i] + static_cast<uint32_t>(flow / 8));
  }
  with_views(grid, [&]<class View>(const View& view) {
    Words found(expected.size());
    run_in_emulator(StencilApp<View, kWarps>{view, found.global()});
    EXPECT_EQ(found.values(), expected);
  });
}

TEST(AssistApps, Convolution) {
  constexpr uint32_t kWarps = 2;
  constexpr uint64_t kWidth = 1024 * kWarps;
  AppArray<PixelData<kWidth>> image(kWidth * 9);
  using Some = ConvolutionApp<assist::RawView<uint32_t>, kWarps>;
  std::vector<uint32_t> expected;
  for (uint64_t i = 0; i < image.values().size(); ++i) {
    uint32_t sum = 0;
    for (uint64_t tap = 0; tap < Some::kTaps; ++tap) {
      const uint64_t x = i % kWidth + tap;
      if (x >= Some::kRadius && x - Some::kRadius < kWidth) {
        sum += image.values()[i + tap - Some::kRadius] * Some::weight(static_cast<uint32_t>(tap));
      }
    }
    expected.push_back(sum);
  }
  with_views(image, [&]<class View>(const View& view) {
    Words found(expected.size());
    run_in_emulator(ConvolutionApp<View, kWarps>{view, found.global()});
    EXPECT_EQ(found.values(), expected);
  });
}

TEST(AssistApps, Transpose) {
  constexpr uint64_t kRecords = 32 * 7;
  AppArray<RecordData> records(kRecords * RecordData::kFields);
  std::vector<uint32_t> expected;
  for (uint64_t field = 0; field < RecordData::kFields; ++field) {
    for (uint64_t record = 0; record < kRecords; ++record) {
      expected.push_back(records.values()[record * RecordData::kFields + field]);
    }
  }
  with_views(records, [&]<class View>(const View& view) {
    Words found(expected.size());
    run_in_emulator(TransposeApp<View>{view, found.global()});
    EXPECT_EQ(found.values(), expected);
  });
}

struct MoreSmallData {
  using Value = uint32_t;
  static Value value(uint64_t i) { return SmallData::value(i + 1'000'000); }
};

TEST(AssistApps, MatrixProduct) {
  constexpr uint32_t kTiles = 4;
  constexpr uint32_t kSide = 32 * kTiles;
  AppArray<SmallData> a(uint64_t{kSide} * kSide);
  AppArray<MoreSmallData> b(uint64_t{kSide} * kSide);
  const auto place = [](uint32_t row, uint32_t column) {
    return (row / 32 * kTiles + column / 32) * 1024 + row % 32 * 32 + column % 32;
  };
  std::vector<uint32_t> expected(kSide * kSide);
  for (uint32_t i = 0; i < kSide; ++i) {
    for (uint32_t j = 0; j < kSide; ++j) {
      for (uint32_t k = 0; k < kSide; ++k) {
        expected[place(i, j)] += a.values()[place(i, k)] * b.values()[place(k, j)];
      }
    }
  }
  with_views(a, b, [&]<class X, class Y>(const X& x, const Y& y) {
    Words found(expected.size());
    run_in_emulator(ProductApp<X, Y>{x, y, kTiles, found.global()});
    EXPECT_EQ(found.values(), expected);
  });
}

int32_t score_of(const uint8_t* a, const uint8_t* b, int32_t length) {
  std::vector<int32_t> row(static_cast<size_t>(length) + 1);
  for (int32_t j = 0; j <= length; ++j) {
    row[static_cast<size_t>(j)] = -j;
  }
  for (int32_t i = 0; i < length; ++i) {
    int32_t diagonal = row[0];
    row[0] = -(i + 1);
    for (size_t j = 1; j < row.size(); ++j) {
      const int32_t matched = diagonal + (a[i] == b[j - 1] ? 1 : -1);
      diagonal = row[j];
      row[j] = std::max({matched, row[j] - 1, row[j - 1] - 1});
    }
  }
  return row.back();
}

TEST(AssistApps, Alignment) {
  constexpr uint64_t kPairs = 16 * 5;
  AppArray<BaseData> bases(kPairs * 256);
  std::vector<uint32_t> expected;
  for (uint64_t pair = 0; pair < kPairs; ++pair) {
    const uint8_t* const first = bases.values().data() + pair * 256;
    expected.push_back(static_cast<uint32_t>(score_of(first, first + 128, 128)));
  }
  with_views(bases, [&]<class View>(const View& view) {
    Words found(kPairs);
    run_in_emulator(AlignApp<View>{view, found.global()});
    EXPECT_EQ(found.values(), expected);
  });
}

}  // namespace
}  // namespace bobbin::testing
