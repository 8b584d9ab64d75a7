// SPDX-License-Identifier: Apache-2.0
// How verbs open tables: .bob files as they are; CSV, Parquet and Arrow files by way of a temporary .bob file
// that no other program can see. What a file is, is found by its content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bobbin/schema.hpp"
#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "cli/io.hpp"

namespace bobbin::cli {

// How text is read.
struct ImportArgs {
  CsvArgs csv{};
  std::optional<Schema> schema{};
  uint64_t max_rows = UINT64_MAX;  // that the verb needs; more may be read
  bool writes_text = false;        // the verb also writes text, which the options may be for

  [[nodiscard]] bool given() const { return csv.given() || schema.has_value(); }
};

inline constexpr const char* kTableHelp =
    "Table: .bob, CSV (also .gz or .zst), Parquet or Arrow; '-' for stdin";

// The options for text. For verbs that also write text, whose options for that are added before.
void add_import_options(const Verb& verb, ImportArgs& args);
void add_schema_option(const Verb& verb, std::optional<Schema>& schema);

struct OpenTable : OpenReader {
  enum class Origin : uint8_t { bob, text, foreign };

  Origin origin = Origin::bob;
  uint64_t source_bytes = 0;  // of the file that was imported, as it is stored
};
[[nodiscard]] Result<OpenTable> open_table(const std::string& path, const ImportArgs& args);

}  // namespace bobbin::cli
