// SPDX-License-Identifier: Apache-2.0
#include "cli/heap.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace bobbin::cli {

void use_large_pages(uint64_t input_bytes) {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr uint64_t kLeastInput = uint64_t{512} << 10;  // a large page is not worth clearing for less
  constexpr uint64_t kPage = uint64_t{2} << 20;
  constexpr uint64_t kMost = uint64_t{64} << 20;
  constexpr uint64_t kPerByte = 8;  // about what reading and encoding a table takes
  constexpr int kLargestInHeap = 8 << 20;
  if (input_bytes < kLeastInput) {
    return;
  }
  const uint64_t size = input_bytes >= kMost / kPerByte ? kMost : kPerByte * input_bytes;
  mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
  mallopt(M_TOP_PAD, static_cast<int>(size));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(2 * size));
  void* const block = std::malloc(kPage);  // the heap grows by this and by `size`, and keeps both
  const auto first = std::bit_cast<uintptr_t>(block) + kPage - 1;
  const auto end = std::bit_cast<uintptr_t>(sbrk(0));
  std::free(block);
  const uintptr_t begin = first - first % kPage;
  if (block != nullptr && begin < end) {
    madvise(std::bit_cast<void*>(begin), end - end % kPage - begin, MADV_HUGEPAGE);
  }
#endif
}

}  // namespace bobbin::cli
