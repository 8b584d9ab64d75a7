// SPDX-License-Identifier: Apache-2.0
#include "file/encode.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "codecs/masked/masked.hpp"
#include "file/gather.hpp"
#include "file/layout.hpp"
#include "file/nulls.hpp"
#include "select/select.hpp"

namespace bobbin::file {
namespace {

Result<Array> encode_values(const Values& values, const Recipe& recipe) {
  return recipe.cascade.has_value() ? select::encode(*recipe.cascade, values, recipe.backend)
                                    : select::encode(values, recipe.goal, recipe.backend);
}

// With the cascades of both parts of an array with nulls.
std::string encoding_of(const Array& array) {
  const auto name = [](const Array& part) { return select::to_string(select::cascade_of(part)); };
  return array::has_nulls(array)
             ? name(array) + "(" + name(array.children[0]) + ", " + name(array.children[1]) + ")"
             : name(array);
}

Result<EncodedChunk> checked(EncodedChunk chunk) {
  BOBBIN_TRY(check_readable(chunk.array));
  return chunk;
}

}  // namespace

Status check_readable(const Array& array) {
  const Status status = array::validate(array);
  BOBBIN_RETURN_IF(
      !status.ok(), StatusCode::unsupported,
      fmt::format("the encoding {} could not be read back: {}", encoding_of(array), status.message()));
  return {};
}

Result<EncodedChunk> encode_numbers(const Values& values, const uint8_t* validity, const Recipe& recipe) {
  const ValidityBits bits{validity};
  const uint64_t nulls = validity == nullptr ? 0 : bits.count_nulls(values.length);
  if (nulls == 0) {
    BOBBIN_ASSIGN(Array array, encode_values(values, recipe));
    return checked({.array = std::move(array), .zone = zone_map_of(values)});
  }
  const auto given = std::span(static_cast<const std::byte*>(values.data),
                               static_cast<size_t>(values.length * size_bytes(values.type)));
  std::vector<std::byte> filled(given.begin(), given.end());
  fill_nulls(values.type, filled, bits);
  const Values all{.type = values.type, .data = filled.data(), .length = values.length};
  BOBBIN_ASSIGN(Array encoded, encode_values(all, recipe));
  const std::vector<uint32_t> words = codec::masked::validity_words(values.length, validity);
  const Values bit_words{.type = DType::u32, .data = words.data(), .length = words.size()};
  BOBBIN_ASSIGN(Array there, select::encode(bit_words, recipe.goal, recipe.backend));
  BOBBIN_ASSIGN(Array array, codec::masked::join(std::move(encoded), std::move(there)));
  return checked({.array = std::move(array), .zone = zone_map_of(all), .null_count = nulls});
}

Result<EncodedChunk> encode_strings(const StringsView& strings, const Array* previous, uint64_t first_row,
                                    const Recipe& recipe) {
  BOBBIN_RETURN_IF(strings.num_bytes() > kMaxStringBytes, StatusCode::unsupported,
                   fmt::format("{} bytes of strings in a row group are above the limit of {}",
                               strings.num_bytes(), kMaxStringBytes));
  if (strings.type == DType::utf8) {
    if (const Status status = check_utf8(strings, first_row); !status.ok()) {
      return Status(StatusCode::invalid_argument, status.message());
    }
  }
  BOBBIN_ASSIGN(Array array, recipe.cascade.has_value()
                                 ? select::encode_strings(*recipe.cascade, strings, previous, recipe.backend)
                                 : select::encode_strings(strings, previous, recipe.goal, recipe.backend));
  return checked({.array = std::move(array), .strings = string_zone_of(strings)});
}

}  // namespace bobbin::file
