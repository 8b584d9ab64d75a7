// SPDX-License-Identifier: Apache-2.0
// Writes files for the tests of reports. usage: bobbin-report-tables mixed|wide|long|tiny|constants|empty
// FILE
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/bobbin.hpp"
#include "file/append.hpp"

namespace {

using bobbin::DType;

uint64_t mixed_bits(uint64_t i) {
  i *= 0x9e37'79b9'7f4a'7c15;
  return i ^ (i >> 29);
}

// Columns of all kinds, some with names that would be harmful if a page treated them as HTML.
struct Mixed {
  static constexpr uint64_t kRows = 60'000;
  std::vector<uint64_t> id;
  std::vector<int64_t> time;
  std::vector<int32_t> price, sparse;
  std::vector<uint8_t> validity = std::vector<uint8_t>(kRows / 8);
  std::vector<double> noise, holes;
  std::vector<uint16_t> flag = std::vector<uint16_t>(kRows, 7);
  bobbin::Strings url, city;

  Mixed() {
    const std::string_view cities[] = {"Paris", "Z\xc3\xbcrich", "<b>Rome</b>", "Oslo", "\"Bonn\" & co"};
    for (uint64_t i = 0; i < kRows; ++i) {
      id.push_back(1'000'000 + i);
      time.push_back(1'700'000'000'000 + static_cast<int64_t>(i * 250 + mixed_bits(i) % 200));
      const double wave = 3000 * std::sin(static_cast<double>(i) / 9000);
      price.push_back(5000 + static_cast<int32_t>(wave) + static_cast<int32_t>(mixed_bits(i) % 400));
      sparse.push_back(static_cast<int32_t>(i % 1000));
      validity[i / 8] |= static_cast<uint8_t>((i / 4096 % 3 != 1 && i % 7 != 0 ? 1U : 0U) << (i % 8));
      noise.push_back(static_cast<double>(mixed_bits(i) >> 11) * 0x1p-53);
      holes.push_back(i == 30'000 ? std::numeric_limits<double>::quiet_NaN()
                                  : static_cast<double>(i % 500) / 4);
      add(url, "https://example.org/item/" + std::to_string(mixed_bits(i) % 100'000));
      add(city, cities[mixed_bits(i) % 5]);
    }
  }

  static void add(bobbin::Strings& strings, std::string_view text) {
    strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
};

bobbin::Status write_mixed(const char* path) {
  const Mixed mixed;
  bobbin::WriteOptions options;
  options.rows_per_group = 4096;
  const bobbin::Logical milliseconds{.kind = bobbin::Logical::Kind::timestamp,
                                     .unit = bobbin::Logical::Unit::milliseconds};
  BOBBIN_ASSIGN(
      bobbin::Writer writer,
      bobbin::Writer::create(
          path,
          {{"id", DType::u64},
           {"created_at", DType::i64, false, milliseconds},
           {"price", DType::i32},
           {"<script>alert('x')</script>", DType::i32, true},
           {"\" onmouseover=\"alert(1)", DType::f64},
           {"&amp; \xe2\x80\xae<img src=x onerror=alert(2)>\n", DType::f64},
           {"flag", DType::u16},
           {"url", DType::utf8},
           {"a rather long name of a city, as exports from spreadsheets like to have them", DType::utf8}},
          options));
  const bobbin::NullableView sparse{mixed.sparse.data(), mixed.validity.data()};
  const bobbin::StringsView url = mixed.url.view();
  const bobbin::StringsView city = mixed.city.view();
  const void* const columns[] = {mixed.id.data(),
                                 mixed.time.data(),
                                 mixed.price.data(),
                                 &sparse,
                                 mixed.noise.data(),
                                 mixed.holes.data(),
                                 mixed.flag.data(),
                                 &url,
                                 &city};
  BOBBIN_TRY(bobbin::file::append_untyped(writer, columns, Mixed::kRows));
  BOBBIN_TRY(writer.set_metadata("bobbin.source_bytes", "7654321"));
  return writer.finish();
}

// Numbers in this many columns and row groups.
bobbin::Status write_numbers(const char* path, size_t num_columns, uint64_t rows, uint64_t rows_per_group) {
  std::vector<uint32_t> values(rows);
  for (uint64_t i = 0; i < rows; ++i) {
    values[i] = static_cast<uint32_t>(mixed_bits(i / 64) % 5000 + i % 64);
  }
  std::vector<bobbin::Column> columns;
  for (size_t i = 0; i < num_columns; ++i) {
    columns.push_back({"column " + std::to_string(i), DType::u32});
  }
  bobbin::WriteOptions options;
  options.rows_per_group = rows_per_group;
  options.codec = "ffor";
  BOBBIN_ASSIGN(bobbin::Writer writer, bobbin::Writer::create(path, columns, options));
  const std::vector<const void*> pointers(num_columns, values.data());
  BOBBIN_TRY(bobbin::file::append_untyped(writer, pointers, rows));
  return writer.finish();
}

// Two columns, one of integers with nulls and one of strings, in a single row group.
bobbin::Status write_tiny(const char* path, uint64_t rows) {
  const std::vector<int32_t> numbers = {5, 0, -3};
  const uint8_t validity = 0b101;
  const bobbin::NullableView nullable{numbers.data(), &validity};
  bobbin::Strings words;
  for (const std::string_view word : {"one", "", "three"}) {
    Mixed::add(words, word);
  }
  const bobbin::StringsView strings = words.view();
  BOBBIN_ASSIGN(bobbin::Writer writer,
                bobbin::Writer::create(path, {{"number", DType::i32, true}, {"word", DType::utf8}}, {}));
  const void* const columns[] = {&nullable, &strings};
  BOBBIN_TRY(bobbin::file::append_untyped(writer, columns, rows));
  return writer.finish();
}

// Every row of every row group has the same values.
bobbin::Status write_constants(const char* path) {
  const std::vector<int64_t> number(10'000, 42);
  const std::vector<double> fraction(10'000, 0.25);
  bobbin::WriteOptions options;
  options.rows_per_group = 1024;
  BOBBIN_ASSIGN(bobbin::Writer writer,
                bobbin::Writer::create(path, {{"number", DType::i64}, {"fraction", DType::f64}}, options));
  const void* const columns[] = {number.data(), fraction.data()};
  BOBBIN_TRY(bobbin::file::append_untyped(writer, columns, number.size()));
  return writer.finish();
}

// Strings that differ only in their lengths: their bytes compress well, their offsets do not.
bobbin::Status write_lengths(const char* path) {
  bobbin::Strings strings;
  for (uint64_t i = 0; i < 10'000; ++i) {
    Mixed::add(strings, std::string(mixed_bits(i) % 50, 'x'));
  }
  const bobbin::StringsView view = strings.view();
  BOBBIN_ASSIGN(bobbin::Writer writer, bobbin::Writer::create(path, {{"text", DType::utf8}}, {}));
  const void* const columns[] = {&view};
  BOBBIN_TRY(bobbin::file::append_untyped(writer, columns, strings.length()));
  return writer.finish();
}

bobbin::Status write(std::string_view kind, const char* path) {
  if (kind == "mixed") {
    return write_mixed(path);
  }
  if (kind == "wide") {
    return write_numbers(path, 10'000, 64, 64);
  }
  if (kind == "long") {
    return write_numbers(path, 2, 640'000, 64);
  }
  if (kind == "tiny") {
    return write_tiny(path, 3);
  }
  if (kind == "constants") {
    return write_constants(path);
  }
  if (kind == "lengths") {
    return write_lengths(path);
  }
  if (kind == "empty") {
    return write_tiny(path, 0);
  }
  return {bobbin::StatusCode::invalid_argument, "unknown table"};
  ;
}

}  // namespace

int main(int argc, char** argv) {
  const bobbin::Status status =
      argc == 3 ? write(argv[1], argv[2])
                : bobbin::Status(bobbin::StatusCode::invalid_argument, "give a kind and a file name");
  if (!status.ok()) {
    std::fprintf(stderr, "bobbin-report-tables: %s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
