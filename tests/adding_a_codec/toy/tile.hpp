// SPDX-License-Identifier: Apache-2.0
// Flips all bits of decoded words, in place.
//
// value = ~flipped. A block takes 256 words of 16 bytes, one per thread; values after the last whole word are
// processed one by one. Shared memory: none. Preconditions: only the sizes. Cost: each value is read and
// written once.
#pragma once

#include <cstdint>

#include "simt/cta.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::codec::toy {

template <class T>
struct FlipKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  simt::Global<T> values;
  simt::Global<simt::Quad> quads;  // of the values

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t q = uint64_t{cta.block()} * kThreads + cta.thread();
    if (q < quads.size) {
      const simt::Quad quad = cta.load(quads, q);
      cta.store(quads, q, simt::quad_of<T>([&](uint32_t i) {
                  return static_cast<T>(~simt::value_of_quad<T>(quad, i));
                }));
    }
    const uint64_t rest = quads.size * simt::kPerQuad<T> + cta.thread();
    if (cta.block() == 0 && rest < values.size) {
      cta.store(values, rest, static_cast<T>(~cta.load(values, rest)));
    }
  }
};

}  // namespace bobbin::codec::toy
