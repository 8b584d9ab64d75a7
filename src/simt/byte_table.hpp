// SPDX-License-Identifier: Apache-2.0
// Tables in shared memory that are looked up by bytes of words.
#pragma once

#include <cstdint>

#include "core/dot_bytes.hpp"
#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

// A table with `kCopies` of each entry, one after another, as a lane sees it: lanes look up unrelated bytes,
// and each copy has its own banks for some of them. On a GPU one instruction finds an entry's address.
template <class T, uint32_t kCopies>
class ByteTable {
 public:
  using Entries = Shared<T, 256 * kCopies>;
  // The factors that look up byte i of a word: they are arguments of a kernel, because instructions take
  // those without a register.
  struct Factors {
    static constexpr uint32_t kStride = kCopies * sizeof(T);
    static_assert(kStride < 256);

    uint32_t of[4] = {kStride, kStride << 8, kStride << 16, kStride << 24};
  };

  template <class Cta>
  BOBBIN_HD ByteTable(Cta& cta, const Entries& entries) {
    const uint32_t first = cta.shfl(cta.lane() % kCopies * static_cast<uint32_t>(sizeof(T)), cta.lane());
#ifdef __CUDA_ARCH__
    first_ = static_cast<uint32_t>(__cvta_generic_to_shared(&entries)) + first;
#else
    entries_ = &entries;
    first_ = first;
#endif
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T load([[maybe_unused]] Cta& cta, uint32_t word, uint32_t factor) const {
    const uint32_t at = dot_bytes(word, factor, first_);
#ifdef __CUDA_ARCH__
    return *static_cast<const T*>(__cvta_shared_to_generic(at));
#else
    return cta.load(*entries_, at / sizeof(T));
#endif
  }

 private:
#ifndef __CUDA_ARCH__
  const Entries* entries_;
#endif
  uint32_t first_;  // in bytes
};

}  // namespace bobbin::simt
