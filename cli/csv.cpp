// SPDX-License-Identifier: Apache-2.0
#include "cli/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "bobbin/table.hpp"
#include "bobbin/text.hpp"

namespace bobbin::cli {
namespace {

constexpr std::string_view kNoNullWords = "none";  // for --null

// The fraction of the rows that are before `row`.
double share_of(const CsvJob& job, uint64_t row) {
  return static_cast<double>(row - job.rows.begin) / static_cast<double>(job.rows.end - job.rows.begin);
}

Status copy_all(const CsvJob& job, RowSink& writer, Progress& progress) {
  uint64_t next = job.rows.begin;
  const auto copy = [&](std::span<const HostColumn> columns, uint64_t rows) -> Status {
    BOBBIN_TRY(writer.append(columns, rows).in(job.output_name));
    next += rows;
    progress.show_share(share_of(job, next));
    return {};
  };
  return visit_slices(job.file.reader, writer.columns().value_or(job.columns), job.rows.begin,
                      job.rows.end - job.rows.begin, copy, job.backend);
}

Status copy_passing(const CsvJob& job, RowSink& writer, Progress& progress) {
  uint64_t left = job.limit;
  const auto visit = [&](size_t group, std::span<const uint64_t> rows) -> Result<bool> {
    const auto taken = rows.first(std::min<uint64_t>(rows.size(), left));
    left -= taken.size();
    BOBBIN_TRY(visit_slices(job.file.reader, group, writer.columns().value_or(job.columns), taken,
                            [&](std::span<const HostColumn> columns, uint64_t count) {
                              return writer.append(columns, count).in(job.output_name);
                            }));
    progress.show_share(share_of(job, rows.back()));
    return left > 0;
  };
  return left == 0 ? Status() : job.where->visit_rows(visit, job.rows.begin, job.rows.end);
}

void add_mark_option(const Verb& verb, const std::string& name, std::string& value, const std::string& help) {
  const auto check = [](const std::string& text) -> std::string {
    return csv::parse_mark(text)
               ? ""
               : "expected one ASCII character that is not a letter, digit or line end, or none; "
                 "found '" +
                     text + "'";
  };
  verb.add_option(name, value, help).check("character", check).type_name("C");
}

// A file made from tab-separated text gets commas if written as .csv: nobody expects tabs there.
char delimiter_for(const std::string& path, char known) {
  return path.ends_with(".tsv")                    ? '\t'
         : path.ends_with(".tbl")                  ? '|'
         : path.ends_with(".csv") && known == '\t' ? ','
                                                   : known;
}

}  // namespace

void add_csv_options(const Verb& verb, CsvArgs& args) {
  const auto check_delimiter = [](const std::string& text) -> std::string {
    return csv::parse_delimiter(text)
               ? ""
               : "'" + text + "' is not a delimiter; expected one ASCII character, or tab";
  };
  verb.add_option("--delimiter", args.delimiter, "CSV character between fields; tab or \\t for a tab")
      .check("delimiter", check_delimiter)
      .type_name("C");
  add_mark_option(verb, "--quote", args.quote, "CSV quote character, or none");
  add_mark_option(verb, "--escape", args.escape, "CSV escape character, or none: quotes are doubled");
  verb.add_flag("--no-header", args.no_header, "The CSV has no header row");
  verb.add_list(
          "--null", args.nulls,
          "Unquoted CSV text that means null; may be repeated. When reading, an empty field always "
          "does, and words such as NA do in columns of numbers, dates and booleans, unless TEXT is none "
          "(default: empty)")
      .may_be_empty()
      .type_name("TEXT");
}

void add_csv_input_options(const Verb& verb, CsvArgs& args) {
  verb.add_flag("--header", args.header, "The CSV has a header row").excludes(verb.option("--no-header"));
  add_mark_option(verb, "--comment", args.comment, "Skip CSV lines that begin with this character");
  verb.add_option("--skip", args.skip, "Lines to skip before the CSV (default: detected lines of other text)")
      .between(0, UINT64_MAX)
      .type_name("N");
  verb.add_option("--ragged", args.ragged,
                  "What to do with CSV records that are too short: 'error', or 'pad' with empty fields "
                  "(default: error)")
      .one_of("choice", {"error", "pad"})
      .type_name("HOW");
  add_encoding_option(verb, args, "default: utf8, or what the text shows");
  verb.add_option("--date-format", args.date_format,
                  "How the CSV writes dates and times, as for strftime: %d/%m/%Y, '%b %-d, %Y %I:%M %p' "
                  "(default: found from the values)")
      .check("format", &csv::check_date_format)
      .type_name("FORMAT");
  const auto check_thousands = [](const std::string& text) -> std::string {
    constexpr std::string_view kMarks = ",. '";
    return text.size() == 1 && kMarks.find(text) != std::string_view::npos
               ? ""
               : "'" + text + "' is not a mark between digits; expected a comma, a point, a blank or '";
  };
  verb.add_option("--thousands", args.thousands,
                  "Mark between groups of three digits in the CSV's numbers (default: found from the values)")
      .check("mark", check_thousands)
      .type_name("C");
  verb.add_option("--decimal", args.decimal,
                  "Decimal mark of the CSV's numbers, . or , (default: found from the values)")
      .one_of("mark", {".", ","})
      .type_name("C");
}

void add_encoding_option(const Verb& verb, CsvArgs& args, const std::string& otherwise) {
  const auto check_encoding = [](const std::string& text) -> std::string {
    return csv::parse_encoding(text)
               ? ""
               : "unknown encoding '" + text + "'; expected utf8, latin1, windows1252, utf16 or utf16be";
  };
  verb.add_option("--encoding", args.encoding,
                  "Encoding of the CSV: utf8, latin1, windows1252, utf16 or utf16be (" + otherwise + ")")
      .check("encoding", check_encoding)
      .type_name("NAME");
}

Status check_csv_options(const CsvArgs& args, const std::optional<Format>& format) {
  BOBBIN_RETURN_IF(args.given_for_output() && format && format != Format::csv && format != Format::tsv,
                   StatusCode::invalid_argument,
                   fmt::format("--delimiter, --quote, --escape, --no-header and --null are not for {}",
                               format == Format::table ? "tables" : "JSON"));
  return {};
}

Result<csv::Options> csv_options(const CsvArgs& args, const std::optional<csv::Options>& known,
                                 const std::string& path) {
  csv::Options options = known.value_or(csv::Options{});
  const char before = options.delimiter;
  options.delimiter = delimiter_for(path, options.delimiter);
  options.delimiter = csv::parse_delimiter(args.delimiter).value_or(options.delimiter);
  // A text without quotes may contain any other delimiter.
  if (options.delimiter != before && options.quote == '\0') {
    options.quote = csv::Options{}.quote;
  }
  options.quote = csv::parse_mark(args.quote).value_or(options.quote);
  options.escape = csv::parse_mark(args.escape).value_or(options.escape);
  options.encoding = csv::parse_encoding(args.encoding).value_or(options.encoding);
  options.header = options.header && !args.no_header;
  options.nulls = args.nulls.empty() ? options.nulls : args.nulls;
  BOBBIN_TRY(csv::check(options));
  return options;
}

csv::ReadOptions read_options(const CsvArgs& args) {
  csv::ReadOptions options;
  options.delimiter = csv::parse_delimiter(args.delimiter);
  options.quote = csv::parse_mark(args.quote);
  options.escape = csv::parse_mark(args.escape);
  if (args.header || args.no_header) {
    options.header = args.header;
  }
  options.other.comment = csv::parse_mark(args.comment).value_or(options.other.comment);
  options.skip_lines = args.skip;
  options.other.ragged = args.ragged == "pad" ? csv::Ragged::pad : csv::Ragged::error;
  options.other.nulls = args.nulls.empty() ? options.other.nulls : args.nulls;
  if (std::erase(options.other.nulls, kNoNullWords) > 0) {
    options.other.null_words = false;
  }
  options.other.date_format = args.date_format;
  options.other.thousands = args.thousands;
  options.other.decimal = args.decimal.empty() ? '\0' : args.decimal.front();
  options.encoding = csv::parse_encoding(args.encoding);
  return options;
}

void print_notes(const std::string& name, const std::vector<std::string>& notes) {
  constexpr size_t kMostNotes = 20;
  for (size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) {
    std::fputs(fmt::format("{}: {}\n", printable(name), notes[i]).c_str(), stderr);
  }
  if (notes.size() > kMostNotes) {
    std::fputs(fmt::format("{}: and {} more\n", printable(name), notes.size() - kMostNotes).c_str(), stderr);
  }
}

Status write_rows(const CsvJob& job, const csv::Options& options, Progress& progress) {
  BOBBIN_ASSIGN(const std::unique_ptr<RowSink> writer,
                make_sink(job.format, job.output, job.file.reader, job.columns, options));
  BOBBIN_TRY(writer->begin().in(job.output_name));
  BOBBIN_TRY(job.where.has_value() ? copy_passing(job, *writer, progress) : copy_all(job, *writer, progress));
  return writer->finish().in(job.output_name);
}

std::vector<size_t> all_columns(const Reader& reader) {
  std::vector<size_t> columns(reader.columns().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  return columns;
}

}  // namespace bobbin::cli
