// SPDX-License-Identifier: Apache-2.0
// Bits of backward streams in shared memory, for chains.
#pragma once

#include "codecs/zstd/tile.hpp"

namespace bobbin::zstd {

// A backward stream that one lane reads, always further down. Four sectors of 32 bytes are in shared memory,
// and the one below them is on its way in registers. All lanes of a warp wait for a load as soon as one of
// them uses what it loaded, so lanes step down at the same time, and long after they loaded.
struct SectorRing {
  static constexpr uint32_t kQuads = 2;  // of a sector
  static constexpr uint32_t kSectorWords = 8;
  static constexpr int32_t kSectorBits = 256;
  static constexpr int32_t kSectors = 4;
  static constexpr uint32_t kRows = kSectors * kSectorWords;
  // Row w has word w of each lane, in the lane's bank. Two more rows repeat the first two: the words that
  // follow the last one.
  static constexpr uint32_t kRepeated = 2;
  using Words = simt::Shared<uint32_t, (kRows + kRepeated) * simt::kWarpSize>;

  struct Sector {
    Quad quad[kQuads];
  };

  Global<const uint32_t> from{};
  uint32_t skew = 0;   // words from an address that is a multiple of 32 to the first
  uint32_t first = 0;  // the sector from which bits are counted; sectors count from that address
  uint32_t inner = 0;  // sectors 1 to this one are inside of the frame
  int32_t low = 0;     // the lowest sector in the ring, counted from the first
  Sector next{};       // the one below

  // Bits are counted from the sector that has byte `begin`.
  BOBBIN_HD SectorRing(const FrameBytes& bytes, uint32_t begin)
      : from(bytes.words),
        skew(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from.data) / 4 % kSectorWords)),
        first((skew + (bytes.skew + begin) / 4) / kSectorWords) {
    const uint32_t whole = (skew + static_cast<uint32_t>(from.size)) / kSectorWords;
    inner = whole == 0 ? 0 : whole - 1;
  }

  // The number of the frame's first bit; it may be below 0.
  [[nodiscard]] BOBBIN_HD uint32_t frame_bit() const { return 32 * skew - kSectorBits * first; }

  // The first reads will be at `bit` or below.
  template <class Cta>
  BOBBIN_HD void start(Cta& cta, Words& ring, int32_t bit) {
    low = (bit + 32) / kSectorBits - (kSectors - 1);
    Sector sectors[kSectors];
    BOBBIN_UNROLL
    for (int32_t s = 0; s < kSectors; ++s) {
      sectors[s] = load(cta, low + s);
    }
    BOBBIN_UNROLL
    for (int32_t s = 0; s < kSectors; ++s) {
      put(cta, ring, low + s, sectors[s]);
    }
    next = load(cta, low - 1);
  }

  // Whether a sector can be replaced that reads at `bit` or below do not use.
  [[nodiscard]] BOBBIN_HD bool has_room(int32_t bit) const { return bit < (low + 2) * kSectorBits; }
  [[nodiscard]] BOBBIN_HD bool reaches(int32_t bit) const { return bit >= low * kSectorBits; }

  template <class Cta>
  BOBBIN_HD void step_down(Cta& cta, Words& ring) {
    put(cta, ring, --low, next);
    next = load(cta, low - 1);
  }

  // 64 bits from `bit` on.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t window(Cta& cta, const Words& ring, int32_t bit) {
    const uint32_t at = row(static_cast<uint32_t>(bit)) + cta.lane();
    const uint32_t middle = cta.load(ring, at + simt::kWarpSize);
    const uint32_t shift = static_cast<uint32_t>(bit) % 32;
    return funnel(cta.load(ring, at), middle, shift) |
           uint64_t{funnel(middle, cta.load(ring, at + 2 * simt::kWarpSize), shift)} << 32;
  }

 private:
  // Where the row of a bit begins: 32 bits are a word, and 32 words a row.
  [[nodiscard]] BOBBIN_HD static uint32_t row(uint32_t bit) {
    static_assert(simt::kWarpSize == 32);
    return bit & (32 * kRows - 32);
  }

  template <class Cta>
  BOBBIN_HD static void put(Cta& cta, Words& ring, int32_t sector, const Sector& words) {
    const uint32_t at = row(static_cast<uint32_t>(sector * kSectorBits)) | cta.lane();
    BOBBIN_UNROLL
    for (uint32_t w = 0; w < kSectorWords; ++w) {
      cta.store(ring, at + w * simt::kWarpSize, words.quad[w / 4].word[w % 4]);
    }
    if (sector % kSectors == 0) {
      BOBBIN_UNROLL
      for (uint32_t w = 0; w < kRepeated; ++w) {
        cta.store(ring, at + (kRows + w) * simt::kWarpSize, words.quad[0].word[w]);
      }
    }
  }

  // Words outside of the frame are replaced: a sound stream's bits are not among them.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Sector load(Cta& cta, int32_t sector) const {
    const uint32_t number = first + static_cast<uint32_t>(sector);
    Sector words;
    if (number - 1 < inner) {
      const Global<const Quad> quads{reinterpret_cast<const Quad*>(from.data - skew),
                                     kQuads * (uint64_t{inner} + 1)};
      BOBBIN_UNROLL
      for (uint32_t q = 0; q < kQuads; ++q) {
        words.quad[q] = cta.load(quads, kQuads * number + q);
      }
      return words;
    }
    BOBBIN_UNROLL
    for (uint32_t w = 0; w < kSectorWords; ++w) {
      const uint32_t at = number * kSectorWords + w - skew;
      words.quad[w / 4].word[w % 4] = cta.load(from, at < from.size ? at : from.size - 1);
    }
    return words;
  }
};

}  // namespace bobbin::zstd
