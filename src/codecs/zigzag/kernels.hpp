// SPDX-License-Identifier: Apache-2.0
// The kernel and its plan: codes are decoded by their own codec's kernels in the place of the values, and
// converted there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codecs/registry.hpp"
#include "codecs/zigzag/tile.hpp"
#include "codecs/zigzag/zigzag.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::zigzag {

template <class T>
struct ConvertKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = simt::NoShared;

  Global<T> values;
  Global<Quad> quads;  // of the values

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    convert_tile(cta, values, quads);
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Array& codes = array.children[0];
    BOBBIN_TRY(device_ops(stream.backend(), codes.codec)->decode(codes, out, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const Global<T> values{static_cast<T*>(out), array.length};
      const ConvertKernel<T> kernel{values, simt::whole_quads(values)};
      const uint64_t blocks = ceil_div<uint64_t>(kernel.quads.size, kTileQuads);
      return Executor(stream).run(kernel, array.length == 0 ? 0 : std::max<uint64_t>(blocks, 1));
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode}; }
};

}  // namespace bobbin::codec::zigzag
