// SPDX-License-Identifier: Apache-2.0
// Fast paths from text to numbers give the same results as the slow ones.
#include "csv/convert.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstring>

#include "csv/form_guess.hpp"
#include "csv/guess.hpp"
#include "tests/csv/support.hpp"

namespace bobbin::csv_tests {
namespace {

// Every text of this many of these characters.
template <class F>
void for_each_text(std::string_view characters, size_t size, F&& f) {
  std::string text(size, characters[0]);
  size_t combinations = 1;
  for (size_t i = 0; i < size; ++i) {
    combinations *= characters.size();
  }
  for (size_t number = 0; number < combinations; ++number) {
    size_t rest = number;
    for (char& c : text) {
      c = characters[rest % characters.size()];
      rest /= characters.size();
    }
    f(text);
  }
}

// The bits of the value that a column of an inferred type makes of a text; empty if it does not fit.
std::optional<uint64_t> converted(const ColumnType& type, const std::string& text) {
  const csv::Options options{.delimiter = '|', .header = false, .buffer_bytes = 64};
  const std::string line = text + "|" + text + "\n";
  csv::Scanner scanner(csv::Source::from_memory(line, "t"), options);
  EXPECT_TRUE(scanner.fill().ok());
  csv::ColumnBuilder builder(type, csv::ColumnBuilder::Accept::guessed, {.mixed = true});
  const csv::Rows rows{.scanner = scanner, .fields = 2, .count = 1};
  if (builder.convert(rows, 0, csv::NullTest({})) == 0) {
    return std::nullopt;
  }
  const csv::ColumnData data = builder.data();
  EXPECT_EQ(data.numbers.validity, nullptr);
  uint64_t bits = 0;
  std::memcpy(&bits, data.numbers.values, sizeof bits);
  return bits;
}

template <class T>
std::optional<uint64_t> bits_if(bool fits, T value) {
  return fits ? std::optional(std::bit_cast<uint64_t>(value)) : std::nullopt;
}

TEST(CsvConvert, Integers) {
  for (const size_t size : {1U, 2U, 3U, 5U}) {
    for_each_text("019-. ", size, [](const std::string& text) {
      int64_t value = 0;
      const bool fits = csv::read_long_signed(csv::trimmed(text), value);
      ASSERT_EQ(converted({DType::i64}, text), bits_if(fits, value)) << text;
    });
  }
  for (const std::string text : {"12345678", "123456789", "-1234567", "-12345678", "-123456789", "01234567",
                                 "9223372036854775807", "-9223372036854775808", "9223372036854775808"}) {
    int64_t value = 0;
    const bool fits = csv::read_long_signed(text, value);
    EXPECT_EQ(converted({DType::i64}, text), bits_if(fits, value)) << text;
  }
}

TEST(CsvConvert, Decimals) {
  for (const uint8_t scale : {uint8_t{1}, uint8_t{3}, uint8_t{9}}) {
    const ColumnType type{DType::i64, {.kind = Logical::Kind::decimal, .scale = scale}};
    for (const size_t size : {1U, 2U, 3U, 4U, 6U}) {
      for_each_text("019.-", size, [&](const std::string& text) {
        int64_t value = 0;
        const bool fits = csv::read_decimal(text, scale, value);
        ASSERT_EQ(converted(type, text), bits_if(fits, value)) << text;
      });
    }
    for (const std::string text :
         {"12345.67", "1234567.", ".1234567", "1234567.8", "12345678.9", "1.23456789"}) {
      int64_t value = 0;
      const bool fits = csv::read_decimal(text, scale, value);
      EXPECT_EQ(converted(type, text), bits_if(fits, value)) << text;
    }
  }
}

TEST(CsvConvert, DoublesAreTheNearest) {
  testing::Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random.next() % 4 == 0 ? "-" : "";
    text += std::to_string(random.next() >> (random.next() % 64));
    if (random.next() % 2 == 0) {
      text += "." + std::to_string(random.next() >> (random.next() % 64));
    }
    if (random.next() % 3 == 0) {
      text += "e" + std::to_string(static_cast<int>(random.next() % 60) - 30);
    }
    double nearest = 0;
    std::from_chars(text.data(), text.data() + text.size(), nearest);
    // A number that does not round-trip through a double is not a double.
    if (const auto bits = converted({DType::f64}, text); bits.has_value()) {
      ASSERT_EQ(*bits, std::bit_cast<uint64_t>(nearest)) << text;
    } else {
      ASSERT_TRUE(text.size() > 15 || text == "-0") << text;
    }
  }
  EXPECT_EQ(converted({DType::f64}, "12."), converted({DType::f64}, "12"));
  EXPECT_EQ(converted({DType::f64}, "007"), std::nullopt);
  EXPECT_EQ(converted({DType::f64}, "1.0286483e+08"), std::bit_cast<uint64_t>(102864830.0));
}

}  // namespace
}  // namespace bobbin::csv_tests
