// SPDX-License-Identifier: Apache-2.0
// Views of an array in device memory, raw or compressed: a kernel that is a template over its view reads any
// of them unchanged. Each warp expands what it needs, in registers.
//
//   Shared                              what a warp needs of shared memory
//   num_groups()                        groups of 4 KiB, the last one may be partial
//   header(cta, group)                  what must be known before a group can be read, to be loaded early
//   read(cta, shared, group, header, f) calls f(index, quad, count) for each 16 bytes of the group that this
//                                       lane has: `count` values from `index` on. The warp works together, f
//                                       does not.
//   get(cta, index)                     one value, by one thread
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/line/tile.hpp"
#include "core/bits.hpp"
#include "core/dot_bytes.hpp"
#include "core/permute_bytes.hpp"
#include "simt/cta.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::assist {

using codec::line::LineHeader;
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

// Whether all values of a group are inside an array.
template <class T>
[[nodiscard]] BOBBIN_HD bool is_whole(uint64_t group, uint64_t length) {
  return (group + 1) * (kGroupBytes / sizeof(T)) <= length;
}

// Passes on a part of a group.
template <class T, class F>
BOBBIN_HD void pass_part(uint64_t group, uint32_t part, const Quad& quad, uint64_t length, F&& f) {
  pass_on<T>(group * (kGroupBytes / sizeof(T)) + part * kPerQuad<T>, quad, length, f);
}

// Passes on parts of a group that is inside its array: quads, and what else f takes (packed.hpp).
template <class T, class F>
struct PassWhole {
  uint64_t group;
  F& f;

  template <class Values>
    requires std::is_invocable_v<F&, uint64_t, const Values&, uint32_t>
  BOBBIN_HD void operator()(uint32_t part, const Values& values) const {
    f(group * (kGroupBytes / sizeof(T)) + part * kPerQuad<T>, values, kPerQuad<T>);
  }
};

struct NoHeader {};

template <class T>
struct RawView {
  using Value = T;
  using Shared = simt::NoShared;

  Global<const T> values;  // aligned to 16 bytes

  [[nodiscard]] BOBBIN_HD uint64_t length() const { return values.size; }
  [[nodiscard]] BOBBIN_HD uint64_t num_groups() const {
    return ceil_div<uint64_t>(values.size * sizeof(T), kGroupBytes);
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD NoHeader header(Cta& /*cta*/, uint64_t /*group*/) const {
    return {};
  }
  template <class Cta, class F>
  BOBBIN_HD void read(Cta& cta, Shared& /*shared*/, uint64_t group, const NoHeader& /*header*/, F&& f) const {
    // Four loads under way per thread, and more threads, are faster than eight.
    constexpr uint32_t kAtOnce = 4;
    constexpr uint32_t kStep = simt::kWarpSize * kPerQuad<T>;
    constexpr uint32_t kPerGroup = kGroupBytes / sizeof(T);
    const uint64_t first = group * kPerGroup + cta.lane() * kPerQuad<T>;
    for (uint32_t at = 0; at < kPerGroup; at += kAtOnce * kStep) {
      Quad quads[kAtOnce];
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        quads[i] = quad_at(cta, first + at + i * kStep);
      }
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        pass_on<T>(first + at + i * kStep, quads[i], values.size, f);
      }
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
  // Tiles of values of few bytes have fewer lines than a group: see codec::line::Layout.
  static constexpr bool kTileIsGroup = sizeof(T) >= 4;

  Reader lines;
  uint64_t num_values;

  [[nodiscard]] BOBBIN_HD uint64_t length() const { return num_values; }
  [[nodiscard]] BOBBIN_HD uint64_t num_groups() const {
    return ceil_div<uint64_t>(num_values * sizeof(T), kGroupBytes);
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD LineHeader header(Cta& cta, uint64_t group) const {
    return lines.header(cta, group);
  }
  template <class Cta, class F>
  BOBBIN_HD void read(Cta& cta, Shared& shared, uint64_t group, const LineHeader& header, F&& f) const {
    if (kTileIsGroup && is_whole<T>(group, num_values)) {
      lines.for_each_part(cta, shared, header, PassWhole<T, F>{group, f});
    } else {
      lines.read_mixed(cta, shared, header, [&](uint32_t part, const Quad& quad) {
        pass_part<T>(group, part, quad, num_values, f);
      });
    }
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T get(Cta& cta, uint64_t index) const {
    const uint64_t at = index * sizeof(T);
    const uint64_t line = at / kLineBytes;
    const uint32_t code = cta.load(lines.codes, line);
    const uint64_t start = cta.load(lines.starts, lines.tile_of(line));
    const uint64_t word = start * codec::line::kPartWords + words_before(cta, line, code);
    return codec::line::load_value<T, kLineBytes>(cta, lines.images, word, code,
                                                  static_cast<uint32_t>(at % kLineBytes));
  }

 private:
  // Words of the images that come before a line's in its tile.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t words_before(Cta& cta, uint64_t line, uint32_t code) const {
    const auto in_tile = static_cast<uint32_t>(line & (lines.tile_lines - 1));
    const uint64_t first = line - in_tile;
    const auto words_of = [&](uint32_t its_code, uint32_t i) {
      const bool is_before = its_code < code || (its_code == code && i < in_tile);
      return is_before ? codec::line::image_bytes(its_code, kLineBytes) / 4 : 0;
    };
    uint32_t words = 0;
    if constexpr (kTileIsGroup) {
      const Global<const Quad> quads{reinterpret_cast<const Quad*>(lines.codes.data),
                                     lines.codes.size / sizeof(Quad)};
      const Quad codes[2] = {cta.load(quads, first / sizeof(Quad)),
                             cta.load(quads, first / sizeof(Quad) + 1)};
      uint32_t others = 0;
      uint32_t all = 0;
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 8; ++i) {
        others |= codes[i / 4].word[i % 4] ^ code * kLaneOnes<8>;
        all |= codes[i / 4].word[i % 4];
      }
      if (others == 0) {
        return in_tile * (codec::line::image_bytes(code, kLineBytes) / 4);
      }
      if ((all & 0xf8 * kLaneOnes<8>) == 0) {
        return words_before_key(codes, code << 5 | in_tile) - codec::line::image_bytes(code, kLineBytes) / 4;
      }
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 8; ++i) {
        BOBBIN_ROLL
        for (uint32_t k = 0; k < 4; ++k) {
          words += words_of(codes[i / 4].word[i % 4] >> 8 * k & 0xff, 4 * i + k);
        }
      }
    } else {
      for (uint32_t i = 0; i < lines.tile_lines; ++i) {
        words += words_of(cta.load(lines.codes, first + i), i);
      }
    }
    return words;
  }

