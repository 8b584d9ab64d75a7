// SPDX-License-Identifier: Apache-2.0
// The kernel and its plan: differences are decoded by their own codec's kernels in the place of the values,
// and summed there. A slice that does not start at a vector is decoded separately, and the wanted part
// copied.
#pragma once

#include <cstdint>

#include "bobbin/memory.hpp"
#include "codecs/diff/diff.hpp"
#include "codecs/diff/tile.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::diff {

template <class T>
struct SumKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kVectors = kThreads / simt::kWarpSize;  // per block
  using Shared = simt::NoShared;

  Global<const T> starts;
  QuadValues<T> values;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t vector = uint64_t{cta.block()} * kVectors + cta.warp();
    if (vector < starts.size) {
      sum_vector<T>(cta, vector, cta.load(starts, vector), values);
    }
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    if (array.length == 0) {
      return {};
    }
    if (array.offset == 0) {
      return decode_vectors(array, out, stream);
    }
    const size_t size = size_bytes(array.type);
    BOBBIN_ASSIGN(const DeviceBuffer whole,
                  DeviceBuffer::create(differences_of(array).length * size, stream));
    BOBBIN_TRY(decode_vectors(array, whole.data(), stream));
    return copy_async(out, whole.template as<std::byte>() + array.offset * size, array.length * size, stream);
  }

  static constexpr DeviceOps ops() { return {.decode = &decode}; }

 private:
  // All values of the array's vectors, including those that its offset skips.
  static Status decode_vectors(const Array& array, void* out, StreamView stream) {
    const Array& differences = differences_of(array);
    const Array& starts = starts_of(array);
    BOBBIN_ASSIGN(const DeviceBuffer before,
                  DeviceBuffer::create(starts.length * size_bytes(starts.type), stream));
    BOBBIN_TRY(device_ops(stream.backend(), starts.codec)->decode(starts, before.data(), stream));
    BOBBIN_TRY(device_ops(stream.backend(), differences.codec)->decode(differences, out, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      using K = SumKernel<T>;
      const Global<T> values{static_cast<T*>(out), differences.length};
      const K kernel{{before.template as<T>(), starts.length}, {values, simt::whole_quads(values)}};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(starts.length, K::kVectors));
    });
  }
};

}  // namespace bobbin::codec::diff
