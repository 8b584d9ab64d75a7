// SPDX-License-Identifier: Apache-2.0
// What verbs that read and write CSV share: options, and the conversion of a file's rows to text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bobbin/csv.hpp"
#include "bobbin/query.hpp"
#include "cli/command.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"
#include "cli/rows.hpp"
#include "cli/sink.hpp"

namespace bobbin::cli {

struct CsvArgs {
  std::string delimiter;  // empty: not given, here and below
  std::string quote;
  std::string escape;
  bool header = false;
  bool no_header = false;
  std::vector<std::string> nulls;
  // For text that is read.
  std::string comment;
  std::optional<uint64_t> skip;
  std::string ragged;
  std::string encoding;  // also for text that is written
  std::string date_format;
  std::string thousands;
  std::string decimal;

  [[nodiscard]] bool given_for_output() const {
    return !delimiter.empty() || !quote.empty() || !escape.empty() || no_header || !nulls.empty() ||
           !encoding.empty();
  }
  [[nodiscard]] bool given() const {
    return given_for_output() || header || !comment.empty() || skip.has_value() || !ragged.empty() ||
           !date_format.empty() || !thousands.empty() || !decimal.empty();
  }
};

// For text that is read or written.
void add_csv_options(const Verb& verb, CsvArgs& args);
// For text that is read.
void add_csv_input_options(const Verb& verb, CsvArgs& args);
// `otherwise`: what the encoding is without it.
void add_encoding_option(const Verb& verb, CsvArgs& args, const std::string& otherwise);

// Fails if CSV options are given for JSON, where they would have no effect.
[[nodiscard]] Status check_csv_options(const CsvArgs& args, const std::optional<Format>& format);

// For text that is read.
[[nodiscard]] csv::ReadOptions read_options(const CsvArgs& args);
// For text that is written: options as given, else as in `known`. Unless a delimiter is given, the name may
// decide it: a tab for .tsv, | for .tbl.
[[nodiscard]] Result<csv::Options> csv_options(const CsvArgs& args, const std::optional<csv::Options>& known,
                                               const std::string& path);

// Prints notes about an import on stderr; of very many only the first.
void print_notes(const std::string& name, const std::vector<std::string>& notes);

// Columns of a file, in any order, and their rows as text.
struct CsvJob {
  const OpenReader& file;
  std::vector<size_t> columns;
  RowRange rows;
  Backend backend{};
  Format format{};
  file::Output& output;
  const std::string& output_name;
  std::optional<query::Query> where{};  // only matching rows, and at most `limit` of them
  uint64_t limit = UINT64_MAX;
};
[[nodiscard]] Status write_rows(const CsvJob& job, const csv::Options& options, Progress& progress);

[[nodiscard]] std::vector<size_t> all_columns(const Reader& reader);

}  // namespace bobbin::cli
