// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "codecs/compare_child.hpp"
#include "codecs/masked/masked.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::masked {

void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  visit_bits(array.type,
             [&]<class T>(std::type_identity<T>) { compare_child<T>(values_of(array), range, bitmap); });
  clear_nulls(array, bitmap);
}

void clear_nulls(const Array& array, uint32_t* bitmap) {
  const Array& validity = validity_of(array);
  std::vector<uint32_t> words(validity.length);
  find_codec(validity.codec)->decode(validity, words.data());
  for (size_t w = 0; w < words.size(); ++w) {
    bitmap[w] &= words[w];
  }
}

}  // namespace bobbin::codec::masked
