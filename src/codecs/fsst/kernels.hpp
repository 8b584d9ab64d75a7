// SPDX-License-Identifier: Apache-2.0
// Kernels of fsst and the plans that launch them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "bobbin/memory.hpp"
#include "codecs/delta/kernels.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/fsst/tile.hpp"

namespace bobbin::codec::fsst {

// A stream of codes on the device.
struct Stream {
  Global<const uint8_t> codes;  // up to the array's code_end; aligned to 16 bytes
  Global<const uint64_t> tiles;
  Global<const uint8_t> symbols;
  SymbolCounts counts;

  template <class Cta>
  BOBBIN_HD Quad load(Cta& cta, uint64_t at) const {
    if (at + kLaneCodes <= codes.size) {
      const Global<const Quad> quads{reinterpret_cast<const Quad*>(codes.data), codes.size / kLaneCodes};
      return cta.load_once(quads, at / kLaneCodes);
    }
    Quad quad{};
    for (uint32_t i = 0; at + i < codes.size; ++i) {
      quad.word[i / 4] |= uint32_t{cta.load(codes, at + i)} << (8 * (i % 4));
    }
    return quad;
  }
};

// A warp's 512 codes: their lengths, and where each lane's bytes begin.
struct Round {
  Quad codes;
  Quad lengths;       // one byte a code
  uint32_t literals;  // a bit a code
  uint32_t present;   // codes of the lane
  uint32_t before;    // bytes of lanes before
  uint32_t total;     // bytes of all lanes
};

// Decodes all strings: a warp takes a tile at a time. Bytes are put together in registers, eight at a time,
// gathered in shared memory as they lie in the output, and stored 16 at a time.
struct DecodeKernel {
  static constexpr uint32_t kWarps = 16;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = 2;
  static constexpr uint32_t kStageWords = (kWarpBytes + 2 * kQuadBytes) / 8;
  struct Shared {
    SharedTable table;
    simt::Shared<uint64_t, kWarps * kStageWords> stage;
  };

  Stream stream;
  Global<uint8_t> out;
  uint64_t out_begin;  // on the scale of the tiles' words
  Global<uint32_t> fault;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    shared.table.fill(cta, stream.symbols, stream.counts, kThreads);
    cta.sync();
    const uint64_t tiles = num_tiles(stream.codes.size);
    const uint64_t stride = uint64_t{cta.num_blocks()} * kWarps;
    for (uint64_t t = uint64_t{cta.block()} * kWarps + cta.warp(); t < tiles; t += stride) {
      if (!decode_tile(cta, shared, t) && cta.lane() == 0) {
        cta.template atomic_store<simt::Order::relaxed>(fault, 0, uint32_t{1});
      }
    }
  }

 private:
  // How far a warp is in its tile. Places in the output are counted from its first byte; those of a slice's
  // first tile may lie before it.
  struct Progress {
    int64_t at;
    int64_t end;         // of the tile
    uint64_t rest;       // bytes that have not filled a word of the stage yet
    uint32_t foreign;    // bytes of the stage's first quad that belong to the tile before
    bool literal_first;  // of the next round

    [[nodiscard]] BOBBIN_HD uint32_t phase() const { return static_cast<uint32_t>(at) % kQuadBytes; }
  };

