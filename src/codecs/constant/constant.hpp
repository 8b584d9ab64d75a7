// SPDX-License-Identifier: Apache-2.0
// One value for all rows, only for values that are all equal: see spec.md.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "codecs/codec.hpp"

namespace bobbin::codec::constant {

[[nodiscard]] inline Scalar constant_of(const Array& array) {
  Scalar value;
  std::memcpy(&value.bits, array.metadata.data(), sizeof value.bits);
  return value;
}

}  // namespace bobbin::codec::constant
