// SPDX-License-Identifier: Apache-2.0
// Kernels of bit-packing and the plans that launch them, for the GPU and the emulator (device.cu).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "bobbin/memory.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/bitpack/decode_kernel.hpp"
#include "codecs/bitpack/tile.hpp"
#include "codecs/codec.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::bitpack {

// Compares vectors from any source of frames with a range (ValueRange). Writes all 32 words of each vector.
template <class T, class Source>
struct CompareKernel {
  static constexpr uint32_t kThreads = 256;
  // Limits a thread to 40 registers (128 for 64-bit lanes), to have enough warps to hide memory latency.
  static constexpr uint32_t kMinBlocks = sizeof(T) == 8 ? 2 : 6;
  using Shape = TestShape<T>;
  using Shared = simt::NoShared;

  Source source;
  Global<uint32_t> bitmap;
  T low;
  T span;
  bool negated;
  uint64_t end;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t warp = uint64_t{cta.block()} * (kThreads / simt::kWarpSize) + cta.warp();
    const uint64_t vector = warp * Shape::kVectorsPerWarp + cta.lane() / Shape::kWordsPerRegister;
    const bool inside = vector * kVectorLength < end;
    const bool whole = (vector + 1) * kVectorLength <= end;
    const Frame<T> frame = inside ? source.frame(cta, vector) : Frame<T>{};
    const auto range = PackedRange<T>::of(static_cast<T>(frame.reference - low), span, frame.width);
    uint32_t hits[Shape::kHalves] = {};
    if (frame.width == 0) {
      for (uint32_t& word : hits) {
        word = range.empty ? 0 : ~uint32_t{0};
      }
    } else if (whole) {
      test_whole(cta, frame, range, hits);
    }
    BOBBIN_UNROLL
    for (uint32_t half = 0; half < Shape::kHalves; ++half) {
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < Shape::kSwaps; ++i) {
        hits[half] = swap_index_bits(cta, hits[half], i, i + Shape::kFirstBit);
      }
      if (inside) {
        store_word(cta, frame, vector, Shape::word(cta.lane(), half), hits[half], whole);
      }
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD void test_whole(Cta& cta, const Frame<T>& frame, const PackedRange<T>& range,
                            uint32_t (&hits)[Shape::kHalves]) const {
    const Global<const LaneWord<T>> words{reinterpret_cast<const LaneWord<T>*>(source.packed.data),
                                          source.packed.size * (sizeof(Quad) / sizeof(LaneWord<T>))};
    const uint64_t first =
        frame.first_register * Shape::kWordsPerRegister + cta.lane() % Shape::kWordsPerRegister;
    with_width<T>(frame.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
      if constexpr (W != 0) {
        test_column<T>(cta, words, first, W, range, hits);
      }
    });
    for (uint32_t& word : hits) {
      word = range.empty ? 0 : word;
    }
  }

  // A last, short vector is tested value by value.
  template <class Cta>
  BOBBIN_HD void store_word(Cta& cta, const Frame<T>& frame, uint64_t vector, uint32_t word, uint32_t bits,
                            bool whole) const {
    bits = negated ? ~bits : bits;
    if (!whole) {
      bits = 0;
      for (uint32_t i = 0; i < 32; ++i) {
        const uint32_t at = word * 32 + i;
        if (vector * kVectorLength + at < end) {
          const Quad quad =
              unpack_slice<T>(cta, source.packed, frame, at / kLanes<T>, at % kLanes<T> / kSliceLength<T>);
          const auto value = static_cast<T>(value_in<T>(quad, at % kSliceLength<T>) + frame.reference - low);
          bits |= static_cast<uint32_t>((value <= span) != negated) << i;
        }
      }
    }
    cta.store(bitmap, vector * (kVectorLength / 32) + word, bits);
  }
};

template <class Quads = const Quad>
Global<Quads> as_quads(const Buffer& buffer) {
  return {reinterpret_cast<Quads*>(buffer.bytes.data()), buffer.bytes.size() / sizeof(Quad)};
}

template <class T, class Executor, class Source>
Status run_compare(const Executor& executor, const Source& source, const Array& array,
                   const ValueRange& range, uint32_t* bitmap) {
  using K = CompareKernel<T, Source>;
  constexpr uint64_t kVectorsPerBlock = uint64_t{K::kThreads} / simt::kWarpSize * K::Shape::kVectorsPerWarp;
  const uint64_t end = array.offset + array.length;
  const K kernel{source,
                 {bitmap, num_vectors(end) * (kVectorLength / 32)},
                 static_cast<T>(range.low),
                 static_cast<T>(range.span),
                 range.negated,
                 end};
  return executor.run(kernel, ceil_div<uint64_t>(num_vectors(end), kVectorsPerBlock));
}

// The slice of row `row` of values in memory; values from `end` on read as zero.
template <class T, class Cta>
BOBBIN_HD Quad load_values(Cta& cta, Global<const T> values, uint64_t first) {
  constexpr uint32_t kLength = kSliceLength<T>;
  if (first + kLength <= values.size) {
    const Global<const Quad> quads{reinterpret_cast<const Quad*>(values.data), values.size / kLength};
    return cta.load(quads, first / kLength);
  }
  PackedWords<LaneWord<T>> words{};
  constexpr uint32_t kPerWord = sizeof(LaneWord<T>) / sizeof(T);
  for (uint32_t i = 0; i < kLength; ++i) {
    if (first + i < values.size) {
      words.word[i / kPerWord] |= static_cast<LaneWord<T>>(cta.load(values, first + i))
                                  << (i % kPerWord * kBits<T>);
    }
  }
  return words.quad();
}

