// SPDX-License-Identifier: Apache-2.0
// Kernels and plans of arrays with ascending row numbers (ascending.hpp). The codec's tile.hpp defines
// RowValues<T>: value() and quad() return a row's values, of() builds one from an array and its decoded
// values.
#pragma once

#include <cstdint>
#include <utility>

#include "bobbin/memory.hpp"
#include "codecs/ascending.hpp"
#include "codecs/ranks.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::ascending {

// Marks row numbers begin .. end-1 in the tile. All threads take part.
template <class RowValues, class Cta>
[[nodiscard]] BOBBIN_HD Ranks mark_tile(Cta& cta, Global<const uint32_t> rows, uint64_t begin, uint64_t end) {
  const uint64_t first = count_below(cta, rows, begin + RowValues::kFirstMark);
  const uint64_t last = count_below(cta, rows, end);
  return Ranks::mark(cta, rows, first, last, begin);
}

template <class T, class RowValues>
struct DecodeKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = TileShared;

  Global<const uint32_t> rows;
  RowValues values;
  Global<T> out;
  Global<Quad> quads;  // of `out`
  uint64_t row;        // of the first value

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t tile = uint64_t{cta.block()} * kTileRows;
    const uint64_t here = out.size - tile < kTileRows ? out.size - tile : kTileRows;
    const Ranks ranks = mark_tile<RowValues>(cta, rows, row + tile, row + tile + here);
    write_tile<T>(cta, out, quads, [&](uint32_t at) { return values.quad(cta, ranks.word(cta, at), at); });
  }
};

template <class T, class RowValues>
struct CompareKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = TileShared;

  Global<const uint32_t> rows;
  RowValues values;
  Global<uint32_t> bitmap;
  uint64_t row;  // row of the first bit
  uint64_t bits;
  T low;
  T span;
  bool negated;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t tile = uint64_t{cta.block()} * kTileRows;
    const uint64_t here = bits - tile < kTileRows ? bits - tile : kTileRows;
    const Ranks ranks = mark_tile<RowValues>(cta, rows, row + tile, row + tile + here);
    write_tile_bits(cta, bitmap, here, [&](uint32_t at) {
      const T value = values.value(cta, ranks.word(cta, at), at);
      return (static_cast<T>(value - low) <= span) != negated;
    });
  }
};

// Both children, decoded in device memory.
struct Decoded {
  DeviceBuffer row_bytes;
  DeviceBuffer value_bytes;
  uint64_t count;

  static Result<Decoded> create(const Array& array, StreamView stream) {
    BOBBIN_ASSIGN(DeviceBuffer rows, decode_child(rows_of(array), stream));
    BOBBIN_ASSIGN(DeviceBuffer values, decode_child(values_of(array), stream));
    return Decoded{std::move(rows), std::move(values), rows_of(array).length};
  }

  [[nodiscard]] Global<const uint32_t> rows() const { return {row_bytes.as<uint32_t>(), count}; }
  template <class T>
  [[nodiscard]] Global<const T> values() const {
    return {value_bytes.as<T>(), count};
  }

 private:
  static Result<DeviceBuffer> decode_child(const Array& child, StreamView stream) {
    BOBBIN_ASSIGN(DeviceBuffer bytes, DeviceBuffer::create(child.length * size_bytes(child.type), stream));
    BOBBIN_TRY(device_ops(stream.backend(), child.codec)->decode(child, bytes.data(), stream));
    return {std::move(bytes)};
  }
};

// The codec's device functions for one executor.
template <class Executor, template <class> class RowValues>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    if (array.length == 0) {
      return {};
    }
    BOBBIN_ASSIGN(const Decoded decoded, Decoded::create(array, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const Global<T> values{static_cast<T*>(out), array.length};
      const DecodeKernel<T, RowValues<T>> kernel{
          .rows = decoded.rows(),
          .values = RowValues<T>::of(array, decoded.template values<T>()),
          .out = values,
          .quads = simt::whole_quads(values),
          .row = begin_row(array)};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(array.length, kTileRows));
    });
  }

  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    const uint64_t bits = array.offset + array.length;
    if (array.length == 0) {
      return fill_async(bitmap, 0, num_vectors(bits) * (kVectorLength / 8), stream);
    }
    BOBBIN_ASSIGN(const Decoded decoded, Decoded::create(array, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const CompareKernel<T, RowValues<T>> kernel{
          .rows = decoded.rows(),
          .values = RowValues<T>::of(array, decoded.template values<T>()),
          .bitmap = {bitmap, num_vectors(bits) * (kVectorLength / 32)},
          .row = first_row(array),
          .bits = bits,
          .low = static_cast<T>(range.low),
          .span = static_cast<T>(range.span),
          .negated = range.negated};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(bits, kTileRows));
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .compare = &compare}; }
};

}  // namespace bobbin::ascending
