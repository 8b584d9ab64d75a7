// SPDX-License-Identifier: Apache-2.0
// Tile functions of compressed lines, for this codec's kernels and for compressed memory.
//
// Formula: line.hpp. A line is expanded in parts of 16 bytes, each from a few words of its image.
//
// Shape: a warp works on 32 lines: one tile, or several of values of few bytes. One lane per line finds where
// its image is; then B/16 lanes expand a line together, each a part, so that a step of the warp stores 512
// bytes in a row. Lines are taken in the order of their images: those of one step mostly have the same code.
// To compress, each lane has a whole line in registers: the words of a line need no exchange, and the
// function is the same as on the CPU.
//
// Shared memory: 8 bytes per line to expand; 144 bytes per line of 128 to compress. Preconditions (checked by
// validate): codes are valid, and images lie inside their buffer. Cost per line: its image and one byte read,
// B bytes written; with deltas of 8 bits for 4 bytes about 30 instructions per four lines.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/line/line.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::line {

using simt::Global;
using simt::Quad;

// Where a line's image is, relative to its tile.
struct Place {
  uint32_t rank = 0;        // among the lines of its tile, in the order of images
  uint32_t start = 0;       // in bytes
  uint32_t tile_bytes = 0;  // of all images of the tile
};

// Each lane has the code of one line; tiles of `tile_lines` lanes. The warp works together.
template <class Cta>
[[nodiscard]] BOBBIN_HD Place place_lines(Cta& cta, uint32_t code, uint32_t line_bytes, uint32_t tile_lines) {
  const uint32_t tile = (~uint32_t{0} >> (simt::kWarpSize - tile_lines))
                        << cta.lane() / tile_lines * tile_lines;
  const uint32_t below = (uint32_t{1} << cta.lane()) - 1;
  Place place;
  uint32_t ranks = 0;
  for (uint32_t done = 0; done != ~uint32_t{0};) {
    const bool is_done = (done >> cta.lane() & 1) != 0;
    const uint32_t least = cta.reduce_min(is_done ? uint32_t{0xffff} : code);
    const uint32_t same = cta.ballot(code == least);
    const uint32_t bytes = image_bytes(least, line_bytes);
    if (code == least) {
      place.rank = ranks + count_ones(same & tile & below);
      place.start = place.tile_bytes + count_ones(same & tile & below) * bytes;
    }
    ranks += count_ones(same & tile);
    place.tile_bytes += count_ones(same & tile) * bytes;
    done |= same;
  }
  return place;
}

// A line to expand, as one word.
struct Job {
  uint64_t bits = 0;

  BOBBIN_HD static Job of(uint64_t first_word, uint32_t line, uint32_t code) {
    return {first_word << 16 | line << 8 | code};
  }
  [[nodiscard]] BOBBIN_HD uint64_t first_word() const { return bits >> 16; }
  [[nodiscard]] BOBBIN_HD uint32_t line() const { return static_cast<uint32_t>(bits >> 8) & 0xff; }
  [[nodiscard]] BOBBIN_HD uint32_t code() const { return static_cast<uint32_t>(bits) & 0xff; }
};

// A code of BDI whose width is known only at run time.
template <uint32_t kLog>
struct WidthCode {
  static constexpr uint32_t kValueLog = kLog;
  uint32_t width;
};
template <class Code>
inline constexpr bool kIsWidth = requires { Code::kValueLog; };

// Images in device memory, which may change only if they are not const.
template <class Cta, class Word>
[[nodiscard]] BOBBIN_HD uint32_t image_word(Cta& cta, Global<Word> images, uint64_t first, uint32_t i) {
  return cta.load(Global<Word>{images.data + first, images.size - first}, i);
}
template <class Cta, class Word>
[[nodiscard]] BOBBIN_HD Quad image_quad(Cta& cta, Global<Word> images, uint64_t first, uint32_t i) {
  using Like = std::conditional_t<std::is_const_v<Word>, const Quad, Quad>;
  const Global<Like> quads{reinterpret_cast<Like*>(images.data), images.size / kPartWords};
  return cta.load(quads, first / kPartWords + i);
}

