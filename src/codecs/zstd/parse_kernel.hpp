// SPDX-License-Identifier: Apache-2.0
// Links to sequences and literals. A few lanes parse a block of content: each looks for the best match at one
// of the next positions, then all agree on the first one that no later one beats. Content is in shared
// memory, because candidates lie anywhere in the frame: loads of unrelated words cost a few bank conflicts
// there, and one access each in the cache.
#pragma once

#include "codecs/zstd/encode_slice.hpp"
#include "core/bit_scan.hpp"

namespace bobbin::zstd {

struct ParseKernel {
  static constexpr uint32_t kLanes = 8;  // per block of content
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kMinBlocks = 3;  // they fill the shared memory of an SM
  static constexpr uint32_t kTeams = kThreads / kLanes;
  static constexpr uint32_t kCompared = 4;             // words at a time
  static constexpr uint32_t kPadding = kCompared + 1;  // words that may be read after the last one
  static constexpr uint32_t kMostWords = kMaxLinkedFrame / 4 + 1 + kPadding;

  // Links come through a ring of two chunks for each team and key. A chunk is on its way while the one before
  // it is parsed: it comes from memory.
  static constexpr uint32_t kLinksPerQuad = sizeof(Quad) / sizeof(uint16_t);
  static constexpr uint32_t kChunk = kLanes * kLinksPerQuad;
  static constexpr uint32_t kRingLinks = 2 * kChunk;
  static constexpr uint32_t kRingQuads = kRingLinks / kLinksPerQuad;

  struct Shared {
    simt::Shared<uint32_t, kMostWords> words;
    simt::Shared<Quad, kTeams * 2 * kRingQuads> links;
  };

  EncodeSlice slice;

  // Several small frames share a block of threads.
  [[nodiscard]] BOBBIN_HD uint32_t frames_together() const { return kMaxLinkedFrame / slice.frame_bytes; }
  [[nodiscard]] uint64_t num_blocks() const {
    return ceil_div<uint64_t>(slice.num_frames, frames_together());
  }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t first = uint64_t{cta.block()} * frames_together();
    const uint64_t left = slice.num_frames - first;
    const auto frames = static_cast<uint32_t>(left < frames_together() ? left : frames_together());
    const uint64_t begin = first * slice.frame_bytes;
    const uint64_t bytes = slice.in_bytes - begin;
    const uint64_t most = uint64_t{frames} * slice.frame_bytes;
    const FrameBytes content = FrameBytes::of(slice.in + begin, bytes < most ? bytes : most);
    stage(cta, shared, content);
    cta.sync();
    const uint32_t count = frames * slice.layout.num_blocks;
    for (uint32_t i = 0; i < count; i += kTeams) {
      const uint32_t walker = i + cta.thread() / kLanes;
      const uint32_t frame = walker / slice.layout.num_blocks;
      const uint32_t block = walker % slice.layout.num_blocks;
      const bool exists = walker < count && block < slice.num_blocks(first + frame);
      parse(cta, shared, content.skew + frame * slice.frame_bytes, first + frame, block, exists);
    }
  }

 private:
  static constexpr int32_t kNoGain = -(1 << 16);

  using Bytes = simt::Shared<uint8_t, 4 * kMostWords>;

  using RingLinks = simt::Shared<uint16_t, kTeams * 2 * kRingLinks>;

  // The links of one key: chunks before `next` are in the ring or gone, that one is in the lanes' registers.
  struct Ring {
    Global<const Quad> from;
    uint32_t first;  // quad in shared memory
    Quad ahead{};

    template <class Cta>
    BOBBIN_HD void load(Cta& cta, uint32_t chunk) {
      const uint32_t quad = chunk * kLanes + cta.thread() % kLanes;
      ahead = quad < from.size ? cta.load_once(from, quad) : Quad{};
    }
    template <class Cta>
    BOBBIN_HD void store(Cta& cta, Shared& shared, uint32_t chunk) const {
      cta.store(shared.links, first + chunk % 2 * kLanes + cta.thread() % kLanes, ahead);
    }
    template <class Cta>
    [[nodiscard]] BOBBIN_HD uint32_t at(Cta& cta, Shared& shared, uint32_t position) const {
      const auto& links = simt::seen_as<const RingLinks>(shared.links);
      return of_link(cta.load(links, first * kLinksPerQuad + position % kRingLinks));
    }
  };
  [[nodiscard]] BOBBIN_HD static uint32_t of_link(uint32_t link) {
    return link == kNoLink ? kNoPosition : link;
  }

