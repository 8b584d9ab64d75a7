// SPDX-License-Identifier: Apache-2.0
// Copies that bypass the CPU's caches, for outputs too large to stay in them: an ordinary store reads a cache
// line from memory before writing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bobbin {

// Outputs of at least this size bypass the caches. (A core's share of a server's last-level cache is 1 to 4
// MiB.)
inline constexpr size_t kStreamBytes = size_t{4} << 20;

inline void copy_past_caches(void* to, const void* from, size_t bytes) {
#if defined(__SSE2__)
  if (reinterpret_cast<uintptr_t>(to) % sizeof(__m128i) == 0 && bytes % sizeof(__m128i) == 0) {
    auto* target = static_cast<__m128i*>(to);
    const auto* source = static_cast<const __m128i*>(from);
    for (size_t i = 0; i < bytes / sizeof(__m128i); ++i) {
      _mm_stream_si128(target + i, _mm_loadu_si128(source + i));
    }
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

// Orders these copies before any later synchronisation with other threads.
inline void end_copies_past_caches() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace bobbin
