// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "codecs/ascending.hpp"
#include "codecs/sparse/sparse.hpp"
#include "core/bits.hpp"
#include "core/dispatch.hpp"

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
    const uint64_t begin = ascending::begin_row(array);
    const uint64_t end = ascending::end_row(array);
    const auto [first, last] = ascending::count_below(array, begin, end);
    ascending::Entries<T> others(array, first, last);
    const T fill = static_cast<T>(fill_of(array).bits);
    ascending::fill_in_batches(begin, end, static_cast<T*>(out), [&](uint64_t row, uint64_t stop, T* to) {
      fill_rows(others, fill, row, stop, to);
    });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const Array& positions = ascending::rows_of(array);
  const Array& values = ascending::values_of(array);
  const uint64_t row = ascending::begin_row(array) + index;
  const uint64_t p = ascending::count_below(array, row);
  const bool apart = p < positions.length && find_codec(positions.codec)->value_at(positions, p).bits == row;
  return apart ? find_codec(values.codec)->value_at(values, p) : fill_of(array);
}

}  // namespace bobbin::codec::sparse
