// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "codecs/constant/constant.hpp"

namespace bobbin::codec::constant {
namespace {

constexpr uint64_t kBytes = sizeof(Scalar::bits);

// Whether each value equals the one before it.
bool all_alike(const Values& values) {
  const size_t size = size_bytes(values.type);
  const auto* bytes = static_cast<const std::byte*>(values.data);
  return values.length < 2 || std::memcmp(bytes, bytes + size, (values.length - 1) * size) == 0;
}

}  // namespace

uint64_t estimate(const Values& values) {
  return all_alike(values) ? kBytes : kNoEncoding;
}

Result<Array> encode(const Values& values) {
  BOBBIN_RETURN_IF(!all_alike(values), StatusCode::unsupported, "constant: the values are not all equal");
  std::vector<uint8_t> metadata(kBytes);
  if (values.length != 0) {
    std::memcpy(metadata.data(), values.data, size_bytes(values.type));
  }
  return Array{.codec = CodecId::constant,
               .type = values.type,
               .length = values.length,
               .offset = 0,
               .metadata = std::move(metadata),
               .buffers = {},
               .children = {}};
}

}  // namespace bobbin::codec::constant
