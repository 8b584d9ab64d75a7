// SPDX-License-Identifier: Apache-2.0
// The plans that launch alprd's kernels.
#pragma once

#include <cstdint>

#include "bobbin/memory.hpp"
#include "codecs/alprd/alprd.hpp"
#include "codecs/alprd/tile.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::alprd {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  // Takes memory for the left codes.
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Array& left = array.children[0];
    const Array& right = array.children[1];
    BOBBIN_ASSIGN(const DeviceBuffer codes, DeviceBuffer::create(array.length * sizeof(uint16_t), stream));
    BOBBIN_TRY(device_ops(stream.backend(), left.codec)->decode(left, codes.data(), stream));
    BOBBIN_TRY(device_ops(stream.backend(), right.codec)->decode(right, out, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const JoinKernel<T> kernel{Cut::parse(array.metadata),
                                 {codes.template as<uint16_t>(), array.length},
                                 {static_cast<T*>(out), array.length}};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(array.length, JoinKernel<T>::kThreads));
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode}; }
};

}  // namespace bobbin::codec::alprd
