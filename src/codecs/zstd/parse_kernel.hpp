// SPDX-License-Identifier: Apache-2.0
// Links to sequences and literals: one thread per block of content.
#pragma once

#include "codecs/zstd/encode_slice.hpp"
#include "core/bit_scan.hpp"

namespace bobbin::zstd {

struct ParseKernel {
  static constexpr uint32_t kThreads = simt::kWarpSize;  // small blocks spread evenly over the SMs
  using Shared = simt::NoShared;

  EncodeSlice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t index = uint64_t{cta.block()} * kThreads + cta.thread();
    const uint64_t frame = index / slice.layout.num_blocks;
    const auto block = static_cast<uint32_t>(index % slice.layout.num_blocks);
    if (frame >= slice.num_frames || block >= slice.num_blocks(frame)) {
      return;
    }
    Input<Cta> input{cta, slice.bytes(frame),
                     slice.part<const uint16_t>(frame, slice.layout.area, slice.size(frame)),
                     slice.part<const uint16_t>(frame, slice.layout.long_links, slice.size(frame))};
    Sink<Cta> sink{cta, input.bytes, slice.sequences(frame, block), slice.literals<uint32_t>(frame, block)};
    const uint32_t begin = block * slice.block_bytes;
    const uint32_t end = begin + slice.block_size(frame, block);
    const uint32_t anchor = BlockParser<Input<Cta>, Sink<Cta>>(input, sink, slice.settings).parse(begin, end);
    sink.copy(anchor, end - anchor);
    sink.finish();
    cta.store(slice.records(frame), block, BlockRecord{sink.num_literals, sink.num_sequences});
  }

 private:
  template <class Cta>
  struct Input {
    Cta& cta;
    FrameBytes bytes;
    Global<const uint16_t> short_links;
    Global<const uint16_t> long_links;

    [[nodiscard]] BOBBIN_HD uint32_t word(uint32_t at) const { return bytes.word(cta, at); }
    [[nodiscard]] BOBBIN_HD uint32_t by_short(uint32_t at) const { return position(short_links, at); }
    [[nodiscard]] BOBBIN_HD uint32_t next_by_short(uint32_t at) const { return by_short(at); }
    [[nodiscard]] BOBBIN_HD uint32_t by_long(uint32_t at) const { return position(long_links, at); }
    [[nodiscard]] BOBBIN_HD uint32_t position(const Global<const uint16_t>& links, uint32_t at) const {
      const uint32_t link = cta.load(links, at);
      return link == kNoLink ? kNoPosition : link;
    }
    [[nodiscard]] BOBBIN_HD bool same_before(uint32_t a, uint32_t b) const {
      return bytes.byte(cta, a - 1) == bytes.byte(cta, b - 1);
    }
    [[nodiscard]] BOBBIN_HD uint32_t equal(uint32_t a, uint32_t b, uint32_t most) const {
      for (uint32_t length = 0; length < most; length += 4) {
        const uint32_t differ = word(a + length) ^ word(b + length);
        if (differ != 0) {
          const uint32_t found = length + trailing_zeros(differ) / 8;
          return found < most ? found : most;
        }
      }
      return most;
    }
  };

  template <class Cta>
  struct Sink {
    Cta& cta;
    FrameBytes bytes;
    Global<uint64_t> sequences;
    Global<uint32_t> literals;
    uint32_t num_sequences = 0;
    uint32_t num_literals = 0;
    uint64_t pending = 0;  // literals that do not fill a word yet

    BOBBIN_HD void take(uint32_t anchor, const CodedSequence& sequence) {
      cta.store(sequences, num_sequences++, PackedSequence::pack(sequence));
      copy(anchor, sequence.literals);
    }
    BOBBIN_HD void copy(uint32_t from, uint32_t count) {
      for (uint32_t i = 0; i < count; i += 4) {
        const uint32_t some = count - i < 4 ? count - i : 4;
        const uint32_t word = bytes.word(cta, from + i);
        pending |= uint64_t{some == 4 ? word : low_bits(word, 8 * some)} << (8 * (num_literals % 4));
        if (num_literals % 4 + some >= 4) {
          cta.store(literals, num_literals / 4, static_cast<uint32_t>(pending));
          pending >>= 32;
        }
        num_literals += some;
      }
    }
    BOBBIN_HD void finish() {
      if (num_literals % 4 != 0) {
        cta.store(literals, num_literals / 4, static_cast<uint32_t>(pending));
      }
    }
  };
};

}  // namespace bobbin::zstd
