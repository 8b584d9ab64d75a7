// SPDX-License-Identifier: Apache-2.0
// Tile functions of compressed lines, for this codec's kernels and for compressed memory.
//
// Formula: expand.hpp. A line is expanded in parts of 16 bytes, each from a few words of its image.
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

#include "codecs/line/image.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::line {

// Where a line's image is, relative to its tile.
struct Place {
  uint32_t rank = 0;        // among the lines of its tile, in the order of images
  uint32_t start = 0;       // in bytes
  uint32_t tile_bytes = 0;  // of all images of the tile
};

// Each lane has the code of one line; tiles of `tile_lines` lanes, a power of two. The warp works together.
template <class Cta>
[[nodiscard]] BOBBIN_HD Place place_lines(Cta& cta, uint32_t code, uint32_t line_bytes, uint32_t tile_lines) {
  const uint32_t tile = (~uint32_t{0} >> (simt::kWarpSize - tile_lines)) << (cta.lane() & ~(tile_lines - 1));
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

// Lines whose images are somewhere in device memory: what tiles and slots have in common.
template <uint32_t kLineBytes>
struct LineReader {
  static constexpr uint32_t kParts = kLineBytes / kPartBytes;  // lanes per line, and steps of a warp
  static constexpr uint32_t kStepLines = simt::kWarpSize / kParts;

  Global<const uint32_t> images;
};

// What a lane loads to expand two parts in a row, of a line whose code is a constant with deltas of whole
// bytes: base and mask serve both parts, and deltas are signed bytes or halves of words.
template <uint32_t kLineBytes, uint32_t kCode>
struct PartPair {
  static constexpr Bdi kBdi = bdi_of(kCode);
  static constexpr uint32_t kValues = 2 * kPartBytes >> kBdi.value_log;
  static constexpr uint32_t kDeltaWords = kValues * kBdi.width / 32;
  static constexpr uint32_t kFirstDelta = kBdi.first_delta(kLineBytes);
  // With an even number of words per image, all loads can be of two.
  static constexpr bool kTwos = kBdi.value_log == 2 && kBdi.words(kLineBytes) % 2 == 0;
  static_assert(kBdi.value_log >= 2 && (kBdi.width == 8 || kBdi.width == 16));
  static_assert(kBdi.values(kLineBytes) <= 32, "the mask is one word");

  uint64_t base;
  uint32_t mask;  // of the pair's values, and more above them
  uint32_t deltas[kDeltaWords];

  template <class Cta, class Images>
  BOBBIN_HD void load(Cta& cta, Images& images, uint64_t first_word, uint32_t pair) {
    const uint32_t from = kFirstDelta + pair * kDeltaWords;
    if constexpr (kTwos) {
      const uint64_t head = image_two(cta, images, first_word, 0);
      base = static_cast<uint32_t>(head);
      mask = static_cast<uint32_t>(head >> 32);
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kDeltaWords; i += 2) {
        const uint64_t two = image_two(cta, images, first_word, from + i);
        deltas[i] = static_cast<uint32_t>(two);
        deltas[i + 1] = static_cast<uint32_t>(two >> 32);
      }
    } else {
      base = image_word(cta, images, first_word, 0);
      if constexpr (kBdi.value_log == 3) {
        base |= static_cast<uint64_t>(image_word(cta, images, first_word, 1)) << 32;
      }
      mask = image_word(cta, images, first_word, kBdi.base_words());
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kDeltaWords; ++i) {
        deltas[i] = image_word(cta, images, first_word, from + i);
      }
    }
    mask >>= pair * kValues;
  }

  [[nodiscard]] BOBBIN_HD bool all_have_base() const {
    constexpr uint32_t kAll = low_mask<uint32_t>(kValues);
    return (mask & kAll) == kAll;
  }
  [[nodiscard]] BOBBIN_HD uint64_t value(uint32_t i) const {
    return ((mask >> i & 1) != 0 ? base : 0) + static_cast<uint64_t>(int64_t{static_cast<int32_t>(delta(i))});
  }

  BOBBIN_HD void expand(Quad (&parts)[2]) const {
    // Mostly all values have the base: this is half of the work.
    if (all_have_base()) {
      put(parts, [&](uint32_t /*i*/) { return base; });
    } else if constexpr (kBdi.value_log == 2) {
      put(parts, [&](uint32_t i) { return base_if(mask >> i / 4 * 4, i % 4, static_cast<uint32_t>(base)); });
    } else {
      put(parts, [&](uint32_t i) { return (mask >> i & 1) != 0 ? base : 0; });
    }
  }

 private:
  [[nodiscard]] BOBBIN_HD uint32_t delta(uint32_t i) const {
    return kBdi.width == 8 ? signed_byte(deltas[i / 4], i % 4) : signed_half(deltas[i / 2], i % 2);
  }
  template <class BaseOf>
  BOBBIN_HD void put(Quad (&parts)[2], BaseOf&& base_of) const {
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kValues; ++i) {
      if constexpr (kBdi.value_log == 2) {
        parts[i / 4].word[i % 4] = static_cast<uint32_t>(base_of(i)) + delta(i);
      } else {
        const uint64_t value = base_of(i) + static_cast<uint64_t>(int64_t{static_cast<int32_t>(delta(i))});
        parts[i / 2].word[i % 2 * 2] = static_cast<uint32_t>(value);
        parts[i / 2].word[i % 2 * 2 + 1] = static_cast<uint32_t>(value >> 32);
      }
    }
  }
};

