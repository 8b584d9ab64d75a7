// SPDX-License-Identifier: Apache-2.0
// Checksums of frames (XXH64), four lanes per frame as it has four accumulators; and the results.
#pragma once

#include "codecs/zstd/tile.hpp"

namespace bobbin::zstd {

struct ResultKernel {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kLanes = 4;
  using Shared = simt::NoShared;

  Slice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t i = (cta.block() * kThreads + cta.thread()) / kLanes;
    const bool exists = i < slice.frames.size;
    FrameInfo info{};
    ByteWords<const uint32_t> content{};
    bool check = false;
    if (exists) {
      info = cta.load(slice.infos, i);
      info.verdict = cta.load(slice.verdicts, i);
      content = ByteWords<const uint32_t>::of(slice.frame(cta, i).out, info.bytes);
      check = info.verdict == 0 && info.has_checksum != 0 && slice.verify_checksums;
    }
    const uint64_t sum = hash<16>(cta, content, check ? info.bytes : 0);
    if (!exists || cta.lane() % kLanes != 0) {
      return;
    }
    if (check && static_cast<uint32_t>(sum) != info.checksum) {
      info.verdict = static_cast<uint32_t>(Verdict::corrupt);
    }
    cta.store(slice.results, i,
              FrameResult{.bytes = info.verdict == 0 ? info.bytes : 0,
                          .verdict = static_cast<Verdict>(info.verdict),
                          .reserved = 0});
  }

  // All lanes of a warp take part; the first of each group of four gets the hash of the group's content.
  // Loads of kAhead steps are on their way at a time.
  template <uint32_t kAhead, class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t hash(Cta& cta, const ByteWords<const uint32_t>& content,
                                               uint32_t size) {
    const uint32_t part = cta.lane() % kLanes;
    uint64_t sum = part == 0 ? kPrime1 + kPrime2 : part == 1 ? kPrime2 : part == 2 ? 0 : 0 - kPrime1;
    sum = add_stripes<kAhead>(cta, content, size / kStripe, 8 * part, sum);
    uint64_t sums[kLanes];
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kLanes; ++k) {
      sums[k] = cta.shfl(sum, cta.lane() - part + k);
    }
    uint64_t all = rotate(sums[0], 1) + rotate(sums[1], 7) + rotate(sums[2], 12) + rotate(sums[3], 18);
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kLanes; ++k) {
      all = (all ^ step(0, sums[k])) * kPrime1 + kPrime4;
    }
    all = (size >= kStripe ? all : kPrime5) + size;
    return part == 0 ? finish(cta, content, size, size / kStripe * kStripe, all) : 0;
  }

 private:
  static constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
  static constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
  static constexpr uint64_t kPrime3 = 0x165667B19E3779F9;
  static constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
  static constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;
  static constexpr uint32_t kStripe = 32;

  // Loads are ahead of the sums, which would wait for each of them.
  template <uint32_t kAhead, class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t add_stripes(Cta& cta, const ByteWords<const uint32_t>& content,
                                                      uint32_t stripes, uint32_t first, uint64_t sum) {
    uint64_t ahead[kAhead] = {};
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kAhead; ++k) {
      ahead[k] = k < stripes ? load64(cta, content, first + k * kStripe) : 0;
    }
    for (uint32_t s = 0; s < stripes; s += kAhead) {
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kAhead; ++k) {
        const uint32_t next = s + kAhead + k;
        sum = s + k < stripes ? step(sum, ahead[k]) : sum;
        ahead[k] = next < stripes ? load64(cta, content, first + next * kStripe) : 0;
      }
    }
    return sum;
  }

  [[nodiscard]] BOBBIN_HD static uint64_t rotate(uint64_t v, uint32_t by) { return v << by | v >> (64 - by); }
  [[nodiscard]] BOBBIN_HD static uint64_t step(uint64_t sum, uint64_t input) {
    return rotate(sum + input * kPrime2, 31) * kPrime1;
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t load64(Cta& cta, const ByteWords<const uint32_t>& content,
                                                 uint32_t at) {
    return content.word(cta, at) | uint64_t{content.word(cta, at + 4)} << 32;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t finish(Cta& cta, const ByteWords<const uint32_t>& content,
                                                 uint32_t size, uint32_t at, uint64_t sum) {
    for (; size - at >= 8; at += 8) {
      sum = rotate(sum ^ step(0, load64(cta, content, at)), 27) * kPrime1 + kPrime4;
    }
    if (size - at >= 4) {
      sum = rotate(sum ^ content.word(cta, at) * kPrime1, 23) * kPrime2 + kPrime3;
      at += 4;
    }
    for (; at < size; ++at) {
      sum = rotate(sum ^ content.byte(cta, at) * kPrime5, 11) * kPrime1;
    }
    sum = (sum ^ sum >> 33) * kPrime2;
    sum = (sum ^ sum >> 29) * kPrime3;
    return sum ^ sum >> 32;
  }
};

}  // namespace bobbin::zstd
