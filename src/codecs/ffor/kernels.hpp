// SPDX-License-Identifier: Apache-2.0
// Kernels of the frame of reference and the plans that launch them.
#pragma once

#include <cstdint>
#include <memory>

#include "codecs/bitpack/kernels.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/ffor/tile.hpp"
#include "device/memory.hpp"
#include "simt/look_back.hpp"

namespace bobbin::codec::ffor {

// Encodes in one pass over memory: a block brings a tile of vectors into shared memory, finds their frames, learns from
// the tiles before it where its registers go (decoupled look-back), and packs.
template <class T>
struct EncodeKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  // 32 KiB of values: six blocks share an SM, so that some load while others pack.
  static constexpr uint32_t kTileQuads = 2048;
  static constexpr uint32_t kTileValues = kTileQuads * kSliceLength<T>;
  static constexpr uint32_t kVectors = kTileValues / kVectorLength;
  static constexpr uint32_t kVectorQuads = kTileQuads / kVectors;
  static_assert(kVectors <= simt::kWarpSize, "one warp numbers the registers of all vectors of a tile");

  struct Shared {
    simt::Shared<Quad, kTileQuads> values;
    simt::Shared<T, kVectors> references;
    simt::Shared<uint32_t, kVectors> widths;
    simt::Shared<uint64_t, kVectors> first_registers;
    simt::Shared<uint64_t, 1> tile;
    simt::CopyBarrier loaded;
  };

