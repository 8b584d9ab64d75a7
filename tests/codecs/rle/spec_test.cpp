// SPDX-License-Identifier: Apache-2.0
// spec.md's worked example, typed by hand, and a slice as it describes them.
#include "tests/codecs/by_hand.hpp"

namespace bobbin::testing {
namespace {

TEST(RleSpec, WorkedExample) {
  const Array array{.codec = CodecId::rle,
                    .type = DType::u8,
                    .length = 7,
                    .offset = 0,
                    .metadata = {0, 0, 0, 0, 0, 0, 0, 0},
                    .buffers = {},
                    .children = {packed_row(DType::u32, 3, 3, {3, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0}),
                                 packed_row(DType::u8, 3, 8, {5, 9, 0})}};
  expect_decodes_to(array, std::vector<uint8_t>{5, 5, 5, 9, 9, 0, 0});
}

// Rows 1026 to 1029: the first run is before them, the last one continues after them.
TEST(RleSpec, RunsBeforeAndBehind) {
  const Array array{
      .codec = CodecId::rle,
      .type = DType::i8,
      .length = 4,
      .offset = 2,
      .metadata = {0, 4, 0, 0, 0, 0, 0, 0},  // first_row 1024
      .buffers = {},
      // Runs end at 3, 1027, 1029 and 5000.
      .children = {packed_row(DType::u32, 4, 13, {3, 0, 0, 0, 3, 4, 0, 0, 5, 4, 0, 0, 0x88, 0x13, 0, 0}),
                   packed_row(DType::i8, 4, 8, {1, 2, 3, 0xff})}};
  expect_decodes_to(array, std::vector<int8_t>{2, 3, 3, -1});
}

// Children have their own offsets: here both skip values that would be wrong.
TEST(RleSpec, ChildrenThatAreSlices) {
  const Array array{.codec = CodecId::rle,
                    .type = DType::u8,
                    .length = 7,
                    .offset = 0,
                    .metadata = {0, 0, 0, 0, 0, 0, 0, 0},
                    .buffers = {},
                    .children = {packed_row(DType::u32, 3, 3,
                                            {6, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0}, 2),
                                 packed_row(DType::u8, 3, 8, {77, 5, 9, 0}, 1)}};
  expect_decodes_to(array, std::vector<uint8_t>{5, 5, 5, 9, 9, 0, 0});
}

}  // namespace
}  // namespace bobbin::testing
