// SPDX-License-Identifier: Apache-2.0
// A column's rows of one row group, from values to an encoded chunk with its zone map. Nothing is written.
#pragma once

#include <cstdint>
#include <optional>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "file/zone_map.hpp"
#include "select/cascade.hpp"

namespace bobbin::file {

// How a column is to be encoded.
struct Recipe {
  std::optional<select::Cascade> cascade{};  // none: chosen for each chunk
  Goal goal{};
  Backend backend = Backend::cpu;
};

struct EncodedChunk {
  Array array;
  ZoneMap zone{};
  StringZone strings{};
  uint64_t null_count = 0;  // of numbers
};

// Whether a reader accepts an array: what it would refuse must never be written. The message names the
// encoding.
[[nodiscard]] Status check_readable(const Array& array);

// Both check what they return. With nulls: an array with nulls, whose values have them filled in.
[[nodiscard]] Result<EncodedChunk> encode_numbers(const Values& values, const uint8_t* validity,
                                                  const Recipe& recipe);
// `previous` is the array of the chunk before, if there is one; `first_row` the first string's number, for
// messages.
[[nodiscard]] Result<EncodedChunk> encode_strings(const StringsView& strings, const Array* previous,
                                                  uint64_t first_row, const Recipe& recipe);

}  // namespace bobbin::file
