// SPDX-License-Identifier: Apache-2.0
// spec.md's worked example, typed by hand.
#include "tests/codecs/by_hand.hpp"

namespace bobbin::testing {
namespace {

TEST(ConstantSpec, WorkedExample) {
  Array array{.codec = CodecId::constant,
              .type = DType::i16,
              .length = 5000,
              .offset = 0,
              .metadata = {0xfe, 0xff, 0, 0, 0, 0, 0, 0},
              .buffers = {},
              .children = {}};
  expect_decodes_to(array, std::vector<int16_t>(5000, -2));
  // A slice has the same metadata.
  array.offset = 1023;
  array.length = 3;
  expect_decodes_to(array, std::vector<int16_t>(3, -2));
}

}  // namespace
}  // namespace bobbin::testing
