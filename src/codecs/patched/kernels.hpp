// SPDX-License-Identifier: Apache-2.0
// Kernels of patches and the plans that launch them. Over packed vectors, the kernels of bitpack and ffor do
// everything in one launch; over other arrays, patches are written after decoding.
#pragma once

#include <cstdint>
#include <memory>

#include "bobbin/memory.hpp"
#include "codecs/bitpack/kernels.hpp"
#include "codecs/ffor/kernels.hpp"
#include "codecs/patched/patched.hpp"
#include "codecs/patched/tile.hpp"
#include "codecs/registry.hpp"
#include "simt/look_back.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::patched {

// Writes patches over decoded values.
template <class T>
struct PatchKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  PatchSource<T> patches;
  Global<T> out;  // values offset .. end-1
  uint64_t offset;
  uint64_t end;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t thread = uint64_t{cta.block()} * kThreads + cta.thread();
    const uint64_t first = thread / kSlices * kVectorLength;
    if (first < end) {
      const auto slice = static_cast<uint32_t>(thread % kSlices);
      patches.apply(cta, patches.run(cta, first / kVectorLength, slice, kSlices), [&](uint32_t i, T value) {
        if (first + i >= offset && first + i < end) {
          cta.store(out, first + i - offset, value);
        }
      });
    }
  }
};

// The part of ffor's encoding that chooses each vector's width, so that it is smallest together with its
// patches, and writes the patches.
template <class T>
struct Patcher {
  static constexpr uint32_t kVectors = bitpack::Tile<T, 2048>::kVectors;
  static constexpr uint32_t kWidths = kBits<T> + 1;

  struct Shared {
    simt::Shared<uint32_t, kVectors * kWidths> of_width;
    simt::Shared<uint32_t, kVectors> widths;
    simt::Shared<uint32_t, kVectors> patches;
    simt::Shared<uint64_t, kVectors> starts;
  };

  // A vector's patches are smaller than the registers they save.
  static constexpr uint32_t kMost = kRegisterBytes * kBits<T> / patch_bytes(sizeof(T));

  Global<uint32_t> starts;
  Global<uint16_t> indices;
  Global<T> values;
  Global<uint64_t> states;  // one per tile

  template <class Cta, class RowOf>
  BOBBIN_HD uint32_t width(Cta& cta, Shared& shared, uint32_t in_tile, uint32_t slice, uint32_t count,
                           const bitpack::Frame<T>& frame, RowOf&& row_of) const {
    for (uint32_t w = slice; w < kWidths; w += kSlices) {
      cta.store(shared.of_width, in_tile * kWidths + w, uint32_t{0});
    }
    cta.sync();
    visit(slice, count, frame.reference, row_of, [&](uint32_t, T, T difference) {
      cta.template atomic_add<simt::Order::relaxed>(
          shared.of_width, in_tile * kWidths + bit_width_of(difference), uint32_t{1});
    });
    cta.sync();
    if (slice == 0) {
      choose(cta, shared, in_tile, count);
    }
    cta.sync();
    return cta.load(shared.widths, in_tile);
  }

  // Called by one warp; lane v finds where vector v's patches go.
  template <class Cta>
  BOBBIN_HD void number(Cta& cta, Shared& shared, uint64_t tile, uint64_t vectors) const {
    const uint32_t v = cta.lane();
    const uint64_t vector = tile * kVectors + v;
    const bool there = v < kVectors && vector < vectors;
    const uint32_t own = there ? cta.load(shared.patches, v) : 0;
    const uint32_t through = simt::sum_through(cta, own);
    const uint64_t before = simt::look_back(cta, states, tile, cta.shfl(through, simt::kWarpSize - 1));
    if (there) {
      cta.store(shared.starts, v, before + through - own);
      cta.store(starts, vector, static_cast<uint32_t>(before + through - own));
      if (vector + 1 == vectors) {
        cta.store(starts, vectors, static_cast<uint32_t>(before + through));
      }
    }
  }