  // For codes of three bits, four lines at a time: with the code above its place in a byte, images are in the
  // order of bytes. Includes the line of the key itself.
  [[nodiscard]] BOBBIN_HD static uint32_t words_before_key(const Quad (&codes)[2], uint32_t key) {
    constexpr auto kWords = [](uint32_t its_code) {
      return codec::line::image_bytes(its_code, kLineBytes) / 4;
    };
    constexpr uint32_t kLow = kWords(0) | kWords(1) << 8 | kWords(2) << 16 | kWords(3) << 24;
    constexpr uint32_t kHigh = kWords(4) | kWords(5) << 8 | kWords(6) << 16 | kWords(7) << 24;
    const uint32_t to = key * kLaneOnes<8>;
    uint32_t words = 0;  // multiplied by 128
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t four = codes[i / 4].word[i % 4];
      const uint32_t keys = four << 5 | (0x0302'0100U + 4 * i * kLaneOnes<8>);
      // Selectors of four bits each.
      const uint32_t two = four | four >> 4;
      const uint32_t each = permute_bytes(kLow, kHigh, permute_bytes(two, 0, 0x4420));
      words = dot_bytes(each, lanes_within<8>(keys, 0, to), words);
    }
    return words >> 7;
  }
};

// Lines in slots of 128 bytes.
template <class T>
struct SlotView {
  using Value = T;
  using Reader = codec::line::LineReader<kLineBytes>;
  using Shared = codec::line::TileReader<kLineBytes>::Jobs;

  Reader slots;
  Global<const uint8_t> codes;
  uint64_t num_values;

  [[nodiscard]] BOBBIN_HD uint64_t length() const { return num_values; }
  [[nodiscard]] BOBBIN_HD uint64_t num_groups() const {
    return ceil_div<uint64_t>(num_values * sizeof(T), kGroupBytes);
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD LineHeader header(Cta& cta, uint64_t group) const {
    const uint64_t line = group * simt::kWarpSize + cta.lane();
    if (line >= codes.size) {
      return {};
    }
    return {cta.load(codes, line), line * (kLineBytes / 4)};
  }
  template <class Cta, class F>
  BOBBIN_HD void read(Cta& cta, Shared& shared, uint64_t group, const LineHeader& header, F&& f) const {
    using Pass = PassWhole<T, F>;
    const Pass pass{group, f};
    // To expand two parts per lane takes too many registers: slots are far apart.
    constexpr bool kPacked = codec::line::kTakes<const Pass, codec::line::RepeatedLine>;
    constexpr auto kLanes = kPacked ? codec::line::Lanes::two_parts : codec::line::Lanes::one_part;
    const uint64_t first = group * simt::kWarpSize * (kLineBytes / 4);
    const auto word_of = [&](uint64_t i) { return first + i * (kLineBytes / 4); };
    if (!is_whole<T>(group, num_values)) {
      read_partial(cta, group, header, f);
    } else if (!cta.all(header.code == cta.shfl(header.code, 0)) ||
               !codec::line::with_simple_code(header.code, [&](auto same) {
                 codec::line::expand_alike<kLineBytes, kLanes>(cta, slots.images, same, word_of, pass);
               })) {
      const uint32_t rank = codec::line::place_lines(cta, header.code, kLineBytes, simt::kWarpSize).rank;
      const auto own = codec::line::Job::of(header.word, cta.lane(), header.code);
      codec::line::expand_by_code<kLineBytes>(cta, shared, slots.images, own, rank, pass);
    }
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T get(Cta& cta, uint64_t index) const {
    const uint64_t at = index * sizeof(T);
    const uint64_t line = at / kLineBytes;
    return codec::line::load_value<T, kLineBytes>(cta, slots.images, line * (kLineBytes / 4),
                                                  cta.load(codes, line),
                                                  static_cast<uint32_t>(at % kLineBytes));
  }

 private:
  // In less code: this happens once per array.
  template <class Cta, class F>
  BOBBIN_HD void read_partial(Cta& cta, uint64_t group, const LineHeader& header, F&& f) const {
    for (uint32_t step = 0; step < Reader::kParts; ++step) {
      const uint32_t i = step * Reader::kStepLines + cta.lane() / Reader::kParts;
      const uint32_t its_code = cta.shfl(header.code, i);
      const uint64_t word = (group * simt::kWarpSize + i) * (kLineBytes / 4);
      const uint32_t part = cta.lane() % Reader::kParts;
      const Quad quad = codec::line::load_part<kLineBytes>(cta, slots.images, word, its_code, part);
      pass_part<T>(group, i * Reader::kParts + part, quad, num_values, f);
    }
  }
};

}  // namespace bobbin::assist
