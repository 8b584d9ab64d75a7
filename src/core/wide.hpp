// SPDX-License-Identifier: Apache-2.0
// 32 bytes of values: one register with AVX2, two elsewhere. For loops that g++ would otherwise compile to a
// mixture of scalar and vector instructions. Values of this type are not passed to functions or returned,
// because the calling convention depends on the CPU a function is compiled for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/portable.hpp"

namespace bobbin {

inline constexpr uint32_t kWideBytes = 32;
template <class T>
using Wide [[gnu::vector_size(kWideBytes)]] = T;
template <class T>
inline constexpr uint32_t kWideLanes = kWideBytes / sizeof(T);

// Unaligned load and store.
template <class Wide>
BOBBIN_INLINE void load_wide(Wide& wide, const void* from) {
  std::memcpy(&wide, from, sizeof wide);
}
template <class Wide>
BOBBIN_INLINE void store_wide(void* to, const Wide& wide) {
  std::memcpy(to, &wide, sizeof wide);
}

}  // namespace bobbin
