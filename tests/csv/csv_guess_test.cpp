// SPDX-License-Identifier: Apache-2.0
#include "csv/guess.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "csv/number_text.hpp"
#include "tests/codecs/component.hpp"
#include "tests/csv/support.hpp"
#include "tests/drawn.hpp"

namespace bobbin::csv_tests {
namespace {

std::string guess(const std::vector<std::string>& texts) {
  csv::Guess forwards;
  csv::Guess backwards;
  for (size_t i = 0; i < texts.size(); ++i) {
    forwards.add(texts[i]);
    backwards.add(texts[texts.size() - 1 - i]);
  }
  EXPECT_EQ(forwards.type(), backwards.type());
  EXPECT_EQ(forwards.spelling(), backwards.spelling());
  return to_string(forwards.type());
}

// "type: spelling".
std::string spelled(const std::vector<std::string>& texts) {
  csv::Guess guess;
  for (const std::string& text : texts) {
    guess.add(text);
  }
  return to_string(guess.type()) + ": " + csv::spelling_text(guess.type(), guess.spelling());
}

TEST(CsvGuess, OneType) {
  EXPECT_EQ(guess({}), "utf8");
  EXPECT_EQ(guess({"true", "False", "TRUE"}), "bool");
  EXPECT_EQ(guess({"0", "-5", "9223372036854775807", "-9223372036854775808"}), "i64");
  EXPECT_EQ(guess({"0", "9223372036854775808", "18446744073709551615"}), "u64");
  EXPECT_EQ(guess({"153.6", "390.26", "96"}), "decimal(2)");
  EXPECT_EQ(guess({"-0.5", "0.123456789012345678"}), "decimal(18)");  // more digits than a double has
  EXPECT_EQ(guess({"-0.5", "0.30000000000000004"}), "f64");
  EXPECT_EQ(guess({"-87.62979817390442", "41.88083219999999"}), "f64");
  EXPECT_EQ(guess({"-87.629798173904419", "0.10000000000000001", "0.5"}), "f64");  // by %.17g
  EXPECT_EQ(guess({"0.1234567890120", "1", "-87.629798173904419"}), "f64");        // in several forms
  EXPECT_EQ(guess({"0.1234567890", "0.1234567891"}), "decimal(10)");               // trailing zeros are kept
  EXPECT_EQ(guess({"12345678901234.56"}), "decimal(2)");                           // money
  EXPECT_EQ(guess({"1e5", "2.5"}), "f64");
  EXPECT_EQ(guess({"inf", "-inf", "nan", "1"}), "f64");
  EXPECT_EQ(guess({".5", "1."}), "f64");
  EXPECT_EQ(guess({"2014-08-08", "0001-01-01", "9999-12-31"}), "date");
  EXPECT_EQ(guess({"2014/08/08", "0001/01/01"}), "date");
  EXPECT_EQ(guess({"2014/08/08", "2014-08-08"}), "date");
  EXPECT_EQ(guess({"2014-08-08 18:00:00"}), "timestamp[s]");
  EXPECT_EQ(guess({"2014/08/08 18:00"}), "timestamp[s]");
  EXPECT_EQ(guess({"2014-08-08 18:00:00", "2014-08-08T18:00:00.5"}), "timestamp[ms]");
  EXPECT_EQ(guess({"2014-08-08 18:00:00.1234"}), "timestamp[us]");
  EXPECT_EQ(guess({"2014-08-08 18:00:00.1234567"}), "timestamp[ns]");
  EXPECT_EQ(guess({"18:00", "23:59"}), "time[s]");
  EXPECT_EQ(guess({"18:00:00.25"}), "time[ms]");
  EXPECT_EQ(guess({"2014-08-08T18:00Z"}), "timestamp[s]");
  EXPECT_EQ(guess({"2014-08-08 18:00:00+02:00"}), "timestamp[s]");
  EXPECT_EQ(guess({"NaN", "1"}), "f64");
  EXPECT_EQ(guess({"Infinity", "-Infinity", "1.5"}), "f64");
  EXPECT_EQ(guess({"yes", "no"}), "bool");
  EXPECT_EQ(guess({"Y", "N", "N"}), "bool");
  EXPECT_EQ(guess({"F", "F"}), "utf8");  // until a T appears
  EXPECT_EQ(guess({"NO", "SE"}), "utf8");
  EXPECT_EQ(guess({"x", "1"}), "utf8");
  EXPECT_EQ(guess({"x", "\xff"}), "binary");
  EXPECT_EQ(guess({"1", "\xff"}), "binary");
}

TEST(CsvGuess, DigitsAreNotLost) {
  for (const char* text :
       {"001", "+5", "-0", "-01", "00",    "0x10", "1_000", "1,5",  " 1",    "1 ",     "--1", "-",
        ".",   "e5", "1e", "1e+", "1e+-5", "Nan",  "+inf",  "-nan", "1e400", "1e-400", ""}) {
    EXPECT_EQ(guess({text}), "utf8") << text;
    EXPECT_EQ(guess({text, "1"}), "utf8") << text;
  }
  // Numbers that a double does not represent to the last digit.
  EXPECT_EQ(guess({"1.5", "12345678901234567890"}), "utf8");
  EXPECT_EQ(guess({"0.12345678901234567890"}), "utf8");
  EXPECT_EQ(guess({"0.1234567890123456789"}), "utf8");
  EXPECT_EQ(guess({"9007199254740993", "1e5"}), "utf8");
  EXPECT_EQ(guess({"9007199254740992", "1e5"}), "f64");
  EXPECT_EQ(guess({"18446744073709551615", "-1"}), "utf8");
  EXPECT_EQ(guess({"18446744073709551617"}), "utf8");
  EXPECT_EQ(guess({"18446744073709551616"}), "f64");   // a power of two
  EXPECT_EQ(guess({"100000000000000000000"}), "f64");  // 1e+20, the same number
  EXPECT_EQ(guess({"-0.0", "1.5"}), "f64");
  // Too many digits for a decimal together, but few enough for a double individually.
  EXPECT_EQ(guess({"123456789012345", "0.00000001"}), "f64");
  EXPECT_EQ(guess({"1234567890123456.5", "0.001"}), "f64");
  EXPECT_EQ(guess({"12345678901234567.5", "0.001"}), "utf8");
}

// Numbers near the limits of the shortcut: the same value as by any other way, and the same forms.
TEST(CsvGuess, PlainDecimalsAreReadAsOthers) {
  testing::Random random(7);
  uint32_t read = 0;
  uint32_t read_long = 0;
  uint32_t read_bare = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string text = random.below(2) == 0 ? "-" : "";
    text += random.below(5) == 0 ? "" : std::to_string(random.below(uint64_t{1} << random.below(30)));
    text += random.below(9) == 0 ? "" : ".";
    for (uint64_t digits = random.below(20); digits > 0; --digits) {
      text += static_cast<char>('0' + random.below(10) * random.below(2));
    }
    text += random.below(50) == 0 ? "e" : "";
    const std::string before = text;
    text.resize(32, '.');  // what comes after a field must not matter
    const std::string_view field(text.data(), before.size());
    csv::PlainDecimal plain;
    if (!csv::read_plain(field, plain)) {
      continue;
    }
    ++read;
    const csv::NumberText number = csv::take_number_apart(field);
    read_long += number.num_digits() > csv::kFloatDigits ? 1 : 0;
    ASSERT_TRUE(number.valid && csv::comes_back(number, field)) << before;
    ASSERT_EQ(plain.value, std::strtod(before.c_str(), nullptr)) << before;
    ASSERT_EQ(plain.fraction_digits, number.fraction.size()) << before;
    ASSERT_EQ(plain.whole_digits, number.whole == "0" ? 0 : number.whole.size()) << before;
    ASSERT_EQ(plain.bare, number.whole.empty()) << before;
    ASSERT_TRUE(plain.forms == 0 || plain.forms == csv::float_forms(number, field)) << before;
    read_bare += plain.bare && plain.forms != 0 ? 1 : 0;
  }
  EXPECT_GT(read, 10000U);
  EXPECT_GT(read_long, 1000U);
  EXPECT_GT(read_bare, 1000U);
}

// Digits of 15 to 18 places, near powers of two and ten too: whether the shortest text of the nearest double
// has them, as printing it shows. The shortcut takes only such digits, and most of 16 places above 0.5.
TEST(CsvGuess, DigitsComeBackIfTheDoublePrintsThem) {
  testing::Random random(17);
  uint32_t close = 0;
  uint32_t close_read = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto places = static_cast<int>(10 + random.below(9));
    const double near =
        std::ldexp(static_cast<double>(1 + random.below(20)), static_cast<int>(random.below(12)) - 9);
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", places,
                  near * (1 + 1e-15 * static_cast<double>(random.below(9))));
    std::string digits(text);
    digits.back() = static_cast<char>('0' + random.below(10));
    const csv::NumberText number = csv::take_number_apart(digits);
    const double value = std::strtod(digits.c_str(), nullptr);
    char printed[64];
    *std::to_chars(printed, printed + sizeof printed - 1, value, std::chars_format::fixed).ptr = 0;
    std::string shortest(printed);
    shortest += shortest.find('.') == std::string::npos ? "." : "";
    std::string padded = digits;
    padded.resize(std::max(padded.size(), shortest.size()), '0');
    shortest.resize(padded.size(), '0');
    ASSERT_TRUE(number.valid) << digits;
    ASSERT_EQ(csv::comes_back(number, digits), padded == shortest) << digits;
    ASSERT_TRUE(csv::has_few_digits(number) || csv::comes_back(number, value) == (padded == shortest))
        << digits;
    const std::string field = digits + std::string(16, '.');
    csv::PlainDecimal plain;
    const bool read = csv::read_plain(std::string_view(field).substr(0, digits.size()), plain);
    ASSERT_TRUE(!read || (padded == shortest && plain.value == value)) << digits;
    const bool is_close = value >= 0.5 && value < 1 && places == 16 && padded == shortest;
    close += is_close ? 1 : 0;
    close_read += is_close && read ? 1 : 0;
  }
  EXPECT_GT(close, 100U);
  EXPECT_GT(close_read, close / 2);
}

