// SPDX-License-Identifier: Apache-2.0
// Kernels of the frame of reference and the plans that launch them.
#pragma once

#include <cstdint>
#include <memory>

#include "bobbin/memory.hpp"
#include "codecs/bitpack/kernels.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/ffor/tile.hpp"
#include "simt/look_back.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::ffor {

// The patcher for plain ffor: all values fit the width.
template <class T>
struct NoPatcher {
  struct Shared {};

  template <class Cta, class RowOf>
  BOBBIN_HD uint32_t width(Cta& /*cta*/, Shared& /*shared*/, uint32_t /*in_tile*/, uint32_t /*slice*/,
                           uint32_t /*count*/, const Frame<T>& frame, RowOf&& /*row_of*/) const {
    return frame.width;
  }
  template <class Cta>
  BOBBIN_HD void number(Cta& /*cta*/, Shared& /*shared*/, uint64_t /*tile*/, uint64_t /*vectors*/) const {}
  [[nodiscard]] BOBBIN_HD static Quad keep(const Quad& differences, uint32_t /*width*/) {
    return differences;
  }
  template <class Cta, class RowOf>
  BOBBIN_HD void write(Cta& /*cta*/, Shared& /*shared*/, uint32_t /*in_tile*/, uint32_t /*slice*/,
                       uint32_t /*count*/, const Frame<T>& /*frame*/, RowOf&& /*row_of*/) const {}
};

// Encodes in one pass: a block loads a tile of vectors into shared memory, finds their frames, learns from
// earlier tiles where its registers go (decoupled look-back), and packs. Blocks take tiles by ticket, in the
// order in which they start, so a tile waits only for tiles in progress. A patcher may choose smaller widths
// and keep the values that do not fit.
template <class T, class Patcher = NoPatcher<T>>
struct EncodeKernel {
  using Tile = bitpack::Tile<T, 2048>;
  static constexpr uint32_t kThreads = Tile::kThreads;
  static constexpr uint32_t kMinBlocks = Tile::kMinBlocks;
  static_assert(Tile::kVectors <= simt::kWarpSize, "one warp numbers the registers of all vectors of a tile");

  struct Shared {
    simt::Shared<Quad, Tile::kQuads> values;
    simt::Shared<T, Tile::kVectors> references;
    simt::Shared<uint32_t, Tile::kVectors> widths;
    simt::Shared<uint64_t, Tile::kVectors> first_registers;
    simt::Shared<uint64_t, 1> tile;
    simt::CopyBarrier loaded;
    typename Patcher::Shared patches;
  };

  Global<const T> values;
  Global<T> references;
  Global<uint32_t> entries;
  Global<Quad> packed;
  Global<uint64_t> tickets;  // [0]: the next tile; [1]: receives the total number of registers
  Global<uint64_t> states;   // one per tile
  T sign;
  Patcher patcher{};

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
    const uint32_t in_tile = cta.thread() / kSlices;
    const uint32_t slice = cta.thread() % kSlices;
    const uint32_t count = count_of(tile, in_tile);
    const auto row_of = [&](uint32_t row) {
      return cta.load(shared.values, in_tile * Tile::kVectorQuads + row * kSlices + slice);
    };
    Frame<T> frame = find_frame<T>(cta, count, slice, sign, row_of);
    frame.width = patcher.width(cta, shared.patches, in_tile, slice, count, frame, row_of);
    if (slice == 0) {
      cta.store(shared.references, in_tile, frame.reference);
      cta.store(shared.widths, in_tile, frame.width);
    }
    cta.sync();
    if (cta.warp() == 0) {
      number_registers(cta, shared, tile);
      patcher.number(cta, shared.patches, tile, num_vectors(values.size));
    }
    cta.sync();
    pack(cta, frame, cta.load(shared.first_registers, in_tile), slice, count, row_of);
    patcher.write(cta, shared.patches, in_tile, slice, count, frame, row_of);
  }

 private:
  template <class Cta>
  BOBBIN_HD void load_tile(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint64_t first = tile * Tile::kValues;
    if (first + Tile::kValues <= values.size) {
      if (cta.thread() == 0) {
        const Global<const Quad> quads{reinterpret_cast<const Quad*>(values.data),
                                       values.size / kSliceLength<T>};
        cta.barrier_arrive_expect(shared.loaded, Tile::kQuads * sizeof(Quad));
        cta.bulk_load(shared.values, 0, quads, tile * Tile::kQuads, Tile::kQuads, shared.loaded);
      }
      cta.barrier_wait(shared.loaded, 0);
      return;
    }
    for (uint32_t q = cta.thread(); q < Tile::kQuads; q += kThreads) {
      cta.store(shared.values, q,
                bitpack::load_values<T>(cta, values, first + uint64_t{q} * kSliceLength<T>));
    }
    cta.sync();
  }

  // Values of vector v of the tile: 1024, fewer in the last one, none past it.
  BOBBIN_HD uint32_t count_of(uint64_t tile, uint32_t v) const {
    const uint64_t first = tile * Tile::kValues + uint64_t{v} * kVectorLength;
    if (first >= values.size) {
      return 0;
    }
    return values.size - first < kVectorLength ? static_cast<uint32_t>(values.size - first) : kVectorLength;
  }
  BOBBIN_HD static uint32_t registers_of(uint32_t count, uint32_t width) {
    return num_registers(num_rows(count, kBits<T>), width, kBits<T>);
  }

  // Called by one warp; lane v numbers vector v's registers and writes its frame.
  template <class Cta>
  BOBBIN_HD void number_registers(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint32_t v = cta.lane();
    const uint32_t count = v < Tile::kVectors ? count_of(tile, v) : 0;
    const uint32_t width = count != 0 ? cta.load(shared.widths, v) : 0;
    const uint32_t own = registers_of(count, width);
    const uint32_t through = simt::sum_through(cta, own);
    const uint32_t total = cta.shfl(through, simt::kWarpSize - 1);
    const uint64_t before = simt::look_back(cta, states, tile, total);
    const uint64_t first = before + through - own;
    if (v < Tile::kVectors) {
      cta.store(shared.first_registers, v, first);
    }
    if (count != 0) {
      cta.store(references, tile * Tile::kVectors + v, cta.load(shared.references, v));
      cta.store(entries, tile * Tile::kVectors + v, Entry::of(static_cast<uint32_t>(first), width).bits);
    }
    if (v == 0 && tile + 1 == states.size) {
      cta.store(tickets, 1, before + total);
    }
  }

  template <class Cta, class RowOf>
  BOBBIN_HD void pack(Cta& cta, const Frame<T>& frame, uint64_t first_register, uint32_t slice,
                      uint32_t count, RowOf&& row_of) const {
    const auto negated = static_cast<T>(T{0} - frame.reference);
    const auto difference = [&](uint32_t row) {
      return Patcher::keep(bitpack::add_reference<T>(row_of(row), negated), frame.width);
    };
    const auto sink = [&](uint32_t k, const Quad& quad) {
      cta.store_once(packed, (first_register + k) * kSlices + slice, quad);
    };
    if (count == kVectorLength) {
      bitpack::with_width<T>(frame.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
        bitpack::pack_column<T>(W, difference, sink);
      });
      return;
    }
    // A last, short vector: padded with zeros, and with only as many registers as it needs.
    for (uint32_t k = 0; k < registers_of(count, frame.width); ++k) {
      sink(k, bitpack::pack_slice<T>(k, frame.width, num_rows(count, kBits<T>), [&](uint32_t row) {
             return bitpack::keep_first<T>(difference(row), row * kLanes<T> + slice * kSliceLength<T>, count);
           }));
    }
  }
};

