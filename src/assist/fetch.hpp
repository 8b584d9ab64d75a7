// SPDX-License-Identifier: Apache-2.0
// What assist warps that fetch do for a group of a view, and what workers do with it. The images of a group
// are copied to a slot in shared memory by bulk copies, which a barrier counts; beside them is a list of the
// group's lines in the order of their images, so that workers need not look at codes.
#pragma once

#include <cstdint>

#include "assist/views.hpp"
#include "codecs/line/tile.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::assist {

inline constexpr uint32_t kGroupQuads = kGroupBytes / sizeof(Quad);

// A line in shared memory, as one word: the image's first word, the line's place in its group, its code.
struct FetchedJob {
  uint32_t bits = 0;

  BOBBIN_HD static FetchedJob of(uint32_t first_word, uint32_t line, uint32_t code) {
    return {first_word << 13 | line << 8 | code};
  }
  [[nodiscard]] BOBBIN_HD uint32_t first_word() const { return bits >> 13; }
  [[nodiscard]] BOBBIN_HD uint32_t line() const { return bits >> 8 & 31; }
  [[nodiscard]] BOBBIN_HD uint32_t code() const { return bits & 0xff; }
};

inline constexpr uint32_t kMixedCodes = 0x100;

template <uint32_t kSlots>
struct FetchedJobs {
  simt::Shared<uint32_t, kSlots * simt::kWarpSize> jobs;
  simt::Shared<uint32_t, kSlots> codes;  // that of all lines of the group, or kMixedCodes

  template <class Cta>
  [[nodiscard]] BOBBIN_HD FetchedJob job(Cta& cta, uint32_t slot, uint32_t rank) const {
    return {cta.load(jobs, slot * simt::kWarpSize + rank)};
  }
};

// Copies `bytes` of this lane, a multiple of 16 and possibly none, from a word of the images to a quad of the
// ring. Every lane of the warp arrives and announces its own bytes.
template <class Cta, uint32_t kQuads>
BOBBIN_HD void copy_images(Cta& cta, Global<const uint32_t> images, uint64_t from_word, uint32_t bytes,
                           simt::Shared<Quad, kQuads>& ring, uint32_t to_quad, simt::CopyBarrier& full) {
  cta.sync_warp();
  cta.barrier_arrive_expect(full, bytes);
  if (bytes != 0) {
    const Global<const Quad> from{reinterpret_cast<const Quad*>(images.data),
                                  images.size / codec::line::kPartWords};
    cta.bulk_load(ring, to_quad, from, from_word / codec::line::kPartWords,
                  static_cast<uint32_t>(bytes / sizeof(Quad)), full);
  }
}

// Tells workers where lines are: this lane's is `rank`-th of the group. Each lane arrives at the barrier
// afterwards, which orders the list too.
template <class Cta, uint32_t kSlots>
BOBBIN_HD void list_line(Cta& cta, FetchedJobs<kSlots>& list, uint32_t slot, uint32_t rank, bool alike,
                         FetchedJob job) {
  cta.store(list.jobs, slot * simt::kWarpSize + rank, job.bits);
  if (cta.lane() == 0) {
    cta.store(list.codes, slot, alike ? job.code() : kMixedCodes);
  }
}

