// SPDX-License-Identifier: Apache-2.0
// A file with a column of every type.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "tests/drawn.hpp"
#include "tests/file/support.hpp"

namespace bobbin::interop_tests {

using file_tests::TempDir;

inline constexpr uint64_t kRows = 5000;

inline Logical of_unit(Logical::Kind kind, Logical::Unit unit) {
  return {.kind = kind, .unit = unit};
}

// A column of every type that a file can have, all of which can be null.
inline std::vector<Column> every_column() {
  std::vector<Column> columns;
  for (const DType type : kAllTypes) {
    columns.push_back({std::string(to_string(type)), type, true});
  }
  columns.push_back({"boolean", DType::u8, true, {.kind = Logical::Kind::boolean}});
  columns.push_back({"date", DType::i32, true, {.kind = Logical::Kind::date}});
  for (const auto unit : {Logical::Unit::seconds, Logical::Unit::milliseconds, Logical::Unit::microseconds,
                          Logical::Unit::nanoseconds}) {
    const std::string number = std::to_string(static_cast<int>(unit));
    columns.push_back({"timestamp" + number, DType::i64, true, of_unit(Logical::Kind::timestamp, unit)});
    columns.push_back({"time" + number, DType::i64, true, of_unit(Logical::Kind::time, unit)});
  }
  for (const DType type : {DType::i8, DType::i16, DType::i32, DType::i64}) {
    columns.push_back({"decimal " + std::string(to_string(type)),
                       type,
                       true,
                       {.kind = Logical::Kind::decimal, .scale = 2}});
  }
  columns.push_back({"utf8", DType::utf8});
  columns.push_back({"binary", DType::binary});
  columns.push_back({"never null", DType::i32, false});
  return columns;
}

inline Scalar drawn_value(const Column& column, uint64_t row) {
  const uint64_t mixed = row * 0x9e37'79b9'7f4a'7c15;
  if (column.logical.kind == Logical::Kind::boolean) {
    return {mixed >> 63};
  }
  const uint64_t bits = column.logical.kind == Logical::Kind::time ? mixed >> 40 : mixed >> (row % 50);
  return {bits & (~uint64_t{0} >> (64 - size_bits(column.type)))};
}

// Every seventh value is null, in another row of each column.
inline Status write_everything(const std::string& path, uint64_t rows_per_group) {
  const std::vector<Column> columns = every_column();
  std::vector<std::vector<std::byte>> values;
  std::vector<std::vector<uint8_t>> validity;
  std::vector<Strings> strings(columns.size());
  std::vector<ColumnView> views;
  for (size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    values.emplace_back(kRows * (is_string(column.type) ? 0 : size_bytes(column.type)));
    validity.emplace_back((kRows + 7) / 8);
    strings[c].type = column.type;
    for (uint64_t row = 0; row < kRows; ++row) {
      const bool is_null = (row + c) % 7 == 0;
      if (is_string(column.type)) {
        const std::string text(row % 23, static_cast<char>('a' + row % 26));
        is_null ? strings[c].push_null()
                : strings[c].push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
        continue;
      }
      const Scalar value = drawn_value(column, row);
      std::memcpy(values[c].data() + row * size_bytes(column.type), &value.bits, size_bytes(column.type));
      validity[c][row / 8] = static_cast<uint8_t>(validity[c][row / 8] | !is_null << (row % 8));
    }
    views.push_back(is_string(column.type) ? ColumnView(strings[c])
                                           : ColumnView(column.type, values[c].data(), kRows,
                                                        column.nullable ? validity[c].data() : nullptr));
  }
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, columns, {.rows_per_group = rows_per_group}));
  BOBBIN_TRY(writer.append(views));
  BOBBIN_TRY(writer.set_metadata("who", "we"));
  return writer.finish();
}

inline std::shared_ptr<const Reader> open(const std::string& path) {
  auto reader = Reader::open(path);
  EXPECT_TRUE(reader.has_value()) << reader.error().message();
  return std::make_shared<const Reader>(*std::move(reader));
}

// Encoding takes seconds under ThreadSanitizer: a process does it once.
inline std::shared_ptr<const Reader> everything(const TempDir& dir, uint64_t rows_per_group = 1024) {
  static std::map<uint64_t, file_tests::Bytes> written;
  const std::string path = dir / "all.bob";
  if (const auto found = written.find(rows_per_group); found != written.end()) {
    file_tests::store(path, found->second);
  } else {
    const Status status = write_everything(path, rows_per_group);
    EXPECT_TRUE(status.ok()) << status.message();
    written.emplace(rows_per_group, file_tests::load(path));
  }
  return open(path);
}

}  // namespace bobbin::interop_tests
