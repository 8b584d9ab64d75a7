// SPDX-License-Identifier: Apache-2.0
// Which path columns take to a kernel.
#include "plan/column_plan.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "array/array.hpp"
#include "codecs/patched/patched.hpp"
#include "codecs/registry.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {
namespace {

Array encode(CodecId codec, const std::vector<int32_t>& values, DType type = DType::i32) {
  return *find_codec(codec)->encode({type, values.data(), values.size()});
}

std::vector<int32_t> some_values() {
  std::vector<int32_t> values(3000);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int32_t>(i * 7 % 100) - 50;
  }
  return values;
}

Array dictionary(CodecId codes) {
  Array array = encode(CodecId::dict, some_values());
  const Array& old = array.children[0];
  std::vector<uint8_t> decoded(old.length);
  (void)array::decode(old, std::as_writable_bytes(std::span(decoded)));
  array.children[0] = *find_codec(codes)->encode({DType::u8, decoded.data(), decoded.size()});
  return array;
}

// The form on the first path that supports a column; empty if it has to be decoded.
std::optional<ColumnForm> form_of(const Array& array) {
  ColumnPlan column;
  std::vector<Dictionary> dictionaries;
  if (!make_column(array, QueryPath::automatic, column, dictionaries)) {
    return std::nullopt;
  }
  return column.form;
}

TEST(Columns, OfADictionaryArePackedWhereItsCodesAre) {
  EXPECT_EQ(form_of(dictionary(CodecId::bitpack)), ColumnForm::packed);
  EXPECT_EQ(form_of(dictionary(CodecId::ffor)), ColumnForm::packed);
  EXPECT_EQ(form_of(dictionary(CodecId::patched)), ColumnForm::packed);
  EXPECT_EQ(form_of(dictionary(CodecId::delta)), ColumnForm::staged);
  EXPECT_EQ(form_of(dictionary(CodecId::rle)), std::nullopt);
}

TEST(Columns, TellOfTheirDictionaries) {
  const Array array = dictionary(CodecId::ffor);
  ColumnPlan column;
  std::vector<Dictionary> dictionaries;
  ASSERT_TRUE(make_column(array, QueryPath::automatic, column, dictionaries));
  ASSERT_EQ(dictionaries.size(), 1U);
  EXPECT_EQ(dictionaries[0].node, 1U);
  EXPECT_EQ(dictionaries[0].entries, &array.children[1]);
  EXPECT_EQ(column.packed_bytes(), 1U);
  EXPECT_EQ(column.bytes, 4U);
  EXPECT_EQ(column.dictionary().last, 99U);
}

TEST(Columns, OfADictionaryMuchLargerThanTheRowsAreDecoded) {
  std::vector<int32_t> values(3000);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int32_t>(i % 1000 * 7919);
  }
  const Array array = encode(CodecId::dict, values);
  EXPECT_NE(form_of(array), std::nullopt);
  EXPECT_EQ(form_of(*array::slice(array, 1000, 2)), std::nullopt);
}

TEST(Columns, OfOneValueAndOfSignsNeedNoDecoding) {
  EXPECT_EQ(form_of(encode(CodecId::constant, std::vector<int32_t>(2000, 7))), ColumnForm::packed);
  EXPECT_EQ(form_of(encode(CodecId::zigzag, some_values())), ColumnForm::staged);
  EXPECT_EQ(form_of(encode(CodecId::delta, some_values())), ColumnForm::staged);
}

TEST(Columns, OfPatchesOverADictionaryAreInterpreted) {
  const std::vector<uint64_t> places{3, 1500};
  const std::vector<uint32_t> values{1, 2};
  EXPECT_EQ(form_of(*codec::patched::wrap<uint32_t>(dictionary(CodecId::ffor), places, values)),
            ColumnForm::staged);
}

// a = 1 or a = 2 or a = 3, and b = 1 or b = 2: `a` has a dictionary.
TEST(Filters, LookAtADictionaryOnceForAllOfAList) {
  const Array a = dictionary(CodecId::ffor);
  const Array b = encode(CodecId::ffor, some_values());
  const std::vector<Source> columns{{&a, nullptr}, {&b, nullptr}};
  const auto equals = [](uint32_t column, uint64_t value) {
    return Condition{Condition::Kind::test, column, ValueRange::of(DType::i32, Compare::eq, {value})};
  };
  const Condition either{Condition::Kind::either};
  const Filter filter{equals(0, 1), equals(0, 2), either, equals(0, 3),           either,
                      equals(1, 1), equals(1, 2), either, {Condition::Kind::both}};
  const Filter merged = merge_tests(filter, columns);
  ASSERT_EQ(merged.size(), 5U);
  EXPECT_EQ(merged[0].kind, Condition::Kind::test);
  EXPECT_EQ(ranges_of(merged[0]).size(), 3U);
  EXPECT_EQ(ranges_of(merged[1]).size(), 1U);
  EXPECT_EQ(merged[3].kind, Condition::Kind::either);
  EXPECT_EQ(merged[4].kind, Condition::Kind::both);
}

}  // namespace
}  // namespace bobbin::plan