// The temporary memory of an encoding. The packed bytes may be as large as the input.
template <class T>
struct EncodeBuffers {
  DeviceBuffer references;
  DeviceBuffer entries;
  DeviceBuffer packed;
  DeviceBuffer work;

  static uint64_t num_tiles(uint64_t length) {
    return ceil_div<uint64_t>(length, EncodeKernel<T>::Tile::kValues);
  }

  static Result<EncodeBuffers> create(uint64_t length, StreamView stream) {
    const uint64_t vectors = num_vectors(length);
    BOBBIN_ASSIGN(DeviceBuffer references, DeviceBuffer::create(vectors * sizeof(T), stream));
    BOBBIN_ASSIGN(DeviceBuffer entries, DeviceBuffer::create(vectors * sizeof(uint32_t), stream));
    BOBBIN_ASSIGN(DeviceBuffer packed, DeviceBuffer::create(vectors * kRegisterBytes * kBits<T>, stream));
    BOBBIN_ASSIGN(DeviceBuffer work,
                  DeviceBuffer::create((2 + num_tiles(length)) * sizeof(uint64_t), stream));
    return EncodeBuffers{std::move(references), std::move(entries), std::move(packed), std::move(work)};
  }
};

// Asynchronous; leaves the number of registers in work[1].
template <class T, class Executor, class Patcher = NoPatcher<T>>
Status run_encode(const Executor& executor, DType type, Global<const T> values,
                  const EncodeBuffers<T>& buffers, const Patcher& patcher = {}) {
  const uint64_t tiles = EncodeBuffers<T>::num_tiles(values.size);
  BOBBIN_TRY(fill_async(buffers.work.data(), 0, buffers.work.size(), executor.stream()));
  auto* work = buffers.work.template as<uint64_t>();
  const auto sign = static_cast<T>(is_signed(type) ? T{1} << (kBits<T> - 1) : 0);
  const EncodeKernel<T, Patcher> kernel{
      .values = values,
      .references = {buffers.references.template as<T>(), num_vectors(values.size)},
      .entries = {buffers.entries.template as<uint32_t>(), num_vectors(values.size)},
      .packed = {buffers.packed.template as<Quad>(), buffers.packed.size() / sizeof(Quad)},
      .tickets = {work, 2},
      .states = {work + 2, tiles},
      .sign = sign,
      .patcher = patcher};
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

  static bool gather(const Array& array, uint64_t out, simt::Gathered& others) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      return bitpack::gather_decode<T, Executor>(source<T>(array), array, out, others);
    });
  }

  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      return bitpack::run_compare<T>(Executor(stream), source<T>(array), array, range, bitmap);
    });
  }

  // Waits for run_encode to finish, and builds the array.
  template <class T>
  static Result<Array> finish(DType type, uint64_t length, EncodeBuffers<T> made, StreamView stream) {
    auto buffers = std::make_shared<EncodeBuffers<T>>(std::move(made));
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
  }

  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    return visit_bits(type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
      BOBBIN_ASSIGN(EncodeBuffers<T> buffers, EncodeBuffers<T>::create(length, stream));
      BOBBIN_TRY(run_encode<T>(Executor(stream), type, {static_cast<const T*>(data), length}, buffers));
      return finish(type, length, std::move(buffers), stream);
    });
  }

  static constexpr DeviceOps ops() {
    return {.decode = &decode, .gather = &gather, .encode = &encode, .compare = &compare};
  }
};

}  // namespace bobbin::codec::ffor
