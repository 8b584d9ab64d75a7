// SPDX-License-Identifier: Apache-2.0
// A conditional addition of doubles, for host and device: one instruction on a GPU.
#pragma once

#include "core/portable.hpp"

namespace bobbin {

BOBBIN_HD void add_if(bool condition, double& sum, double value) {
#ifdef __CUDA_ARCH__
  // The compiler would add, and then select both halves of the result.
  asm("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p add.rn.f64 %0, %0, %1; }"
      : "+d"(sum)
      : "d"(value), "r"(static_cast<unsigned>(condition)));
#else
  if (condition) {
    sum += value;
  }
#endif
}

}  // namespace bobbin
