// SPDX-License-Identifier: Apache-2.0
#include "cli/csv.hpp"

#include <algorithm>
#include <numeric>

#include "cli/arguments.hpp"
#include "cli/interrupt.hpp"
#include "cli/slices.hpp"
#include "file/access.hpp"

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
Status copy_rows(const CsvJob& job, csv::Writer& writer, Progress& progress, size_t group, uint64_t begin,
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

Status copy_all(const CsvJob& job, csv::Writer& writer, Progress& progress) {
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
Status copy_some(const CsvJob& job, csv::Writer& writer, size_t group, std::span<const uint64_t> rows) {
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

Status copy_passing(const CsvJob& job, csv::Writer& writer, Progress& progress) {
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

}  // namespace

void add_csv_options(CLI::App& verb, CsvArgs& args) {
  const auto check = [](const std::string& text) -> std::string {
    return csv::parse_delimiter(text) ? "" : "'" + text + "' is no delimiter: one ASCII character, or tab";
  };
  verb.add_option("--delimiter", args.delimiter, "Of CSV: the character between fields; tab or \\t for a tab")
      ->check(CLI::Validator(check, "", "delimiter"))
      ->type_name("C");
  verb.add_flag("--no-header", args.no_header, "Of CSV: no line of names");
  may_be_empty(add_repeated(verb, "--null", args.nulls,
                            "Unquoted CSV text to read and write as null; may be repeated (default: empty)"))
      ->type_name("TEXT");
}

bool is_csv_name(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".tsv") || path.ends_with(".tbl");
}

Result<csv::Options> csv_options(const CsvArgs& args, const std::optional<csv::Options>& known,
                                 const std::string& path) {
  csv::Options options;
  options.delimiter = path.ends_with(".tsv") ? '\t' : path.ends_with(".tbl") ? '|' : ',';
  options = known.value_or(options);
  options.delimiter = csv::parse_delimiter(args.delimiter).value_or(options.delimiter);
  options.header = options.header && !args.no_header;
  options.nulls = args.nulls.empty() ? options.nulls : args.nulls;
  BOBBIN_TRY(csv::check(options));
  return options;
}

Status copy_csv(const CsvJob& job, const csv::Options& options, Progress& progress) {
  const Reader& reader = job.file.reader;
  std::vector<Column> columns;
  std::ranges::transform(job.columns, std::back_inserter(columns),
                         [&](size_t i) { return reader.columns()[i]; });
  csv::Writer writer(job.output, columns, options);
  BOBBIN_TRY(writer.begin().in(job.output_name));
  BOBBIN_TRY(job.where.has_value() ? copy_passing(job, writer, progress) : copy_all(job, writer, progress));
  return writer.finish().in(job.output_name);
}

std::vector<size_t> all_columns(const Reader& reader) {
  std::vector<size_t> columns(reader.columns().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  return columns;
}

}  // namespace bobbin::cli
