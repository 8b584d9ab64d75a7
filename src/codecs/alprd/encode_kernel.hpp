// SPDX-License-Identifier: Apache-2.0
// Encoding kernels: one gathers the sample from which the host chooses the cut; one cuts values.
#pragma once

#include <cstdint>

#include "codecs/alprd/alprd.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::alprd {

using simt::Global;

// One thread per sample value.
template <class T>
struct SampleKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<const T> values;
  Global<T> sample;
  uint64_t stride;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < sample.size) {
      cta.store(sample, i, cta.load(values, i * stride));
    }
  }
};

// One thread per value. Cost: T/8 bytes read, T/8 + 2 written.
template <class T>
struct CutKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Cut cut;
  Global<const T> values;
  Global<uint16_t> left;
  Global<T> right;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < values.size) {
      const T value = cta.load(values, i);
      cta.store(left, i, cut.left_code(value));
      cta.store(right, i, cut.right_part(value));
    }
  }
};

}  // namespace bobbin::codec::alprd
