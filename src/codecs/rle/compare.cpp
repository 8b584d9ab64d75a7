// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/ascending.hpp"
#include "codecs/rle/rle.hpp"
#include "core/bit_ranges.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::rle {

// Tests each run's value once for all its rows.
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  std::fill_n(bitmap, num_vectors(array.offset + array.length) * (kVectorLength / 32), 0);
  if (array.length == 0) {
    return;
  }
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const uint64_t first = ascending::first_row(array);
    const uint64_t end = ascending::end_row(array);
    const RunRange runs = runs_of(array);
    uint64_t row = ascending::begin_row(array);
    for (ascending::Entries<T> run(array, runs.begin, runs.end); !run.done(); run.next()) {
      const uint64_t stop = std::min<uint64_t>(run.row(), end);
      if (range.holds(array.type, {run.value()})) {
        set_bits(bitmap, row - first, stop - first);
      }
      row = stop;
    }
  });
}

}  // namespace bobbin::codec::rle
