// SPDX-License-Identifier: Apache-2.0
// The kernels over tile.hpp, and the plans that launch them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codecs/constant/constant.hpp"
#include "codecs/constant/tile.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::codec::constant {

struct FillKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = simt::NoShared;

  Global<Quad> quads;
  Global<uint8_t> rest;
  Quad pattern;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    fill_tile(cta, quads, rest, pattern);
  }
};

struct FillBitsKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = simt::NoShared;

  Global<uint32_t> bitmap;
  uint64_t end;
  bool hit;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    fill_bits(cta, bitmap, end, hit);
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const auto value = static_cast<T>(constant_of(array).bits);
      const auto quads = simt::whole_quads(Global<T>{static_cast<T*>(out), array.length});
      const uint64_t written = quads.size * sizeof(Quad);
      const FillKernel kernel{
          .quads = quads,
          .rest = {static_cast<uint8_t*>(out) + written, array.length * sizeof(T) - written},
          .pattern = simt::quad_of<T>([&](uint32_t) { return value; })};
      const uint64_t blocks = ceil_div<uint64_t>(quads.size, kTileQuads);
      return Executor(stream).run(kernel, array.length == 0 ? 0 : std::max<uint64_t>(blocks, 1));
    });
  }

  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    const uint64_t end = array.offset + array.length;
    const uint64_t words = num_vectors(end) * (kVectorLength / 32);
    const FillBitsKernel kernel{{bitmap, words}, end, range.holds(array.type, constant_of(array))};
    return Executor(stream).run(kernel, ceil_div<uint64_t>(words, FillBitsKernel::kThreads));
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .compare = &compare}; }
};

}  // namespace bobbin::codec::constant
