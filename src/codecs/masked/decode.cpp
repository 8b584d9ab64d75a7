// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::masked {
namespace {

Status check_parts(const Array& array) {
  BOBBIN_RETURN_IF(!array.metadata.empty(), StatusCode::corrupt, "masked: has metadata");
  BOBBIN_RETURN_IF(!array.buffers.empty(), StatusCode::corrupt, "masked: has buffers");
  BOBBIN_RETURN_IF(array.children.size() != 2, StatusCode::corrupt,
                   "masked: " + std::to_string(array.children.size()) + " children instead of 2");
  BOBBIN_RETURN_IF(array.offset >= kVectorLength, StatusCode::corrupt,
                   "masked: offset past the first vector");
  BOBBIN_RETURN_IF(array.length > UINT64_MAX / 16 - kVectorLength, StatusCode::corrupt,
                   "masked: length too large");
  return {};
}

Status check_values(const Array& array) {
  const Array& values = values_of(array);
  BOBBIN_RETURN_IF(values.type != array.type, StatusCode::corrupt,
                   "masked: values of type " + std::string(to_string(values.type)));
  BOBBIN_RETURN_IF(values.length != array.length || values.offset != array.offset, StatusCode::corrupt,
                   "masked: " + std::to_string(values.length) + " values from " +
                       std::to_string(values.offset) + " on instead of " + std::to_string(array.length) +
                       " from " + std::to_string(array.offset) + " on");
  return {};
}

Status check_validity(const Array& array) {
  const Array& validity = validity_of(array);
  const uint64_t words = num_words(array.offset + array.length);
  BOBBIN_RETURN_IF(validity.type != DType::u32, StatusCode::corrupt,
                   "masked: validity of type " + std::string(to_string(validity.type)));
  BOBBIN_RETURN_IF(validity.length != words, StatusCode::corrupt,
                   "masked: " + std::to_string(validity.length) + " words of validity instead of " +
                       std::to_string(words));
  BOBBIN_RETURN_IF(validity.offset % (kVectorLength / kRowsPerWord) != 0, StatusCode::corrupt,
                   "masked: validity that does not start at a vector's rows");
  return {};
}

}  // namespace

std::string describe(const Array& array) {
  return std::to_string(num_words(array.offset + array.length)) + " words of validity";
}

Status validate(const Array& array) {
  BOBBIN_TRY(check_parts(array));
  BOBBIN_TRY(check_values(array));
  return check_validity(array);
}

void decode(const Array& array, void* out) {
  find_codec(values_of(array).codec)->decode(values_of(array), out);
}

Scalar value_at(const Array& array, uint64_t index) {
  return find_codec(values_of(array).codec)->value_at(values_of(array), index);
}

}  // namespace bobbin::codec::masked
