// SPDX-License-Identifier: Apache-2.0
// Loads from arrays in shared memory by addresses in bytes, for kernels that compute one in fewer
// instructions than an index.
#pragma once

#include <cstdint>

#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

// The address of an array's first element.
template <class T, uint32_t N>
[[nodiscard]] BOBBIN_HD uint32_t first_address([[maybe_unused]] const Shared<T, N>& array) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__cvta_generic_to_shared(&array));
#else
  return 0;
#endif
}

// The element at an address, which is that of the first one plus a multiple of an element's size.
template <class Cta, class T, uint32_t N>
[[nodiscard]] BOBBIN_HD T load_at([[maybe_unused]] Cta& cta, [[maybe_unused]] const Shared<T, N>& array,
                                  uint32_t address) {
#ifdef __CUDA_ARCH__
  return *static_cast<const T*>(__cvta_shared_to_generic(address));
#else
  return cta.load(array, address / sizeof(T));
#endif
}

}  // namespace bobbin::simt