  Global<const T> values;
  Global<T> references;
  Global<uint32_t> entries;
  Global<Quad> packed;
  Global<uint64_t> tickets;  // [0]: the next tile; [1]: receives the number of registers in all
  Global<uint64_t> states;   // one a tile
  T sign;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      cta.barrier_init(shared.loaded, 1);
      cta.store(shared.tile, 0, cta.template atomic_add<simt::Order::relaxed>(tickets, 0, uint64_t{1}));
    }
    cta.sync();
    const uint64_t tile = cta.load(shared.tile, 0);
    load_tile(cta, shared, tile);
    find_frames(cta, shared, tile);
    cta.sync();
    if (cta.warp() == 0) {
      number_registers(cta, shared, tile);
    }
    cta.sync();
    pack_tile(cta, shared, tile);
  }

 private:
  // Values of vector v of the tile: 1024, fewer in the last one, none past it.
  BOBBIN_HD uint32_t count_of(uint64_t tile, uint32_t v) const {
    const uint64_t first = tile * kTileValues + uint64_t{v} * kVectorLength;
    if (first >= values.size) {
      return 0;
    }
    return values.size - first < kVectorLength ? static_cast<uint32_t>(values.size - first) : kVectorLength;
  }
  BOBBIN_HD uint32_t registers_of(uint32_t count, uint32_t width) const {
    return num_registers(num_rows(count, kBits<T>), width, kBits<T>);
  }

  template <class Cta>
  BOBBIN_HD void load_tile(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint64_t first = tile * kTileValues;
    if (first + kTileValues <= values.size) {
      if (cta.thread() == 0) {
        const Global<const Quad> quads{reinterpret_cast<const Quad*>(values.data), values.size / kSliceLength<T>};
        cta.barrier_arrive_expect(shared.loaded, kTileQuads * sizeof(Quad));
        cta.bulk_load(shared.values, 0, quads, tile * kTileQuads, kTileQuads, shared.loaded);
      }
      cta.barrier_wait(shared.loaded, 0);
      return;
    }
    for (uint32_t q = cta.thread(); q < kTileQuads; q += kThreads) {
      cta.store(shared.values, q, bitpack::load_values<T>(cta, values, first + uint64_t{q} * kSliceLength<T>));
    }
    cta.sync();
  }

  template <class Cta>
  BOBBIN_HD void find_frames(Cta& cta, Shared& shared, uint64_t tile) const {
    for (uint32_t v = cta.warp(); v < kVectors; v += kWarps) {
      const uint32_t count = count_of(tile, v);
      Frame<T> frame;
      if (count != 0) {
        frame = find_frame<T>(cta, count, sign,
                              [&](uint32_t q) { return cta.load(shared.values, v * kVectorQuads + q); });
      }
      if (cta.lane() == 0) {
        cta.store(shared.references, v, frame.reference);
        cta.store(shared.widths, v, frame.width);
      }
    }
  }

  // One warp; lane v numbers vector v's registers and writes its frame.
  template <class Cta>
  BOBBIN_HD void number_registers(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint32_t v = cta.lane();
    const uint32_t count = v < kVectors ? count_of(tile, v) : 0;
    const uint32_t width = count != 0 ? cta.load(shared.widths, v) : 0;
    const uint32_t own = registers_of(count, width);
    uint32_t through = own;
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      const uint32_t other = cta.shfl_up(through, distance);
      through += v >= distance ? other : 0;
    }
    const uint32_t total = cta.shfl(through, simt::kWarpSize - 1);
    const uint64_t before = simt::look_back(cta, states, tile, total);
    const uint64_t first = before + through - own;
    if (v < kVectors) {
      cta.store(shared.first_registers, v, first);
    }
    if (count != 0) {
      cta.store(references, tile * kVectors + v, cta.load(shared.references, v));
      cta.store(entries, tile * kVectors + v, Entry::of(static_cast<uint32_t>(first), width).bits);
    }
    if (v == 0 && tile + 1 == states.size) {
      cta.store(tickets, 1, before + total);
    }
  }

  // Warps share the vectors out among them, or a vector among several warps where those are fewer.
  template <class Cta>
  BOBBIN_HD void pack_tile(Cta& cta, Shared& shared, uint64_t tile) const {
    constexpr uint32_t kWarpsPerVector = kVectors < kWarps ? kWarps / kVectors : 1;
    constexpr uint32_t kGroups = kWarpsPerVector * simt::kWarpSize / kSlices;
    const uint32_t group = cta.warp() % kWarpsPerVector * (simt::kWarpSize / kSlices) + cta.lane() / kSlices;
    const uint32_t slice = cta.lane() % kSlices;
    for (uint32_t v = cta.warp() / kWarpsPerVector; v < kVectors; v += kWarps / kWarpsPerVector) {
      const uint32_t count = count_of(tile, v);
      const uint32_t width = cta.load(shared.widths, v);
      const uint64_t first = cta.load(shared.first_registers, v);
      const auto negated = static_cast<T>(T{0} - cta.load(shared.references, v));
      for (uint32_t k = group; k < registers_of(count, width); k += kGroups) {
        const Quad quad = bitpack::pack_slice<T>(k, width, num_rows(count, kBits<T>), [&](uint32_t row) {
          return difference(cta, shared, v, row, slice, count, negated);
        });
        cta.store_once(packed, (first + k) * kSlices + slice, quad);
      }
    }
  }

  // A slice of a row's differences to the reference; zero past the last value.
  template <class Cta>
  BOBBIN_HD Quad difference(Cta& cta, Shared& shared, uint32_t v, uint32_t row, uint32_t slice, uint32_t count,
                            T negated) const {
    const Quad quad = bitpack::add_reference<T>(
        cta.load(shared.values, v * kVectorQuads + row * kSlices + slice), negated);
    if (count == kVectorLength) {
      return quad;
    }
    return bitpack::keep_first<T>(quad, row * kLanes<T> + slice * kSliceLength<T>, count);
  }
};

// What an encoding needs besides its input. The packed bytes may come to as much as the input's.
template <class T>
struct EncodeBuffers {
  DeviceBuffer references;
  DeviceBuffer entries;
  DeviceBuffer packed;
  DeviceBuffer work;

  static uint64_t num_tiles(uint64_t length) { return ceil_div<uint64_t>(length, EncodeKernel<T>::kTileValues); }

