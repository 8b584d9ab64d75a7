// SPDX-License-Identifier: Apache-2.0
// Bits of backward streams from shared memory.
#pragma once

#include "codecs/zstd/tile.hpp"

namespace bobbin::zstd {

// A backward stream that one lane reads, always further down. Some of its words are in shared memory and the
// four below them on their way: a lane that waited for each of its loads would hold up its warp.
template <uint32_t kWords>
struct StreamRing {
  static constexpr uint32_t kQuadWords = 4;
  static constexpr uint32_t kQuadBits = 32 * kQuadWords;
  static constexpr uint32_t kQuads = kWords / kQuadWords;
  // Bits that can be read below a position. The word that the position is in may be read as well.
  static constexpr uint32_t kMostBelow = kQuadBits * (kQuads - 1) - 32;
  using Words = simt::Shared<uint32_t, kWords * simt::kWarpSize>;  // word w of a lane is in the lane's bank

  Global<const uint32_t> from{};
  uint32_t skew = 0;   // words from an address that is a multiple of 16 to the first
  uint32_t whole = 0;  // quads below this one end in the frame
  uint32_t low = 0;    // the lowest quad in the ring
  Quad next{};         // the one below

  StreamRing() = default;
  BOBBIN_HD explicit StreamRing(Global<const uint32_t> words)
      : from(words),
        skew(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(words.data) / 4 % kQuadWords)),
        whole((skew + static_cast<uint32_t>(words.size)) / kQuadWords) {}

  // What is added to a bit's number from the first word on, before it is given to the functions below.
  [[nodiscard]] BOBBIN_HD uint32_t bits_before() const { return 32 * skew; }

  // The first read will be just below `bit`.
  template <class Cta>
  BOBBIN_HD void start(Cta& cta, Words& ring, uint32_t bit) {
    low = bit / kQuadBits + 1;
    next = load(cta, low - 1);
    for (uint32_t q = 0; q < kQuads && low != 0; ++q) {
      step_down(cta, ring);
    }
  }

  // Has the `count` bits below `bit` in the ring: at most kMostBelow, and at most 128 lower than in the call
  // before.
  template <class Cta>
  BOBBIN_HD void reach(Cta& cta, Words& ring, uint32_t bit, uint32_t count) {
    const uint32_t lowest = bit < count ? 0 : bit - count;
    if (lowest / kQuadBits < low) {
      step_down(cta, ring);
    }
  }
  // 32 bits from `bit` on.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t bits_at(Cta& cta, const Words& ring, uint32_t bit) {
    return funnel(word(cta, ring, bit / 32), word(cta, ring, bit / 32 + 1), bit % 32);
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t word(Cta& cta, const Words& ring, uint32_t word) {
    return cta.load(ring, place(cta, word));
  }
  // The 32 bits below `bit`, which is not below 32.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t below(Cta& cta, Words& ring, uint32_t bit) {
    reach(cta, ring, bit, 32);
    return bits_at(cta, ring, bit - 32);
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t place(Cta& cta, uint32_t word) {
    return word % kWords * simt::kWarpSize + cta.lane();
  }
  template <class Cta>
  BOBBIN_HD void step_down(Cta& cta, Words& ring) {
    --low;
    const uint32_t first = place(cta, kQuadWords * low);  // quads do not cross the ring's end
    BOBBIN_UNROLL
    for (uint32_t w = 0; w < kQuadWords; ++w) {
      cta.store(ring, first + w * simt::kWarpSize, next.word[w]);
    }
    next = load(cta, low == 0 ? 0 : low - 1);
  }
  // Words outside of the frame are replaced: a sound stream's bits are not among them.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Quad load(Cta& cta, uint32_t quad) const {
    const uint32_t first = quad * kQuadWords;
    if (quad != 0 && quad < whole) {
      const Global<const Quad> quads{reinterpret_cast<const Quad*>(from.data - skew), whole};
      return cta.load(quads, quad);
    }
    Quad words;
    BOBBIN_UNROLL
    for (uint32_t w = 0; w < kQuadWords; ++w) {
      const uint32_t at = first + w < skew ? 0 : first + w - skew;
      words.word[w] = cta.load(from, at < from.size ? at : from.size - 1);
    }
    return words;
  }
};

}  // namespace bobbin::zstd
