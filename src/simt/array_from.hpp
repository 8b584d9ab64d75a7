// SPDX-License-Identifier: Apache-2.0
// A part of an array in device memory.
#pragma once

#include <cstdint>

#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

// The array from element i on. On a GPU its address stays in a register: otherwise the compiler adds the two
// in every access.
template <class T>
[[nodiscard]] BOBBIN_HD Global<T> array_from(Global<T> array, uint64_t i) {
  T* data = array.data + i;
#ifdef __CUDA_ARCH__
  asm("" : "+l"(data));
  __builtin_assume(__isGlobal(data));
#endif
  return {data, i < array.size ? array.size - i : 0};
}

}  // namespace bobbin::simt