// What a column of floats was read as while its type was inferred is what reading it gives.
TEST(CsvGuess, KeepsTheNumbersItHasRead) {
  csv::Guess guess;
  EXPECT_FALSE(guess.may_be_float());
  for (const char* text :
       {"0.5", "-12.25", "1.7976931348623157", "0.30000000000000004", "-.7442992126518518"}) {
    guess.add(std::string(text));
    EXPECT_EQ(guess.number(), std::strtod(text, nullptr)) << text;
  }
  EXPECT_TRUE(guess.may_be_float());
  guess.add(std::string("17"));  // eight bytes are read of any text
  EXPECT_TRUE(std::isnan(guess.number()));
  guess.add(std::string("unknown"));
  EXPECT_TRUE(std::isnan(guess.number()));
}

TEST(CsvGuess, TypesThatDoNotMeet) {
  EXPECT_EQ(guess({"true", "1"}), "utf8");
  EXPECT_EQ(guess({"true", "nan"}), "utf8");
  EXPECT_EQ(guess({"2014-08-08", "2014-08-08 18:00:00"}), "utf8");
  EXPECT_EQ(guess({"2014", "2014-08-08"}), "utf8");
  EXPECT_EQ(guess({"0000-01-01"}), "utf8");
  EXPECT_EQ(guess({"+12345-01-01"}), "utf8");
  EXPECT_EQ(guess({"2014-02-30"}), "utf8");
  EXPECT_EQ(guess({"2014/02/30"}), "utf8");
  EXPECT_EQ(guess({"2014/8/8"}), "utf8");
  EXPECT_EQ(guess({"08/08/2014"}), "utf8");
  EXPECT_EQ(guess({"2014/08-08"}), "utf8");
  EXPECT_EQ(guess({"2014-08-08 18:00:00.1234567890"}), "utf8");
  EXPECT_EQ(guess({"2014-08-08 18:00:00."}), "utf8");
  EXPECT_EQ(guess({"2014-08-08 18:00:00Z", "2014-08-08 18:00:00+01:00"}), "utf8");  // mixed zones
  EXPECT_EQ(guess({"2014-08-08 18:00:00Z", "2014-08-08 18:00:00"}), "utf8");
  EXPECT_EQ(guess({"2014-08-08 18:00:00+1"}), "utf8");
  EXPECT_EQ(guess({"2014-08-08 18:00:00+25:00"}), "utf8");
  EXPECT_EQ(guess({"24:00"}), "utf8");
  EXPECT_EQ(guess({"18:00", "2014-08-08"}), "utf8");
  EXPECT_EQ(guess({"yes", "true"}), "utf8");
  // Nanoseconds reach from 1677 to 2262.
  EXPECT_EQ(guess({"1500-01-01 00:00:00", "2014-08-08 18:00:00.1234567"}), "utf8");
  EXPECT_EQ(guess({"1500-01-01 00:00:00", "2014-08-08 18:00:00.123456"}), "timestamp[us]");
}