// The same for repeated lines.
struct RepeatedPair {
  uint64_t words;

  template <class Cta, class Images>
  BOBBIN_HD void load(Cta& cta, Images& images, uint64_t first_word, uint32_t /*pair*/) {
    words = image_two(cta, images, first_word, 0);
  }
  BOBBIN_HD void expand(Quad (&parts)[2]) const {
    const auto low = static_cast<uint32_t>(words);
    const auto high = static_cast<uint32_t>(words >> 32);
    parts[0] = parts[1] = {{low, high, low, high}};
  }
};

// A whole line of zeros or of repeated bytes, for those who need not see each value.
struct RepeatedLine {
  uint64_t bytes;
};

// Who expands which parts of a line: a lane one part, so that a step of the warp stores 512 bytes in a row;
// or two parts in a row where that takes fewer instructions.
enum class Lanes : uint8_t { one_part, two_parts };

template <uint32_t kLineBytes, class Code>
[[nodiscard]] BOBBIN_HD constexpr bool has_pairs() {
  if constexpr (kIsWidth<Code> || std::is_same_v<Code, uint32_t> || std::is_same_v<Code, FpcCode>) {
    return false;
  } else {
    return kLineBytes == 128 && (Code::value == kRepeat || Code::value == 3 || Code::value == 4 ||
                                 Code::value == 6 || Code::value == 7);
  }
}

// Whether the function that gets parts takes such values as well as quads: then they are not expanded.
template <class F, class Values>
inline constexpr bool kTakes = std::is_invocable_v<F&, uint32_t, const Values&>;

template <class F, class Code>
[[nodiscard]] BOBBIN_HD constexpr bool takes_repeated() {
  if constexpr (requires { Code::value; }) {
    return (Code::value == kZeros || Code::value == kRepeat) && kTakes<F, RepeatedLine>;
  } else {
    return false;
  }
}

// Calls f(part of the group, quad) for the parts that this lane expands of 32 lines that have one code; or
// f(first of two parts, pair) and f(first part of the line, repeated line) if it takes them. `word_of(line)`
// returns the first word of its image. Loads of several steps are under way at a time.
template <uint32_t kLineBytes, Lanes kLanes = Lanes::two_parts, class Cta, class Images, class Code,
          class WordOf, class F>