// ORs all values together to find the width they need. Each warp stores one partial word.
template <class T>
struct OrKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kQuadsPerThread = 16;
  using Shared = simt::NoShared;

  Global<const T> values;
  Global<unsigned long long> result;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t first = uint64_t{cta.block()} * kThreads * kQuadsPerThread + cta.thread();
    Quad quads[kQuadsPerThread];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kQuadsPerThread; ++i) {
      quads[i] = load_values<T>(cta, values, (first + i * kThreads) * kSliceLength<T>);
    }
    Quad all{};
    for (const Quad& quad : quads) {
      for (uint32_t w = 0; w < 4; ++w) {
        all.word[w] |= quad.word[w];
      }
    }
    // Words 0 and 2 are the low halves of 64-bit lanes, 1 and 3 the high ones.
    const uint32_t low = cta.reduce_or(all.word[0] | all.word[2]);
    const uint32_t high = cta.reduce_or(all.word[1] | all.word[3]);
    const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    if (cta.lane() == 0 && (both & ~cta.template atomic_load<simt::Order::relaxed>(result, 0)) != 0) {
      cta.template atomic_or<simt::Order::relaxed>(result, 0, both);
    }
  }
};

// Packs values at one width: a thread gathers one slice of one packed register.
template <class T>
struct PackKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<const T> values;
  Global<Quad> packed;
  uint32_t width;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t index = uint64_t{cta.block()} * kThreads + cta.thread();
    if (index >= packed.size) {
      return;
    }
    const uint64_t reg = index / kSlices;
    const auto slice = static_cast<uint32_t>(index % kSlices);
    const uint64_t vector = reg / width;
    const uint64_t first = vector * kVectorLength + slice * kSliceLength<T>;
    const uint64_t left = values.size - vector * kVectorLength;
    const uint32_t rows = left >= kVectorLength ? kRows<T> : num_rows(static_cast<uint32_t>(left), kBits<T>);
    cta.store_once(packed, index,
                   pack_slice<T>(static_cast<uint32_t>(reg % width), width, rows, [&](uint32_t row) {
                     return load_values<T>(cta, values, first + row * kLanes<T>);
                   }));
  }
};

template <class T, class Executor>
Result<uint32_t> run_needed_width(const Executor& executor, Global<const T> values) {
  const StreamView stream = executor.stream();
  BOBBIN_ASSIGN(const DeviceBuffer result, DeviceBuffer::create(sizeof(uint64_t), stream));
  BOBBIN_TRY(fill_async(result.data(), 0, sizeof(uint64_t), stream));
  const OrKernel<T> kernel{values, {result.as<unsigned long long>(), 1}};
  constexpr uint64_t kPerBlock =
      uint64_t{OrKernel<T>::kThreads} * OrKernel<T>::kQuadsPerThread * kSliceLength<T>;
  BOBBIN_TRY(executor.run(kernel, ceil_div(values.size, kPerBlock)));
  uint64_t all = 0;
  BOBBIN_TRY(copy_async(&all, result.data(), sizeof all, stream));
  BOBBIN_TRY(stream.synchronize());
  // Folds the narrow lanes in the 64 bits onto the first.
  for (uint32_t bits = 32; bits >= kBits<T> && bits != 0; bits /= 2) {
    all |= all >> bits;
  }
  return bit_width_of(static_cast<T>(all));
}

template <class T, class Executor>
Status run_pack(const Executor& executor, Global<const T> values, uint32_t width, Global<Quad> packed) {
  return executor.run(PackKernel<T>{values, packed, width},
                      ceil_div<uint64_t>(packed.size, PackKernel<T>::kThreads));
}

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      return run_decode<T>(Executor(stream), UniformSource<T>{as_quads(array.buffers[0]), width_of(array)},
                           array, out);
    });
  }

  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      return run_compare<T>(Executor(stream), UniformSource<T>{as_quads(array.buffers[0]), width_of(array)},
                            array, range, bitmap);
    });
  }

  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    return visit_bits(type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
      const Executor executor(stream);
      const Global<const T> values{static_cast<const T*>(data), length};
      BOBBIN_ASSIGN(const uint32_t width, run_needed_width<T>(executor, values));
      BOBBIN_ASSIGN(DeviceBuffer fresh, DeviceBuffer::create(packed_bytes(length, width, kBits<T>), stream));
      auto packed = std::make_shared<DeviceBuffer>(std::move(fresh));
      BOBBIN_TRY(run_pack<T>(executor, values, width, {packed->as<Quad>(), packed->size() / sizeof(Quad)}));
      return Array{.codec = CodecId::bitpack,
                   .type = type,
                   .length = length,
                   .offset = 0,
                   .metadata = {static_cast<uint8_t>(width)},
                   .buffers = {{packed, {packed->as<std::byte>(), packed->size()}}},
                   .children = {}};
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .encode = &encode, .compare = &compare}; }
};

}  // namespace bobbin::codec::bitpack
