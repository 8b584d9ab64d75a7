// SPDX-License-Identifier: Apache-2.0
// The plan: the child is decoded in the place of the values, and flipped there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codecs/registry.hpp"
#include "codecs/toy/tile.hpp"
#include "codecs/toy/toy.hpp"
#include "core/bits.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::toy {

// In place. A block takes 256 words, one per thread; values after the last whole word are processed one by
// one. Each value is read and written once.
template <class T>
struct FlipKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  simt::Global<T> values;
  simt::Global<simt::Quad> quads;  // of the values

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t q = uint64_t{cta.block()} * kThreads + cta.thread();
    if (q < quads.size) {
      cta.store(quads, q, flip<T>(cta.load(quads, q)));
    }
    const uint64_t rest = quads.size * simt::kPerQuad<T> + cta.thread();
    if (cta.block() == 0 && rest < values.size) {
      cta.store(values, rest, static_cast<T>(~cta.load(values, rest)));
    }
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Array& flipped = array.children[0];
    BOBBIN_TRY(device_ops(stream.backend(), flipped.codec)->decode(flipped, out, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const simt::Global<T> values{static_cast<T*>(out), array.length};
      const FlipKernel<T> kernel{values, simt::whole_quads(values)};
      const uint64_t blocks = ceil_div<uint64_t>(kernel.quads.size, FlipKernel<T>::kThreads);
      return Executor(stream).run(kernel, array.length == 0 ? 0 : std::max<uint64_t>(blocks, 1));
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode}; }
};

}  // namespace bobbin::codec::toy
