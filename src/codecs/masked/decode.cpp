// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::masked {

std::string describe(const Array& array) {
  return std::to_string(num_words(array.offset + array.length)) + " words of validity";
}

Status validate(const Array& array) {
  const Array& validity = validity_of(array);
  const uint64_t words = num_words(array.offset + array.length);
  BOBBIN_RETURN_IF(validity.length != words, StatusCode::corrupt,
                   "masked: " + std::to_string(validity.length) + " words of validity instead of " +
                       std::to_string(words));
  BOBBIN_RETURN_IF(validity.offset % (kVectorLength / kRowsPerWord) != 0, StatusCode::corrupt,
                   "masked: validity does not start at a vector");
  return {};
}

void decode(const Array& array, void* out) {
  find_codec(values_of(array).codec)->decode(values_of(array), out);
}

Scalar value_at(const Array& array, uint64_t index) {
  return find_codec(values_of(array).codec)->value_at(values_of(array), index);
}

}  // namespace bobbin::codec::masked