  template <class Cta>
  struct Input {
    Cta& cta;
    Shared& shared;
    uint32_t skew;  // where the frame begins
    Global<const uint16_t> short_links;
    bool has_long;
    Ring by_short_ring;
    Ring by_long_ring;
    uint32_t next_chunk = 0;

    // Makes the links of the team's next positions ready, unless there are none. All lanes of a warp take
    // part.
    BOBBIN_HD void prepare(uint32_t at, bool any) {
      bool lacks = any;
      while (cta.any(lacks = lacks && (at + kLanes - 1) / kChunk >= next_chunk)) {
        cta.sync_warp();
        if (lacks) {
          if (at / kChunk > next_chunk) {
            start(at / kChunk);
          }
          by_short_ring.store(cta, shared, next_chunk);
          if (has_long) {
            by_long_ring.store(cta, shared, next_chunk);
          }
          start(next_chunk + 1);
        }
        cta.sync_warp();
      }
    }
    BOBBIN_HD void start(uint32_t chunk) {
      next_chunk = chunk;
      by_short_ring.load(cta, chunk);
      if (has_long) {
        by_long_ring.load(cta, chunk);
      }
    }

    [[nodiscard]] BOBBIN_HD uint32_t word(uint32_t at) const {
      const uint32_t index = (skew + at) / 4;
      return funnel(cta.load(shared.words, index), cta.load(shared.words, index + 1), 8 * ((skew + at) % 4));
    }
    [[nodiscard]] BOBBIN_HD uint32_t equal_before(uint32_t a, uint32_t b, uint32_t most) const {
      uint32_t length = 0;
      while (length < most &&
             byte_of(cta, shared, skew + a - 1 - length) == byte_of(cta, shared, skew + b - 1 - length)) {
        ++length;
      }
      return length;
    }
    // Sixteen bytes, whose loads do not wait for each other.
    struct Bytes {
      uint32_t words[kCompared];
    };
    [[nodiscard]] BOBBIN_HD Bytes bytes_at(uint32_t at) const {
      uint32_t aligned[kCompared + 1];
      BOBBIN_UNROLL
      for (uint32_t i = 0; i <= kCompared; ++i) {
        aligned[i] = cta.load(shared.words, (skew + at) / 4 + i);
      }
      Bytes bytes;
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kCompared; ++i) {
        bytes.words[i] = funnel(aligned[i], aligned[i + 1], 8 * ((skew + at) % 4));
      }
      return bytes;
    }
    [[nodiscard]] BOBBIN_HD uint32_t equal(uint32_t a, uint32_t b, uint32_t most) const {
      return equal(bytes_at(a), a, b, most);
    }
    // `bytes` are those at `a`.
    [[nodiscard]] BOBBIN_HD uint32_t equal(Bytes bytes, uint32_t a, uint32_t b, uint32_t most) const {
      for (uint32_t length = 0;;) {
        const Bytes others = bytes_at(b + length);
        uint32_t differ = bytes.words[kCompared - 1] ^ others.words[kCompared - 1];
        uint32_t same = 4 * (kCompared - 1);
        BOBBIN_UNROLL
        for (uint32_t i = kCompared - 1; i-- > 0;) {
          const uint32_t here = bytes.words[i] ^ others.words[i];
          differ = here != 0 ? here : differ;
          same = here != 0 ? 4 * i : same;
        }
        length += same + trailing_zeros(differ) / 8;  // 4 if they are the same
        if (differ != 0 || length >= most) {
          return length < most ? length : most;
        }
        bytes = bytes_at(a + length);
      }
    }

