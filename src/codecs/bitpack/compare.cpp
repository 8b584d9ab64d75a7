// SPDX-License-Identifier: Apache-2.0
#include "codecs/bitpack/bitpack.hpp"
#include "core/dispatch.hpp"
#include "core/vectors.hpp"

namespace bobbin::codec::bitpack {

void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const std::byte* packed = array.buffers[0].bytes.data();
    const uint32_t width = width_of(array);
    compare_vectors<T>(
        array.offset + array.length, static_cast<T>(range.span), range.negated, bitmap,
        [&](uint64_t v, uint32_t rows, T* to) {
          unpack_vector<T>(packed + v * width * kRegisterBytes, width, rows, 0, to);
        },
        [&](uint64_t) { return static_cast<T>(-range.low); });
  });
}

}  // namespace bobbin::codec::bitpack