TEST(CsvGuess, Spellings) {
  EXPECT_EQ(spelled({"1.50", "2.25"}), "decimal(2): ");
  EXPECT_EQ(spelled({"153.6", "390.26", "96"}), "decimal(2): trimmed");
  EXPECT_EQ(spelled({"153.6", "390.26", "96.0"}), "decimal(2): point");
  EXPECT_EQ(spelled({"153.60", "390.26", "96"}), "decimal(2): mixed");
  EXPECT_EQ(spelled({"1e+05", "2.5"}), "f64: ");
  EXPECT_EQ(spelled({"100000.0", "2.5", "1e-07"}), "f64: point");
  EXPECT_EQ(spelled({"100000", "0.00001234567890123"}), "f64: trimmed");
  EXPECT_EQ(spelled({"1e5", "2.5"}), "f64: mixed");
  EXPECT_EQ(spelled({"-87.629798173904419", "0.10000000000000001", "0.5"}), "f64: %.17g");
  EXPECT_EQ(spelled({".5", "-.25", "0", "12", "-3.125", ".0004"}), "f64: bare");
  EXPECT_EQ(spelled({".5", "0.25"}), "f64: mixed");
  // Some have the shortest digits of a double, some those of %.16g, some no zero before the point.
  EXPECT_EQ(spelled({"0.74550503", "-.7442992126518519", ".25", "-9.946234575599689"}), "f64: mixed");
  EXPECT_EQ(spelled({"0.74550503", ".9473727668497332"}), "utf8: ");  // no double has these digits
  EXPECT_EQ(spelled({"1.5", "NaN", "-Inf"}), "f64: nan=NaN inf=Inf");
  EXPECT_EQ(spelled({"NaN", "nan"}), "f64: mixed");
  EXPECT_EQ(spelled({"TRUE", "FALSE"}), "bool: TRUE/FALSE");
  EXPECT_EQ(spelled({"true", "FALSE"}), "bool: mixed true/false");
  EXPECT_EQ(spelled({"No", "Yes"}), "bool: Yes/No");
  EXPECT_EQ(spelled({"2014-08-08"}), "date: ");
  EXPECT_EQ(spelled({"2014/08/08"}), "date: %Y/%m/%d");
  EXPECT_EQ(spelled({"2014/08/08", "2014-08-08"}), "date: mixed %Y-%m-%d");
  EXPECT_EQ(spelled({"2014/08/08 18:00"}), "timestamp[s]: %Y/%m/%d %H:%M");
  EXPECT_EQ(spelled({"2014-08-08 18:00:00"}), "timestamp[s]: ");
  EXPECT_EQ(spelled({"2014-08-08T18:00Z"}), "timestamp[s]: %Y-%m-%dT%H:%MZ");
  EXPECT_EQ(spelled({"2014-08-08T18:00:00.5", "2014-08-08T18:00:00.0"}),
            "timestamp[ms]: %Y-%m-%dT%H:%M:%S%.1f");
  EXPECT_EQ(spelled({"2014-08-08 18:00:00.5", "2014-08-08 18:00:00"}), "timestamp[ms]: %Y-%m-%d %H:%M:%S%.f");
  EXPECT_EQ(spelled({"2014-08-08 18:00:00.50-0530", "2014-08-08T18:00:00-0530"}),
            "timestamp[ms]: mixed %Y-%m-%d %H:%M:%S%.3f-0530");
  EXPECT_EQ(spelled({"18:00"}), "time[s]: %H:%M");
}

