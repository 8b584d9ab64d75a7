// SPDX-License-Identifier: Apache-2.0
// Converts a column's rows of one row group from values to an encoded chunk with its zone map. Nothing is
// written.
#pragma once

#include <cstdint>
#include <optional>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "file/zone_map.hpp"
#include "select/cascade.hpp"

namespace bobbin::file {

// How to encode a column.
struct Recipe {
  std::optional<select::ResolvedCascade> cascade{};  // empty: chosen for each chunk
  Goal goal{};
  Backend backend = Backend::cpu;
  // The table has few bytes. Most of them become part of the footer, which is compressed: simpler encodings
  // may be smaller there, and are tried too.
  bool small_table = false;
};

struct EncodedChunk {
  Array array;
  ZoneMap zone{};
  StringZone strings{};
  uint64_t null_count = 0;  // of numbers
};

// Whether a reader would accept an array: what it would refuse must never be written. The message names the
// encoding.
[[nodiscard]] Status check_readable(const Array& array);

// Both check what they return. With nulls, the result is an array with nulls, whose values are filled in.
[[nodiscard]] Result<EncodedChunk> encode_numbers(const Values& values, const uint8_t* validity,
                                                  const Recipe& recipe);
// `previous` is the array of the previous chunk, if any; `first_row` is the number of the first string, for
// messages.
[[nodiscard]] Result<EncodedChunk> encode_strings(const StringsView& strings, const Array* previous,
                                                  uint64_t first_row, const Recipe& recipe);

}  // namespace bobbin::file