  static Result<EncodeBuffers> create(uint64_t length, StreamView stream) {
    const uint64_t vectors = num_vectors(length);
    BOBBIN_ASSIGN(DeviceBuffer references, DeviceBuffer::create(vectors * sizeof(T), stream));
    BOBBIN_ASSIGN(DeviceBuffer entries, DeviceBuffer::create(vectors * sizeof(uint32_t), stream));
    BOBBIN_ASSIGN(DeviceBuffer packed, DeviceBuffer::create(vectors * kRegisterBytes * kBits<T>, stream));
    BOBBIN_ASSIGN(DeviceBuffer work, DeviceBuffer::create((2 + num_tiles(length)) * sizeof(uint64_t), stream));
    return EncodeBuffers{std::move(references), std::move(entries), std::move(packed), std::move(work)};
  }
};

// Asynchronous; the number of registers is left in work[1].
template <class T, class Executor>
Status run_encode(const Executor& executor, DType type, Global<const T> values, const EncodeBuffers<T>& buffers) {
  const uint64_t tiles = EncodeBuffers<T>::num_tiles(values.size);
  BOBBIN_TRY(fill_async(buffers.work.data(), 0, buffers.work.size(), executor.stream()));
  auto* work = buffers.work.template as<uint64_t>();
  const auto sign = static_cast<T>(is_signed(type) ? T{1} << (kBits<T> - 1) : 0);
  const EncodeKernel<T> kernel{.values = values,
                               .references = {buffers.references.template as<T>(), num_vectors(values.size)},
                               .entries = {buffers.entries.template as<uint32_t>(), num_vectors(values.size)},
                               .packed = {buffers.packed.template as<Quad>(), buffers.packed.size() / sizeof(Quad)},
                               .tickets = {work, 2},
                               .states = {work + 2, tiles},
                               .sign = sign};
  return executor.run(kernel, tiles);
}

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  template <class T>
  static FrameSource<T> source(const Array& array) {
    const uint64_t vectors = num_vectors(array.offset + array.length);
    const Parts parts(array);
    return {.packed = bitpack::as_quads(array.buffers[2]),
            .entries = {reinterpret_cast<const uint32_t*>(parts.entries), vectors},
            .references = {reinterpret_cast<const T*>(parts.references), vectors}};
  }

  static Status decode(const Array& array, void* out, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      return bitpack::run_decode<T>(Executor(stream), source<T>(array), array, out);
    });
  }

  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      return bitpack::run_compare<T>(Executor(stream), source<T>(array), array, range, bitmap);
    });
  }

  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    return visit_bits(type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
      BOBBIN_ASSIGN(EncodeBuffers<T> fresh, EncodeBuffers<T>::create(length, stream));
      auto buffers = std::make_shared<EncodeBuffers<T>>(std::move(fresh));
      BOBBIN_TRY(run_encode<T>(Executor(stream), type, {static_cast<const T*>(data), length}, *buffers));
      uint64_t registers = 0;
      BOBBIN_TRY(copy_async(&registers, buffers->work.template as<uint64_t>() + 1, sizeof registers, stream));
      BOBBIN_TRY(stream.synchronize());
      BOBBIN_RETURN_IF(registers > kMaxRegisters, StatusCode::unsupported,
                       "ffor: more than 4 GiB packed: split the array");
      const auto part = [&](const DeviceBuffer& buffer, size_t size) {
        return Buffer{buffers, {buffer.template as<std::byte>(), size}};
      };
      return Array{.codec = CodecId::ffor,
                   .type = type,
                   .length = length,
                   .offset = 0,
                   .metadata = {},
                   .buffers = {part(buffers->references, buffers->references.size()),
                               part(buffers->entries, buffers->entries.size()),
                               part(buffers->packed, registers * kRegisterBytes)},
                   .children = {}};
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .encode = &encode, .compare = &compare}; }
};

}  // namespace bobbin::codec::ffor