    // `long_gain`: that of the long key's match; not changed if there is none.
    [[nodiscard]] BOBBIN_HD Match best_at(const BlockParse& parse, const ParseSettings& settings, uint32_t at,
                                          int32_t& long_gain) const {
      const uint32_t literals = at - parse.anchor;
      const Bytes bytes = bytes_at(at);
      const uint32_t long_link = settings.long_key ? by_long_ring.at(cta, shared, at) : kNoPosition;
      const uint32_t short_link = by_short_ring.at(cta, shared, at);
      const uint32_t recent1 = parse.recent.at(1, literals);
      const uint32_t recent2 = parse.recent.at(2, literals);
      const uint32_t recent3 = parse.recent.at(3, literals);
      const uint32_t by_long = long_link == kNoPosition ? 0 : at - long_link;
      const uint32_t by_short = short_link == kNoPosition || short_link == long_link ? 0 : at - short_link;
      // A bit for each candidate that begins with the same bytes. Lanes that compare different candidates do
      // so at the same time.
      uint32_t alike = starts_alike(at, recent1, bytes, kThreeBytes) |
                       starts_alike(at, recent2, bytes, kThreeBytes) << 1 |
                       starts_alike(at, recent3, bytes, kThreeBytes) << 2 |
                       starts_alike(at, by_short, bytes, kFourBytes) << 4;
      if (settings.long_key) {
        alike |= starts_alike(at, by_long, bytes, kFourBytes) << 3;
      }
      Match best;
      const uint32_t most = parse.most_at(at);
      for (; alike != 0; alike &= alike - 1) {
        const uint32_t i = trailing_zeros(alike);
        const uint32_t offset = i == 0   ? recent1
                                : i == 1 ? recent2
                                : i == 2 ? recent3
                                : i == 3 ? by_long
                                         : by_short;
        const uint32_t length = equal(bytes, at, at - offset, most);
        best.consider(length, offset, i < 3 ? i + 1 : 0);
        long_gain = i == 3 && length >= kMinMatch ? Match::gain_of(length, offset, 0) : long_gain;
      }
      uint32_t earlier = short_link;
      for (uint32_t i = 1; i < settings.chain && earlier != kNoPosition; ++i) {
        earlier = of_link(cta.load(short_links, earlier));
        if (earlier != kNoPosition && earlier != long_link) {
          best.consider(equal(bytes, at, earlier, most), at - earlier, 0);
        }
      }
      return best;
    }

   private:
    static constexpr uint32_t kThreeBytes = 0x00FFFFFF;
    static constexpr uint32_t kFourBytes = 0xFFFFFFFF;

