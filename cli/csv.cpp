// SPDX-License-Identifier: Apache-2.0
#include "cli/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "cli/arguments.hpp"
#include "cli/interrupt.hpp"
#include "cli/slices.hpp"
#include "file/access.hpp"
#include "file/text.hpp"

namespace bobbin::cli {
namespace {

constexpr uint64_t kSliceBytes = uint64_t{64} << 20;
constexpr uint64_t kMostSliceRows = uint64_t{1} << 18;
constexpr uint64_t kVectorRows = 1024;

// Rows that are decoded at a time: no more than a table of many columns leaves room for.
uint64_t slice_rows(size_t columns) {
  const uint64_t rows = kSliceBytes / (2 * sizeof(uint64_t) * std::max<size_t>(1, columns));
  return std::clamp(rows / kVectorRows * kVectorRows, kVectorRows, kMostSliceRows);
}

// How much of the rows lies before one of them.
double share_of(const CsvJob& job, uint64_t row) {
  return static_cast<double>(row - job.rows.begin) / static_cast<double>(job.rows.end - job.rows.begin);
}

// Rows of a row group.
Status copy_rows(const CsvJob& job, RowSink& writer, Progress& progress, size_t group, uint64_t begin,
                 uint64_t end) {
  const uint64_t step = slice_rows(job.columns.size());
  BOBBIN_ASSIGN(const LoadedRows loaded,
                LoadedRows::load(job.file.reader, group, job.columns, begin, end - begin));
  for (uint64_t row = begin; row < end; row += step) {
    const uint64_t count = std::min(step, end - row);
    BOBBIN_ASSIGN(const std::vector<HostColumn> columns, loaded.read(row, count, job.backend));
    BOBBIN_TRY(writer.append(to_batch(columns, count)).in(job.output_name));
    BOBBIN_TRY(check_interrupt().in(job.file.name));
    progress.show_share(share_of(job, row));
  }
  return {};
}

Status copy_all(const CsvJob& job, RowSink& writer, Progress& progress) {
  const auto& groups = file::ReaderAccess::footer(job.file.reader).row_groups;
  for (size_t g = 0; g < groups.size(); ++g) {
    const uint64_t begin = std::max(job.rows.begin, groups[g].first_row);
    const uint64_t end = std::min(job.rows.end, groups[g].first_row + groups[g].num_rows);
    if (begin < end) {
      BOBBIN_TRY(copy_rows(job, writer, progress, g, begin, end));
    }
  }
  return {};
}

// Some rows of a row group, of which only what they need is read and decoded.
Status copy_some(const CsvJob& job, RowSink& writer, size_t group, std::span<const uint64_t> rows) {
  const uint64_t step = slice_rows(job.columns.size());
  BOBBIN_ASSIGN(const LoadedRows loaded, LoadedRows::load(job.file.reader, group, job.columns, rows));
  for (size_t i = 0; i < rows.size(); i += step) {
    const auto part = rows.subspan(i, std::min<size_t>(step, rows.size() - i));
    BOBBIN_ASSIGN(const std::vector<HostColumn> columns, loaded.take(part));
    BOBBIN_TRY(writer.append(to_batch(columns, part.size())).in(job.output_name));
    BOBBIN_TRY(check_interrupt().in(job.file.name));
  }
  return {};
}

Status copy_passing(const CsvJob& job, RowSink& writer, Progress& progress) {
  uint64_t left = job.limit;
  const auto visit = [&](size_t group, std::span<const uint64_t> rows) -> Result<bool> {
    const auto taken = rows.first(std::min<uint64_t>(rows.size(), left));
    left -= taken.size();
    BOBBIN_TRY(copy_some(job, writer, group, taken));
    progress.show_share(share_of(job, rows.back()));
    return left > 0;
  };
  return left == 0 ? Status() : job.where->visit_rows(visit, job.rows.begin, job.rows.end);
}

char delimiter_by_name(const std::string& path) {
  const std::string name = unpacked_name(path);
  return name.ends_with(".tsv") ? '\t' : name.ends_with(".tbl") ? '|' : ',';
}

void add_mark_option(CLI::App& verb, const std::string& name, std::string& value, const std::string& help) {
  const auto check = [](const std::string& text) -> std::string {
    return csv::parse_mark(text)
               ? ""
               : "expected one ASCII character that is not a letter, digit or line end, or none; "
                 "found '" +
                     text + "'";
  };
  verb.add_option(name, value, help)->check(CLI::Validator(check, "", "character"))->type_name("C");
}

// A file of tabs written as .csv gets commas: nobody expects tabs there.
char delimiter_for(const std::string& path, char known) {
  return path.ends_with(".tsv")                    ? '\t'
         : path.ends_with(".tbl")                  ? '|'
         : path.ends_with(".csv") && known == '\t' ? ','
                                                   : known;
}

}  // namespace

void add_csv_options(CLI::App& verb, CsvArgs& args) {
  const auto check_delimiter = [](const std::string& text) -> std::string {
    return csv::parse_delimiter(text)
               ? ""
               : "'" + text + "' is not a delimiter; expected one ASCII character, or tab";
  };
  verb.add_option("--delimiter", args.delimiter, "CSV character between fields; tab or \\t for a tab")
      ->check(CLI::Validator(check_delimiter, "", "delimiter"))
      ->type_name("C");
  add_mark_option(verb, "--quote", args.quote, "CSV quote character, or none");
  add_mark_option(verb, "--escape", args.escape, "CSV escape character (default: none; quotes are doubled)");
  verb.add_flag("--no-header", args.no_header, "The CSV has no header row");
  may_be_empty(
      add_repeated(verb, "--null", args.nulls,
                   "Unquoted CSV text for null, besides the empty field when reading; may be repeated "
                   "(default: empty)"))
      ->type_name("TEXT");
}

void add_csv_input_options(CLI::App& verb, CsvArgs& args) {
  verb.add_flag("--header", args.header, "The CSV has a header row")->excludes("--no-header");
  add_mark_option(verb, "--comment", args.comment, "Skip CSV lines that begin with this character");
  verb.add_option("--skip", args.skip,
                  "Lines to skip before the CSV (default: lines of other text, where found)")
      ->type_name("N");
  verb.add_option("--ragged", args.ragged,
                  "What to do with CSV records that are too short: 'error', or 'pad' with empty fields "
                  "(default: error)")
      ->check(CLI::IsMember({"error", "pad"}))
      ->type_name("HOW");
  const auto check_encoding = [](const std::string& text) -> std::string {
    return csv::parse_encoding(text) ? "" : "unknown encoding '" + text + "'; expected utf8, latin1 or utf16";
  };
  verb.add_option("--encoding", args.encoding,
                  "Encoding of the CSV: utf8, latin1 or utf16 (default: utf8, or "
                  "utf16 if it has a byte order mark)")
      ->check(CLI::Validator(check_encoding, "", "encoding"))
      ->type_name("NAME");
}

bool is_csv_name(const std::string& path) {
  const std::string name = unpacked_name(path);
  return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".tbl");
}

