// SPDX-License-Identifier: Apache-2.0
// Flips all bits of decoded words, in registers.
//
// value = ~flipped. A thread takes one word of 16 bytes. Shared memory: none. Preconditions: none.
#pragma once

#include <cstdint>

#include "simt/cta.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::codec::toy {

template <class T>
BOBBIN_HD simt::Quad flip(const simt::Quad& quad) {
  return simt::quad_of<T>([&](uint32_t i) { return static_cast<T>(~simt::value_of_quad<T>(quad, i)); });
}

}  // namespace bobbin::codec::toy
