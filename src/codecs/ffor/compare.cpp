// SPDX-License-Identifier: Apache-2.0
#include "codecs/ffor/ffor.hpp"
#include "core/dispatch.hpp"
#include "core/vectors.hpp"

namespace bobbin::codec::ffor {

// The constant is moved to the packed side: difference + (reference - low) replaces value - low.
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const Parts parts(array);
    compare_vectors<T>(
        array.offset + array.length, static_cast<T>(range.span), range.negated, bitmap,
        [&](uint64_t v, uint32_t rows, T* to) {
          const Entry entry = parts.entry(v);
          bitpack::unpack_vector<T>(parts.vector(entry), entry.width(), rows, 0, to);
        },
        [&](uint64_t v) { return static_cast<T>(parts.reference<T>(v) - static_cast<T>(range.low)); });
  });
}

}  // namespace bobbin::codec::ffor