TEST(CsvGuess, SpellingsHaveTexts) {
  for (const auto& [type, text] :
       std::vector<std::pair<std::string, std::string>>{{"bool", "Y/N"},
                                                        {"f64", "point nan=NAN inf=Infinity"},
                                                        {"f64", "bare"},
                                                        {"decimal(3)", "mixed"},
                                                        {"date", "%Y/%m/%d"},
                                                        {"date", "mixed %Y-%m-%d"},
                                                        {"timestamp[us]", "%Y/%m/%d %H:%M"},
                                                        {"timestamp[us]", "%Y-%m-%dT%H:%M:%S%.2f+02:00"},
                                                        {"time[ms]", "%H:%M:%S%.f"}}) {
    const ColumnType column = parse_column_type(type).value();
    const std::optional<csv::Spelling> spelling = csv::parse_spelling(column, text);
    ASSERT_TRUE(spelling.has_value()) << text;
    EXPECT_EQ(csv::spelling_text(column, *spelling), text);
  }
  EXPECT_FALSE(csv::parse_spelling(parse_column_type("date").value(), "%Y/%m/%d %H:%M").has_value());
  for (const char* bad : {"x", "%Y", "%Y/%m/%d", "%H:%M", "%Y-%m-%d %H", "%Y-%m-%d %H:%M %q",
                          "%Y-%m-%d %H:%M2", "%Y-%m-%d %H:%M:%S%.0f"}) {
    EXPECT_FALSE(csv::parse_spelling(parse_column_type("timestamp[s]").value(), bad).has_value()) << bad;
  }
}

