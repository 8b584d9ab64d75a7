// SPDX-License-Identifier: Apache-2.0
// spec.md's worked examples, typed by hand; codes past the last entry.
#include <string>

#include "array/strings.hpp"
#include "tests/codecs/by_hand.hpp"
#include "tests/codecs/fsst/strings.hpp"

namespace bobbin::testing {
namespace {

Array dict_of(DType type, const Array& codes, const Array& dictionary) {
  return {.codec = CodecId::dict,
          .type = type,
          .length = codes.length,
          .offset = 0,
          .metadata = {},
          .buffers = {},
          .children = {codes, dictionary}};
}

// -5, 3, 70
Array numbers() {
  return packed_row(DType::i32, 3, 32, {0xfb, 0xff, 0xff, 0xff, 3, 0, 0, 0, 0x46, 0, 0, 0});
}

TEST(DictSpec, WorkedExample) {
  const Array inner{.codec = CodecId::ffor,
                    .type = DType::u8,
                    .length = 6,
                    .offset = 0,
                    .metadata = {},
                    .buffers = {buffer_of({0}), buffer_of({0, 0, 0, 0}), buffer_of({})},
                    .children = {}};
  const Array codes{
      .codec = CodecId::patched,
      .type = DType::u8,
      .length = 6,
      .offset = 0,
      .metadata = {1},
      .buffers = {buffer_of({0, 0, 0, 0, 3, 0, 0, 0}), buffer_of({0, 0, 3, 0, 4, 0}), buffer_of({2, 2, 1})},
      .children = {inner}};
  expect_decodes_to(dict_of(DType::i32, codes, numbers()), std::vector<int32_t>{70, -5, -5, 70, 3, -5});
}

TEST(DictSpec, CodesPastTheLastEntry) {
  const Array codes = packed_row(DType::u16, 4, 16, {3, 0, 2, 0, 1, 0, 0xff, 0xff});
  expect_decodes_to(dict_of(DType::i32, codes, numbers()), std::vector<int32_t>{70, 70, 3, 70});
}

// Codes may themselves be a dictionary; a dictionary may skip entries, and have codes below its root.
TEST(DictSpec, DictionariesInEachOther) {
  const Array twos = packed_row(DType::u8, 2, 8, {2, 0});
  const Array codes = dict_of(DType::u8, packed_row(DType::u8, 3, 8, {1, 0, 1}), twos);  // 0 2 0
  const Array skipping = packed_row(DType::i32, 3, 8, {77, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, 1);
  expect_decodes_to(dict_of(DType::i32, codes, skipping), std::vector<int32_t>{1, 3, 1});
  // The entries' zigzag codes 0 1 2 are entries of a dictionary in reverse order.
  const Array reversed = dict_of(DType::u32, packed_row(DType::u8, 3, 8, {2, 1, 0}),
                                 packed_row(DType::u32, 3, 2, {2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  const Array entries{.codec = CodecId::zigzag,
                      .type = DType::i32,
                      .length = 3,
                      .offset = 0,
                      .metadata = {},
                      .buffers = {},
                      .children = {reversed}};
  expect_decodes_to(dict_of(DType::i32, codes, entries), std::vector<int32_t>{0, 1, 0});
}

// Four numbers as `delta` of order 1 and stride 1 from 0 on: differences of two bits.
Array offsets_of(std::initializer_list<uint8_t> differences) {
  const Array residuals{
      .codec = CodecId::ffor,
      .type = DType::i32,
      .length = 4,
      .offset = 0,
      .metadata = {},
      .buffers = {buffer_of({0, 0, 0, 0}), buffer_of({2, 0, 0, 0}), buffer_of(differences, 128)},
      .children = {}};
  return {.codec = CodecId::delta,
          .type = DType::u32,
          .length = 4,
          .offset = 0,
          .metadata = {1, 1},
          .buffers = {buffer_of({0, 0, 0, 0})},
          .children = {residuals}};
}

// null, ab, abc, with the symbols c and ab (fsst/spec.md).
Array strings() {
  return {.codec = CodecId::fsst,
          .type = DType::utf8,
          .length = 3,
          .offset = 0,
          .metadata = {1, 1, 0, 0, 0, 0, 0, 0,  //
                       0, 0, 0, 0, 0, 0, 0, 0,  // out_begin
                       5, 0, 0, 0, 0, 0, 0, 0,  // out_bytes
                       0, 0, 0, 0, 0, 0, 0, 0,  // code_begin
                       3, 0, 0, 0, 0, 0, 0, 0,  // code_end
                       1},
          .buffers = {buffer_of({'c', 'a', 'b'}), buffer_of({1, 1, 0}), buffer_of({}, 8), buffer_of({0b110})},
          // Code offsets 0 0 1 3, offsets 0 0 2 5.
          .children = {offsets_of({0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2}),
                       offsets_of({0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3})}};
}

void expect_strings(const Array& array, const std::string& bytes, const std::vector<uint64_t>& offsets) {
  const Status status = array::validate(array);
  ASSERT_TRUE(status.ok()) << status.message();
  const StringOps& codec = *find_codec(array.codec)->strings;
  const StringSizes sizes = codec.sizes(array);
  ASSERT_FALSE(sizes.wide);
  ASSERT_EQ(sizes.bytes, bytes.size());
  for (const auto decode : {codec.decode, codec.reference}) {
    std::vector<uint64_t> out_offsets(array.length + 1);
    std::vector<uint8_t> out_bytes(sizes.bytes);
    ASSERT_TRUE(decode(array, {out_offsets.data() + 1, 0, out_bytes}).ok());
    EXPECT_EQ(out_offsets, offsets);
    EXPECT_EQ(std::string(out_bytes.begin(), out_bytes.end()), bytes);
  }
  EXPECT_EQ(check_any_strings(array, true), "");
}

TEST(DictSpec, WorkedExampleOfStrings) {
  const Array array = dict_of(DType::utf8, packed_row(DType::u8, 4, 8, {1, 0, 2, 1}), strings());
  expect_strings(array, "ababcab", {0, 2, 2, 5, 7});
  const auto there = array::present_strings(array);
  EXPECT_EQ(there.count(), 3U);
  EXPECT_FALSE(there.at(1));
}

TEST(DictSpec, CodesPastTheLastString) {
  const Array array = dict_of(DType::utf8, packed_row(DType::u8, 3, 8, {3, 0, 255}), strings());
  expect_strings(array, "abcabc", {0, 3, 3, 6});
}

// A dictionary has its own offset; if its last entry is null, so are the codes past it.
TEST(DictSpec, DictionariesOfStringsThatAreSlices) {
  const Array codes = packed_row(DType::u8, 3, 8, {0, 1, 9});
  expect_strings(dict_of(DType::utf8, codes, *array::slice(strings(), 1, 2)), "ababcabc", {0, 2, 5, 8});
  Array null = *array::slice(strings(), 0, 1);
  null.buffers[3] = buffer_of({0});  // only its own bits: see fsst/spec.md for arrays that skip nothing
  const Array nulls = dict_of(DType::utf8, codes, null);
  expect_strings(nulls, "", {0, 0, 0, 0});
  EXPECT_EQ(array::present_strings(nulls).count(), 0U);
}

}  // namespace
}  // namespace bobbin::testing
