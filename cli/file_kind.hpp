// SPDX-License-Identifier: Apache-2.0
// What a file is, by its first bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bobbin::cli {

struct FileKind {
  enum class Kind : uint8_t {
    table,    // .bob
    text,     // CSV, perhaps compressed
    parquet,  // and Arrow: files for the Python package
    arrow,
    other
  };

  Kind kind{};
  std::string what{};  // for others: "a ZIP archive; unzip it first"
};

// `begin` is all of the file if it has fewer than kKindBytes. Text that looks like JSON or HTML is not CSV,
// unless `is_csv` says that it is.
inline constexpr size_t kKindBytes = 4096;
[[nodiscard]] FileKind kind_of(std::string_view begin, bool is_csv);

}  // namespace bobbin::cli