BOBBIN_HD void expand_alike(Cta& cta, Images& images, Code code, WordOf&& word_of, F&& f) {
  using Shape = LineReader<kLineBytes>;
  if constexpr (takes_repeated<F, Code>()) {
    const uint64_t bytes = Code::value == kRepeat ? image_two(cta, images, word_of(cta.lane()), 0) : 0;
    f(cta.lane() * Shape::kParts, RepeatedLine{bytes});
  } else if constexpr (kLanes == Lanes::two_parts && has_pairs<kLineBytes, Code>()) {
    constexpr uint32_t kPairs = Shape::kParts / 2;  // lanes per line, and steps
    using Pair = std::conditional_t<Code::value == kRepeat, RepeatedPair, PartPair<kLineBytes, Code::value>>;
    const uint64_t first = cta.lane() / kPairs;
    Pair pairs[kPairs];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kPairs; ++i) {
      const uint64_t line = first + i * (simt::kWarpSize / kPairs);
      pairs[i].load(cta, images, word_of(line), cta.lane() % kPairs);
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kPairs; ++i) {
      const uint32_t part = 2 * (i * simt::kWarpSize + cta.lane());
      if constexpr (kTakes<F, Pair>) {
        f(part, pairs[i]);
      } else {
        Quad parts[2];
        pairs[i].expand(parts);
        f(part, parts[0]);
        f(part + 1, parts[1]);
      }
    }
  } else {
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
        f((step + i) * simt::kWarpSize + cta.lane(), quads[i]);
      }
    }
  }
}

// Calls f(part of the group, quad) for lines of any codes, one code after another, so that all lanes do the
// same. Each lane has a line, and its rank in the order of codes. The warp works together; f may not.
template <uint32_t kLineBytes, class Cta, class Jobs, class Images, class F>
BOBBIN_HD void expand_by_code(Cta& cta, Jobs& jobs, Images& images, const Job& own, uint32_t rank, F&& f) {
  using Shape = LineReader<kLineBytes>;
  // Kernels that take packed values are short of registers with two.
  constexpr uint32_t kAtOnce = kTakes<F, RepeatedLine> ? 1 : 2;
  const uint32_t part = cta.lane() % Shape::kParts;
  cta.store(jobs, rank, own.bits);
  cta.sync_warp();
  for (uint32_t first = 0; first < simt::kWarpSize;) {
    const uint32_t code = Job{cta.load(jobs, first)}.code();
    const uint32_t end = first + count_ones(cta.ballot(own.code() == code));
    with_code(code, [&](auto same) {
      for (uint32_t at = first + cta.lane() / Shape::kParts; at < end; at += kAtOnce * Shape::kStepLines) {
        Job its_job[kAtOnce];
        Quad quads[kAtOnce];
        BOBBIN_UNROLL
        for (uint32_t i = 0; i < kAtOnce; ++i) {
          // The last line again, where there are no more.
          const uint32_t place = at + i * Shape::kStepLines;
          its_job[i] = Job{cta.load(jobs, place < end ? place : end - 1)};
          quads[i] = load_part<kLineBytes>(cta, images, its_job[i].first_word(), same, part);
        }
        BOBBIN_UNROLL
        for (uint32_t i = 0; i < kAtOnce; ++i) {
          if (at + i * Shape::kStepLines < end) {
            f(its_job[i].line() * Shape::kParts + part, quads[i]);
          }
        }
      }
    });
    first = end;
  }
  cta.sync_warp();
}

// What a lane knows of its line of a group before it is read.
struct LineHeader {
  uint32_t code = kZeros;
  uint64_t word = 0;  // where its tile or its slot begins, in words of the images
};

// An array's lines, in tiles. A warp reads 32 of them at a time: a group.
template <uint32_t kLineBytes>
struct TileReader : LineReader<kLineBytes> {
  using Base = LineReader<kLineBytes>;
  static constexpr uint32_t kMaxQuads = simt::kWarpSize * Base::kParts;  // of a tile
  // One per warp. With a copy of the tile, groups of several codes are read faster.
  using Jobs = simt::Shared<uint64_t, simt::kWarpSize>;
  struct StagedJobs {
    Jobs jobs;
    simt::Shared<Quad, kMaxQuads> images;
  };

  Global<const uint32_t> starts;
  Global<const uint8_t> codes;
  uint32_t tile_lines;  // a power of two

  // A division would take longer than the rest of a header.
  [[nodiscard]] BOBBIN_HD uint64_t tile_of(uint64_t line) const { return line >> trailing_zeros(tile_lines); }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD LineHeader header(Cta& cta, uint64_t group) const {
    const uint64_t line = group * simt::kWarpSize + cta.lane();
    if (line >= codes.size) {
      return {};
    }
    return {cta.load(codes, line), uint64_t{cta.load(starts, tile_of(line))} * kPartWords};
  }

