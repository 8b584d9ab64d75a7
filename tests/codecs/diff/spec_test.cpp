// SPDX-License-Identifier: Apache-2.0
// spec.md's worked example, typed by hand, sums that wrap around, and a slice as it describes them.
#include <limits>

#include "tests/codecs/by_hand.hpp"

namespace bobbin::testing {
namespace {

Array array_of(DType type, uint64_t length, Array differences, Array starts, uint64_t offset = 0) {
  return {.codec = CodecId::diff,
          .type = type,
          .length = length,
          .offset = offset,
          .metadata = {},
          .buffers = {},
          .children = {std::move(differences), std::move(starts)}};
}

TEST(DiffSpec, WorkedExample) {
  const std::vector<uint8_t> expected{7, 8, 9, 10, 1, 2, 3, 4, 5};
  const Array packed = packed_row(DType::i8, 9, 8, {1, 1, 1, 1, 0xf7, 1, 1, 1, 1});
  const Array start = packed_row(DType::u8, 1, 3, {6});
  expect_decodes_to(array_of(DType::u8, 9, packed, start), expected);

  const Array sparse{.codec = CodecId::sparse,
                     .type = DType::i8,
                     .length = 9,
                     .offset = 0,
                     .metadata = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                     .buffers = {},
                     .children = {packed_row(DType::u32, 1, 3, {4}), packed_row(DType::i8, 1, 8, {0xf7})}};
  expect_decodes_to(array_of(DType::u8, 9, sparse, start), expected);
}

// 2^31 - 2 and three times 1; then the same as unsigned numbers.
TEST(DiffSpec, SumsWrapAround) {
  const Array differences = packed_row(DType::i32, 3, 1, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  constexpr int32_t kGreatest = std::numeric_limits<int32_t>::max();
  const Array of_signed = packed_row(DType::i32, 1, 32, {0xfe, 0xff, 0xff, 0x7f});
  expect_decodes_to(array_of(DType::i32, 3, differences, of_signed),
                    std::vector<int32_t>{kGreatest, std::numeric_limits<int32_t>::min(),
                                         std::numeric_limits<int32_t>::min() + 1});
  const Array of_unsigned = packed_row(DType::u32, 1, 32, {0xfe, 0xff, 0xff, 0xff});
  expect_decodes_to(array_of(DType::u32, 3, differences, of_unsigned),
                    std::vector<uint32_t>{0xffff'ffff, 0, 1});
}

// Two values are skipped; their differences count. The starts are a slice with its own offset.
TEST(DiffSpec, ValuesThatASliceSkips) {
  const Array differences = packed_row(DType::i8, 5, 8, {1, 2, 0xff, 4, 5});
  const Array starts = packed_row(DType::u8, 1, 8, {77, 100}, 1);
  expect_decodes_to(array_of(DType::u8, 3, differences, starts, 2), std::vector<uint8_t>{102, 106, 111});
}

}  // namespace
}  // namespace bobbin::testing