  // Replaces values that do not fit by zero.
  [[nodiscard]] BOBBIN_HD static Quad keep(const Quad& differences, uint32_t width) {
    using Word = bitpack::LaneWord<T>;
    constexpr uint32_t kPerWord = sizeof(Word) / sizeof(T);
    bitpack::PackedWords<Word> kept{};
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < bitpack::kSliceLength<T>; ++i) {
      const T value = bitpack::value_in<T>(differences, i);
      kept.word[i / kPerWord] |= static_cast<Word>(value > low_mask<T>(width) ? T{0} : value)
                                 << (i % kPerWord * kBits<T>);
    }
    return kept.quad();
  }

  // Row by row, since indices ascend; within a row, the eight threads' patches in order.
  template <class Cta, class RowOf>
  BOBBIN_HD void write(Cta& cta, Shared& shared, uint32_t in_tile, uint32_t slice, uint32_t count,
                       const bitpack::Frame<T>& frame, RowOf&& row_of) const {
    const T most = low_mask<T>(frame.width);
    uint64_t next = count == 0 ? 0 : cta.load(shared.starts, in_tile);
    for (uint32_t row = 0; row < kRows<T>; ++row) {
      uint32_t own = 0;
      const auto patches_of_row = [&](auto&& f) {
        visit_row(row, slice, count, frame.reference, row_of, [&](uint32_t i, T value, T difference) {
          if (difference > most) {
            f(i, value);
          }
        });
      };
      patches_of_row([&](uint32_t, T) { ++own; });
      uint32_t through = own;
      BOBBIN_UNROLL
      for (uint32_t distance = 1; distance < kSlices; distance *= 2) {
        const uint32_t other = cta.shfl_up(through, distance);
        through += slice >= distance ? other : 0;
      }
      uint64_t to = next + through - own;
      patches_of_row([&](uint32_t i, T value) {
        cta.store(indices, to, static_cast<uint16_t>(i));
        cta.store(values, to, value);
        ++to;
      });
      next += cta.shfl(through, cta.lane() | (kSlices - 1));
    }
  }

 private:
  // Calls f(index, value, difference) for a column's values, in one row or in all.
  template <class RowOf, class F>
  BOBBIN_HD static void visit_row(uint32_t row, uint32_t slice, uint32_t count, T reference, RowOf&& row_of,
                                  F&& f) {
    const uint32_t first = row * kLanes<T> + slice * bitpack::kSliceLength<T>;
    if (first >= count) {
      return;
    }
    const Quad quad = row_of(row);
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < bitpack::kSliceLength<T>; ++i) {
      if (first + i < count) {
        const T value = bitpack::value_in<T>(quad, i);
        f(first + i, value, static_cast<T>(value - reference));
      }
    }
  }
  template <class RowOf, class F>
  BOBBIN_HD static void visit(uint32_t slice, uint32_t count, T reference, RowOf&& row_of, F&& f) {
    for (uint32_t row = 0; row < num_rows(count, kBits<T>); ++row) {
      visit_row(row, slice, count, reference, row_of, f);
    }
  }

  // As in encode.cpp.
  template <class Cta>
  BOBBIN_HD static void choose(Cta& cta, Shared& shared, uint32_t in_tile, uint32_t count) {
    uint32_t best = 0;
    uint32_t patches = 0;
    uint32_t least = UINT32_MAX;
    uint32_t wider = 0;
    for (uint32_t width = kWidths; width-- > 0;) {
      const uint32_t here = cta.load(shared.of_width, in_tile * kWidths + width);
      const uint32_t bytes = num_registers(num_rows(count, kBits<T>), width, kBits<T>) * kRegisterBytes +
                             wider * patch_bytes(sizeof(T));
      if ((here != 0 || width == 0) && bytes < least) {
        least = bytes;
        best = width;
        patches = wider;
      }
      wider += here;
    }
    cta.store(shared.widths, in_tile, best);
    cta.store(shared.patches, in_tile, patches);
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Array& inner = array.children[0];
    const Executor executor(stream);
    const DeviceOps& ops = *device_ops(stream.backend(), inner.codec);
    if (array.buffers[1].bytes.empty()) {
      return ops.decode(inner, out, stream);  // no patches
    }
    if (ops.decode_patched != nullptr) {
      return ops.decode_patched(array, out, stream);
    }
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const auto patches = source_of<PatchSource<T>>(array);
      if (inner.codec == CodecId::bitpack || inner.codec == CodecId::ffor) {
        return bitpack::run_decode<T>(executor, PatchedFrames<T>{frames_of<T>(inner), patches}, array, out);
      }
      BOBBIN_TRY(ops.decode(inner, out, stream));
      return write_patches<T>(executor, patches, array, out);
    });
  }

  static bool gather(const Array& array, uint64_t out, simt::Gathered& others) {
    const Array& inner = array.children[0];
    const DeviceOps& ops = *device_ops(Executor::kBackend, inner.codec);
    if (array.buffers[1].bytes.empty()) {
      return ops.gather != nullptr && ops.gather(inner, out, others);
    }
    if (ops.gather_patched != nullptr) {
      return ops.gather_patched(array, out, others);
    }
    if (inner.codec != CodecId::bitpack && inner.codec != CodecId::ffor) {
      return false;
    }
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      const PatchedFrames<T> source{frames_of<T>(inner), source_of<PatchSource<T>>(array)};
      return bitpack::gather_decode<T, Executor>(source, array, out, others);
    });
  }

  // Writes patches over decoded values; `array` has their length and offset.
  template <class T>
  static Status write_patches(const Executor& executor, const PatchSource<T>& patches, const Array& array,
                              void* out) {
    const uint64_t end = array.offset + array.length;
    const PatchKernel<T> kernel{patches, {static_cast<T*>(out), array.length}, array.offset, end};
    return executor.run(kernel, ceil_div<uint64_t>(num_vectors(end) * kSlices, PatchKernel<T>::kThreads));
  }

  // The places of a bitpack or ffor array's vectors.
  template <class T>
  static AnyFrames<T> frames_of(const Array& inner) {
    if (inner.codec == CodecId::bitpack) {
      return {bitpack::as_quads(inner.buffers[0]), {}, {}, bitpack::width_of(inner)};
    }
    const ffor::FrameSource<T> source = Ffor::template source<T>(inner);
    return {source.packed, source.entries, source.references, 0};
  }

  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    return visit_bits(type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
      const uint64_t vectors = num_vectors(length);
      const uint64_t tiles = ffor::EncodeBuffers<T>::num_tiles(length);
      BOBBIN_ASSIGN(ffor::EncodeBuffers<T> buffers, ffor::EncodeBuffers<T>::create(length, stream));
      BOBBIN_ASSIGN(const auto starts, make_shared_buffer((vectors + 1) * sizeof(uint32_t), stream));
      const uint64_t most = vectors * Patcher<T>::kMost;
      BOBBIN_ASSIGN(const auto indices, make_shared_buffer(most * sizeof(uint16_t), stream));
      BOBBIN_ASSIGN(const auto values, make_shared_buffer(most * sizeof(T), stream));
      BOBBIN_ASSIGN(const DeviceBuffer states, DeviceBuffer::create(tiles * sizeof(uint64_t), stream));
      BOBBIN_TRY(fill_async(states.data(), 0, states.size(), stream));
      BOBBIN_TRY(fill_async(starts->data(), 0, starts->size(), stream));
      const Patcher<T> patcher{.starts = {starts->template as<uint32_t>(), vectors + 1},
                               .indices = {indices->template as<uint16_t>(), most},
                               .values = {values->template as<T>(), most},
                               .states = {states.template as<uint64_t>(), tiles}};
      BOBBIN_TRY(ffor::run_encode<T>(Executor(stream), type, {static_cast<const T*>(data), length}, buffers,
                                     patcher));
      uint64_t last = 0;  // the state of the last tile: the total number of patches
      if (tiles != 0) {
        BOBBIN_TRY(copy_async(&last, states.template as<uint64_t>() + tiles - 1, sizeof last, stream));
      }
      BOBBIN_ASSIGN(Array inner, Ffor::finish(type, length, std::move(buffers), stream));  // waits
      const uint64_t patches = last & simt::TileState::kSum;
      BOBBIN_RETURN_IF(patches > UINT32_MAX, StatusCode::unsupported,
                       "patched: too many patches: split the array");
      return wrap(std::move(inner), {starts, indices, values}, patches);
    });
  }

  // Sorted patches in device memory; buffers may be larger than needed.
  struct SortedPatches {
    std::shared_ptr<DeviceBuffer> starts;
    std::shared_ptr<DeviceBuffer> indices;
    std::shared_ptr<DeviceBuffer> values;
  };
  static Array wrap(Array inner, const SortedPatches& sorted, uint64_t patches) {
    const auto part = [](const std::shared_ptr<DeviceBuffer>& buffer, size_t size) {
      return Buffer{buffer, {buffer->template as<std::byte>(), size}};
    };
    return Array{.codec = CodecId::patched,
                 .type = inner.type,
                 .length = inner.length,
                 .offset = 0,
                 .metadata = {static_cast<uint8_t>(PatchLayout::sorted)},
                 .buffers = {part(sorted.starts, sorted.starts->size()),
                             part(sorted.indices, patches * sizeof(uint16_t)),
                             part(sorted.values, patches * size_bytes(inner.type))},
                 .children = {std::move(inner)}};
  }

  static Result<std::shared_ptr<DeviceBuffer>> make_shared_buffer(uint64_t size, StreamView stream) {
    BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(size, stream));
    return std::make_shared<DeviceBuffer>(std::move(buffer));
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .gather = &gather, .encode = &encode}; }

 private:
  using Ffor = ffor::Plans<Executor>;
};

}  // namespace bobbin::codec::patched
