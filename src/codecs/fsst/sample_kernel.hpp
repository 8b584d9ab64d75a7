// SPDX-License-Identifier: Apache-2.0
// What the encoder needs first: a sample of the strings, and the first string of each tile.
#pragma once

#include <cstdint>

#include "codecs/fsst/tile.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::fsst {

// Offsets of strings on the device, of either width.
struct DeviceOffsets {
  Global<const uint32_t> narrow;
  Global<const uint64_t> wide;
  uint64_t base;  // the first one
  uint64_t length;

  // Where string i begins, relative to the first; its end for i = `length`.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint64_t at(Cta& cta, uint64_t i) const {
    return (wide.data != nullptr ? cta.load(wide, i) : cta.load(narrow, i)) - base;
  }
  // The first string that begins at or after `position`; `length` if there is none.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint64_t first_from(Cta& cta, uint64_t position) const {
    uint64_t low = 0;
    for (uint64_t high = length; low < high;) {
      const uint64_t middle = low + (high - low) / 2;
      if (at(cta, middle) < position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

// Copies the bytes of a sample, and marks those where a string begins.
struct SampleKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  DeviceOffsets offsets;
  Global<const uint8_t> bytes;
  Global<const uint64_t> windows;  // where each begins
  uint32_t window_bytes;
  Global<uint8_t> sample;
  Global<uint8_t> begins;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i >= sample.size) {
      return;
    }
    const uint64_t position = cta.load(windows, i / window_bytes) + i % window_bytes;
    cta.store(sample, i, cta.load(bytes, position));
    const uint64_t string = offsets.first_from(cta, position);
    const bool begin = string < offsets.length && offsets.at(cta, string) == position;
    cta.store(begins, i, static_cast<uint8_t>(begin ? 1 : 0));
  }
};

// For each tile, finds the first string that begins in or after it.
struct LocateKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  DeviceOffsets offsets;
  uint32_t tile_bytes;
  Global<uint64_t> firsts;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t tile = uint64_t{cta.block()} * kThreads + cta.thread();
    if (tile < firsts.size) {
      cta.store(firsts, tile, offsets.first_from(cta, tile * tile_bytes));
    }
  }
};

}  // namespace bobbin::codec::fsst
