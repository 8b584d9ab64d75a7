// SPDX-License-Identifier: Apache-2.0
#include "array/array.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "array/compare_plain.hpp"
#include "codecs/nesting.hpp"
#include "codecs/registry.hpp"
#include "codecs/shape.hpp"
#include "core/bit_ranges.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"

namespace bobbin::array {
namespace {

Status check_output(const Array& array, size_t out_bytes) {
  BOBBIN_RETURN_IF(out_bytes != array.length * size_bytes(array.type), StatusCode::invalid_argument,
                   "the output has " + std::to_string(out_bytes) + " bytes, the array decodes to " +
                       std::to_string(array.length * size_bytes(array.type)));
  return {};
}

Status check_range(const Array& array, uint64_t begin, uint64_t length) {
  BOBBIN_RETURN_IF(begin > array.length || length > array.length - begin, StatusCode::invalid_argument,
                   "values " + std::to_string(begin) + " to " + std::to_string(begin + length) +
                       ", but the array's length is " + std::to_string(array.length));
  return {};
}

// Each codec's own rules, without checking what the root's children decode to.
Status validate_nodes(const Array& array) {
  BOBBIN_TRY(validate_node(array));
  for (const Array& child : array.children) {
    BOBBIN_TRY(validate_nodes(child));
    BOBBIN_TRY(validate_content(child));
  }
  return {};
}

// A zeroed word for every 32 values, for whole vectors.
Bitmap empty_bitmap(const Array& array) {
  Bitmap bitmap{.words = {}, .first = array.offset, .length = array.length};
  bitmap.words.resize(num_vectors(array.offset + array.length) * (kVectorLength / 32));
  return bitmap;
}

uint64_t decoded_bytes(const Array& array) {
  uint64_t bytes = array.decoded.bytes.size();
  for (const Array& child : array.children) {
    bytes += decoded_bytes(child);
  }
  return bytes;
}

}  // namespace

bool has_nulls(const Array& array) {
  const Codec* codec = find_codec(array.codec);
  return codec != nullptr && codec->has_nulls();
}

uint64_t encoded_bytes(const Array& array) {
  uint64_t bytes = array.metadata.size();
  for (const Buffer& buffer : array.buffers) {
    bytes += buffer.bytes.size();
  }
  for (const Array& child : array.children) {
    bytes += encoded_bytes(child);
  }
  return bytes;
}

void free_decoded(const Array& array) {
  array.decoded = {};
  std::ranges::for_each(array.children, &free_decoded);
}

uint64_t memory_bytes(const Array& array) {
  return encoded_bytes(array) + decoded_bytes(array);
}

Status validate(const Array& array) {
  BOBBIN_TRY(validate_but_content(array));
  return validate_content(array);
}

Status validate_content(const Array& array) {
  const Codec* codec = find_codec(array.codec);
  return codec->validate_content == nullptr ? Status{} : codec->validate_content(array);
}

Status validate_but_content(const Array& array) {
  if (auto fault = nesting_fault(array, array.type); fault.has_value()) {
    return {StatusCode::corrupt, std::move(*fault)};
  }
  return validate_nodes(array);
}

Status decode(const Array& array, std::span<std::byte> out) {
  BOBBIN_TRY(check_output(array, out.size()));
  find_codec(array.codec)->decode(array, out.data());
  return {};
}

Result<Array> slice(const Array& array, uint64_t begin, uint64_t length) {
  BOBBIN_TRY(check_range(array, begin, length));
  return find_codec(array.codec)->slice(array, begin, length);
}

Result<Scalar> value_at(const Array& array, uint64_t index) {
  BOBBIN_TRY(check_range(array, index, 1));
  return find_codec(array.codec)->value_at(array, index);
}

uint64_t Bitmap::count() const {
  uint64_t set = 0;
  for (uint64_t bit = first; bit < first + length;) {
    const uint64_t bits = std::min(32 - bit % 32, first + length - bit);
    const uint32_t word = words[bit / 32] >> (bit % 32);
    set += static_cast<uint64_t>(std::popcount(word & low_mask<uint32_t>(static_cast<uint32_t>(bits))));
    bit += bits;
  }
  return set;
}

Result<Bitmap> validity(const Array& array) {
  Bitmap bitmap = empty_bitmap(array);
  set_bits(bitmap.words.data(), bitmap.first, bitmap.first + bitmap.length);
  if (has_nulls(array)) {
    find_codec(array.codec)->clear_nulls(array, bitmap.words.data());
  }
  return bitmap;
}

Result<Bitmap> compare(const Array& array, Compare op, Scalar constant) {
  return compare(array, ValueRange::of(array.type, op, constant));
}

Result<Bitmap> compare(const Array& array, const ValueRange& range) {
  Bitmap bitmap = empty_bitmap(array);
  const Codec* codec = find_codec(array.codec);
  if (codec->compare != nullptr && (codec->compares_floats || !is_float(array.type))) {
    codec->compare(array, range, bitmap.words.data());
  } else {
    const NewBuffer values = make_buffer(array.length * size_bytes(array.type));
    codec->decode(array, values.data);
    compare_plain(array, values.data, range, bitmap.words.data());
    if (codec->has_nulls()) {
      codec->clear_nulls(array, bitmap.words.data());
    }
  }
  return bitmap;
}

}  // namespace bobbin::array
