// SPDX-License-Identifier: Apache-2.0
// The plans: codes are decoded by their own codec's kernels into the place of the values, and turned there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codecs/registry.hpp"
#include "codecs/zigzag/tile.hpp"
#include "codecs/zigzag/zigzag.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::zigzag {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Array& codes = array.children[0];
    BOBBIN_TRY(device_ops(stream.backend(), codes.codec)->decode(codes, out, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      using K = ConvertKernel<T>;
      const Global<T> values{static_cast<T*>(out), array.length};
      const K kernel{values, simt::whole_quads(values)};
      const uint64_t blocks = ceil_div<uint64_t>(kernel.quads.size, K::kQuads);
      return Executor(stream).run(kernel, array.length == 0 ? 0 : std::max<uint64_t>(blocks, 1));
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode}; }
};

}  // namespace bobbin::codec::zigzag
