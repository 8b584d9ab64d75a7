// SPDX-License-Identifier: Apache-2.0
// Views of an array in device memory, raw or compressed: a kernel that is a template over its view reads any
// of them unchanged. Each warp expands what it needs, in registers.
//
//   Shared                              what a warp needs of shared memory
//   num_groups()                        groups of 4 KiB, the last one may be partial
//   read(cta, shared, group, f)         calls f(index, quad, count) for each 16 bytes of the group that this
//                                       lane has: `count` values from `index` on. The warp works together, f
//                                       does not.
//   get(cta, index)                     one value, by one thread
#pragma once

#include <cstdint>

#include "codecs/line/tile.hpp"
#include "core/bits.hpp"
#include "simt/cta.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::assist {

using simt::Global;
using simt::kPerQuad;
using simt::Quad;

inline constexpr uint32_t kLineBytes = 128;
inline constexpr uint32_t kGroupBytes = kLineBytes * simt::kWarpSize;

// Passes on what of a quad is inside an array.
template <class T, class F>
BOBBIN_HD void pass_on(uint64_t index, const Quad& quad, uint64_t length, F&& f) {
  if (index + kPerQuad<T> <= length) {
    f(index, quad, kPerQuad<T>);
  } else if (index < length) {
    f(index, quad, static_cast<uint32_t>(length - index));
  }
}

// Passes on this lane's part of a line of a group.
template <class T, class F>
BOBBIN_HD void pass_line(uint32_t lane, uint64_t group, uint32_t line, const Quad& quad, uint64_t length,
                         F&& f) {
  const uint64_t at = line * kLineBytes + lane % (kLineBytes / sizeof(Quad)) * sizeof(Quad);
  pass_on<T>(group * (kGroupBytes / sizeof(T)) + at / sizeof(T), quad, length, f);
}

template <class T>
struct RawView {
  using Value = T;
  using Shared = simt::NoShared;

  Global<const T> values;  // aligned to 16 bytes

  [[nodiscard]] BOBBIN_HD uint64_t length() const { return values.size; }
  [[nodiscard]] BOBBIN_HD uint64_t num_groups() const {
    return ceil_div<uint64_t>(values.size * sizeof(T), kGroupBytes);
  }

  template <class Cta, class F>
  BOBBIN_HD void read(Cta& cta, Shared& /*shared*/, uint64_t group, F&& f) const {
    constexpr uint32_t kQuads = kGroupBytes / sizeof(Quad) / simt::kWarpSize;
    const uint64_t first = group * (kGroupBytes / sizeof(T)) + cta.lane() * kPerQuad<T>;
    Quad quads[kQuads];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kQuads; ++i) {
      quads[i] = quad_at(cta, first + i * simt::kWarpSize * kPerQuad<T>);
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kQuads; ++i) {
      pass_on<T>(first + i * simt::kWarpSize * kPerQuad<T>, quads[i], values.size, f);
    }
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T get(Cta& cta, uint64_t index) const {
    return cta.load(values, index);
  }

  // The quad that begins with a value at a multiple of kPerQuad; values past the end are zeros.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Quad quad_at(Cta& cta, uint64_t index) const {
    if (index + kPerQuad<T> <= values.size) {
      const Global<const Quad> quads{reinterpret_cast<const Quad*>(values.data), values.size / kPerQuad<T>};
      return cta.load(quads, index / kPerQuad<T>);
    }
    return simt::quad_of<T>(
        [&](uint32_t i) { return index + i < values.size ? cta.load(values, index + i) : T{0}; });
  }
};

// Lines in tiles: the codec's array.
template <class T>
struct TileView {
  using Value = T;
  using Reader = codec::line::TileReader<kLineBytes>;
  using Shared = typename Reader::Jobs;

  Reader lines;
  uint64_t num_values;

  [[nodiscard]] BOBBIN_HD uint64_t length() const { return num_values; }
  [[nodiscard]] BOBBIN_HD uint64_t num_groups() const {
    return ceil_div<uint64_t>(num_values * sizeof(T), kGroupBytes);
  }

  template <class Cta, class F>
  BOBBIN_HD void read(Cta& cta, Shared& shared, uint64_t group, F&& f) const {
    lines.for_each_part(cta, shared, group, [&](uint32_t line, const Quad& quad) {
      pass_line<T>(cta.lane(), group, line, quad, num_values, f);
    });
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T get(Cta& cta, uint64_t index) const {
    const uint64_t at = index * sizeof(T);
    const uint64_t line = at / kLineBytes;
    const uint64_t tile = line / lines.tile_lines;
    const uint32_t code = cta.load(lines.codes, line);
    uint64_t word = uint64_t{cta.load(lines.starts, tile)} * codec::line::kPartWords;
    for (uint32_t i = 0; i < lines.tile_lines; ++i) {
      const uint64_t other = tile * lines.tile_lines + i;
      const uint32_t its_code = cta.load(lines.codes, other);
      const bool before = its_code < code || (its_code == code && other < line);
      word += before ? codec::line::image_bytes(its_code, kLineBytes) / 4 : 0;
    }
    return simt::value_of_quad<T>(
        codec::line::load_part<kLineBytes>(cta, lines.images, word, code,
                                           static_cast<uint32_t>(at % kLineBytes / sizeof(Quad))),
        static_cast<uint32_t>(index % kPerQuad<T>));
  }
};

// Lines in slots of 128 bytes.
template <class T>
struct SlotView {
  using Value = T;
  using Reader = codec::line::LineReader<kLineBytes>;
  using Shared = simt::NoShared;

  Reader slots;
  Global<const uint8_t> codes;
  uint64_t num_values;

  [[nodiscard]] BOBBIN_HD uint64_t length() const { return num_values; }
  [[nodiscard]] BOBBIN_HD uint64_t num_groups() const {
    return ceil_div<uint64_t>(num_values * sizeof(T), kGroupBytes);
  }

  template <class Cta, class F>
  BOBBIN_HD void read(Cta& cta, Shared& /*shared*/, uint64_t group, F&& f) const {
    const uint64_t line = group * simt::kWarpSize + cta.lane();
    const uint32_t code = line < codes.size ? cta.load(codes, line) : codec::line::kZeros;
    const auto word_of = [&](uint32_t i) { return (group * simt::kWarpSize + i) * (kLineBytes / 4); };
    const auto pass = [&](uint32_t i, const Quad& quad) {
      pass_line<T>(cta.lane(), group, i, quad, num_values, f);
    };
    if (cta.all(code == cta.shfl(code, 0))) {
      codec::line::with_code(code, [&](auto same) {
        codec::line::expand_alike<kLineBytes>(cta, slots.images, same, word_of, pass);
      });
      return;
    }
    for (uint32_t step = 0; step < Reader::kParts; ++step) {
      const uint32_t i = step * Reader::kStepLines + cta.lane() / Reader::kParts;
      const uint32_t its_code = cta.shfl(code, i);
      pass(i, codec::line::load_part<kLineBytes>(cta, slots.images, word_of(i), its_code,
                                                 cta.lane() % Reader::kParts));
    }
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T get(Cta& cta, uint64_t index) const {
    const uint64_t at = index * sizeof(T);
    const uint64_t line = at / kLineBytes;
    return simt::value_of_quad<T>(
        codec::line::load_part<kLineBytes>(cta, slots.images, line * (kLineBytes / 4), cta.load(codes, line),
                                           static_cast<uint32_t>(at % kLineBytes / sizeof(Quad))),
        static_cast<uint32_t>(index % kPerQuad<T>));
  }
};

}  // namespace bobbin::assist
