// SPDX-License-Identifier: Apache-2.0
// Differences of neighbouring values as an array of any codec, and the value before each vector: see spec.md.
#pragma once

#include "codecs/codec.hpp"

namespace bobbin::codec::diff {

[[nodiscard]] inline const Array& differences_of(const Array& array) {
  return array.children[0];
}
[[nodiscard]] inline const Array& starts_of(const Array& array) {
  return array.children[1];
}

}  // namespace bobbin::codec::diff