  // Calls f(part of the group, quad) for each part of a group that this lane expands. The warp works
  // together; f may not.
  template <Lanes kLanes = Lanes::two_parts, class Cta, class F>
  BOBBIN_HD void for_each_part(Cta& cta, Jobs& jobs, const LineHeader& header, F&& f) const {
    read_tile<kLanes>(cta, jobs, header, f, [&](const Place& place) {
      const Job own = Job::of(header.word + place.start / 4, cta.lane(), header.code);
      expand_by_code<kLineBytes>(cta, jobs, this->images, own, place.rank, f);
    });
  }
  template <Lanes kLanes = Lanes::two_parts, class Cta, class F>
  BOBBIN_HD void for_each_part(Cta& cta, StagedJobs& staged, const LineHeader& header, F&& f) const {
    read_tile<kLanes>(cta, staged.jobs, header, f, [&](const Place& place) {
      copy_tile(cta, staged, header.word / kPartWords, ceil_div<uint32_t>(place.tile_bytes, sizeof(Quad)));
      const Job own = Job::of(place.start / 4, cta.lane(), header.code);
      expand_by_code<kLineBytes>(cta, staged.jobs, staged.images, own, place.rank, f);
    });
  }

  // The same for lines of any codes, in less code.
  template <class Cta, class F>
  BOBBIN_HD void read_mixed(Cta& cta, Jobs& jobs, const LineHeader& header, F&& f) const {
    const Place place = place_lines(cta, header.code, kLineBytes, tile_lines);
    const uint32_t tile = cta.lane() & ~(tile_lines - 1);
    cta.store(jobs, tile + place.rank, Job::of(header.word + place.start / 4, cta.lane(), header.code).bits);
    cta.sync_warp();
    for (uint32_t step = 0; step < Base::kParts; ++step) {
      const Job job{cta.load(jobs, step * Base::kStepLines + cta.lane() / Base::kParts)};
      const uint32_t part = cta.lane() % Base::kParts;
      f(job.line() * Base::kParts + part,
        load_part<kLineBytes>(cta, this->images, job.first_word(), job.code(), part));
    }
    cta.sync_warp();
  }

 private:
  // `mixed(place)` is called for groups whose lines have several codes, or one that is not simple.
  template <Lanes kLanes, class Cta, class F, class Mixed>
  BOBBIN_HD void read_tile(Cta& cta, Jobs& jobs, const LineHeader& header, F&& f, Mixed&& mixed) const {
    const bool alike = cta.all(header.code == cta.shfl(header.code, 0));
    if (tile_lines != simt::kWarpSize) {
      read_mixed(cta, jobs, header, f);
    } else if (!alike || !read_alike<kLanes>(cta, header, f)) {
      mixed(place_lines(cta, header.code, kLineBytes, tile_lines));
    }
  }

  // All loads of the tile are under way at a time; those of one code after another would each wait for
  // memory.
  template <class Cta>
  BOBBIN_HD void copy_tile(Cta& cta, StagedJobs& staged, uint64_t first, uint32_t count) const {
    const Global<const Quad> quads{reinterpret_cast<const Quad*>(this->images.data),
                                   this->images.size / kPartWords};
    Quad own[kMaxQuads / simt::kWarpSize];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kMaxQuads / simt::kWarpSize; ++i) {
      const uint32_t at = i * simt::kWarpSize + cta.lane();
      own[i] = at < count ? cta.load(quads, first + at) : Quad{};
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kMaxQuads / simt::kWarpSize; ++i) {
      cta.store(staged.images, i * simt::kWarpSize + cta.lane(), own[i]);
    }
    cta.sync_warp();
  }

  // Images are in the order of lines, and all have one size.
  template <Lanes kLanes, class Cta, class F>
  [[nodiscard]] BOBBIN_HD bool read_alike(Cta& cta, const LineHeader& header, F&& f) const {
    return with_simple_code(header.code, [&](auto same) {
      // A constant, in 64 bits: then the steps' offsets are parts of the loads.
      constexpr uint64_t kWords = image_bytes(decltype(same)::value, kLineBytes) / 4;
      const auto word_of = [&](uint64_t line) { return header.word + line * kWords; };
      expand_alike<kLineBytes, kLanes>(cta, this->images, same, word_of, f);
    });
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
