// SPDX-License-Identifier: Apache-2.0
// The kernel and plans of arrays with nulls; values are decoded by their own codec's kernels.
#pragma once

#include <cstdint>

#include "bobbin/memory.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/masked/tile.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::masked {

struct ClearKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = simt::NoShared;

  Global<const uint32_t> validity;
  Global<uint32_t> bitmap;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    clear_words(cta, validity, bitmap);
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    return device_ops(stream.backend(), values_of(array).codec)->decode(values_of(array), out, stream);
  }

  static Status clear_nulls(const Array& array, uint32_t* bitmap, StreamView stream) {
    const Array& validity = validity_of(array);
    BOBBIN_ASSIGN(const DeviceBuffer words, DeviceBuffer::create(validity.length * sizeof(uint32_t), stream));
    BOBBIN_TRY(device_ops(stream.backend(), validity.codec)->decode(validity, words.data(), stream));
    const ClearKernel kernel{{words.template as<uint32_t>(), validity.length}, {bitmap, validity.length}};
    return Executor(stream).run(kernel, ceil_div<uint64_t>(validity.length, ClearKernel::kThreads));
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .clear_nulls = &clear_nulls}; }
};

}  // namespace bobbin::codec::masked
