// SPDX-License-Identifier: Apache-2.0
// The decoder of whole columns.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/delta/kernels.hpp"
#include "codecs/fsst/tile.hpp"

namespace bobbin::codec::fsst {

// Decodes all strings, one tile per warp at a time. Bytes are assembled in registers, eight at a time, staged
// in shared memory in output order, and stored 16 at a time.
struct BytesDecoder {
  static constexpr uint32_t kWarps = 32;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = 1;
  static constexpr uint32_t kStageWords = (kWarpBytes + 2 * kQuadBytes) / 8;
  struct Shared {
    SharedTable table;
    simt::Shared<uint64_t, kWarps * kStageWords> stage;
  };

  CodeStream stream;
  Global<uint8_t> out;
  uint64_t out_begin;  // in the numbering of the tiles' words
  Global<uint32_t> fault;

  // Runs as block `block` of `blocks`.
  template <class Cta>
  BOBBIN_HD void run(Cta& cta, uint32_t block, uint32_t blocks) const {
    auto& shared = cta.template shared<Shared>();
    shared.table.fill(cta, stream.symbols, stream.counts, kThreads);
    cta.sync();
    const uint64_t tiles = num_tiles(stream.codes.size);
    const uint64_t stride = uint64_t{blocks} * kWarps;
    for (uint64_t t = first_tile() + uint64_t{block} * kWarps + cta.warp(); t < tiles; t += stride) {
      if (!decode_tile(cta, shared, t) && cta.lane() == 0) {
        cta.template atomic_store<simt::Order::relaxed>(fault, 0, uint32_t{1});
      }
    }
  }

 private:
  // A warp's progress in its tile. Positions count from the output's first byte; a damaged tile may begin
  // before it.
  struct Progress {
    int64_t at;
    int64_t end;         // of the tile
    uint64_t rest;       // bytes that have not yet filled a word of the stage
    uint32_t foreign;    // bytes of the stage's first quad that belong to the previous tile
    bool literal_first;  // of the next round

    [[nodiscard]] BOBBIN_HD uint32_t phase() const { return static_cast<uint32_t>(at) % kQuadBytes; }
  };

  [[nodiscard]] BOBBIN_HD uint64_t first_tile() const { return stream.begin / kTileBytes; }

  // A slice's first tile begins with codes of strings that are not in it: they are not looked at, and neither
  // is its word, as on the host.
  template <class Cta>
  BOBBIN_HD bool decode_tile(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint64_t tile_end = (tile + 1) * kTileBytes;
    const bool last_tile = tile_end >= stream.codes.size;
    const uint64_t word = tile * kTileBytes <= stream.begin ? out_begin : cta.load(stream.tiles, tile);
    const uint64_t next = last_tile ? out_begin + out.size : cta.load(stream.tiles, tile + 1);
    Progress now{.at = position(word),
                 .end = position(next),
                 .rest = 0,
                 .foreign = static_cast<uint32_t>(position(word)) % kQuadBytes,
                 .literal_first = word >= kLiteralFirst};
    const uint64_t code_end = last_tile ? stream.codes.size : tile_end;
    uint64_t at = tile == first_tile() ? stream.begin / kWarpCodes * kWarpCodes : tile * kTileBytes;
    Quad codes = stream.load(cta, at + cta.lane() * kLaneCodes);
    for (; at < code_end; at += kWarpCodes) {
      Quad ahead{};
      if (at + kWarpCodes < code_end) {
        ahead = stream.load(cta, at + kWarpCodes + cta.lane() * kLaneCodes);
      }
      if (!decode_round(cta, shared, codes, at, at + kWarpCodes >= code_end, now)) {
        return false;
      }
      codes = ahead;
    }
    return now.at == now.end && now.literal_first == (!last_tile && next >= kLiteralFirst);
  }

