// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/constant/constant.hpp"
#include "core/bit_ranges.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::constant {

void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  const uint64_t end = array.offset + array.length;
  std::fill_n(bitmap, num_vectors(end) * (kVectorLength / 32), 0);
  if (range.holds(array.type, constant_of(array))) {
    set_bits(bitmap, array.offset, end);
  }
}

}  // namespace bobbin::codec::constant
