// SPDX-License-Identifier: Apache-2.0
#include "array/compare_plain.hpp"

#include <cstring>

namespace bobbin::array {

void compare_plain(const Array& array, const void* values, const ValueRange& range, uint32_t* bitmap) {
  visit_type(array.type, [&]<class T>(std::type_identity<T>) {
    for (uint64_t i = 0; i < array.length; ++i) {
      T value;
      std::memcpy(&value, static_cast<const std::byte*>(values) + i * sizeof(T), sizeof(T));
      const uint64_t bit = array.offset + i;
      bitmap[bit / 32] |= static_cast<uint32_t>(range.holds(array.type, scalar_of(value))) << (bit % 32);
    }
  });
}

}  // namespace bobbin::array
