// SPDX-License-Identifier: Apache-2.0
// Reads a few values of an array in host memory: those of given rows, and those that a bitmap selects.
#include <algorithm>
#include <bit>
#include <cstring>

#include "array/array.hpp"
#include "codecs/gather.hpp"
#include "codecs/registry.hpp"
#include "core/lanes.hpp"

namespace bobbin::array {
namespace {

constexpr uint64_t kBatch = 16 * uint64_t{kVectorLength};
// If at most one value in this many is selected, values are read one by one; otherwise the whole batch is
// decoded.
constexpr uint64_t kFew = 256;

void put(std::byte* to, Scalar value, size_t size) {
  std::memcpy(to, &value.bits, size);
}

// Calls f(row) for each selected row of begin .. end-1.
template <class F>
void for_each_selected(const Bitmap& rows, uint64_t begin, uint64_t end, F&& f) {
  for (uint64_t bit = rows.first + begin; bit < rows.first + end;) {
    const auto count = static_cast<uint32_t>(std::min(32 - bit % 32, rows.first + end - bit));
    uint32_t word = rows.words[bit / 32] >> (bit % 32) & low_mask<uint32_t>(count);
    for (; word != 0; word &= word - 1) {
      f(bit - rows.first + static_cast<uint64_t>(std::countr_zero(word)));
    }
    bit += count;
  }
}

}  // namespace

Status take(const Array& array, std::span<const uint64_t> indices, std::span<std::byte> out) {
  const size_t size = size_bytes(array.type);
  BOBBIN_RETURN_IF(out.size() != indices.size() * size, StatusCode::invalid_argument,
                   "take: the output does not fit " + std::to_string(indices.size()) + " values");
  for (const uint64_t index : indices) {
    BOBBIN_RETURN_IF(
        index >= array.length, StatusCode::invalid_argument,
        "take: row " + std::to_string(index) + ", but the array's length is " + std::to_string(array.length));
  }
  take_values(array, indices, out.data());
  return {};
}

Status filter(const Array& array, const Bitmap& rows, std::span<std::byte> out) {
  const size_t size = size_bytes(array.type);
  BOBBIN_RETURN_IF(rows.length != array.length, StatusCode::invalid_argument,
                   "filter: the bitmap has " + std::to_string(rows.length) + " rows, the array " +
                       std::to_string(array.length));
  BOBBIN_RETURN_IF(out.size() != rows.count() * size, StatusCode::invalid_argument,
                   "filter: the output does not fit " + std::to_string(rows.count()) + " values");
  const Codec& codec = *find_codec(array.codec);
  std::byte* to = out.data();
  std::vector<std::byte> values(std::min(kBatch, array.length) * size);
  for (uint64_t begin = 0; begin < array.length; begin += kBatch) {
    const uint64_t end = std::min(begin + kBatch, array.length);
    uint64_t count = 0;
    for_each_selected(rows, begin, end, [&](uint64_t) { ++count; });
    const bool one_by_one = count <= (end - begin) / kFew;
    if (count != 0 && !one_by_one) {
      codec.decode(codec.slice(array, begin, end - begin), values.data());
    }
    for_each_selected(rows, begin, end, [&](uint64_t row) {
      if (one_by_one) {
        put(to, codec.value_at(array, row), size);
      } else {
        std::memcpy(to, values.data() + (row - begin) * size, size);
      }
      to += size;
    });
  }
  return {};
}

Bitmap operator&(const Bitmap& a, const Bitmap& b) {
  Bitmap both = a;
  std::ranges::transform(a.words, b.words, both.words.begin(), std::bit_and());
  return both;
}
Bitmap operator|(const Bitmap& a, const Bitmap& b) {
  Bitmap either = a;
  std::ranges::transform(a.words, b.words, either.words.begin(), std::bit_or());
  return either;
}
Bitmap operator~(const Bitmap& a) {
  Bitmap none = a;
  std::ranges::transform(a.words, none.words.begin(), std::bit_not());
  for (uint64_t bit = 0; bit < none.words.size() * 32; ++bit) {
    if (bit < a.first || bit >= a.first + a.length) {
      none.words[bit / 32] &= ~(uint32_t{1} << (bit % 32));
    }
  }
  return none;
}

}  // namespace bobbin::array
