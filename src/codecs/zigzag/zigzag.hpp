// SPDX-License-Identifier: Apache-2.0
// Signed integers as unsigned ones, small if the magnitude is: see spec.md.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"
#include "codecs/zigzag/stage.hpp"

namespace bobbin::codec::zigzag {

// The unsigned type of the same size.
[[nodiscard]] constexpr DType code_type(DType type) {
  return static_cast<DType>(static_cast<uint8_t>(type) - static_cast<uint8_t>(DType::i8) +
                            static_cast<uint8_t>(DType::u8));
}

}  // namespace bobbin::codec::zigzag
