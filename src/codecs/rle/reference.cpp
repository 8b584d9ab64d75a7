// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: row by row, from one run to the next.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/reference.hpp"
#include "codecs/rle/rle.hpp"

namespace bobbin::codec::rle {

void reference(const Array& array, void* out) {
  uint64_t first_row = 0;
  std::memcpy(&first_row, array.metadata.data(), 8);
  const std::vector<uint32_t> ends = reference_values<uint32_t>(array.children[0]);
  const std::vector<std::byte> values = reference_values<std::byte>(array.children[1]);

  const size_t size = size_bytes(array.type);
  auto* target = static_cast<std::byte*>(out);
  size_t run = 0;
  for (uint64_t i = 0; i < array.length; ++i) {
    const uint64_t row = first_row + array.offset + i;
    // Ends ascend, so a row's run is never before the previous row's.
    while (ends[run] <= row) {
      ++run;
    }
    std::memcpy(target + i * size, values.data() + run * size, size);
  }
}

}  // namespace bobbin::codec::rle
