// SPDX-License-Identifier: Apache-2.0
// Typed rows to a writer: types, lengths and nulls are checked, and a refused append changes nothing.
#include "bobbin/version.hpp"
#include "tests/file/support.hpp"

namespace bobbin::file_tests {
namespace {

const std::vector<Column> kColumns{{"id", DType::u32}, {"price", DType::f64, true}, {"name", DType::utf8}};

TEST(FileAppend, ViewsOfEveryKindComeBack) {
  const TempDir dir;
  Result<Writer> writer = Writer::create(dir / "t.bob", kColumns, {});
  ASSERT_TRUE(writer.has_value());
  const std::vector<uint32_t> ids{1, 2, 3};
  const std::vector<double> prices{0.5, 0, 2.5};
  const uint8_t validity = 0b101;
  const Strings names = strings_of({"a", std::nullopt, "c"});
  ASSERT_OK(writer->append({ids, {prices, &validity}, names}));
  const Strings more = strings_of({"d"});
  ASSERT_OK(writer->append({{DType::u32, ids.data(), 1}, std::span(prices).first(1), more}));
  ASSERT_OK(writer->finish());
  const Result<Reader> reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  EXPECT_EQ(reader->num_rows(), 4U);
  EXPECT_EQ(reader->format_version(), kFormatVersion);
  EXPECT_EQ(texts_of(*reader->read_strings(2, 0, 4)), (Texts{"a", std::nullopt, "c", "d"}));
  std::vector<uint8_t> bits(1);
  ASSERT_OK(reader->read_validity(1, 0, 4, bits));
  EXPECT_EQ(bits[0], 0b1101);
}

TEST(FileAppend, OtherColumnsAreRefusedAndLeaveTheWriterAsItWas) {
  const TempDir dir;
  Result<Writer> writer = Writer::create(dir / "t.bob", kColumns, {});
  ASSERT_TRUE(writer.has_value());
  const std::vector<uint32_t> ids{1, 2};
  const std::vector<int32_t> others{1, 2};
  const std::vector<double> prices{0.5, 1.5};
  const Strings names = strings_of({"a", "b"});
  const uint8_t validity = 0b11;
  const auto refusal = [&](std::initializer_list<ColumnView> columns) {
    const Status status = writer->append(columns);
    EXPECT_EQ(status.code(), StatusCode::invalid_argument);
    return status.message().substr(status.message().find("append"));
  };
  EXPECT_EQ(refusal({ids, prices}), "append: expected 3 columns, found 2");
  EXPECT_EQ(refusal({others, prices, names}),
            "append: column \"id\": expected values of type u32, found i32");
  EXPECT_EQ(refusal({names, prices, names}),
            "append: column \"id\": expected values of type u32, found binary");
  EXPECT_EQ(refusal({ids, std::span(prices).first(1), names}),
            "append: column \"price\": expected 2 rows, found 1");
  EXPECT_EQ(refusal({{ids, &validity}, prices, names}), "append: column \"id\": the column is not nullable");
  ASSERT_OK(writer->append({ids, prices, names}));
  ASSERT_OK(writer->finish());
  EXPECT_EQ(Reader::open(dir / "t.bob")->num_rows(), 2U);
}

TEST(FileAppend, NoRowsAreFine) {
  const TempDir dir;
  Result<Writer> writer = Writer::create(dir / "t.bob", kColumns, {});
  ASSERT_TRUE(writer.has_value());
  ASSERT_OK(writer->append({std::vector<uint32_t>(), std::vector<double>(), Strings()}));
  ASSERT_OK(writer->finish());
}

}  // namespace
}  // namespace bobbin::file_tests
