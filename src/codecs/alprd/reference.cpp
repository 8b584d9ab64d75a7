// SPDX-License-Identifier: Apache-2.0
// The oracle: follows "Decoding value i" in spec.md step by step.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/alprd/alprd.hpp"
#include "codecs/reference.hpp"

namespace bobbin::codec::alprd {
namespace {

// The left part of code `c`.
uint64_t left_part(const std::vector<uint64_t>& dict, uint64_t c) {
  if (c < dict.size()) {
    return dict[c];
  }
  for (uint64_t j = 0; j < dict.size(); ++j) {
    if (c == dict[j]) {
      return j;
    }
  }
  return c;
}

// `Bits` is the unsigned type of the floats' size.
template <class Bits>
void decode_as(const Array& array, std::byte* out) {
  const uint64_t r = array.metadata[0];
  const uint64_t k = array.metadata[1];
  std::vector<uint64_t> dict;
  for (uint64_t j = 0; j < k; ++j) {
    const uint64_t low = array.metadata[2 + 2 * j];
    const uint64_t high = array.metadata[2 + 2 * j + 1];
    dict.push_back(low + 256 * high);
  }

  const std::vector<uint16_t> left = reference_values<uint16_t>(array.children[0]);
  const std::vector<Bits> right = reference_values<Bits>(array.children[1]);
  const uint64_t scale = uint64_t{1} << r;  // 2^R
  for (uint64_t i = 0; i < array.length; ++i) {
    // Computed modulo 2^64, then truncated to T bits.
    const auto bits = static_cast<Bits>(left_part(dict, left[i]) * scale + right[i] % scale);
    std::memcpy(out + i * sizeof(Bits), &bits, sizeof(Bits));
  }
}

}  // namespace

void reference(const Array& array, void* out) {
  auto* target = static_cast<std::byte*>(out);
  if (array.type == DType::f64) {
    decode_as<uint64_t>(array, target);
  } else {
    decode_as<uint32_t>(array, target);
  }
}

}  // namespace bobbin::codec::alprd
