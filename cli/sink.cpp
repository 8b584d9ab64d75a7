// SPDX-License-Identifier: Apache-2.0
#include "cli/sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/json_rows.hpp"
#include "cli/table_rows.hpp"

namespace bobbin::cli {
namespace {

struct FormatName {
  std::string_view name;
  Format format;
};
constexpr FormatName kFormats[] = {{"csv", Format::csv},      {"tsv", Format::tsv},
                                   {"json", Format::json},    {"ndjson", Format::ndjson},
                                   {"jsonl", Format::ndjson}, {"table", Format::table}};

// Table formats of other programs, by file name extension.
constexpr std::string_view kForeign[] = {"parquet", "arrow", "feather", "orc", "xlsx"};
// What text may be compressed with after it was written.
struct Compressor {
  std::string_view ending;
  std::string_view command;
};
constexpr Compressor kCompressors[] = {{"gz", "gzip"},   {"zst", "bobbin zstd -c"},
                                       {"bz2", "bzip2"}, {"xz", "xz"},
                                       {"lz4", "lz4"},   {"zip", "zip"}};

std::string extension(const std::string& path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  const bool has_one = dot != std::string::npos && (slash == std::string::npos || slash < dot);
  std::string ending = has_one ? path.substr(dot + 1) : "";
  std::ranges::transform(ending, ending.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return ending;
}

class CsvSink final : public RowSink {
 public:
  explicit CsvSink(csv::RowWriter writer) : writer_(std::move(writer)) {}

  [[nodiscard]] std::optional<std::span<const size_t>> columns() const override { return writer_.columns(); }
  Status begin() override { return writer_.begin(); }
  Status append(std::span<const HostColumn> columns, uint64_t rows) override {
    return writer_.append(columns, rows);
  }
  Status finish() override { return writer_.finish(); }

 private:
  csv::RowWriter writer_;
};

// The members of an object must have different names.
Status check_names(const std::vector<Column>& columns) {
  std::set<std::string> names;
  for (const Column& column : columns) {
    BOBBIN_RETURN_IF(!names.insert(column.name).second, StatusCode::invalid_argument,
                     "column '" + column.name + "' is requested twice; JSON needs unique names");
  }
  return {};
}

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &FormatName::name);
  return found == std::end(kFormats) ? std::nullopt : std::optional(found->format);
}

std::optional<Format> format_of_name(const std::string& path) {
  const std::string ending = extension(path);
  if (ending == "tbl") {
    return Format::csv;
  }
  return ending == "table" ? std::nullopt : parse_format(ending);
}

Option add_format_option(const Verb& verb, std::optional<Format>& format, const std::string& help) {
  const auto keep = [&format](const std::string& name) -> Status {
    format = parse_format(name);
    return {};
  };
  return verb.add_parsed("--format", keep, help)
      .one_of("format", {"csv", "tsv", "json", "ndjson", "jsonl", "table"})
      .type_name("FORMAT");
}

Status check_output_name(const std::string& path) {
  const std::string ending = extension(path);
  BOBBIN_RETURN_IF(std::ranges::find(kForeign, ending) != std::end(kForeign), StatusCode::unsupported,
                   fmt::format("{}: bobbin does not write {} files; write CSV and convert it, for example: "
                               "bobbin cat IN | duckdb -c \"copy (from read_csv('/dev/stdin')) to 'OUT.{}'\"",
                               path, ending, ending));
  return {};
}

Status check_text_name(const std::string& path) {
  const std::string ending = extension(path);
  const auto* const packed = std::ranges::find(kCompressors, ending, &Compressor::ending);
  BOBBIN_RETURN_IF(packed != std::end(kCompressors), StatusCode::unsupported,
                   fmt::format("{}: bobbin does not compress text that it writes; for example: "
                               "bobbin cat IN | {} > OUT.csv.{}",
                               path, packed->command, ending));
  return {};
}

std::string unpacked_name(const std::string& path) {
  const std::string ending = extension(path);
  const bool packed = std::ranges::find(kCompressors, ending, &Compressor::ending) != std::end(kCompressors);
  return packed ? path.substr(0, path.size() - ending.size() - 1) : path;
}

Status check_input_name(const std::string& path) {
  const std::string ending = extension(path);
  BOBBIN_RETURN_IF(std::ranges::find(kForeign, ending) != std::end(kForeign), StatusCode::unsupported,
                   fmt::format("{}: bobbin does not read {} files; convert it to CSV, for example: "
                               "duckdb -c \"copy (from '{}') to '/dev/stdout' (format csv)\" | "
                               "bobbin compress --csv -o OUT.bob",
                               path, ending, path));
  return {};
}

Result<std::unique_ptr<RowSink>> make_sink(Format format, file::Output& output, const Reader& reader,
                                           std::span<const size_t> columns, const csv::Options& options) {
  std::vector<Column> written;
  for (const size_t i : columns) {
    written.push_back(reader.columns()[i]);
  }
  switch (format) {
    case Format::json:
    case Format::ndjson:
      BOBBIN_TRY(check_names(written));
      return make_json_sink(output, written, format == Format::json);
    case Format::table:
      return make_table_sink(output, written);
    case Format::csv:
    case Format::tsv:
      break;
  }
  BOBBIN_ASSIGN(csv::RowWriter writer, csv::RowWriter::create(output, reader, columns, options));
  return std::unique_ptr<RowSink>(std::make_unique<CsvSink>(std::move(writer)));
}

}  // namespace bobbin::cli