// Tiles are copied whole: each to where it would be if its lines were raw.
template <class Cta, class T, uint32_t kQuads, uint32_t kSlots>
BOBBIN_HD void fetch_group(Cta& cta, const TileView<T>& view, const LineHeader& header,
                           simt::Shared<Quad, kQuads>& ring, FetchedJobs<kSlots>& list, uint32_t slot,
                           simt::CopyBarrier& full) {
  const uint32_t tile_lines = view.lines.tile_lines;
  const uint32_t in_tile = cta.lane() & (tile_lines - 1);
  const uint32_t first = cta.lane() - in_tile;  // line of the tile
  const bool alike = cta.all(header.code == cta.shfl(header.code, 0));
  codec::line::Place place;
  if (alike) {
    const uint32_t bytes = codec::line::image_bytes(header.code, kLineBytes);
    place = {in_tile, in_tile * bytes, tile_lines * bytes};
  } else {
    place = codec::line::place_lines(cta, header.code, kLineBytes, tile_lines);
  }
  const uint32_t to_quad = slot * kGroupQuads + first * codec::line::LineReader<kLineBytes>::kParts;
  const uint32_t word = to_quad * codec::line::kPartWords + place.start / 4;
  list_line(cta, list, slot, first + place.rank, alike, FetchedJob::of(word, cta.lane(), header.code));
  const uint32_t bytes = in_tile == 0 ? round_up<uint32_t>(place.tile_bytes, sizeof(Quad)) : 0;
  copy_images(cta, view.lines.images, header.word, bytes, ring, to_quad, full);
}

// Only the used part of each slot in memory is copied.
template <class Cta, class T, uint32_t kQuads, uint32_t kSlots>
BOBBIN_HD void fetch_group(Cta& cta, const SlotView<T>& view, const LineHeader& header,
                           simt::Shared<Quad, kQuads>& ring, FetchedJobs<kSlots>& list, uint32_t slot,
                           simt::CopyBarrier& full) {
  const bool alike = cta.all(header.code == cta.shfl(header.code, 0));
  const uint32_t bytes = round_up<uint32_t>(codec::line::image_bytes(header.code, kLineBytes), sizeof(Quad));
  const uint32_t before = alike ? cta.lane() * bytes : simt::sum_through(cta, bytes) - bytes;
  const uint32_t rank =
      alike ? cta.lane() : codec::line::place_lines(cta, header.code, kLineBytes, simt::kWarpSize).rank;
  const auto to_quad = static_cast<uint32_t>(slot * kGroupQuads + before / sizeof(Quad));
  list_line(cta, list, slot, rank, alike,
            FetchedJob::of(to_quad * codec::line::kPartWords, cta.lane(), header.code));
  copy_images(cta, view.slots.images, header.word, bytes, ring, to_quad, full);
}

// Calls f(part of the group, quad) for the parts of a slot that this lane expands, whatever their codes.
template <class Cta, uint32_t kQuads, uint32_t kSlots, class F>
BOBBIN_HD void expand_listed(Cta& cta, simt::Shared<Quad, kQuads>& ring, FetchedJobs<kSlots>& list,
                             uint32_t slot, F&& f) {
  using Shape = codec::line::LineReader<kLineBytes>;
  const uint32_t part = cta.lane() % Shape::kParts;
  for (uint32_t step = 0; step < Shape::kParts; ++step) {
    const FetchedJob job = list.job(cta, slot, step * Shape::kStepLines + cta.lane() / Shape::kParts);
    f(job.line() * Shape::kParts + part,
      codec::line::load_part<kLineBytes>(cta, ring, job.first_word(), job.code(), part));
  }
}

// The same, faster if they all have one.
template <class Cta, uint32_t kQuads, uint32_t kSlots, class F>
BOBBIN_HD void expand_fetched(Cta& cta, simt::Shared<Quad, kQuads>& ring, FetchedJobs<kSlots>& list,
                              uint32_t slot, F&& f) {
  static_assert(kQuads * codec::line::kPartWords <= uint32_t{1} << 19, "a job has 19 bits for the word");
  const auto word_of = [&](uint64_t line) {
    return list.job(cta, slot, static_cast<uint32_t>(line)).first_word();
  };
  const uint32_t code = cta.load(list.codes, slot);
  const bool done = code != kMixedCodes && codec::line::with_simple_code(code, [&](auto same) {
                      codec::line::expand_alike<kLineBytes>(cta, ring, same, word_of, f);
                    });
  if (!done) {
    expand_listed(cta, ring, list, slot, f);
  }
}

}  // namespace bobbin::assist
