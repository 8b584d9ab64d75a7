// SPDX-License-Identifier: Apache-2.0
// Kernels that only the benchmark needs.
#pragma once

#include <cstdint>
#include <memory>

#include "bench/gpu_timer.hpp"
#include "codecs/bitpack/kernels.hpp"
#include "simt/cta.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {

using simt::Global;
using simt::Quad;

// Random bits: any bits are a valid packed array.
struct FillRandom {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;
  Global<Quad> out;

  BOBBIN_HD static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < out.size) {
      const uint64_t a = mix(2 * i + 1);
      const uint64_t b = mix(2 * i + 2);
      cta.store(out, i,
                Quad{{static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), static_cast<uint32_t>(b),
                      static_cast<uint32_t>(b >> 32)}});
    }
  }
};

// Reads everything. The sum is stored only if it has a value that does not occur, so that nothing is
// optimised away.
struct ReadAll {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;
  Global<const Quad> in;
  Global<uint32_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    const Quad quad = cta.load(in, i < in.size ? i : 0);
    if ((quad.word[0] ^ quad.word[1] ^ quad.word[2] ^ quad.word[3]) == 0x12345678) {
      cta.store(out, 0, 1U);
    }
  }
};

// A timer that flushes the GPU's L2 cache by reading.
inline Result<GpuTimer> make_timer(StreamView stream) {
  BOBBIN_ASSIGN(DeviceBuffer fresh, DeviceBuffer::create(sizeof(uint32_t), stream));
  const auto sink = std::make_shared<DeviceBuffer>(std::move(fresh));
  return GpuTimer::create(stream, [stream, sink](const DeviceBuffer& buffer) {
    const uint64_t quads = buffer.size() / sizeof(Quad);
    return simt::CudaExecutor(stream).run(ReadAll{{buffer.as<Quad>(), quads}, {sink->as<uint32_t>(), 1}},
                                          ceil_div<uint64_t>(quads, ReadAll::kThreads));
  });
}

// FastLanes' transposed order ("04261537") for u32, to measure its cost: the same unpacking, but the 32
// values of a row are 64 apart, so a vector is reordered in shared memory and stored from there.
struct TransposedDecode {
  static constexpr uint32_t kThreads = 64;
  static constexpr uint32_t kVectors = kThreads / codec::bitpack::kSlices;
  static constexpr uint32_t kPadded = 1024 + 1024 / 32;  // one word in 32 is skipped to avoid bank conflicts
  struct Shared {
    simt::Shared<uint32_t, kVectors * kPadded> values;
  };
  codec::bitpack::UniformSource<uint32_t> source;
  Global<uint32_t> out;  // whole vectors, a multiple of kVectors of them

  BOBBIN_HD static uint32_t logical(uint32_t row, uint32_t lane) {
    constexpr uint64_t kOrder = 0x73516240;  // digit i is FL_ORDER[i]: 0 4 2 6 1 5 3 7
    const auto order = [](uint32_t i) { return static_cast<uint32_t>(kOrder >> (4 * i) & 7); };
    const uint32_t p = order(row / 8) * 16 + row % 8 * 128 + lane;
    return p % 16 * 64 + order(p / 16 % 8) * 8 + p / 128;
  }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint32_t in_block = cta.thread() / codec::bitpack::kSlices;
    const uint32_t slice = cta.thread() % codec::bitpack::kSlices;
    const auto frame = source.frame(cta, uint64_t{cta.block()} * kVectors + in_block);
    const auto put = [&](uint32_t row, const Quad& quad) {
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t at = logical(row, slice * 4 + i);
        cta.store(shared.values, in_block * kPadded + at + at / 32, quad.word[i]);
      }
    };
    codec::bitpack::with_width<uint32_t>(frame.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
      codec::bitpack::unpack_column<uint32_t>(cta, source.packed, frame.first_register, slice, W, {0, 32},
                                              put);
    });
    cta.sync();
    for (uint32_t i = cta.thread(); i < kVectors * 1024; i += kThreads) {
      cta.store_once(out, uint64_t{cta.block()} * kVectors * 1024 + i,
                     cta.load(shared.values, i / 1024 * kPadded + i % 1024 + i % 1024 / 32));
    }
  }
};

}  // namespace bobbin::bench
