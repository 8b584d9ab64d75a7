// SPDX-License-Identifier: Apache-2.0
// Kernels of bit-packing and the plans that launch them, for any executor: the GPU's (launch.cu) and the
// emulator's (emulate.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "codecs/bitpack/bitpack.hpp"
#include "codecs/bitpack/tile.hpp"
#include "codecs/codec.hpp"
#include "core/dispatch.hpp"
#include "device/memory.hpp"

namespace bobbin::codec::bitpack {

// Where vectors of one width lie.
template <class T>
struct UniformSource {
  Global<const Quad> packed;
  uint32_t width;

  template <class Cta>
  BOBBIN_HD Frame<T> frame(Cta& /*cta*/, uint64_t v) const {
    return {.first_register = v * width, .width = width, .reference = 0};
  }
};

// Unpacks 32 rows a warp from any source of frames into any sink. Every codec that ends in packed vectors
// decodes, tests and aggregates through it.
template <class T, class Source, class Sink>
struct UnpackKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Source source;
  Sink sink;
  uint64_t end_row;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t warp = uint64_t{cta.block()} * (kThreads / simt::kWarpSize) + cta.warp();
    unpack_rows<T>(
        cta, source.packed, warp * kRowsPerWarp, end_row, [&](uint64_t v) { return source.frame(cta, v); },
        [&](const Slice<T>& part) { sink(cta, part); });
  }
};

// Rows that hold the values up to `end`, and the blocks whose warps cover all rows of their vectors.
template <class T>
uint64_t rows_until(uint64_t end) {
  return end / kVectorLength * kRows<T> + num_rows(static_cast<uint32_t>(end % kVectorLength), kBits<T>);
}
template <class T>
uint64_t unpack_blocks(uint64_t end) {
  constexpr uint64_t kRowsPerBlock = UnpackKernel<T, int, int>::kThreads / simt::kWarpSize * kRowsPerWarp;
  return ceil_div<uint64_t>(num_vectors(end) * kRows<T>, kRowsPerBlock);
}

template <class Quads = const Quad>
Global<Quads> as_quads(const Buffer& buffer) {
  return {reinterpret_cast<Quads*>(buffer.bytes.data()), buffer.bytes.size() / sizeof(Quad)};
}

// Decodes an array whose frames come from `source`.
template <class T, class Executor, class Source>
Status run_decode(const Executor& executor, const Source& source, const Array& array, void* out) {
  const uint64_t end = array.offset + array.length;
  const StoreValues<T> sink{{static_cast<T*>(out), array.length}, array.offset, end};
  return executor.run(UnpackKernel<T, Source, StoreValues<T>>{source, sink, rows_until<T>(end)},
                      unpack_blocks<T>(end));
}

template <class T, class Executor, class Source>
Status run_compare(const Executor& executor, const Source& source, const Array& array, const ValueRange& range,
                   uint32_t* bitmap) {
  const uint64_t end = array.offset + array.length;
  const TestValues<T> sink{{bitmap, num_vectors(end) * (kVectorLength / 32)},
                           static_cast<T>(range.low),
                           static_cast<T>(range.span),
                           range.negated,
                           end};
  return executor.run(UnpackKernel<T, Source, TestValues<T>>{source, sink, rows_until<T>(end)},
                      unpack_blocks<T>(end));
}

// The slice of row `row` of values in memory; values at or past `end` read as zero.
template <class T, class Cta>
BOBBIN_HD Quad load_values(Cta& cta, Global<const T> values, uint64_t first) {
  constexpr uint32_t kLength = kSliceLength<T>;
  if (first + kLength <= values.size) {
    const Global<const Quad> quads{reinterpret_cast<const Quad*>(values.data), values.size / kLength};
    return cta.load(quads, first / kLength);
  }
  Words<LaneWord<T>> words{};
  constexpr uint32_t kPerWord = sizeof(LaneWord<T>) / sizeof(T);
  for (uint32_t i = 0; i < kLength; ++i) {
    if (first + i < values.size) {
      words.word[i / kPerWord] |= static_cast<LaneWord<T>>(cta.load(values, first + i)) << (i % kPerWord * kBits<T>);
    }
  }
  return words.quad();
}

// Ors all values together, which tells the width they need. One partial word a warp reaches memory.
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
    cta.store_once(packed, index, pack_slice<T>(static_cast<uint32_t>(reg % width), width, rows, [&](uint32_t row) {
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
  constexpr uint64_t kPerBlock = uint64_t{OrKernel<T>::kThreads} * OrKernel<T>::kQuadsPerThread * kSliceLength<T>;
  BOBBIN_TRY(executor.run(kernel, ceil_div(values.size, kPerBlock)));
  uint64_t all = 0;
  BOBBIN_TRY(copy_async(&all, result.data(), sizeof all, stream));
  BOBBIN_TRY(stream.synchronize());
  // Narrow lanes stand side by side in the 64 bits: fold them onto the first.
  for (uint32_t bits = 32; bits >= kBits<T> && bits != 0; bits /= 2) {
    all |= all >> bits;
  }
  return bit_width_of(static_cast<T>(all));
}

template <class T, class Executor>
Status run_pack(const Executor& executor, Global<const T> values, uint32_t width, Global<Quad> packed) {
  return executor.run(PackKernel<T>{values, packed, width}, ceil_div<uint64_t>(packed.size, PackKernel<T>::kThreads));
}

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      return run_decode<T>(Executor(stream), UniformSource<T>{as_quads(array.buffers[0]), width_of(array)}, array, out);
    });
  }

  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      return run_compare<T>(Executor(stream), UniformSource<T>{as_quads(array.buffers[0]), width_of(array)}, array,
                            range, bitmap);
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
