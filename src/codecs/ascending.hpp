// SPDX-License-Identifier: Apache-2.0
// Arrays with a child of row numbers that ascend, and a child with a value for each: rle and sparse. A slice
// of one keeps both children whole, and says in its metadata at which of their rows its first vector starts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "codecs/registry.hpp"

namespace bobbin::ascending {

// Row numbers are u32: an array has no more rows than they can tell.
inline constexpr uint64_t kMaxRows = std::numeric_limits<uint32_t>::max();

[[nodiscard]] inline const Array& rows_of(const Array& array) {
  return array.children[0];
}
[[nodiscard]] inline const Array& values_of(const Array& array) {
  return array.children[1];
}

// The last eight bytes of the metadata: the row at which the first vector starts.
[[nodiscard]] inline uint64_t first_row(const Array& array) {
  uint64_t row = 0;
  std::memcpy(&row, array.metadata.data() + array.metadata.size() - sizeof row, sizeof row);
  return row;
}
// The row of the array's first value, and the one behind its last.
[[nodiscard]] inline uint64_t begin_row(const Array& array) {
  return first_row(array) + array.offset;
}
[[nodiscard]] inline uint64_t end_row(const Array& array) {
  return begin_row(array) + array.length;
}

// The parts of an array of `codec`: as much metadata as said, two children, rows that u32 can tell.
[[nodiscard]] Status check_parts(const Array& array, std::string_view codec, size_t metadata_bytes);
// Whether the row numbers, of a valid child, begin with `least` at the lowest and ascend strictly.
[[nodiscard]] Status check_rows(const Array& rows, std::string_view codec, uint32_t least);

// How many of the row numbers are below `bound`: a search that reads few of them.
[[nodiscard]] uint64_t count_below(const Array& rows, uint64_t bound);

[[nodiscard]] Array slice(const Array& array, uint64_t begin, uint64_t length);

// Numbers begin .. end-1 of both children, one after another, decoded a few at a time.
template <class T>
class Entries {
 public:
  Entries(const Array& array, uint64_t begin, uint64_t end) : array_(array), next_(begin), end_(end) {
    const uint64_t most = std::min(kPiece, end_ - std::min(begin, end_));
    rows_.resize(most);
    values_.resize(most);
    refill();
  }

  [[nodiscard]] bool done() const { return i_ == count_; }
  [[nodiscard]] uint32_t row() const { return rows_[i_]; }
  [[nodiscard]] T value() const { return values_[i_]; }
  void next() {
    if (++i_ == count_) {
      refill();
    }
  }

 private:
  static constexpr uint64_t kPiece = 4096;

  // Up to a multiple of the pieces' length, so that all but the first begin with a vector.
  void refill() {
    const uint64_t stop = std::min(next_ / kPiece * kPiece + kPiece, end_);
    i_ = 0;
    count_ = next_ < stop ? stop - next_ : 0;
    if (count_ != 0) {
      decode_part(rows_of(array_), rows_.data());
      decode_part(values_of(array_), values_.data());
      next_ = stop;
    }
  }
  void decode_part(const Array& child, void* out) const {
    const Codec& codec = *find_codec(child.codec);
    codec.decode(codec.slice(child, next_, count_), out);
  }

  const Array& array_;
  uint64_t next_;
  uint64_t end_;
  std::vector<uint32_t> rows_;
  std::vector<T> values_;
  uint64_t i_ = 0;
  uint64_t count_ = 0;
};

// Values for children, of which there are as many as `length`.
template <class T>
[[nodiscard]] std::pair<OwnedValues, T*> make_values(DType type, uint64_t length) {
  const NewBuffer fresh = make_buffer(length * sizeof(T));
  return {{type, length, fresh.buffer}, reinterpret_cast<T*>(fresh.data)};
}

}  // namespace bobbin::ascending
