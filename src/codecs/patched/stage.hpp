// SPDX-License-Identifier: Apache-2.0
// The patches of a vector, and how threads share them. Kernels that are compiled at run time include this
// header, so it needs nothing of the host. tile.hpp says how the patches of a vector are dealt to threads.
#pragma once

#include <cstdint>

#include "codecs/bitpack/tile.hpp"
#include "codecs/ffor/stage.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::patched {

enum class PatchLayout : uint8_t { lanes = 0, sorted = 1 };

// A row of a packed vector is cut into pieces of 16 bytes, one lane each: the thread that unpacks a lane
// applies its patches.
inline constexpr uint32_t kPatchLanes = 8;
inline constexpr uint32_t kMostInLane = kVectorLength / kPatchLanes;
inline constexpr uint32_t kUnitBytes = 8;  // unit of `starts`, by lanes

// A chunk's block of lanes: counts, indices, values.
struct Block {
  static constexpr uint32_t kIndices = kPatchLanes;  // where indices begin

  [[nodiscard]] BOBBIN_HD static constexpr uint32_t values(uint32_t patches, uint32_t size) {
    return round_up(kIndices + 2 * patches, size);
  }
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t units(uint32_t patches, uint32_t size) {
    return patches == 0 ? 0 : ceil_div(values(patches, size) + patches * size, kUnitBytes);
  }
};

using bitpack::kSlices;
using simt::Global;
using simt::Quad;
static_assert(kSlices == kPatchLanes);

// Each byte is at most 128, so sums need 16 bits.
[[nodiscard]] BOBBIN_HD constexpr uint32_t sum_of_bytes(uint64_t bytes) {
  constexpr uint64_t kEven = 0x00ff00ff00ff00ff;
  const uint64_t pairs = (bytes & kEven) + (bytes >> 8 & kEven);
  return static_cast<uint32_t>(pairs * 0x0001000100010001 >> 48);
}

// The patches of vectors; see bitpack::NoPatches.
template <class T, uint32_t kAhead = sizeof(T) < 4 ? 8 : 4>
struct PatchSource {
  using Value = T;

  // The patches of one thread: `count` of them, every `step`th. kAhead are loaded in advance, while it
  // unpacks: the fewer threads share a vector, the more patches each has.
  struct Run {
    uint64_t index = 0;  // where the first one's index is, in u16s
    uint64_t value = 0;  // where its value is, in values
    uint32_t count = 0;
    uint32_t step = 1;
    uint16_t indices[kAhead] = {};
    T values[kAhead] = {};
  };

  PatchLayout layout = PatchLayout::sorted;
  Global<const uint32_t> starts;
  Global<const uint64_t> counts;   // by lanes: the blocks
  Global<const uint16_t> indices;  // by lanes: the blocks too
  Global<const T> values;          // by lanes: the blocks too

  [[nodiscard]] BOBBIN_HD bool none() const { return starts.data == nullptr; }

  // The patches that thread `place` of `places` applies to vector v: find() locates them, load_ahead() loads
  // the first.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Run find(Cta& cta, uint64_t v, uint32_t place, uint32_t places) const {
    if (none()) {
      return {};
    }
    return layout == PatchLayout::sorted
               ? dealt_run(cta, v, place, places)
               : lane_run(cta, v, place % kSlices, place / kSlices, places / kSlices);
  }
  template <class Cta>
  BOBBIN_HD void load_ahead(Cta& cta, Run& run) const {
    load_from(cta, run, 0);
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Run run(Cta& cta, uint64_t v, uint32_t place, uint32_t places) const {
    Run run = find(cta, v, place, places);
    load_ahead(cta, run);
    return run;
  }

  // The place of all patches of vector v, or by lanes those of one lane, without loading them.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Run range(Cta& cta, uint64_t v, uint32_t lane) const {
    return layout == PatchLayout::sorted ? dealt_run(cta, v, 0, 1) : lane_run(cta, v, lane, 0, 1);
  }

  // Calls write(index, value) for each patch of a run.
  template <class Cta, class Write>
  BOBBIN_HD void apply(Cta& cta, Run run, Write&& write) const {
    for (uint32_t first = 0; first < run.count; first += kAhead) {
      if (first != 0) {
        load_from(cta, run, first);
      }
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAhead; ++i) {
        if (first + i < run.count) {
          write(run.indices[i], run.values[i]);
        }
      }
    }
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Run dealt_run(Cta& cta, uint64_t v, uint32_t place, uint32_t places) const {
    const uint64_t start = cta.load(starts, v);
    const auto size = static_cast<uint32_t>(cta.load(starts, v + 1) - start);
    return {.index = start + place,
            .value = start + place,
            .count = (size + places - 1 - place) / places,
            .step = places};
  }
  // Every `parts`th patch of a lane, from the `part`th on.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Run lane_run(Cta& cta, uint64_t v, uint32_t slice, uint32_t part,
                                       uint32_t parts) const {
    const uint64_t start = cta.load(starts, v);
    const uint64_t in_lanes = cta.load(starts, v + 1) == start ? 0 : cta.load(counts, start);
    const uint32_t before = sum_of_bytes(in_lanes & ((uint64_t{1} << (8 * slice)) - 1)) + part;
    const uint32_t values_at = Block::values(sum_of_bytes(in_lanes), sizeof(T));
    const auto in_lane = static_cast<uint32_t>(in_lanes >> (8 * slice) & 0xff);
    return {.index = (start * kUnitBytes + Block::kIndices) / sizeof(uint16_t) + before,
            .value = (start * kUnitBytes + values_at) / sizeof(T) + before,
            .count = (in_lane + parts - 1 - part) / parts,
            .step = parts};
  }

  // Loads patches first .. first + kAhead - 1 of a run, as far as they exist.
  template <class Cta>
  BOBBIN_HD void load_from(Cta& cta, Run& run, uint32_t first) const {
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kAhead; ++i) {
      if (first + i < run.count) {
        const uint64_t at = uint64_t{first + i} * run.step;
        run.indices[i] = cta.load(indices, run.index + at);
        run.values[i] = cta.load(values, run.value + at);
      }
    }
  }
};

// The places of vectors with either kind of frame: all of one width, or each with an entry and a reference.
template <class T>
struct AnyFrames {
  using Finish = bitpack::AsIs;

  Global<const Quad> packed;
  Global<const uint32_t> entries;  // empty: all of one width
  Global<const T> references;
  uint32_t width;

  template <class Cta>
  [[nodiscard]] BOBBIN_HD bitpack::AsIs finish(Cta& /*cta*/, uint64_t /*v*/) const {
    return {};
  }
  template <class Cta>
  BOBBIN_HD bitpack::Frame<T> frame(Cta& cta, uint64_t v) const {
    if (entries.data == nullptr) {
      return {.first_register = v * width, .width = width, .reference = 0};
    }
    return ffor::FrameSource<T>{packed, entries, references}.frame(cta, v);
  }
};

}  // namespace bobbin::codec::patched
