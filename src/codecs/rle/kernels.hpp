// SPDX-License-Identifier: Apache-2.0
// The plans that launch the kernels of tile.hpp, once the runs' ends and values are decoded.
#pragma once

#include <cstdint>

#include "codecs/rle/rle.hpp"
#include "codecs/rle/tile.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::rle {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    if (array.length == 0) {
      return {};
    }
    BOBBIN_ASSIGN(const ascending::Decoded runs, ascending::Decoded::create(array, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const Global<T> values{static_cast<T*>(out), array.length};
      const DecodeKernel<T> kernel{.ends = runs.rows(),
                                   .values = runs.template values<T>(),
                                   .out = values,
                                   .quads = simt::whole_quads(values),
                                   .row = ascending::begin_row(array)};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(array.length, kTileRows));
    });
  }

  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    const uint64_t rows = array.offset + array.length;
    if (array.length == 0) {
      return fill_async(bitmap, 0, num_vectors(rows) * (kVectorLength / 8), stream);
    }
    BOBBIN_ASSIGN(const ascending::Decoded runs, ascending::Decoded::create(array, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const CompareKernel<T> kernel{.ends = runs.rows(),
                                    .values = runs.template values<T>(),
                                    .bitmap = {bitmap, num_vectors(rows) * (kVectorLength / 32)},
                                    .row = ascending::first_row(array),
                                    .rows = rows,
                                    .low = static_cast<T>(range.low),
                                    .span = static_cast<T>(range.span),
                                    .negated = range.negated};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(rows, kTileRows));
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .compare = &compare}; }
};

}  // namespace bobbin::codec::rle
