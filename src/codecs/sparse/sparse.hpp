// SPDX-License-Identifier: Apache-2.0
// One fill value except for some rows: see spec.md. For up to 2^32 - 1 values. The children of a split are
// the positions and values of the exceptions. A slice decodes only its own exceptions.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "codecs/codec.hpp"

namespace bobbin::codec::sparse {

[[nodiscard]] inline Scalar fill_of(const Array& array) {
  Scalar fill;
  std::memcpy(&fill.bits, array.metadata.data(), sizeof fill.bits);
  return fill;
}

}  // namespace bobbin::codec::sparse
