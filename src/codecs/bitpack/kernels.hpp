// SPDX-License-Identifier: Apache-2.0
// Kernels of bit-packing and the plans that launch them, for any executor: the GPU's (launch.cu) and the
// emulator's (emulate.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "bobbin/memory.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/bitpack/tile.hpp"
#include "codecs/codec.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::bitpack {

// Where vectors of one width lie.
template <class T>
struct UniformSource {
  Global<const Quad> packed;
  uint32_t width;
  NoPatches patches{};

  template <class Cta>
  [[nodiscard]] BOBBIN_HD AsIs finish(Cta& /*cta*/, uint64_t /*v*/) const {
    return {};
  }
  template <class Cta>
  BOBBIN_HD Frame<T> frame(Cta& /*cta*/, uint64_t v) const {
    return {.first_register = v * width, .width = width, .reference = 0};
  }
};

// The values a block decodes or encodes at a time, one thread for each column of each vector: 32 threads for
// 64-bit values in 32 KiB, 256 for 8-bit ones.
template <class T, uint32_t kTileQuads>
struct Tile {
  static constexpr uint32_t kQuads = kTileQuads;
  static constexpr uint32_t kValues = kQuads * kSliceLength<T>;
  static constexpr uint32_t kVectors = kValues / kVectorLength;
  static constexpr uint32_t kVectorQuads = kQuads / kVectors;
  static constexpr uint32_t kThreads = kVectors * kSlices;
  // As many blocks as an SM's shared memory holds (192 KiB): some wait for memory while others compute.
  static constexpr uint32_t kMinBlocks = 12 * 1024 / kQuads;
};

// Into how many parts a column's rows are cut, each with a thread of its own: one, unless the source says
// that there is much to compute.
template <class Source>
constexpr uint32_t row_parts() {
  if constexpr (requires { Source::kRowParts; }) {
    return Source::kRowParts;
  } else {
    return 1;
  }
}

// Decodes vectors from any source of frames: every codec that ends in packed vectors decodes through it. A
// source has `packed`, frame(v), finish(v), which gives what turns unpacked integers into the values, and
// `patches`. Whole tiles are gathered in shared memory and leave it in one run: the card's memory wants long
// runs of writes.
template <class T, class Source>
struct DecodeKernel {
  // 16 KiB beat 32 by up to 1 % (docs/perf/bitpack.md); 64-bit vectors are so long that a warp needs 32.
  using Tile = bitpack::Tile<T, sizeof(T) == 8 ? 2048 : 1024>;
  static constexpr uint32_t kParts = row_parts<Source>();
  static constexpr uint32_t kPartRows = kRows<T> / kParts;
  static constexpr uint32_t kThreads = Tile::kThreads * kParts;
  static constexpr uint32_t kMinBlocks = Tile::kMinBlocks;
  struct Shared {
    simt::Shared<Quad, Tile::kQuads> values;
  };

