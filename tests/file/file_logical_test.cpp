// SPDX-License-Identifier: Apache-2.0
// Logical types: stored in the file, printed, and refused if the type does not fit.
#include "core/value_text.hpp"
#include "forge.hpp"
#include "support.hpp"

namespace bobbin::file_tests {
namespace {

using Kind = Logical::Kind;
using Unit = Logical::Unit;

std::vector<ColumnType> all_logical_types() {
  std::vector<ColumnType> types{{DType::u8, {.kind = Kind::boolean}}, {DType::i32, {.kind = Kind::date}}};
  for (const Unit unit : {Unit::seconds, Unit::milliseconds, Unit::microseconds, Unit::nanoseconds}) {
    types.push_back({DType::i64, {.kind = Kind::timestamp, .unit = unit}});
    types.push_back({DType::i64, {.kind = Logical::Kind::time, .unit = unit}});
  }
  for (const DType type : {DType::i8, DType::i16, DType::i32, DType::i64}) {
    for (const uint8_t scale : {uint8_t{0}, uint8_t{1}, Logical::kMaxScale}) {
      types.push_back({type, {.kind = Kind::decimal, .scale = scale}});
    }
  }
  return types;
}

TEST(FileLogical, TypesHaveNames) {
  EXPECT_EQ(to_string(ColumnType{DType::u16}), "u16");
  EXPECT_EQ(to_string(ColumnType{DType::i64, {.kind = Kind::decimal, .scale = 2}}), "decimal(2)");
  EXPECT_EQ(to_string(ColumnType{DType::i16, {.kind = Kind::decimal, .scale = 0}}), "decimal(0) i16");
  EXPECT_EQ(to_string(ColumnType{DType::i64, {.kind = Kind::timestamp, .unit = Unit::microseconds}}),
            "timestamp[us]");
  for (const ColumnType& type : all_logical_types()) {
    EXPECT_EQ(parse_column_type(to_string(type)), type) << to_string(type);
  }
}

TEST(FileLogical, OtherNamesAreNone) {
  for (const char* text :
       {"", "decimal", "decimal()", "decimal(19)", "decimal(-1)", "decimal(100)", "decimal(2) u8",
        "decimal(2)i32", "decimal(2) ", "timestamp", "timestamp[]", "timestamp[h]", "Bool", "date "}) {
    EXPECT_EQ(parse_column_type(text), std::nullopt) << text;
  }
}

TEST(FileLogical, FilesKeepThem) {
  const TempDir dir;
  std::vector<Column> columns;
  for (const ColumnType& type : all_logical_types()) {
    columns.push_back({to_string(type), type.type, false, type.logical});
  }
  auto writer = Writer::create(dir / "x.bob", columns, {});
  ASSERT_TRUE(writer.has_value()) << writer.error().message();
  ASSERT_TRUE(writer->finish().ok());
  const auto reader = Reader::open(dir / "x.bob");
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  EXPECT_EQ(reader->columns(), columns);
}

TEST(FileLogical, TypesThatDoNotFitAreRefused) {
  const TempDir dir;
  const std::vector<Column> bad{{"a", DType::u16, false, {.kind = Kind::boolean}},
                                {"a", DType::i64, false, {.kind = Kind::date}},
                                {"a", DType::u64, false, {.kind = Kind::timestamp}},
                                {"a", DType::f64, false, {.kind = Kind::decimal, .scale = 2}},
                                {"a", DType::utf8, false, {.kind = Kind::date}},
                                {"a", DType::i64, false, {.kind = Kind::decimal, .scale = 19}},
                                {"a", DType::i64, false, {.kind = Kind::plain, .scale = 1}},
                                {"a", DType::i32, false, {.kind = Logical::Kind::time}}};
  for (const Column& column : bad) {
    const auto writer = Writer::create(dir / "x.bob", {column}, {});
    ASSERT_FALSE(writer.has_value());
    EXPECT_EQ(writer.error().code(), StatusCode::invalid_argument);
    EXPECT_NE(writer.error().message().find("column 0: type"), std::string::npos) << writer.error().message();
    file::Footer footer;
    footer.columns = {column};
    // A unit or scale that does not belong to its kind cannot be represented in version 2.
    const bool unsaid = column.logical.kind == Kind::plain;
    for (const uint32_t version : unsaid ? std::vector{1U} : std::vector{1U, 2U}) {
      const auto bytes = version == 1 ? flat::build_footer(footer) : file::build_footer(footer);
      const auto parsed = file::parse_footer(bytes, file::header_bytes(version), version);
      ASSERT_FALSE(parsed.has_value());
      EXPECT_EQ(parsed.error().code(), StatusCode::corrupt);
    }
  }
}

TEST(FileLogical, KindsOfNewerFilesAreRefusedAsSuch) {
  file::Footer footer;
  footer.columns = {{"a", DType::i64, false, {.kind = Kind{6}}}};
  for (const uint32_t version : {1U, 2U}) {
    const auto bytes = version == 1 ? flat::build_footer(footer) : file::build_footer(footer);
    const auto parsed = file::parse_footer(bytes, file::header_bytes(version), version);
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().code(), StatusCode::unsupported);
    EXPECT_NE(parsed.error().message().find("unknown logical type 6"), std::string::npos);
  }
}

}  // namespace
}  // namespace bobbin::file_tests
