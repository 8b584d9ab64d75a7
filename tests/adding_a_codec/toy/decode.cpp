// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "codecs/registry.hpp"
#include "codecs/toy/toy.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::toy {

std::string describe(const Array& array) {
  return array.metadata.size() == 1 ? "bits flipped" : "damaged";
}

Status validate(const Array& array) {
  BOBBIN_RETURN_IF(array.metadata[0] != kMetadata, StatusCode::corrupt,
                   "toy: reserved number " + std::to_string(array.metadata[0]));
  return {};
}

void decode(const Array& array, void* out) {
  find_codec(array.children[0].codec)->decode(array.children[0], out);
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    auto* const values = static_cast<T*>(out);
    for (uint64_t i = 0; i < array.length; ++i) {
      values[i] = static_cast<T>(~values[i]);
    }
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const Array& flipped = array.children[0];
  const uint64_t bits = find_codec(flipped.codec)->value_at(flipped, index).bits;
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    return Scalar{static_cast<T>(~static_cast<T>(bits))};
  });
}

}  // namespace bobbin::codec::toy
