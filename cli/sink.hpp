// SPDX-License-Identifier: Apache-2.0
// Writes rows of a table as CSV, JSON or an aligned table.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/csv.hpp"
#include "bobbin/file.hpp"
#include "bobbin/io.hpp"
#include "bobbin/table.hpp"
#include "cli/command.hpp"

namespace bobbin::cli {

enum class Format : uint8_t {
  csv,     // with the delimiter of the options
  tsv,     // the same with tabs
  json,    // an array of objects
  ndjson,  // one object per line
  table    // aligned columns
};

[[nodiscard]] std::optional<Format> parse_format(std::string_view name);
// The format that a file's name implies: .csv, .tsv, .tbl, .json, .ndjson, .jsonl.
[[nodiscard]] std::optional<Format> format_of_name(const std::string& path);
// --format NAME; empty if it is not given.
Option add_format_option(const Verb& verb, std::optional<Format>& format, const std::string& help);
// Refuses names of formats that bobbin does not write, such as .parquet, and suggests what to do instead.
[[nodiscard]] Status check_output_name(const std::string& path);
// Refuses names of compressed files, for text, which is written as it is.
[[nodiscard]] Status check_text_name(const std::string& path);
// The name without .gz, .zst and so on.
[[nodiscard]] std::string unpacked_name(const std::string& path);
// Refuses names of formats that it does not read.
[[nodiscard]] Status check_input_name(const std::string& path);

// Takes rows, in batches of the same columns, and writes them to an output that the caller commits.
class RowSink {
 public:
  RowSink() = default;
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;
  virtual ~RowSink() = default;

  // The columns whose rows append() takes, unless it is those that the sink was made for.
  [[nodiscard]] virtual std::optional<std::span<const size_t>> columns() const { return std::nullopt; }
  [[nodiscard]] virtual Status begin() = 0;
  [[nodiscard]] virtual Status append(std::span<const HostColumn> columns, uint64_t rows) = 0;
  [[nodiscard]] virtual Status finish() = 0;
};

// For columns of a file; the options are CSV's. Fails when the format cannot represent these columns.
[[nodiscard]] Result<std::unique_ptr<RowSink>> make_sink(Format format, file::Output& output,
                                                         const Reader& reader,
                                                         std::span<const size_t> columns,
                                                         const csv::Options& options);

}  // namespace bobbin::cli
