// SPDX-License-Identifier: Apache-2.0
// Integers with every bit flipped: see spec.md.
#pragma once

#include <cstdint>

#include "codecs/codec.hpp"

namespace bobbin::codec::toy {

inline constexpr uint8_t kMetadata = 1;

}  // namespace bobbin::codec::toy