    // 1 if the bytes at an offset are the same, 0 if not or if there is none.
    [[nodiscard]] BOBBIN_HD uint32_t starts_alike(uint32_t at, uint32_t offset, const Bytes& bytes,
                                                  uint32_t mask) const {
      const bool same = ((word(at - offset) ^ bytes.words[0]) & mask) == 0;
      return static_cast<uint32_t>(same & (offset != 0));
    }
  };
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t byte_of(Cta& cta, Shared& shared, uint32_t place) {
    return cta.load(simt::seen_as<const Bytes>(shared.words), place);
  }

  // The team's lanes copy literals together.
  template <class Cta>
  struct Sink {
    Cta& cta;
    Shared& shared;
    uint32_t skew;
    Global<uint64_t> sequences;
    Global<uint8_t> literals;
    uint32_t num_sequences = 0;
    uint32_t num_literals = 0;

    BOBBIN_HD void take(uint32_t anchor, const CodedSequence& sequence) {
      if (cta.thread() % kLanes == 0) {
        cta.store(sequences, num_sequences, PackedSequence::pack(sequence));
      }
      ++num_sequences;
      copy(anchor, sequence.literals);
    }
    BOBBIN_HD void copy(uint32_t from, uint32_t count) {
      for (uint32_t i = cta.thread() % kLanes; i < count; i += kLanes) {
        cta.store(literals, num_literals + i, static_cast<uint8_t>(byte_of(cta, shared, skew + from + i)));
      }
      num_literals += count;
    }
  };

  template <class Cta>
  BOBBIN_HD static void stage(Cta& cta, Shared& shared, const FrameBytes& content) {
    const uint32_t count = content.size == 0 ? 0 : static_cast<uint32_t>(content.words.size);
    for (uint32_t i = cta.thread(); i < count + kPadding; i += kThreads) {
      cta.store(shared.words, i, i < count ? cta.load(content.words, i) : 0);
    }
  }

  // All lanes of a warp take part, also those of teams without a block.
  template <class Cta>
  BOBBIN_HD void parse(Cta& cta, Shared& shared, uint32_t skew, uint64_t frame, uint32_t block,
                       bool exists) const {
    const uint64_t some = exists ? frame : 0;
    const uint64_t links = exists ? slice.size(frame) : 0;
    const uint64_t quads = ceil_div<uint64_t>(links, kLinksPerQuad);
    const uint32_t ring = cta.thread() / kLanes * 2 * kRingQuads;
    const EncodeLayout& layout = slice.layout;
    Input<Cta> input{
        .cta = cta,
        .shared = shared,
        .skew = skew,
        .short_links = slice.part<const uint16_t>(some, layout.area, links),
        .has_long = slice.settings.long_key,
        .by_short_ring = {slice.part<const Quad>(some, layout.area, quads), ring},
        .by_long_ring = {slice.part<const Quad>(some, layout.long_links, quads), ring + kRingQuads}};
    Sink<Cta> sink{cta, shared, skew, slice.sequences(some, exists ? block : 0),
                   slice.literals<uint8_t>(some, exists ? block : 0)};
    const uint32_t begin = exists ? block * slice.block_bytes : 0;
    const uint32_t end = begin + (exists ? slice.block_size(frame, block) : 0);
    BlockParse state{begin, end};
    input.start(begin / kChunk);
    walk(cta, input, state, sink);
    sink.copy(state.anchor, end - state.anchor);
    if (exists && cta.thread() % kLanes == 0) {
      cta.store(slice.records(frame), block, BlockRecord{sink.num_literals, sink.num_sequences});
    }
  }

  template <class Cta>
  BOBBIN_HD void walk(Cta& cta, Input<Cta>& input, BlockParse& state, Sink<Cta>& sink) const {
    const uint32_t lane = cta.thread() % kLanes;
    uint32_t at = state.anchor;
    while (cta.any(state.may_match(at))) {
      input.prepare(at, state.may_match(at));
      int32_t long_gain = kNoGain;
      const Match own =
          state.may_match(at + lane) ? input.best_at(state, slice.settings, at + lane, long_gain) : Match{};
      const Choice choice = choose(cta, own, long_gain);
      // Length, recent and offset: 7, 2 and 16 bits.
      const uint32_t packed = cta.shfl(own.length | own.recent << 8 | own.offset << 16,
                                       cta.lane() - lane + (choice.found ? choice.lane : 0));
      if (!choice.found || !choice.settled) {
        at += choice.lane;
        continue;
      }
      const uint32_t anchor = state.anchor;
      const Match match{.length = packed & 255, .offset = packed >> 16, .recent = packed >> 8 & 3};
      sink.take(anchor, state.take(input, at + choice.lane, match));
      at = state.anchor;
    }
  }

  // Which of a team's matches is taken. If that is not settled yet, the team goes on from there.
  struct Choice {
    bool found;
    bool settled;
    uint32_t lane;  // kLanes if there is no match
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Choice choose(Cta& cta, const Match& own, int32_t long_gain) const {
    const int32_t gain = own.length != 0 ? own.gain : kNoGain;
    const int32_t later = slice.settings.lazy_by_long ? long_gain : gain;
    const uint32_t first = cta.lane() / kLanes * kLanes;
    const uint32_t matches = low_bits(cta.ballot(own.length != 0) >> first, kLanes);
    // Where a match is better than that of the position before, or two before.
    const uint32_t lazy = slice.settings.lazy;
    uint32_t next = 0;
    uint32_t after = 0;
    if (lazy != 0) {
      next = cta.ballot(later > cta.shfl_up(gain, 1) + kBetterByNext) >> first;
      after = lazy == 1 ? 0 : cta.ballot(later > cta.shfl_up(gain, 2) + kBetterByAfter) >> first;
    }
    uint32_t at = matches == 0 ? kLanes : trailing_zeros(matches);
    while (at + lazy < kLanes) {
      const uint32_t by = (next >> (at + 1) & 1) != 0 ? 1 : (after >> (at + 2) & 1) != 0 ? 2 : 0;
      if (by == 0) {
        return {true, true, at};
      }
      at += by;
    }
    return {matches != 0, false, at};
  }
};

}  // namespace bobbin::zstd