std::string unpacked_name(const std::string& path) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (path.ends_with(suffix)) {
      return path.substr(0, path.size() - suffix.size());
    }
  }
  return path;
}

Result<csv::Options> csv_options(const CsvArgs& args, const std::optional<csv::Options>& known,
                                 const std::string& path) {
  csv::Options options = known.value_or(csv::Options{});
  options.delimiter = delimiter_for(path, options.delimiter);
  options.delimiter = csv::parse_delimiter(args.delimiter).value_or(options.delimiter);
  options.quote = csv::parse_mark(args.quote).value_or(options.quote);
  options.escape = csv::parse_mark(args.escape).value_or(options.escape);
  options.header = options.header && !args.no_header;
  options.nulls = args.nulls.empty() ? options.nulls : args.nulls;
  BOBBIN_TRY(csv::check(options));
  return options;
}

Result<csv::Sniffed> sniff_options(const CsvArgs& args, const std::string& path, csv::Source& source) {
  csv::Options options;
  options.comment = csv::parse_mark(args.comment).value_or(options.comment);
  options.skip_lines = args.skip.value_or(0);
  options.ragged = args.ragged == "pad" ? csv::Ragged::pad : csv::Ragged::error;
  BOBBIN_ASSIGN(options, csv_options(args, options, path));
  if (std::ranges::find(options.nulls, "") == options.nulls.end()) {
    options.nulls.emplace_back();
  }
  source.set_encoding(csv::parse_encoding(args.encoding).value_or(csv::Encoding::utf8));
  csv::Known known;
  known.delimiter = csv::parse_delimiter(args.delimiter);
  known.quote = csv::parse_mark(args.quote);
  known.skips = args.skip.has_value();
  known.likely_delimiter = delimiter_by_name(path);
  if (args.header || args.no_header) {
    known.header = args.header;
  }
  return csv::sniff(source, options, known);
}

void print_notes(const std::string& name, const std::vector<std::string>& notes) {
  constexpr size_t kMostNotes = 20;
  for (size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) {
    std::fputs(fmt::format("{}: {}\n", file::printable(name), notes[i]).c_str(), stderr);
  }
  if (notes.size() > kMostNotes) {
    std::fputs(fmt::format("{}: and {} more\n", file::printable(name), notes.size() - kMostNotes).c_str(),
               stderr);
  }
}

Status write_rows(const CsvJob& job, const csv::Options& options, Progress& progress) {
  const Reader& reader = job.file.reader;
  const std::vector<csv::Spelling> noted = csv::noted_spellings(reader.metadata(), reader.columns());
  std::vector<Column> columns;
  std::vector<csv::Spelling> spellings;
  for (const size_t i : job.columns) {
    columns.push_back(reader.columns()[i]);
    spellings.push_back(noted[i]);
  }
  BOBBIN_ASSIGN(const std::unique_ptr<RowSink> writer,
                make_sink(job.format, job.output, columns, options, std::move(spellings)));
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
