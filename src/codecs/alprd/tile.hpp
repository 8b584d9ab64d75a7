// SPDX-License-Identifier: Apache-2.0
// Joins left codes and right parts, both decoded, into values: one thread a value, in the right parts' place.
//
// Cost: 2 bytes read, T/8 read and written a value, beside decoding both. A kernel that does all at once is
// still to be written.
#pragma once

#include <cstdint>

#include "codecs/alprd/alprd.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::alprd {

using simt::Global;

template <class T>
struct JoinKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Cut cut;
  Global<const uint16_t> codes;
  Global<T> values;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < values.size) {
      cta.store(values, i, cut.join<T>(cta.load(codes, i), cta.load(values, i)));
    }
  }
};

}  // namespace bobbin::codec::alprd
