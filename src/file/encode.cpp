// SPDX-License-Identifier: Apache-2.0
#include "file/encode.hpp"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/masked/masked.hpp"
#include "file/footer.hpp"
#include "file/footer_pack.hpp"
#include "file/gather.hpp"
#include "file/layout.hpp"
#include "file/nulls.hpp"
#include "select/select.hpp"

namespace bobbin::file {
namespace {

constexpr uint64_t kNodeBytes = 6;

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

// Estimates the size of bytes in a compressed footer: one for each that is not zero, one for each run of
// zeros.
uint64_t packed_bytes(std::span<const std::byte> bytes) {
  uint64_t packed = 0;
  bool in_zeros = false;
  for (const std::byte byte : bytes) {
    packed += byte != std::byte{0} || !in_zeros ? 1 : 0;
    in_zeros = byte == std::byte{0};
  }
  return packed;
}

// Estimates what an array of numbers adds to the file of a small table: columns of numbers that are
// compressed together save much that each of them alone does not.
uint64_t packed_bytes(const Array& array) {
  uint64_t packed = kNodeBytes + packed_bytes(std::as_bytes(std::span(array.metadata)));
  for (const Buffer& buffer : array.buffers) {
    packed += buffer.bytes.size() <= kInlineSegmentBytes
                  ? packed_bytes(buffer.bytes)
                  : occupied_bytes(buffer.bytes.size(), kNewestVersion) + sizeof(Segment::checksum);
  }
  for (const Array& child : array.children) {
    packed += packed_bytes(child);
  }
  return packed;
}

// Adds the bytes of an array that are part of a footer. Returns the number of the others.
uint64_t add_footer_bytes(const Array& array, std::vector<std::byte>& footer) {
  uint64_t others = 0;
  const auto add = [&](std::span<const std::byte> bytes) {
    footer.insert(footer.end(), bytes.begin(), bytes.end());
  };
  footer.push_back(static_cast<std::byte>(array.codec));
  footer.push_back(static_cast<std::byte>(array.type));
  add(std::as_bytes(std::span(array.metadata)));
  for (const Buffer& buffer : array.buffers) {
    footer.push_back(static_cast<std::byte>(buffer.bytes.size()));
    if (buffer.bytes.size() <= kInlineSegmentBytes) {
      add(buffer.bytes);
    } else {
      others += occupied_bytes(buffer.bytes.size(), kNewestVersion) + sizeof(Segment::checksum);
    }
  }
  for (const Array& child : array.children) {
    others += add_footer_bytes(child, footer);
  }
  return others;
}

// What an array adds to a file of a small table, about. The zone map's strings, if any, are in the footer
// too.
uint64_t packed_bytes(const Array& array, std::string_view zone) {
  const auto zone_bytes = std::as_bytes(std::span(zone));
  std::vector<std::byte> footer(zone_bytes.begin(), zone_bytes.end());
  const uint64_t others = add_footer_bytes(array, footer);
  return others + pack_footer(std::move(footer), true).bytes.size();
}

// Encodes with a recipe and, in a small table, with general compression too; the smaller result.
// `is_smaller` compares the first with the second.
template <class Encode, class Compare>
Result<Array> encode_by(const Recipe& recipe, Encode&& encode_with, Compare&& is_smaller) {
  BOBBIN_ASSIGN(Array array, encode_with(recipe));
  if (!recipe.small_table || recipe.cascade.has_value() || recipe.goal.kind != Goal::Kind::smallest) {
    return array;
  }
  Recipe compact = recipe;
  compact.goal.kind = Goal::Kind::compact;
  BOBBIN_ASSIGN(Array other, encode_with(compact));
  return is_smaller(other, array) ? std::move(other) : std::move(array);
}

// The bounds of a dictionary's entries, all of which occur, are those of the strings, and found faster.
Result<StringZone> zone_of(const StringsView& strings, const Array& array) {
  constexpr uint64_t kFewEntries = 256;
  if (array.codec != CodecId::dict || array.children.back().length > kFewEntries) {
    return string_zone_of(strings);
  }
  BOBBIN_ASSIGN(const Strings entries, array::decode_strings(array.children.back(), Backend::cpu));
  return string_zone_of(strings, entries.view());
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
  const auto encode_all = [&](const Values& all) {
    return encode_by(
        recipe, [&](const Recipe& by) { return encode_values(all, by); },
        [](const Array& a, const Array& b) { return packed_bytes(a) < packed_bytes(b); });
  };
  if (nulls == 0) {
    BOBBIN_ASSIGN(Array array, encode_all(values));
    return checked({.array = std::move(array), .zone = zone_map_of(values)});
  }
  const auto given = std::span(static_cast<const std::byte*>(values.data),
                               static_cast<size_t>(values.length * size_bytes(values.type)));
  std::vector<std::byte> filled(given.begin(), given.end());
  fill_nulls(values.type, filled, bits);
  const Values all{.type = values.type, .data = filled.data(), .length = values.length};
  BOBBIN_ASSIGN(Array encoded, encode_all(all));
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
  const auto encode_all = [&](const Recipe& by) {
    return by.cascade.has_value() ? select::encode_strings(*by.cascade, strings, previous, by.backend)
                                  : select::encode_strings(strings, previous, by.goal, by.backend);
  };
  const auto is_smaller = [&](const Array& a, const Array& b) {
    const StringZone zone = string_zone_of(strings);
    const std::string bounds = zone.min + zone.max;
    return packed_bytes(a) < packed_bytes(b) || packed_bytes(a, bounds) < packed_bytes(b, bounds);
  };
  BOBBIN_ASSIGN(Array array, encode_by(recipe, encode_all, is_smaller));
  BOBBIN_ASSIGN(StringZone zone, zone_of(strings, array));
  return checked({.array = std::move(array), .strings = std::move(zone)});
}

}  // namespace bobbin::file