  Source source;
  Global<T> out;  // values offset .. end-1
  uint64_t offset;
  uint64_t end;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t part = cta.thread() / Tile::kThreads;
    const uint32_t in_tile = cta.thread() % Tile::kThreads / kSlices;
    const uint32_t slice = cta.thread() % kSlices;
    const uint64_t tile = cta.block();
    const uint64_t vector = tile * Tile::kVectors + in_tile;
    const uint64_t first = tile * Tile::kValues;
    const bool inside = vector * kVectorLength < end;
    const Frame<T> frame = inside ? source.frame(cta, vector) : Frame<T>{};
    const auto finish = source.finish(cta, inside ? vector : 0);
    using Run = typename decltype(source.patches)::Run;
    const Run patches =
        inside ? source.patches.run(cta, vector, part * kSlices + slice, kParts * kSlices) : Run{};
    // Only a slice of the array that starts on 16 bytes keeps every Quad aligned.
    if (offset % kSliceLength<T> != 0 || first < offset || first + Tile::kValues > end) {
      if (inside && part == 0) {
        decode_edge(cta, frame, finish, vector * kVectorLength, slice);
      }
      if (source.patches.dealt_out() || kParts > 1) {
        cta.sync();
      }
      source.patches.apply(
          cta, patches, [&](uint32_t i, T value) { store_inside(cta, vector * kVectorLength + i, value); });
      return;
    }
    auto& shared = cta.template shared<Shared>();
    const uint32_t to = in_tile * Tile::kVectorQuads + slice;
    // One choice of width and part: a choice within a choice is not inlined.
    with_width_in<0, (kBits<T> + 1) * kParts - 1>(
        frame.width * kParts + part, [&]<uint32_t I>(std::integral_constant<uint32_t, I>) {
          unpack_column<T, I / kParts, I % kParts * kPartRows, (I % kParts + 1) * kPartRows>(
              cta, source.packed, frame.first_register, slice, [&](uint32_t row, const Quad& quad) {
                cta.store(shared.values, to + row * kSlices, add_reference<T>(quad, frame.reference));
              });
        });
    if constexpr (!std::is_same_v<decltype(finish), const AsIs>) {
      finish_column(cta, shared, to, part * kPartRows, finish);
    }
    if (source.patches.dealt_out() || kParts > 1) {
      cta.sync();
    } else {
      cta.sync_warp();  // what follows stores in the same place by another type
    }
    auto& values = reinterpret_cast<simt::Shared<T, Tile::kValues>&>(shared.values);
    source.patches.apply(cta, patches,
                         [&](uint32_t i, T value) { cta.store(values, in_tile * kVectorLength + i, value); });
    cta.sync();
    const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kSliceLength<T>};
    const uint64_t start = (first - offset) / kSliceLength<T>;
    for (uint32_t q = cta.thread(); q < Tile::kQuads; q += kThreads) {
      cta.store_once(quads, start + q, cta.load(shared.values, q));
    }
  }

 private:
  // Unpacking is unrolled for each width. With more work a value it would no longer fit the cache for
  // instructions: that is done in a loop of its own.
  template <class Cta, class Finish>
  BOBBIN_HD static void finish_column(Cta& cta, Shared& shared, uint32_t to, uint32_t first_row,
                                      const Finish& finish) {
    constexpr uint32_t kAtOnce = 4;
    for (uint32_t first = first_row; first < first_row + kPartRows; first += kAtOnce) {
      BOBBIN_UNROLL
      for (uint32_t row = first; row < first + kAtOnce; ++row) {
        const uint32_t at = to + row * kSlices;
        cta.store(shared.values, at, finish(cta.load(shared.values, at)));
      }
    }
  }
  template <class Cta, class Finish>
  BOBBIN_HD void decode_edge(Cta& cta, const Frame<T>& frame, const Finish& finish, uint64_t first,
                             uint32_t slice) const {
    const uint64_t left = end - first;
    const uint32_t rows = left >= kVectorLength ? kRows<T> : num_rows(static_cast<uint32_t>(left), kBits<T>);
    for (uint32_t row = 0; row < rows; ++row) {
      const Quad quad =
          finish(add_reference<T>(unpack_slice<T>(cta, source.packed, frame, row, slice), frame.reference));
      for (uint32_t i = 0; i < kSliceLength<T>; ++i) {
        const uint64_t at = first + row * kLanes<T> + slice * kSliceLength<T> + i;
        store_inside(cta, at, value_in<T>(quad, i));
      }
    }
  }
  template <class Cta>
  BOBBIN_HD void store_inside(Cta& cta, uint64_t at, T value) const {
    if (at >= offset && at < end) {
      cta.store(out, at - offset, value);
    }
  }
};

// Compares vectors from any source of frames with a constant: see ValueRange. Writes all 32 words of each
// vector.
template <class T, class Source>
struct CompareKernel {
  static constexpr uint32_t kThreads = 256;
  // Bounds the registers to 40 (128 for 64-bit lanes): warps enough to cover the wait for memory.
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
        test_column<T, W>(cta, words, first, range, hits);
      }
    });
    for (uint32_t& word : hits) {
      word = range.empty ? 0 : word;
    }
  }

  // A last, short vector is looked at value by value.
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

// Decodes an array whose frames come from `source`.
template <class T, class Executor, class Source>
Status run_decode(const Executor& executor, const Source& source, const Array& array, void* out) {
  using K = DecodeKernel<T, Source>;
  const uint64_t end = array.offset + array.length;
  return executor.run(K{source, {static_cast<T*>(out), array.length}, array.offset, end},
                      ceil_div<uint64_t>(end, K::Tile::kValues));
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
      words.word[i / kPerWord] |= static_cast<LaneWord<T>>(cta.load(values, first + i))
                                  << (i % kPerWord * kBits<T>);
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
  // Narrow lanes stand side by side in the 64 bits: fold them onto the first.
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
