// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/ascending.hpp"
#include "codecs/sparse/sparse.hpp"
#include "core/bit_ranges.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::sparse {

// The fill value is tested once for all rows, then each exception overrides its bit.
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  const uint64_t bits = array.offset + array.length;
  std::fill_n(bitmap, num_vectors(bits) * (kVectorLength / 32), 0);
  const bool fill_hits = range.holds(array.type, fill_of(array));
  if (fill_hits) {
    set_bits(bitmap, array.offset, bits);
  }
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const auto [first, last] =
        ascending::count_below(array, ascending::begin_row(array), ascending::end_row(array));
    ascending::Entries<T> others(array, first, last);
    for (; !others.done(); others.next()) {
      const uint64_t at = others.row() - ascending::first_row(array);
      const bool differs = range.holds(array.type, {others.value()}) != fill_hits;
      bitmap[at / 32] ^= static_cast<uint32_t>(differs) << (at % 32);
    }
  });
}

}  // namespace bobbin::codec::sparse
