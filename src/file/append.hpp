// SPDX-License-Identifier: Apache-2.0
// Rows to a writer by pointers whose types the caller has checked.
#pragma once

#include <cstdint>
#include <span>

#include "bobbin/file.hpp"

namespace bobbin {

// A view of numbers, some of which may be null.
struct NullableView {
  const void* values = nullptr;       // ignored for nulls
  const uint8_t* validity = nullptr;  // bit i % 8 of byte i / 8 is 0 for a null; nullptr: no nulls
};

namespace file {

struct WriterAccess {
  // `columns` has one pointer per column: to `rows` values of its type; for a nullable column, to a
  // NullableView of them; for strings, to a StringsView of which the first `rows` strings are used and the
  // type is ignored.
  static Status append(Writer& writer, std::span<const void* const> columns, uint64_t rows);
  // If the table stays small, columns may be stored with general compression whatever the goal is. Texts are
  // expected not to grow; other tables keep encodings that queries use directly.
  static void allow_small_table(Writer& writer);
};

[[nodiscard]] inline Status append_untyped(Writer& writer, std::span<const void* const> columns,
                                           uint64_t rows) {
  return WriterAccess::append(writer, columns, rows);
}

}  // namespace file
}  // namespace bobbin
