// SPDX-License-Identifier: Apache-2.0
// Arrays with a child of ascending row numbers and a child with a value for each: rle and sparse. A slice
// keeps both children whole; its metadata says at which row its first vector starts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "core/stream_copy.hpp"

namespace bobbin::ascending {

// Row numbers are u32, which limits an array's rows.
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
// The row of the array's first value, and the row after its last.
[[nodiscard]] inline uint64_t begin_row(const Array& array) {
  return first_row(array) + array.offset;
}
[[nodiscard]] inline uint64_t end_row(const Array& array) {
  return begin_row(array) + array.length;
}

// The children of rle and sparse, which differ only in what their lengths follow.
[[nodiscard]] constexpr ChildShape rows_shape(Follows follows) {
  return {.name = "rows", .type = ChildType::u32, .follows = follows, .looked_up = true};
}
[[nodiscard]] constexpr ChildShape values_shape(Follows follows) {
  return {.name = "values", .follows = follows};
}

// Checks that an array's rows fit u32, and that there is one value for each row number.
[[nodiscard]] Status check_row_numbers(const Array& array);
// Checks that the row numbers of a valid child ascend strictly from at least `least`. Few numbers are kept
// for decoding.
[[nodiscard]] Status check_ascending(const Array& array, uint32_t least);

// The row numbers that check_ascending() kept; empty if there are none.
[[nodiscard]] inline std::span<const uint32_t> known_rows(const Array& array) {
  const bool all = array.decoded.bytes.size() == rows_of(array).length * sizeof(uint32_t);
  return {reinterpret_cast<const uint32_t*>(array.decoded.bytes.data()), all ? rows_of(array).length : 0};
}

// Counts the row numbers below `bound` by binary search.
[[nodiscard]] uint64_t count_below(const Array& array, uint64_t bound);
// For two bounds, the later of which is not below the first.
[[nodiscard]] std::pair<uint64_t, uint64_t> count_below(const Array& array, uint64_t bound,
                                                        uint64_t later_bound);

// As Codec::slice and Codec::load_slice; the latter reads only the vectors of row numbers that it needs.
[[nodiscard]] Array slice(const Array& array, uint64_t begin, uint64_t length);
[[nodiscard]] Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length,
                                       Segments& segments);

// Iterates over entries begin .. end-1 of both children, decoding a few at a time.
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

  // Stops at a multiple of the piece length, so that all pieces but the first start at a vector.
  void refill() {
    const uint64_t stop = std::min(next_ / kPiece * kPiece + kPiece, end_);
    i_ = 0;
    count_ = next_ < stop ? stop - next_ : 0;
    if (count_ != 0) {
      const std::span<const uint32_t> known = known_rows(array_);
      if (known.empty()) {
        decode_part(rows_of(array_), rows_.data());
      } else {
        std::ranges::copy(known.subspan(next_, count_), rows_.begin());
      }
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

// Writes rows begin .. end-1 to `out`, a batch at a time: fill(row, stop, to) writes values `row` ..
// `stop`-1. Large outputs bypass the caches, through a buffer.
template <class T, class Fill>
void fill_in_batches(uint64_t begin, uint64_t end, T* out, Fill&& fill) {
  const bool stream = (end - begin) * sizeof(T) >= kStreamBytes;
  constexpr uint64_t kBatch = (uint64_t{16} << 10) / sizeof(T);
  alignas(64) std::array<T, kBatch> batch;
  for (uint64_t row = begin; row < end; row += kBatch) {
    const uint64_t stop = std::min(row + kBatch, end);
    T* const to = out + (row - begin);
    fill(row, stop, stream ? batch.data() : to);
    if (stream) {
      copy_past_caches(to, batch.data(), (stop - row) * sizeof(T));
    }
  }
  if (stream) {
    end_copies_past_caches();
  }
}

// Both children of a split, to be filled in.
template <class T>
class SplitRows {
 public:
  SplitRows(DType type, uint64_t count)
      : rows_(make_buffer(count * sizeof(uint32_t))),
        values_(make_buffer(count * sizeof(T))),
        type_(type),
        count_(count) {}

  [[nodiscard]] uint32_t* rows() const { return reinterpret_cast<uint32_t*>(rows_.data); }
  [[nodiscard]] T* values() const { return reinterpret_cast<T*>(values_.data); }
  // `metadata` comes before the first row, which is 0.
  [[nodiscard]] Split of(CodecId codec, uint64_t length, std::vector<uint8_t> metadata = {}) const {
    metadata.resize(metadata.size() + sizeof(uint64_t));
    return {.node = {.codec = codec,
                     .type = type_,
                     .length = length,
                     .offset = 0,
                     .metadata = std::move(metadata),
                     .buffers = {},
                     .children = {}},
            .children = {{DType::u32, count_, rows_.buffer}, {type_, count_, values_.buffer}}};
  }

 private:
  NewBuffer rows_;
  NewBuffer values_;
  DType type_;
  uint64_t count_;
};

// As Codec::split: `split_values` does it for values of one unsigned type.
template <class SplitValues>
[[nodiscard]] Result<Split> split(CodecId codec, const Values& values, SplitValues&& split_values) {
  BOBBIN_RETURN_IF(values.length > kMaxRows, StatusCode::unsupported,
                   std::string(find_codec(codec)->name) + ": too many rows: split the array");
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) -> Split {
    return split_values(values.as<T>(), values.type);
  });
}

}  // namespace bobbin::ascending