  template <class Cta>
  BOBBIN_HD bool decode_round(Cta& cta, Shared& shared, const Quad& codes, uint64_t at, bool last,
                              Progress& now) const {
    Round round;
    bool sound = false;
    if (at < stream.begin || at + kWarpCodes > stream.codes.size) {
      sound = measure<true, true>(cta, shared, codes, at, now, round);
      if (sound) {
        spell_slowly(cta, shared, round, now);
        if (!last) {
          read_rest(cta, shared, round, now);
        }
      }
    } else if (cta.any(has_escape(codes)) || now.literal_first) {
      sound = measure<true, false>(cta, shared, codes, at, now, round);
      if (sound) {
        spell<true>(cta, shared, round, now);
      }
    } else {
      sound = measure<false, false>(cta, shared, codes, at, now, round);
      if (sound) {
        spell<false>(cta, shared, round, now);
      }
    }
    if (!sound) {
      return false;
    }
    cta.sync_warp();
    store(cta, shared, now, now.phase() + round.total, last);
    cta.sync_warp();
    keep_rest(cta, shared, now, now.phase() + round.total);
    now.at += round.total;
    return true;
  }

  [[nodiscard]] BOBBIN_HD int64_t position(uint64_t word) const {
    return static_cast<int64_t>((word & ~kLiteralFirst) - out_begin);
  }
  // Returns false if a code is invalid, or the tile has too many bytes.
  template <bool kEscapes, bool kPartial, class Cta>
  BOBBIN_HD bool measure(Cta& cta, Shared& shared, const Quad& codes, uint64_t at, Progress& now,
                         Round& round) const {
    const bool sound = measure_round<kEscapes, kPartial>(cta, shared.table, codes, stream.present(cta, at),
                                                         now.literal_first, round);
    return sound && now.at + round.total <= now.end;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t stage_of(Cta& cta) {
    return cta.warp() * kStageWords;
  }

  // Writes a lane's bytes, at least eight: the lane owns every word of the stage except a partial first one;
  // its last, partial word is passed to the next lane.
  template <bool kEscapes, class Cta>
  BOBBIN_HD void spell(Cta& cta, Shared& shared, const Round& round, Progress& now) const {
    const uint32_t start = now.phase() + round.before;
    const uint32_t first = stage_of(cta) + start / 8;
    uint32_t word = first;
    uint32_t used = start % 8 * 8;  // bits of `bytes`
    uint64_t bytes = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kLaneCodes; ++i) {
      const uint64_t symbol = shared.table.symbol(
          cta, kEscapes ? entry_at(round.codes, round.literals, i) : code_at(round.codes, i));
      bytes |= symbol << used;
      const uint64_t over = shift_out(symbol, 64 - used);
      used += 8 * code_at(round.lengths, i);
      // Selects instead of branching: only the store depends on it.
      const bool full = used >= 64;
      if (full) {
        cta.store(shared.stage, word, bytes);
      }
      bytes = full ? over : bytes;
      word += full ? 1 : 0;
      used %= 64;
    }
    uint64_t before = cta.shfl_up(bytes, 1);
    before = cta.lane() == 0 ? now.rest : before;
    if (start % 8 != 0) {
      cta.store(shared.stage, first, cta.load(shared.stage, first) | before);
    }
    now.rest = cta.shfl(bytes, simt::kWarpSize - 1);
    if (cta.lane() == simt::kWarpSize - 1 && used != 0) {
      cta.store(shared.stage, word, bytes);
    }
  }

  // The same byte by byte, for both ends of a stream, where lanes may have fewer bytes. Does not set `rest`.
  template <class Cta>
  BOBBIN_HD void spell_slowly(Cta& cta, Shared& shared, const Round& round, const Progress& now) const {
    auto& stage = reinterpret_cast<simt::Shared<uint8_t, kWarps * kStageWords * 8>&>(shared.stage);
    uint32_t to = stage_of(cta) * 8 + now.phase() + round.before;
    // Writes the partial word left over from earlier rounds.
    for (uint32_t b = 0; cta.lane() == 0 && b < now.phase() % 8 && now.foreign == 0; ++b) {
      cta.store(stage, stage_of(cta) * 8 + now.phase() / 8 * 8 + b,
                static_cast<uint8_t>(now.rest >> (8 * b)));
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kLaneCodes; ++i) {
      const uint64_t symbol = shared.table.symbol(cta, entry_at(round.codes, round.literals, i));
      for (uint32_t b = 0; b < code_at(round.lengths, i); ++b) {
        cta.store(stage, to++, static_cast<uint8_t>(symbol >> (8 * b)));
      }
    }
  }