// Images that were copied to shared memory.
template <class Cta, uint32_t kQuads>
[[nodiscard]] BOBBIN_HD uint32_t image_word(Cta& cta, simt::Shared<Quad, kQuads>& images, uint64_t first,
                                            uint32_t i) {
  using Words = simt::Shared<uint32_t, kQuads * kPartWords>;
  return cta.load(simt::seen_as<Words>(images), static_cast<uint32_t>(first) + i);
}
template <class Cta, uint32_t kQuads>
[[nodiscard]] BOBBIN_HD Quad image_quad(Cta& cta, simt::Shared<Quad, kQuads>& images, uint64_t first,
                                        uint32_t i) {
  return cta.load(images, static_cast<uint32_t>(first) / kPartWords + i);
}

// Part `part` of the line whose image begins at a word. The code may be a constant or a WidthCode.
template <uint32_t kLineBytes, class Cta, class Images, class Code>
[[nodiscard]] BOBBIN_HD Quad load_part(Cta& cta, Images& images, uint64_t first_word, Code code,
                                       uint32_t part) {
  const auto word_at = [&](uint32_t i) { return image_word(cta, images, first_word, i); };
  if constexpr (kIsWidth<Code>) {
    const Part words = expand_bdi<Code::kValueLog>(code.width, kLineBytes, part, word_at);
    return {{words.word[0], words.word[1], words.word[2], words.word[3]}};
  } else {
    if (code == kRaw) {
      // Images of raw lines come first in their tile, which is aligned.
      return image_quad(cta, images, first_word, part);
    }
    const Part words = expand_part(code, kLineBytes, part, word_at);
    return {{words.word[0], words.word[1], words.word[2], words.word[3]}};
  }
}

// Calls f with a constant or a WidthCode, with other codes as they are.
template <class F>
BOBBIN_HD void with_code(uint32_t code, F&& f) {
  switch (code) {
    case kRaw:
      return f(std::integral_constant<uint32_t, kRaw>{});
    case kZeros:
      return f(std::integral_constant<uint32_t, kZeros>{});
    case kRepeat:
      return f(std::integral_constant<uint32_t, kRepeat>{});
    case 3:
      return f(std::integral_constant<uint32_t, 3>{});
    case 4:
      return f(std::integral_constant<uint32_t, 4>{});
    case 5:
      return f(std::integral_constant<uint32_t, 5>{});
    case 6:
      return f(std::integral_constant<uint32_t, 6>{});
    case 7:
      return f(std::integral_constant<uint32_t, 7>{});
    case 8:
      return f(std::integral_constant<uint32_t, 8>{});
    case kCpack:
      return f(std::integral_constant<uint32_t, kCpack>{});
    default:
      break;
  }
  switch (code >> 5) {
    case 1:
      return f(WidthCode<1>{code & 31});
    case 2:
      return f(WidthCode<2>{code & 31});
    case 3:
      return f(WidthCode<3>{code & 31});
    default:
      return f(code);
  }
}

// Lines whose images are somewhere in device memory: what tiles and slots have in common.
template <uint32_t kLineBytes>
struct LineReader {
  static constexpr uint32_t kParts = kLineBytes / kPartBytes;  // lanes per line, and steps of a warp
  static constexpr uint32_t kStepLines = simt::kWarpSize / kParts;

  Global<const uint32_t> images;
};

