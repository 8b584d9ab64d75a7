// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "codecs/ascending.hpp"
#include "codecs/sparse/sparse.hpp"
#include "core/bits.hpp"
#include "core/dispatch.hpp"
#include "core/stream_copy.hpp"

namespace bobbin::codec::sparse {
namespace {

// Values `row` .. `stop`-1.
template <class T>
void fill_rows(ascending::Entries<T>& others, T fill, uint64_t row, uint64_t stop, T* out) {
  std::fill_n(out, stop - row, fill);
  for (; !others.done() && others.row() < stop; others.next()) {
    out[others.row() - row] = others.value();
  }
}

// Large outputs bypass the caches, through a buffer.
template <class T>
void decode_rows(ascending::Entries<T>& others, T fill, uint64_t begin, uint64_t end, T* out) {
  const bool stream = (end - begin) * sizeof(T) >= kStreamBytes;
  constexpr uint64_t kBatch = (uint64_t{16} << 10) / sizeof(T);
  alignas(64) std::array<T, kBatch> batch;
  for (uint64_t row = begin; row < end; row += kBatch) {
    const uint64_t stop = std::min(row + kBatch, end);
    T* const to = out + (row - begin);
    fill_rows(others, fill, row, stop, stream ? batch.data() : to);
    if (stream) {
      copy_past_caches(to, batch.data(), (stop - row) * sizeof(T));
    }
  }
  if (stream) {
    end_copies_past_caches();
  }
}

}  // namespace

std::string describe(const Array& array) {
  return array.children.size() == 2 ? std::to_string(ascending::rows_of(array).length) + " other values"
                                    : "damaged";
}

Status validate(const Array& array) {
  BOBBIN_TRY(ascending::check_row_numbers(array));
  BOBBIN_RETURN_IF(fill_of(array).bits > low_mask<uint64_t>(size_bits(array.type)), StatusCode::corrupt,
                   "sparse: the fill value does not fit its type");
  return {};
}

Status validate_content(const Array& array) {
  return ascending::check_ascending(array, 0);
}

void decode(const Array& array, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const Array& positions = ascending::rows_of(array);
    const uint64_t begin = ascending::begin_row(array);
    const uint64_t end = ascending::end_row(array);
    const auto [first, last] = ascending::count_below(positions, begin, end);
    ascending::Entries<T> others(array, first, last);
    decode_rows(others, static_cast<T>(fill_of(array).bits), begin, end, static_cast<T*>(out));
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const Array& positions = ascending::rows_of(array);
  const Array& values = ascending::values_of(array);
  const uint64_t row = ascending::begin_row(array) + index;
  const uint64_t p = ascending::count_below(positions, row);
  const bool apart = p < positions.length && find_codec(positions.codec)->value_at(positions, p).bits == row;
  return apart ? find_codec(values.codec)->value_at(values, p) : fill_of(array);
}

}  // namespace bobbin::codec::sparse