  template <class Cta>
  BOBBIN_HD bool decode_tile(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint64_t tile_end = (tile + 1) * kTileBytes;
    const bool last_tile = tile_end >= stream.codes.size;
    const uint64_t word = cta.load(stream.tiles, tile);
    const uint64_t next = last_tile ? out_begin + out.size : cta.load(stream.tiles, tile + 1);
    Progress now{.at = position(word),
                 .end = position(next),
                 .rest = 0,
                 .foreign = static_cast<uint32_t>(position(word)) % kQuadBytes,
                 .literal_first = word >= kLiteralFirst};
    const uint64_t code_end = last_tile ? stream.codes.size : tile_end;
    Quad codes = stream.load(cta, tile * kTileBytes + cta.lane() * kLaneCodes);
    for (uint64_t at = tile * kTileBytes; at < code_end; at += kWarpCodes) {
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
    if (at + kWarpCodes > stream.codes.size) {
      sound = measure<true>(cta, shared, codes, at, now, round);
      if (sound) {
        spell_slowly(cta, shared, round, now);
      }
    } else if (cta.any(has_escape(codes)) || now.literal_first) {
      sound = measure<true>(cta, shared, codes, at, now, round);
      if (sound) {
        spell<true>(cta, shared, round, now);
      }
    } else {
      sound = measure<false>(cta, shared, codes, at, now, round);
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
  [[nodiscard]] BOBBIN_HD static bool has_escape(const Quad& codes) {
    uint32_t ones = 0;
    BOBBIN_UNROLL
    for (const uint32_t x : codes.word) {
      ones |= ((x & 0x7f7f7f7f) + 0x01010101) & x;
    }
    return (ones & 0x80808080) != 0;
  }

  // Looks up lengths and adds them up. False when a code means nothing, or the tile is to have fewer bytes.
  template <bool kEscapes, class Cta>
  BOBBIN_HD bool measure(Cta& cta, Shared& shared, const Quad& codes, uint64_t at, Progress& now,
                         Round& round) const {
    round.codes = codes;
    round.present = kLaneCodes;
    round.literals = 0;
    if constexpr (kEscapes) {
      const uint64_t own = at + cta.lane() * kLaneCodes;
      const uint64_t left = own < stream.codes.size ? stream.codes.size - own : 0;
      round.present = left < kLaneCodes ? static_cast<uint32_t>(left) : kLaneCodes;
      const uint32_t escapes = escape_bytes(codes) & ((1U << round.present) - 1);
      const LaneStates states = LaneStates::of(cta, escapes, round.present);
      round.literals = literals_of(escapes, states.literal_before(cta.lane(), now.literal_first));
      now.literal_first = states.literal_before(simt::kWarpSize, now.literal_first);
    }
    uint32_t sum = 0;
    uint32_t poison = 0;
    BOBBIN_UNROLL
    for (uint32_t w = 0; w < 4; ++w) {
      uint32_t four = 0;
      BOBBIN_UNROLL
      for (uint32_t i = 4 * w; i < 4 * w + 4; ++i) {
        uint32_t length = shared.table.length(cta, code_at(codes, i));
        if constexpr (kEscapes) {
          length = (round.literals >> i & 1) != 0 ? 1 : length;
          length = i < round.present ? length : 0;
        }
        four |= length << (8 * (i % 4));
      }
      round.lengths.word[w] = four;
      poison |= four;
      sum += four * 0x01010101 >> 24;
    }
    uint32_t through = sum;
    BOBBIN_UNROLL
    for (uint32_t d = 1; d < simt::kWarpSize; d *= 2) {
      const uint32_t other = cta.shfl_up(through, d);
      through += cta.lane() >= d ? other : 0;
    }
    round.before = through - sum;
    round.total = cta.shfl(through, simt::kWarpSize - 1);
    return !cta.any((poison & 0x80808080) != 0) && now.at + round.total <= now.end;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t stage_of(Cta& cta) {
    return cta.warp() * kStageWords;
  }

  // Writes a lane's bytes, which are at least eight: every word of the stage but its first is the lane's own
  // from its lowest byte on, and the rest that fills no word goes to the next lane.
  template <bool kEscapes, class Cta>
  BOBBIN_HD void spell(Cta& cta, Shared& shared, const Round& round, Progress& now) const {
    const uint32_t start = now.phase() + round.before;
    const uint32_t first = stage_of(cta) + start / 8;
    uint32_t word = first;
    uint32_t used = start % 8 * 8;  // bits of `bytes`
    uint64_t bytes = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kLaneCodes; ++i) {
      const uint32_t code = code_at(round.codes, i);
      uint64_t symbol = shared.table.symbol(cta, code);
      if constexpr (kEscapes) {
        symbol = (round.literals >> i & 1) != 0 ? code : symbol;
      }
      bytes |= symbol << used;
      const uint64_t over = shift_out(symbol, 64 - used);
      used += 8 * code_at(round.lengths, i);
      if (used >= 64) {
        cta.store(shared.stage, word, bytes);
        bytes = over;
        used -= 64;
        ++word;
      }
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

  // The same byte by byte, where lanes may have fewer: at the end of a stream.
  template <class Cta>
  BOBBIN_HD void spell_slowly(Cta& cta, Shared& shared, const Round& round, const Progress& now) const {
    auto& stage = reinterpret_cast<simt::Shared<uint8_t, kWarps * kStageWords * 8>&>(shared.stage);
    uint32_t to = stage_of(cta) * 8 + now.phase() + round.before;
    // The rest of the rounds before has its bytes still to come.
    for (uint32_t b = 0; cta.lane() == 0 && b < now.phase() % 8 && now.foreign == 0; ++b) {
      cta.store(stage, stage_of(cta) * 8 + now.phase() / 8 * 8 + b,
                static_cast<uint8_t>(now.rest >> (8 * b)));
    }
    for (uint32_t i = 0; i < kLaneCodes; ++i) {
      const uint32_t code = code_at(round.codes, i);
      const bool literal = (round.literals >> i & 1) != 0;
      const uint64_t symbol = literal ? code : shared.table.symbol(cta, code);
      for (uint32_t b = 0; b < code_at(round.lengths, i); ++b) {
        cta.store(stage, to++, static_cast<uint8_t>(symbol >> (8 * b)));
      }
    }
  }

  // Takes what the stage holds of the tile, `end` bytes, to the output: whole quads, and in the end the bytes
  // of the quads that the tile shares with its neighbours.
  template <class Cta>
  BOBBIN_HD void store(Cta& cta, Shared& shared, const Progress& now, uint32_t end, bool last) const {
    auto& quads = reinterpret_cast<simt::Shared<Quad, kWarps * kStageWords / 2>&>(shared.stage);
    constexpr int64_t kQuad = kQuadBytes;
    const int64_t base = now.at - now.phase();
    const auto count = static_cast<uint32_t>((last ? end + kQuad - 1 : end) / kQuad);
    const Global<Quad> to{reinterpret_cast<Quad*>(out.data), out.size / kQuad};
    for (uint32_t q = cta.lane(); q < count; q += simt::kWarpSize) {
      const int64_t target = base + q * kQuad;
      if ((q > 0 || now.foreign == 0) && (q + 1) * kQuad <= end && target >= 0 &&
          target + kQuad <= static_cast<int64_t>(out.size)) {
        cta.store_once(to, static_cast<uint64_t>(target / kQuad), cta.load(quads, stage_of(cta) / 2 + q));
      } else {
        store_bytes(cta, shared, now, q, end);
      }
    }
  }
  template <class Cta>
  BOBBIN_HD void store_bytes(Cta& cta, Shared& shared, const Progress& now, uint32_t quad,
                             uint32_t end) const {
    auto& bytes = reinterpret_cast<simt::Shared<uint8_t, kWarps * kStageWords * 8>&>(shared.stage);
    const int64_t base = now.at - now.phase();
    const uint32_t low = quad * kQuadBytes;
    for (uint32_t b = quad == 0 ? now.foreign : low; b < low + kQuadBytes && b < end; ++b) {
      if (base + b >= 0 && base + b < static_cast<int64_t>(out.size)) {
        cta.store(out, static_cast<uint64_t>(base + b), cta.load(bytes, stage_of(cta) * 8 + b));
      }
    }
  }

  // The last quad, where it is not full, is the next round's first: its whole word goes there, and what does
  // not fill one is in `rest`.
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

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Stream stream_of(const Array& array) {
    const Header header = Header::parse(array.metadata);
    Stream stream{.codes = bytes_of(array.buffers[1]),
                  .tiles = {reinterpret_cast<const uint64_t*>(array.buffers[2].bytes.data()),
                            array.buffers[2].bytes.size() / sizeof(uint64_t)},
                  .symbols = bytes_of(array.buffers[0]),
                  .counts = {}};
    stream.codes.size = header.code_end;
    std::ranges::copy(header.counts, stream.counts.of_length);
    return stream;
  }

  static Status decode(const Array& array, const StringsOut& out, uint32_t* fault, StreamView stream) {
    const Executor executor(stream);
    const Header header = Header::parse(array.metadata);
    BOBBIN_TRY(delta::Plans<Executor>::decode(array.children[1], out.offsets, stream));
    const DecodeKernel kernel{.stream = stream_of(array),
                              .out = {out.bytes, header.out_bytes},
                              .out_begin = header.out_begin,
                              .fault = {fault, 1}};
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<DecodeKernel>());
    const uint64_t blocks = ceil_div<uint64_t>(num_tiles(header.code_end), DecodeKernel::kWarps);
    return executor.run(kernel, std::min<uint64_t>(blocks, together));
  }

  static constexpr StringDeviceOps string_ops() { return {.decode = &decode}; }

 private:
  static Global<const uint8_t> bytes_of(const Buffer& buffer) {
    return {reinterpret_cast<const uint8_t*>(buffer.bytes.data()), buffer.bytes.size()};
  }
};

}  // namespace bobbin::codec::fsst
