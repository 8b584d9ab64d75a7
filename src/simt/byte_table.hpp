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
  BOBBIN_HD ByteTable(Cta& cta, const Entries& entries)
      : entries_(entries),
        first_(cta.place(entries, 0) +
               cta.shfl(cta.lane() % kCopies * static_cast<uint32_t>(sizeof(T)), cta.lane())) {}

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T load(Cta& cta, uint32_t word, uint32_t factor) const {
    return cta.load_at(entries_, dot_bytes(word, factor, first_));
  }

 private:
  const Entries& entries_;
  uint32_t first_;  // the address of the lane's first entry
};

}  // namespace bobbin::simt
