// SPDX-License-Identifier: Apache-2.0
// spec.md's worked examples, typed by hand: each line from its image alone, and the array.
#include "core/bits.hpp"
#include "tests/codecs/by_hand.hpp"

namespace bobbin::testing {
namespace {

// An array with one line of 32 bytes; `T` has 1024 bytes or more per vector, so that a tile has 32 lines.
template <class T>
void expect_line(uint8_t code, std::initializer_list<uint8_t> image, const std::vector<T>& expected) {
  SCOPED_TRACE("code " + std::to_string(code));
  const NewBuffer codes = make_buffer(32);
  std::fill_n(codes.data, 32, std::byte{1});
  codes.data[0] = std::byte{code};
  const Array array{.codec = CodecId::line,
                    .type = kDTypeOf<T>,
                    .length = expected.size(),
                    .offset = 0,
                    .metadata = {5},
                    .buffers = {buffer_of({0, 0, 0, 0}), codes.buffer,
                                buffer_of(image, round_up<size_t>(image.size(), 16))},
                    .children = {}};
  expect_decodes_to(array, expected);
}

template <class T>
std::vector<T> repeated(std::vector<T> values, size_t times) {
  const std::vector<T> once = values;
  for (size_t i = 1; i < times; ++i) {
    values.insert(values.end(), once.begin(), once.end());
  }
  return values;
}

TEST(LineSpec, LinesWithoutDeltas) {
  expect_line<uint8_t>(1, {}, std::vector<uint8_t>(32, 0));
  expect_line<uint8_t>(2, {1, 2, 3, 4, 5, 6, 7, 8}, repeated<uint8_t>({1, 2, 3, 4, 5, 6, 7, 8}, 4));
  expect_line<uint64_t>(
      0, {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 5},
      {1, 2, 3, 0x0500'0000'0000'0004});
}

TEST(LineSpec, BaseAndDeltas) {
  expect_line<uint64_t>(3, {0, 0x10, 0, 0, 0, 0, 0, 0, 0x0b, 0, 0, 0, 0, 1, 5, 0xff}, {4096, 4097, 5, 4095});
  expect_line<uint64_t>(4, {0x40, 0x42, 0x0f, 0, 0, 0, 0, 0, 0x0b, 0, 0, 0, 0, 0, 0x2c, 1, 7, 0, 0x18, 0xfc},
                        {1000000, 1000300, 7, 999000});
  constexpr uint64_t kLarge = uint64_t{1} << 40;
  expect_line<uint64_t>(
      5, {0, 0, 0, 0, 0, 1, 0, 0, 0x0b, 0, 0, 0, 0, 0, 0, 0, 0xa0, 0x86, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0},
      {kLarge, kLarge + 100000, 3, kLarge});
  expect_line<uint32_t>(6, {0xe8, 3, 0, 0, 0xe7, 0, 0, 0, 0, 1, 2, 0, 1, 0x7f, 0x80, 0},
                        {1000, 1001, 1002, 0, 1, 1127, 872, 1000});
  expect_line<uint32_t>(
      7, {0xa0, 0x86, 1, 0, 0x83, 0, 0, 0, 0, 0, 0x2c, 1, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 0xd0, 0x8a},
      {100000, 100300, 0, 1, 2, 3, 4, 70000});
  expect_line<uint16_t>(
      8, {0xf4, 1, 0, 0, 0xff, 0x7f, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 3},
      {500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511, 512, 513, 514, 3});
  expect_line<uint32_t>(0x42, {0x62, 0xae, 0x0a, 0, 0xe7, 0, 0, 0, 0x0e, 0xe5, 0, 0},
                        {700000, 700001, 700002, 0, 1, 700003, 700000, 700001});
}

TEST(LineSpec, Dictionary) {
  expect_line<uint32_t>(9, {0x01, 0x43, 0x42, 0x41, 0x01, 0x53, 0x52, 0x51, 0x01, 0x63, 0x62, 0x61,
                            0x94, 0x34, 0,    0,    0,    1,    2,    1,    7,    1,    1,    0},
                        {0, 0x41424301, 0x41424302, 0x51525301, 7, 0x41424301, 0x61626301, 0});
}

TEST(LineSpec, Patterns) {
  expect_line<uint32_t>(0x83, {0x20, 0, 0, 0, 0x80, 0xff, 0xff, 0x7f, 1, 0, 0, 0},
                        {0, 0, 0, 0, 0xff800000, 0x7fff0000, 0x00010000, 0});
  expect_line<uint32_t>(0x83, {0x32, 0, 0, 0, 1, 2, 3, 0xff, 0x41, 0, 0x7f, 0x80},
                        {1, 2, 3, 0xffffffff, 0x41414141, 0, 0x7f7f7f7f, 0x80808080});
  expect_line<uint32_t>(0x85,
                        {0x1d, 0, 0, 0, 2, 1, 0x7f, 0x80, 0, 0, 1, 0, 0x2c, 1, 0x2c, 1, 0x2c, 1, 0x2c, 1},
                        {0x00010002, 0xff80007f, 0, 1, 300, 300, 300, 300});
}

TEST(LineSpec, WorkedExampleOfAnArray) {
  const NewBuffer codes = make_buffer(32);
  std::fill_n(codes.data, 32, std::byte{1});
  codes.data[0] = std::byte{0x42};
  codes.data[1] = std::byte{0x82};
  const Array array{
      .codec = CodecId::line,
      .type = DType::u32,
      .length = 10,
      .offset = 0,
      .metadata = {5},
      .buffers = {buffer_of({0, 0, 0, 0}), codes.buffer,
                  buffer_of({0x62, 0xae, 0x0a, 0, 0xe7, 0, 0, 0, 0x0e, 0xe5, 0, 0, 2, 0, 0, 0, 9, 9, 0, 0},
                            32)},
      .children = {}};
  expect_decodes_to(array, std::vector<uint32_t>{700000, 700001, 700002, 0, 1, 700003, 700000, 700001, 9, 9});
}

}  // namespace
}  // namespace bobbin::testing
