// SPDX-License-Identifier: Apache-2.0
// spec.md's worked example, typed by hand, and the greatest codes.
#include <limits>

#include "tests/codecs/by_hand.hpp"

namespace bobbin::testing {
namespace {

Array array_of(DType type, const Array& codes) {
  return {.codec = CodecId::zigzag,
          .type = type,
          .length = codes.length,
          .offset = 0,
          .metadata = {},
          .buffers = {},
          .children = {codes}};
}

TEST(ZigzagSpec, WorkedExample) {
  const Array codes =
      packed_row(DType::u32, 5, 10, {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0x57, 0x02, 0, 0, 0x58, 0x02, 0, 0});
  expect_decodes_to(array_of(DType::i32, codes), std::vector<int32_t>{0, -1, 1, -300, 300});
}

// For the last code, c + 1 does not fit into the type.
TEST(ZigzagSpec, GreatestCodes) {
  const Array bytes = packed_row(DType::u8, 2, 8, {0xfe, 0xff});
  expect_decodes_to(array_of(DType::i8, bytes), std::vector<int8_t>{127, -128});
  const Array words = packed_row(DType::u64, 2, 64,
                                 {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  //
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  expect_decodes_to(array_of(DType::i64, words), std::vector<int64_t>{std::numeric_limits<int64_t>::max(),
                                                                      std::numeric_limits<int64_t>::min()});
}

}  // namespace
}  // namespace bobbin::testing
