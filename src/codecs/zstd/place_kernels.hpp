// SPDX-License-Identifier: Apache-2.0
// Where each frame goes, and its copy to there.
#pragma once

#include "codecs/zstd/encode_slice.hpp"
#include "simt/prefix_sums.hpp"

namespace bobbin::zstd {

// Where each frame ends in the output. One block.
struct PlaceFramesKernel {
  static constexpr uint32_t kThreads = simt::PrefixSums::kThreads;
  struct Shared {
    simt::PrefixSums sums;
  };

  EncodeSlice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t before =
        slice.before == nullptr ? 0 : cta.load(Global<const uint64_t>{slice.before, 1}, 0);
    cta.template shared<Shared>().sums.run(
        cta, slice.num_frames, before, [&](uint64_t i) -> uint64_t { return cta.load(slice.sizes, i); },
        [&](uint64_t i, uint64_t end) { cta.store(slice.ends, i, end); });
  }
};

// Frames to their places, by aligned words of the output.
struct CopyFramesKernel {
  static constexpr uint32_t kThreads = 128;
  using Shared = simt::NoShared;

  EncodeSlice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t size = cta.load(slice.sizes, cta.block());
    const uint64_t begin = cta.load(slice.ends, cta.block()) - size;
    const auto from =
        FrameBytes::of(slice.scratch + cta.block() * slice.layout.stride + slice.layout.image, size);
    const auto to = ByteWords<uint32_t>::of(slice.out + begin, size);
    const Global<std::byte> bytes{slice.out + begin, size};
    const uint32_t head = (4 - to.skew) % 4 < size ? (4 - to.skew) % 4 : size;
    const uint32_t words = (size - head) / 4;
    const uint32_t first = to.skew == 0 ? 0 : 1;
    for (uint32_t i = cta.thread(); i < words; i += kThreads) {
      cta.store(to.words, first + i, from.word(cta, head + 4 * i));
    }
    const auto put_byte = [&](uint32_t i) { cta.store(bytes, i, static_cast<std::byte>(from.byte(cta, i))); };
    if (cta.thread() < head) {
      put_byte(cta.thread());
    }
    const uint32_t tail = head + 4 * words + cta.thread();
    if (tail < size) {
      put_byte(tail);
    }
  }
};

}  // namespace bobbin::zstd