// Calls f(line, quad) for each of 32 lines that have one code, with this lane's part of it. `word_of(line)`
// returns the first word of its image. Loads of several steps are under way at a time.
template <uint32_t kLineBytes, class Cta, class Images, class Code, class WordOf, class F>
BOBBIN_HD void expand_alike(Cta& cta, Images& images, Code code, WordOf&& word_of, F&& f) {
  using Shape = LineReader<kLineBytes>;
  constexpr uint32_t kMost = std::is_same_v<Code, uint32_t> ? 1 : kIsWidth<Code> ? 2 : 4;
  constexpr uint32_t kAtOnce = Shape::kParts < kMost ? Shape::kParts : kMost;
  for (uint32_t step = 0; step < Shape::kParts; step += kAtOnce) {
    Quad quads[kAtOnce];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      const uint32_t line = (step + i) * Shape::kStepLines + cta.lane() / Shape::kParts;
      quads[i] = load_part<kLineBytes>(cta, images, word_of(line), code, cta.lane() % Shape::kParts);
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      f((step + i) * Shape::kStepLines + cta.lane() / Shape::kParts, quads[i]);
    }
  }
}

// An array's lines, in tiles. A warp reads 32 of them at a time: a group.
template <uint32_t kLineBytes>
struct TileReader : LineReader<kLineBytes> {
  using Base = LineReader<kLineBytes>;
  using Jobs = simt::Shared<uint64_t, simt::kWarpSize>;  // one per warp

  Global<const uint32_t> starts;
  Global<const uint8_t> codes;
  uint32_t tile_lines;

  // Calls f(line in the group, quad) for each part of the group that this lane expands: part lane % kParts of
  // a line. The warp works together; f may not.
  template <class Cta, class F>
  BOBBIN_HD void for_each_part(Cta& cta, Jobs& jobs, uint64_t group, F&& f) const {
    const uint64_t line = group * simt::kWarpSize + cta.lane();
    const bool exists = line < codes.size;
    const uint32_t code = exists ? cta.load(codes, line) : kZeros;
    const uint64_t tile_word = exists ? uint64_t{cta.load(starts, line / tile_lines)} * kPartWords : 0;
    if (cta.all(code == cta.shfl(code, 0))) {
      read_alike(cta, code, tile_word, f);
      return;
    }
    const Place place = place_lines(cta, code, kLineBytes, tile_lines);
    const uint32_t tile = cta.lane() / tile_lines * tile_lines;
    cta.store(jobs, tile + place.rank, Job::of(tile_word + place.start / 4, cta.lane(), code).bits);
    cta.sync_warp();
    for (uint32_t step = 0; step < Base::kParts; ++step) {
      const Job job{cta.load(jobs, step * Base::kStepLines + cta.lane() / Base::kParts)};
      f(job.line(),
        load_part<kLineBytes>(cta, this->images, job.first_word(), job.code(), cta.lane() % Base::kParts));
    }
    cta.sync_warp();
  }

 private:
  // Images are in the order of lines, and all have one size.
  template <class Cta, class F>
  BOBBIN_HD void read_alike(Cta& cta, uint32_t code, uint64_t tile_word, F&& f) const {
    const uint32_t words = image_bytes(code, kLineBytes) / 4;
    if (tile_lines == simt::kWarpSize) {
      const auto word_of = [&](uint32_t line) { return tile_word + line * words; };
      with_code(code, [&](auto same) { expand_alike<kLineBytes>(cta, this->images, same, word_of, f); });
    } else {
      const uint64_t own = tile_word + cta.lane() % tile_lines * words;
      const auto word_of = [&](uint32_t line) { return cta.shfl(own, line); };
      expand_alike<kLineBytes>(cta, this->images, code, word_of, f);
    }
  }
};

// How lines are kept in shared memory while they are compressed: padded, so that neither rows nor columns
// have bank conflicts.
template <uint32_t kWords>
struct Stage {
  static constexpr uint32_t kParts = kWords / kPartWords;
  static constexpr uint32_t kLineQuads = kParts + 1;
  using Quads = simt::Shared<Quad, simt::kWarpSize * kLineQuads>;
  using Words = simt::Shared<uint32_t, simt::kWarpSize * kLineQuads * kPartWords>;
};

}  // namespace bobbin::codec::line
