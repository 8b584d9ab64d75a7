// SPDX-License-Identifier: Apache-2.0
// The plans that launch the kernels of tile.hpp, once positions and values are decoded.
#pragma once

#include <cstdint>

#include "codecs/sparse/sparse.hpp"
#include "codecs/sparse/tile.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::sparse {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    BOBBIN_ASSIGN(const ascending::Decoded others, ascending::Decoded::create(array, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const Global<T> values{static_cast<T*>(out), array.length};
      const DecodeKernel<T> kernel{.positions = others.rows(),
                                   .values = others.template values<T>(),
                                   .out = values,
                                   .quads = simt::whole_quads(values),
                                   .row = ascending::begin_row(array),
                                   .fill = static_cast<T>(fill_of(array).bits)};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(array.length, kTileRows));
    });
  }

  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    const uint64_t rows = array.offset + array.length;
    BOBBIN_ASSIGN(const ascending::Decoded others, ascending::Decoded::create(array, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const CompareKernel<T> kernel{.positions = others.rows(),
                                    .values = others.template values<T>(),
                                    .bitmap = {bitmap, num_vectors(rows) * (kVectorLength / 32)},
                                    .row = ascending::first_row(array),
                                    .rows = rows,
                                    .fill = static_cast<T>(fill_of(array).bits),
                                    .low = static_cast<T>(range.low),
                                    .span = static_cast<T>(range.span),
                                    .negated = range.negated};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(rows, kTileRows));
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .compare = &compare}; }
};

}  // namespace bobbin::codec::sparse