  // Sets `rest` from the stage.
  template <class Cta>
  BOBBIN_HD void read_rest(Cta& cta, Shared& shared, const Round& round, Progress& now) const {
    auto& stage = reinterpret_cast<simt::Shared<uint8_t, kWarps * kStageWords * 8>&>(shared.stage);
    cta.sync_warp();
    const uint32_t end = stage_of(cta) * 8 + now.phase() + round.total;
    now.rest = 0;
    for (uint32_t b = 0; b < end % 8; ++b) {
      now.rest |= uint64_t{cta.load(stage, end / 8 * 8 + b)} << (8 * b);
    }
  }

  // Stores the tile's `end` bytes in the stage to the output: whole quads, and single bytes of quads that are
  // shared with neighbouring tiles or extend past the output's ends.
  template <class Cta>
  BOBBIN_HD void store(Cta& cta, Shared& shared, const Progress& now, uint32_t end, bool last) const {
    auto& quads = reinterpret_cast<simt::Shared<Quad, kWarps * kStageWords / 2>&>(shared.stage);
    const int64_t base = now.at - now.phase();
    const auto room = static_cast<int64_t>(out.size) - base;
    uint32_t low = now.foreign != 0 ? 1 : 0;
    uint32_t high = end / kQuadBytes;
    if (base < 0) {
      low = static_cast<uint32_t>(-base / kQuadBytes);
    }
    if (end > room) {
      high = room < 0 ? 0 : static_cast<uint32_t>(room) / kQuadBytes;
    }
    const Global<Quad> to{reinterpret_cast<Quad*>(out.data), out.size / kQuadBytes};
    const auto first = static_cast<uint64_t>(base / kQuadBytes);
    for (uint32_t q = low + cta.lane(); q < high; q += simt::kWarpSize) {
      cta.store_once(to, first + q, cta.load(quads, stage_of(cta) / 2 + q));
    }
    if (low != 0 || last) {
      const uint32_t head = low * kQuadBytes < end ? low * kQuadBytes : end;
      store_bytes(cta, shared, base, now.foreign, head);
      if (last) {
        store_bytes(cta, shared, base, high * kQuadBytes > head ? high * kQuadBytes : head, end);
      }
    }
  }
  template <class Cta>
  BOBBIN_HD void store_bytes(Cta& cta, Shared& shared, int64_t base, uint32_t begin, uint32_t end) const {
    auto& bytes = reinterpret_cast<simt::Shared<uint8_t, kWarps * kStageWords * 8>&>(shared.stage);
    for (uint32_t b = begin + cta.lane(); b < end; b += simt::kWarpSize) {
      if (base + b >= 0 && base + b < static_cast<int64_t>(out.size)) {
        cta.store(out, static_cast<uint64_t>(base + b), cta.load(bytes, stage_of(cta) * 8 + b));
      }
    }
  }

  // An incomplete last quad becomes the first of the next round: a complete word is moved there, and `rest`
  // holds the remaining bytes.
  template <class Cta>
  BOBBIN_HD void keep_rest(Cta& cta, Shared& shared, Progress& now, uint32_t end) const {
    if (end >= kQuadBytes) {
      now.foreign = 0;
      if (cta.lane() == 0 && end % kQuadBytes >= 8) {
        cta.store(shared.stage, stage_of(cta), cta.load(shared.stage, stage_of(cta) + end / kQuadBytes * 2));
      }
    }
    cta.sync_warp();
  }
};

// Decodes a column, bytes and offsets, in one launch: the first blocks decode offsets, using only some of
// their warps, the others bytes.
template <class T>
struct DecodeKernel {
  using Offsets = delta::DecodeKernel<T, sizeof(T) == 8 ? 4 : 8, true>;
  static constexpr uint32_t kThreads = BytesDecoder::kThreads;
  static constexpr uint32_t kMinBlocks = BytesDecoder::kMinBlocks;
  static_assert(Offsets::kThreads <= kThreads);
  using Shared = std::conditional_t<(sizeof(BytesDecoder::Shared) > sizeof(typename Offsets::Shared)),
                                    BytesDecoder::Shared, typename Offsets::Shared>;

  BytesDecoder bytes;
  Offsets offsets;
  uint32_t offset_blocks;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    if (cta.block() >= offset_blocks) {
      bytes.run(cta, cta.block() - offset_blocks, cta.num_blocks() - offset_blocks);
    } else if (cta.thread() < Offsets::kThreads) {
      offsets(cta);
    }
  }
};

}  // namespace bobbin::codec::fsst