TEST(CsvGuess, FewMisfitsAreReported) {
  csv::Guess guess;
  for (int i = 0; i < 100; ++i) {
    guess.add(std::to_string(i));
  }
  const std::string marker = "N/A";
  EXPECT_TRUE(guess.add(marker));
  EXPECT_FALSE(guess.add(marker));
  EXPECT_EQ(guess.type(), ColumnType{DType::utf8});
  EXPECT_EQ(guess.regular_type(), ColumnType{DType::i64});
  EXPECT_TRUE(guess.is_text_by_misfits());
  EXPECT_EQ(guess.misfits().size(), 1U);
  csv::Guess names;
  for (const std::string name : {"a", "b", "1", "c"}) {  // a string has room for the bytes add() reads
    names.add(name);
  }
  EXPECT_FALSE(names.is_text_by_misfits());
}

// The type inferred from the first bytes, corrected if a value does not fit, equals the one inferred from
// all.
TEST(CsvGuess, FromTheBeginningIsFromAll) {
  const char* const texts[] = {"1",
                               "-2",
                               "300",
                               "1.5",
                               "2.25",
                               "0.125",
                               "1e5",
                               "nan",
                               "true",
                               "FALSE",
                               "x",
                               "",
                               "18446744073709551615",
                               "2014-08-08",
                               "2014-08-09",
                               "2014-08-08 18:00:00",
                               "2014-08-08 18:00:00.25",
                               "1500-01-01 00:00:00",
                               "2014-08-08 18:00:00.1234567",
                               "007",
                               "-0",
                               "\xff",
                               "\"\"",
                               "123456789012345678",
                               "0.1234567890123",
                               "0.12345678901234567",
                               "0.1234567890120",
                               "0.10000000000000001",
                               "-87.629798173904419",
                               "100000",
                               "96.0",
                               "NaN",
                               "Inf",
                               "yes",
                               "no",
                               "No",
                               "F",
                               "18:00",
                               "18:00:00.5",
                               "2014-08-08T18:00Z",
                               "2014-08-08T18:00:00.50Z",
                               "2014-08-08 18:00:00+02:00"};
  Random random(11 + testing::draw_number());
  for (uint64_t round = 0; round < 3000 / testing::kDrawnShare; ++round) {
    // Only a few kinds, so that columns have types.
    const uint64_t kinds = 1 + random.below(3);
    const char* drawn[3];
    for (uint64_t k = 0; k < kinds; ++k) {
      drawn[k] = texts[random.below(std::size(texts))];
    }
    std::string text = "a,b\n";
    for (uint64_t row = random.below(20); row > 0; --row) {
      text += std::string(drawn[random.below(kinds)]) + "," + drawn[random.below(kinds)] + "\n";
    }
    const Result<CellTable> all = read_text(text, {.sample_bytes = 1'000'000});
    ASSERT_TRUE(all.has_value()) << all.error().message();
    for (const size_t bytes : {1U, 30U, 90U}) {
      const Result<CellTable> some = read_text(text, {.buffer_bytes = bytes, .sample_bytes = bytes});
      ASSERT_TRUE(some.has_value()) << some.error().message();
      ASSERT_EQ(*some, *all) << text << "\n" << show(*some) << "\n" << show(*all);
    }
  }
}

}  // namespace
}  // namespace bobbin::csv_tests
