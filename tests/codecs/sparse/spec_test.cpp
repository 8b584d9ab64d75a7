// SPDX-License-Identifier: Apache-2.0
// spec.md's worked example, typed by hand, and a slice as it describes them.
#include "tests/codecs/by_hand.hpp"

namespace bobbin::testing {
namespace {

TEST(SparseSpec, WorkedExample) {
  const Array array{.codec = CodecId::sparse,
                    .type = DType::i16,
                    .length = 1000,
                    .offset = 0,
                    .metadata = {0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                    .buffers = {},
                    .children = {packed_row(DType::u32, 2, 10, {3, 0, 0, 0, 0x84, 0x03, 0, 0}),
                                 packed_row(DType::i16, 2, 16, {7, 0, 0x2c, 0x01})}};
  std::vector<int16_t> expected(1000, -1);
  expected[3] = 7;
  expected[900] = 300;
  expect_decodes_to(array, expected);
}

// Rows 1026 to 1029: of the positions, only 1027 is among them.
TEST(SparseSpec, PositionsBeforeAndBehind) {
  const Array array{
      .codec = CodecId::sparse,
      .type = DType::u8,
      .length = 4,
      .offset = 2,
      .metadata = {9, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0},  // fill 9, first_row 1024
      .buffers = {},
      // Positions 3, 1025, 1027 and 1030.
      .children = {packed_row(DType::u32, 4, 11, {3, 0, 0, 0, 1, 4, 0, 0, 3, 4, 0, 0, 6, 4, 0, 0}),
                   packed_row(DType::u8, 4, 8, {1, 2, 3, 4})}};
  expect_decodes_to(array, std::vector<uint8_t>{9, 3, 9, 9});
}

// Children have their own offsets: here both skip values that would be wrong.
TEST(SparseSpec, ChildrenThatAreSlices) {
  const Array array{.codec = CodecId::sparse,
                    .type = DType::u8,
                    .length = 6,
                    .offset = 0,
                    .metadata = {9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                    .buffers = {},
                    .children = {packed_row(DType::u32, 2, 3, {5, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0}, 1),
                                 packed_row(DType::u8, 2, 8, {77, 78, 7, 8}, 2)}};
  expect_decodes_to(array, std::vector<uint8_t>{9, 7, 9, 9, 8, 9});
}

}  // namespace
}  // namespace bobbin::testing
