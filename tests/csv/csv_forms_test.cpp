// SPDX-License-Identifier: Apache-2.0
// Forms of values: what is found, which values they have, and that the text comes back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "bobbin/csv.hpp"
#include "core/calendar.hpp"
#include "csv/date_pattern.hpp"
#include "csv/number_form.hpp"
#include "csv/reader.hpp"
#include "tests/codecs/component.hpp"
#include "tests/csv/support.hpp"
#include "tests/file/support.hpp"

namespace bobbin::csv_tests {
namespace {

using testing::Random;

csv::Options with_marks(std::string thousands, char decimal) {
  csv::Options options;
  options.delimiter = ';';
  options.thousands = std::move(thousands);
  options.decimal = decimal;
  return options;
}

csv::Options with_dates(std::string format) {
  csv::Options options;
  options.delimiter = ';';
  options.date_format = std::move(format);
  return options;
}

// The text of a column without a name.
std::string column_text(const std::vector<std::string>& values) {
  std::string text = "x\n";
  for (const std::string& value : values) {
    text += value + "\n";
  }
  return text;
}

// What a file made from the text is exported as.
std::string exported(const std::string& text, const csv::Options& options) {
  const file_tests::TempDir dir;
  csv::ReadOptions read;
  read.other = options;
  read.delimiter = options.delimiter;
  read.header = true;
  Result<csv::Importer> importer = csv::Importer::open({csv::Input::memory(text, "t.csv")}, read);
  if (!importer.has_value()) {
    return importer.error().message();
  }
  if (const auto made = importer->write(dir / "t.bob"); !made.has_value()) {
    return made.error().message();
  }
  const Result<Reader> reader = Reader::open(dir / "t.bob");
  if (!reader.has_value()) {
    return reader.error().message();
  }
  if (const Status status = csv::export_file(*reader, dir / "again.csv"); !status.ok()) {
    return status.message();
  }
  const file_tests::Bytes bytes = file_tests::load(dir / "again.csv");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// "type: spelling: value|value"; "changed" if the text does not come back.
std::string read_values(const std::vector<std::string>& values, csv::Options options = {}) {
  options.delimiter = ';';
  const std::string text = column_text(values);
  const Result<CellTable> table = read_text(text, options);
  if (!table.has_value()) {
    return table.error().message();
  }
  const ColumnType type{table->columns[0].type, table->columns[0].logical};
  std::string shown = to_string(type) + ": " + csv::spelling_text(type, table->spellings[0]) + ":";
  for (const auto& row : table->rows) {
    shown += (shown.ends_with(':') ? " " : "|") + row[0].value_or("~");
  }
  // However little is read at a time.
  EXPECT_EQ(read_as(text, options), show(*table));
  const std::string written = exported(text, options);
  return written == text ? shown : shown + "\nchanged: " + written;
}

std::string notes_of_values(const std::vector<std::string>& values, csv::Options options = {}) {
  options.delimiter = ';';
  auto reader = csv::Reader::open(csv::Source::from_memory(column_text(values), "t.csv"), options, {});
  while (reader.has_value()) {
    const auto step = reader->next();
    if (!step.has_value()) {
      return step.error().message();
    }
    if (*step == csv::Reader::Step::end) {
      return fmt::format("{}", fmt::join(reader->notes(), "\n"));
    }
  }
  return reader.error().message();
}

TEST(CsvForms, DatesInOtherOrders) {
  EXPECT_EQ(read_values({"8/20/17", "12/1/99"}), "date: %-m/%-d/%y: 2017-08-20|1999-12-01");
  EXPECT_EQ(read_values({"2014-7-1", "2014-12-31"}), "date: %Y-%-m-%-d: 2014-07-01|2014-12-31");
  EXPECT_EQ(read_values({"01/15/1980", "12/31/2018"}), "date: %m/%d/%Y: 1980-01-15|2018-12-31");
  EXPECT_EQ(read_values({"31/05/2018", "01/02/2018"}), "date: %d/%m/%Y: 2018-05-31|2018-02-01");
  EXPECT_EQ(read_values({"31.05.2018", "01.02.2018"}), "date: %d.%m.%Y: 2018-05-31|2018-02-01");
  EXPECT_EQ(read_values({"99-01-31", "14-12-01"}), "date: %y-%m-%d: 1999-01-31|2014-12-01");
  EXPECT_EQ(read_values({"15-Jan-2014", "01-May-2014"}), "date: %d-%b-%Y: 2014-01-15|2014-05-01");
  EXPECT_EQ(read_values({"15-JAN-14", "1-MAY-69"}), "date: %-d-%^b-%y: 2014-01-15|1969-05-01");
  EXPECT_EQ(read_values({"January 15, 2014", "May 2, 2014"}), "date: %B %-d, %Y: 2014-01-15|2014-05-02");
  EXPECT_EQ(read_values({"Jan 15 2014", "May 02 2014"}), "date: %b %d %Y: 2014-01-15|2014-05-02");
  EXPECT_EQ(read_values({"01jan2014", "15may2014"}), "date: %d%~b%Y: 2014-01-01|2014-05-15");
  EXPECT_EQ(read_values({"Wed, 15 Jan 2014", "Thu, 16 Jan 2014"}),
            "date: %a, %d %b %Y: 2014-01-15|2014-01-16");
  EXPECT_EQ(read_values({"Jan  1 2014", "Jan 15 2014"}), "date: %b %_d %Y: 2014-01-01|2014-01-15");
}

TEST(CsvForms, TimesAsPeopleWriteThem) {
  EXPECT_EQ(read_values({"01/01/2014 12:00:00 AM", "01/13/2014 01:30:00 PM"}),
            "timestamp[s]: %m/%d/%Y %I:%M:%S %p: 2014-01-01 00:00:00|2014-01-13 13:30:00");
  EXPECT_EQ(read_values({"6/11/2001 10:00:00 PM", "6/30/2001 9:05:00 AM"}),
            "timestamp[s]: %-m/%d/%Y %-I:%M:%S %p: 2001-06-11 22:00:00|2001-06-30 09:05:00");
  EXPECT_EQ(read_values({"31/05/2018 7:05", "01/02/2018 17:05"}),
            "timestamp[s]: %d/%m/%Y %-H:%M: 2018-05-31 07:05:00|2018-02-01 17:05:00");
  EXPECT_EQ(read_values({"31/05/2018T17:05:00.250", "01/02/2018T17:05:00.500"}),
            "timestamp[ms]: %d/%m/%YT%H:%M:%S%.3f: 2018-05-31 17:05:00.250|2018-02-01 17:05:00.500");
  EXPECT_EQ(read_values({"2018-05-31 17:05:00 UTC"}),
            "timestamp[s]: %Y-%m-%d %H:%M:%S UTC: 2018-05-31 17:05:00");
  EXPECT_EQ(read_values({"Wed Jan 15 10:30:00 2014", "Wed Jan  1 00:00:01 2014"}),
            "timestamp[s]: %a %b %_d %H:%M:%S %Y: 2014-01-15 10:30:00|2014-01-01 00:00:01");
  EXPECT_EQ(read_values({"15/Jan/2014:10:30:00 +0000"}),
            "timestamp[s]: %d/%b/%Y:%H:%M:%S +0000: 2014-01-15 10:30:00");
  EXPECT_EQ(read_values({"9:05", "10:15"}), "time[s]: %-H:%M: 09:05:00|10:15:00");
  EXPECT_EQ(read_values({"9:05 p.m.", "12:15 a.m."}), "time[s]: %-I:%M %.P: 21:05:00|00:15:00");
}

TEST(CsvForms, WhatCouldBeTwoThingsIsText) {
  EXPECT_EQ(read_values({"01/02/2014", "03/04/2014"}), "utf8: : 01/02/2014|03/04/2014");
  EXPECT_EQ(notes_of_values({"01/02/2014", "03/04/2014"}),
            "column x: text, because values such as \"01/02/2014\" at line 2 can be read in several ways "
            "(--date-format '%m/%d/%Y' or --date-format '%d/%m/%Y')");
  EXPECT_EQ(read_values({"01/02/2014", "03/04/2014"}, with_dates("%d/%m/%Y")),
            "date: %d/%m/%Y: 2014-02-01|2014-04-03");
  EXPECT_EQ(read_values({"14-01-02", "14-01-03"}), "utf8: : 14-01-02|14-01-03");
  EXPECT_EQ(read_values({"1,234", "5,678"}), "utf8: : 1,234|5,678");
  EXPECT_EQ(notes_of_values({"1,234", "5,678"}),
            "column x: text, because values such as \"1,234\" at line 2 can be read in several ways "
            "(--thousands , or --decimal ,)");
  EXPECT_EQ(read_values({"1,234", "5,678"}, with_marks(",", '\0')), "i64: group=,: 1234|5678");
  EXPECT_EQ(read_values({"1,234", "5,678"}, with_marks("", ',')), "decimal(3): point=,: 1.234|5.678");
  EXPECT_EQ(notes_of_values({"$1.234", "$5.678"}),
            "column x: text, because values such as \"$1.234\" at line 2 can be read in several ways "
            "(--thousands . or --decimal .)");
  // Not dates in any order, and days that do not exist.
  EXPECT_EQ(read_values({"13/14/2014"}), "utf8: : 13/14/2014");
  EXPECT_EQ(read_values({"01/31/2014", "02/30/2014"}), "utf8: : 01/31/2014|02/30/2014");
  EXPECT_EQ(read_values({"Mon, 15 Jan 2014"}), "utf8: : Mon, 15 Jan 2014");
}

TEST(CsvForms, AGivenDateFormatDecides) {
  EXPECT_EQ(read_values({"20140115", "20141231"}), "i64: : 20140115|20141231");
  EXPECT_EQ(read_values({"20140115", "20141231"}, with_dates("%Y%m%d")),
            "date: %Y%m%d: 2014-01-15|2014-12-31");
  EXPECT_EQ(read_values({"1", "2"}, with_dates("%Y%m%d")), "i64: : 1|2");
  EXPECT_EQ(read_values({"2014-01-15", "2014-12-31"}, with_dates("%d/%m/%Y")),
            "date: : 2014-01-15|2014-12-31");
  EXPECT_EQ(read_values({"12/31/2014"}, with_dates("%d/%m/%Y")), "utf8: : 12/31/2014");
  for (const char* bad : {"%Y", "%d/%m", "%H", "%Y-%m-%d %q", "%Y%Y-%m-%d", "%d1%m/%Y", "x", "%Y-%m-%d %I:%M",
                          "%Y;%m;%d", "%"}) {
    EXPECT_FALSE(csv::check(with_dates(bad)).ok()) << bad;
  }
}

TEST(CsvForms, NumbersWithMarks) {
  EXPECT_EQ(read_values({"1,234,567", "999", "-12,000"}), "i64: group=,: 1234567|999|-12000");
  EXPECT_EQ(read_values({"1,234.50", "2.25"}), "decimal(2): group=,: 1234.50|2.25");
  EXPECT_EQ(read_values({"1.234,50", "2,25"}), "decimal(2): group=. point=,: 1234.50|2.25");
  EXPECT_EQ(read_values({"2 525 779", "1 000"}), "i64: group=%20: 2525779|1000");
  EXPECT_EQ(read_values({"2\xc2\xa0"
                         "525,5",
                         "0,5"}),
            "decimal(1): group=\xc2\xa0 point=,: 2525.5|0.5");
  EXPECT_EQ(read_values({"1'234.5", "1.0"}), "decimal(1): group=': 1234.5|1.0");
  EXPECT_EQ(read_values({"1,5", "-2,75", "3"}), "decimal(2): trimmed point=,: 1.50|-2.75|3.00");
  EXPECT_EQ(read_values({"0,125", "1,250"}), "decimal(3): point=,: 0.125|1.250");  // no group begins with 0
  EXPECT_EQ(read_values({"1.5", "2.5"}, with_marks("", ',')), "utf8: : 1.5|2.5");
  EXPECT_EQ(read_values({"1.500", "2.500"}, with_marks("", ',')), "i64: group=. point=,: 1500|2500");
  EXPECT_EQ(read_values({"12,34,567"}), "utf8: : 12,34,567");
  EXPECT_EQ(read_values({"1,234,56"}), "utf8: : 1,234,56");
}

TEST(CsvForms, NumbersWithUnits) {
  EXPECT_EQ(read_values({"$5.00", "$1,234.50", "-$0.25"}),
            "decimal(2): before=$ group=,: 5.00|1234.50|-0.25");
  EXPECT_EQ(read_values({"$-5.00", "$1.50"}), "decimal(2): before=$ sign_inside: -5.00|1.50");
  EXPECT_EQ(read_values({"10%", "-2%", "0%"}), "i64: after=%25: 10|-2|0");
  EXPECT_EQ(read_values({"10,5 %", "2,0 %"}), "decimal(1): after=%20%25 point=,: 10.5|2.0");
  EXPECT_EQ(read_values({"\xe2\x82\xac 5", "\xe2\x82\xac 12"}), "i64: before=\xe2\x82\xac%20: 5|12");
  EXPECT_EQ(read_values({"5 USD", "7 USD"}), "i64: after=%20USD: 5|7");
  EXPECT_EQ(read_values({"$5",
                         "\xe2\x82\xac"
                         "5"}),
            "utf8: : $5|\xe2\x82\xac"
            "5");
  EXPECT_EQ(read_values({"5 apples"}), "utf8: : 5 apples");
  EXPECT_EQ(read_values({"+5", "-3", "0"}), "i64: plus: 5|-3|0");
  EXPECT_EQ(read_values({"+0.5%", "-0.3%"}), "decimal(1): after=%25 plus: 0.5|-0.3");
}

TEST(CsvForms, ZerosAndBlanksBeforeNumbers) {
  EXPECT_EQ(read_values({"00501", "12345", "00000"}), "i64: width=5: 501|12345|0");
  EXPECT_EQ(read_values({"007", "07"}), "utf8: : 007|07");
  EXPECT_EQ(read_values({"007", "7"}), "utf8: : 007|7");
  EXPECT_EQ(read_values({"05", "1,234"}), "utf8: : 05|1,234");
  EXPECT_EQ(read_values({"0123456789012345678"}), "utf8: : 0123456789012345678");  // no number
  EXPECT_EQ(read_values({"   2", "  10", "-100"}), "i64: right=4: 2|10|-100");
  EXPECT_EQ(read_values({" 2.5", " 10.5"}), "decimal(1): before=%20: 2.5|10.5");
  EXPECT_EQ(read_values({"10535 ", "2 "}), "i64: after=%20: 10535|2");
}

TEST(CsvForms, WordsForNull) {
  EXPECT_EQ(read_values({"1.5", "NA", "", "2.5"}), "decimal(1): : 1.5|~|~|2.5");
  EXPECT_EQ(read_values({"1", "N/A", "--", "\"\"", "2"}), "i64: : 1|~|~|~|2");
  EXPECT_EQ(read_values({"1", "NA", "N/A", "-"}), "utf8: : 1|NA|N/A|-");  // more than two words
  EXPECT_EQ(read_values({"8/20/17", "NULL", "\"NULL\"", "12/1/17"}),
            "date: %-m/%-d/%y: 2017-08-20|~|~|2017-12-01");
  EXPECT_EQ(read_values({"2014-08-08", "NaN"}), "date: : 2014-08-08|~");
  EXPECT_EQ(read_values({"NaN", "2014-08-08", "2014-08-09"}), "date: : ~|2014-08-08|2014-08-09");
  EXPECT_EQ(read_values({"1.5", "NaN", "NA"}), "f64: nan=NaN: 1.5|nan|~");
  EXPECT_EQ(read_values({"yes", "no", "\xe2\x80\x94"}), "bool: yes/no: true|false|~");
  EXPECT_EQ(read_values({"$5", "..", "$1,000,000"}), "i64: before=$ group=,: 5|~|1000000");
  EXPECT_EQ(read_values({"NA", "NA", "-"}), "utf8: : NA|NA|-");  // no value has a type
  EXPECT_EQ(read_values({"F", "NA", "F"}), "utf8: : F|NA|F");
  EXPECT_EQ(read_values({"x", "NA"}), "utf8: : x|NA");
  EXPECT_EQ(read_values({"\"\"", "\"5\"", "\"\"", "\"6\""}), "i64: : ~|5|~|6");
  EXPECT_EQ(read_values({"\"\"", "NA", "-$3"}, with_marks("", ',')), "i64: before=$ point=,: ~|~|-3");
  EXPECT_EQ(read_values({"NA", "1", "2"}, with_marks("", ',')), "i64: point=,: ~|1|2");
  csv::Options none;
  none.null_words = false;
  EXPECT_EQ(read_values({"1", "NA"}, none), "utf8: : 1|NA");
  EXPECT_EQ(read_values({"1", "\"\""}, none), "i64: : 1|~");
  // Words are null in columns of a given type, too.
  EXPECT_EQ(read_as("a,b\nNA,NA\n1,\"-\"\n", {}, parse_schema("a:i64,b:utf8").value()),
            "a:i64,b:utf8\n~|NA\n1|-");
}

// Values that are written in several ways, one of which is noted: the texts of the others are kept.
TEST(CsvForms, ValuesInSeveralWays) {
  EXPECT_EQ(read_values({"1/15/2014", "01/16/2014", "12/3/2014"}),
            "date: mixed %-m/%-d/%Y: 2014-01-15|2014-01-16|2014-12-03");
  EXPECT_EQ(read_values({"1,234,567", "1234", "5"}), "i64: mixed group=,: 1234567|1234|5");
  EXPECT_EQ(read_values({"5", " 7", "8 ", "10"}), "i64: mixed: 5|7|8|10");
  EXPECT_EQ(read_values({" TRUE", "FALSE"}), "bool: mixed TRUE/FALSE: true|false");
  EXPECT_EQ(read_values({"15-Jan-2014", "16-January-2014", "17-JAN-2014"}),
            "date: mixed %d-%b-%Y: 2014-01-15|2014-01-16|2014-01-17");
  EXPECT_EQ(read_values({"0.72", "48.04", ".72", "-.29"}), "f64: mixed: 0.72|48.04|0.72|-0.29");
}

// A type that is given takes the values of a column in any form that they have.
TEST(CsvForms, GivenTypes) {
  const auto read = [](const std::string& type, const std::string& text, const csv::Options& options = {}) {
    return read_as(text, options, parse_schema("a:" + type).value());
  };
  EXPECT_EQ(read("date", "a\n8/20/17\n12/1/17\n"), "a:date\n2017-08-20\n2017-12-01");
  EXPECT_EQ(read("timestamp[s]", "a\n2014-08-08 18:00\n8/20/17 7:00 AM\n"),
            "t.csv:3:1: column 1 \"a\": \"8/20/17 7:00 AM\" is not a valid timestamp[s]");
  EXPECT_EQ(read("date", "a\n1/2/17\n"),
            "t.csv:2:1: column 1 \"a\": \"1/2/17\" is not a valid date (--date-format '%-m/%-d/%y' or "
            "--date-format '%-d/%-m/%y')");
  EXPECT_EQ(read("f64", "a\n$5\n\"$1,234.5\"\n"), "a:f64\n5\n1234.5");
  EXPECT_EQ(read("i32", "a\n 5\n7\n"), "a:i32\n5\n7");
  csv::Options options;
  options.date_format = "%d/%m/%Y";
  options.decimal = ',';
  options.delimiter = ';';
  EXPECT_EQ(read("date", "a\n1/2/2017\n", options), "a:date\n2017-02-01");
  EXPECT_EQ(read("date", "a\n2017-02-01\n", options), "a:date\n2017-02-01");
  EXPECT_EQ(read("date", "a\n12/31/2017\n", options),
            "t.csv:2:1: column 1 \"a\": \"12/31/2017\" is not a valid date with the form %d/%m/%Y");
  EXPECT_EQ(read("f64", "a\n1,5\n", options), "a:f64\n1.5");
}

TEST(CsvForms, PatternsOfDatesReadWhatTheyWrite) {
  Random random(11);
  const char* const patterns[] = {"%d/%m/%Y", "%-m/%-d/%y", "%A, %B %-d, %Y",  "%^b %_d %Y %H:%M:%S%.f",
                                  "%Y%m%d",   "%d%~b%y",    "%Y-%m-%dT%H:%MZ", "%-I:%M:%S%.3f %p",
                                  "%H:%M:%S", "%F %T",      "%D %l:%M%P",      "%a %e %h %Y %R"};
  for (const char* text : patterns) {
    std::string error;
    const auto pattern = csv::DatePattern::parse(text, &error);
    ASSERT_TRUE(pattern.has_value()) << text << " " << error;
    EXPECT_EQ(csv::DatePattern::parse(pattern->text())->text(), pattern->text());
    for (int i = 0; i < 2000; ++i) {
      csv::Moment moment{.days = static_cast<int64_t>(random.below(36000)) - 300,
                         .second_of_day = static_cast<uint32_t>(random.below(86400)),
                         .nanoseconds = static_cast<uint32_t>(random.below(1000) * 1'000'000)};
      char out[csv::kMaxDateText];
      const char* const end = pattern->write(moment, out);
      if (end == nullptr) {
        continue;  // such as seconds that the pattern has no place for
      }
      csv::Moment again;
      const std::string_view written(out, static_cast<size_t>(end - out));
      ASSERT_TRUE(pattern->read(written, again)) << written;
      EXPECT_EQ(pattern->has_date() ? again.days : moment.days, moment.days) << written;
      EXPECT_EQ(again.second_of_day, moment.second_of_day) << written;
      EXPECT_EQ(again.nanoseconds, moment.nanoseconds) << written;
    }
  }
}

// The C library writes the dates; what is read of them is the day they were written of.
TEST(CsvForms, DatesOfTheCLibraryAreReadAsTheirDays) {
  Random random(12);
  for (const char* format : {"%m/%d/%Y", "%d/%m/%Y", "%d.%m.%y", "%d-%b-%Y", "%B %d, %Y", "%a, %d %b %Y",
                             "%Y/%m/%d", "%d%b%Y", "%m/%d/%Y %I:%M:%S %p", "%d/%m/%Y %H:%M", "%A %Y-%m-%d"}) {
    std::vector<std::string> values;
    std::vector<std::string> expected;
    const bool with_time = std::string(format).find("%M") != std::string::npos;
    const bool with_seconds = std::string(format).find("%S") != std::string::npos;
    for (int i = 0; i < 200; ++i) {
      const int64_t days = static_cast<int64_t>(random.below(30000)) - 300;
      const auto second = static_cast<int64_t>(with_seconds ? random.below(86400)
                                               : with_time  ? 60 * random.below(1440)
                                                            : 0);
      const std::time_t time = days * kSecondsPerDay + second;
      std::tm parts{};
      ::gmtime_r(&time, &parts);
      char text[100];
      values.emplace_back(text, std::strftime(text, sizeof text, format, &parts));
      expected.push_back(with_time ? value_text(parse_column_type("timestamp[s]").value(),
                                                Scalar{static_cast<uint64_t>(time)})
                                   : value_text(parse_column_type("date").value(),
                                                Scalar{static_cast<uint32_t>(static_cast<int32_t>(days))}));
    }
    csv::Options options;
    options.delimiter = '|';
    const std::string text = column_text(values);
    const Result<CellTable> table = read_text(text, options);
    ASSERT_TRUE(table.has_value());
    std::vector<std::string> read;
    std::ranges::transform(table->rows, std::back_inserter(read),
                           [](const auto& row) { return row[0].value_or(""); });
    EXPECT_EQ(read, expected) << format;
    EXPECT_EQ(write_text(*table, options), text);
  }
}

// A drawn form, drawn values: both come back.
TEST(CsvForms, DrawnNumbersComeBack) {
  Random random(13);
  const char* const around[] = {"", "$", "%", " %", "EUR ", "\xe2\x82\xac"};
  const std::pair<const char*, char> marks[] = {{"", '.'},  {",", '.'}, {".", ','},        {" ", '.'},
                                                {" ", ','}, {"'", '.'}, {"\xc2\xa0", ','}, {"", ','}};
  int typed = 0;
  for (int round = 0; round < 3000; ++round) {
    csv::NumberForm form;
    const auto& [group, point] = marks[random.below(std::size(marks))];
    form.group = group;
    form.point = point;
    (random.below(2) == 0 ? form.before : form.after) = around[random.below(std::size(around))];
    form.plus = random.below(5) == 0;
    const uint64_t scale = random.below(4);
    const uint64_t range = uint64_t{1} << random.below(40);
    std::vector<std::string> values;
    std::vector<std::string> plain;
    for (uint64_t rows = 1 + random.below(20); rows > 0; --rows) {
      const ColumnType type{DType::i64,
                            {.kind = Logical::Kind::decimal, .scale = static_cast<uint8_t>(scale)}};
      const auto value = static_cast<int64_t>(random.below(range)) * (random.below(3) == 0 ? -1 : 1);
      plain.push_back(value_text(type, Scalar{static_cast<uint64_t>(value)}));
      char out[csv::kMaxNumberText];
      values.emplace_back(out, form.write(plain.back(), out));
    }
    csv::Options options;
    options.delimiter = '|';
    if (form.group == ".") {  // otherwise 1.234 is a decimal
      options.thousands = form.group;
    }
    const std::string text = column_text(values);
    const Result<CellTable> table = read_text(text, options);
    ASSERT_TRUE(table.has_value());
    if (is_string(table->columns[0].type) || table->spellings[0].mixed) {
      continue;  // it could be read in several ways, or the texts of some values are kept
    }
    ASSERT_EQ(write_text(*table, options), text);
    ++typed;
    for (size_t r = 0; r < values.size(); ++r) {
      double read = 0;
      double written = 0;
      (void)parse_double(*table->rows[r][0], read);
      (void)parse_double(plain[r], written);
      ASSERT_EQ(read, written) << text << show(*table);
    }
  }
  EXPECT_GT(typed, 2000);
}

TEST(CsvForms, MetadataMayContainAnything) {
  const ColumnType i64{DType::i64};
  for (const char* bad : {"width=", "width=99", "width=x", "before=", "before=123", "before=%2",
                          "before=123456789x", "group=1", "point=,,", "plu", "right=-1"}) {
    EXPECT_FALSE(csv::parse_spelling(i64, bad).has_value()) << bad;
  }
  for (const char* good :
       {"width=5", "before=$ group=, plus", "after=%20%25 point=,", "right=12 sign_inside"}) {
    const auto spelling = csv::parse_spelling(i64, good);
    ASSERT_TRUE(spelling.has_value()) << good;
    EXPECT_EQ(csv::spelling_text(i64, *spelling), good);
    for (const int64_t value : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
      char out[csv::kMaxSpelledText];
      EXPECT_LE(csv::format_spelled(i64, *spelling, Scalar{static_cast<uint64_t>(value)}, out) - out,
                static_cast<ptrdiff_t>(sizeof out));
    }
  }
  // A moment that the pattern has no text for is written as usual.
  const ColumnType date = parse_column_type("date").value();
  const auto short_year = csv::parse_spelling(date, "%d/%m/%y");
  char out[csv::kMaxSpelledText];
  EXPECT_EQ(std::string(out, csv::format_spelled(date, *short_year, Scalar{0xfff00000U}, out)),
            "-0901-02-05");
}

}  // namespace
}  // namespace bobbin::csv_tests
