// SPDX-License-Identifier: Apache-2.0
// The frame of a vector: where its words are, how wide its values are, and what is added to them. Kernels
// that are compiled at run time include this header, so it needs nothing of the host.
#pragma once

#include <cstdint>

#include "codecs/bitpack/tile.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::ffor {

using bitpack::Frame;
using simt::Global;
using simt::Quad;

// Where a vector's registers start, and its width: the u32 of `entries`.
struct Entry {
  uint32_t bits = 0;

  BOBBIN_HD static constexpr Entry of(uint32_t first_register, uint32_t width) {
    return {first_register << 7 | width};
  }
  [[nodiscard]] BOBBIN_HD constexpr uint32_t width() const { return bits & 127; }
  [[nodiscard]] BOBBIN_HD constexpr uint64_t first_register() const { return bits >> 7; }
};

// The places of vectors with frames of their own.
template <class T>
struct FrameSource {
  using Finish = bitpack::AsIs;

  Global<const Quad> packed;
  Global<const uint32_t> entries;
  Global<const T> references;
  bitpack::NoPatches patches{};

  template <class Cta>
  [[nodiscard]] BOBBIN_HD bitpack::AsIs finish(Cta& /*cta*/, uint64_t /*v*/) const {
    return {};
  }
  template <class Cta>
  BOBBIN_HD Frame<T> frame(Cta& cta, uint64_t v) const {
    const Entry entry{cta.load(entries, v)};
    return {.first_register = entry.first_register(),
            .width = entry.width(),
            .reference = cta.load(references, v)};
  }
};

}  // namespace bobbin::codec::ffor
