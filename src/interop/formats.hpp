// SPDX-License-Identifier: Apache-2.0
// The text that names a type in Arrow's C data interface, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin::interop {

// How values lie in an Arrow array.
enum class Layout : uint8_t {
  numbers,   // as Bobbin has them
  bits,      // booleans
  time32,    // 32-bit integers for what Bobbin keeps in 64
  decimal,   // integers of `width` bits
  strings,   // offsets of `width` bits, and bytes
  views,     // a view of 16 bytes for each string
  fixed,     // strings of `width` bytes each
  all_null,  // nothing
};

inline constexpr uint64_t kMaxNarrowBytes = INT32_MAX;  // of strings with offsets of 32 bits

struct ArrowType {
  Layout layout{};
  ColumnType type{};  // of the column that the values become
  uint32_t width = 0;
};

// `unsupported` for types that no column can have, `invalid_argument` for text that is not a type.
[[nodiscard]] Result<ArrowType> parse_format(std::string_view format);

// 's', 'm', 'u' or 'n'.
[[nodiscard]] char unit_letter(Logical::Unit unit);
[[nodiscard]] std::optional<Logical::Unit> parse_unit(char letter);

}  // namespace bobbin::interop
