// SPDX-License-Identifier: Apache-2.0
// Names and types of columns as people type them.
//
// Threads: every function may be called from any thread at any time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

// A column of a schema. Without a name, the header row's name is used, or c0, c1, ...
struct Field {
  std::optional<std::string> name{};
  ColumnType type{};

  friend bool operator==(const Field&, const Field&) = default;
};
using Schema = std::vector<Field>;

// "id:i64,price:decimal(2)", or types only: "i64,utf8". Blanks before names and types are ignored. A name
// that contains a comma, a colon or a quote, or that begins with a blank, is written in double quotes, in
// which "" is one quote.
[[nodiscard]] BOBBIN_API Result<Schema> parse_schema(std::string_view text);
// The schema of a file's columns, in the same notation.
[[nodiscard]] BOBBIN_API std::string schema_text(const std::vector<Column>& columns);

// Names only, quoted as in a schema: a,"b,c".
[[nodiscard]] BOBBIN_API Result<std::vector<std::string>> parse_names(std::string_view text);

// The position of the column with this name; nothing if there is none.
[[nodiscard]] BOBBIN_API std::optional<size_t> find_column(const std::vector<Column>& columns,
                                                           std::string_view name);
// The error for a name that none of the columns has: names the column that was probably meant, or says that
// functions and expressions are not names.
[[nodiscard]] BOBBIN_API Status no_such_column(std::span<const Column> columns, std::string_view name);

}  // namespace bobbin
