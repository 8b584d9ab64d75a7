// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: for each row its exception, or the fill value.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/reference.hpp"
#include "codecs/sparse/sparse.hpp"

namespace bobbin::codec::sparse {

void reference(const Array& array, void* out) {
  const uint8_t* fill = array.metadata.data();
  uint64_t first_row = 0;
  std::memcpy(&first_row, array.metadata.data() + 8, 8);
  const std::vector<uint32_t> positions = reference_values<uint32_t>(array.children[0]);
  const std::vector<std::byte> values = reference_values<std::byte>(array.children[1]);

  const size_t size = size_bytes(array.type);
  auto* target = static_cast<std::byte*>(out);
  size_t p = 0;
  for (uint64_t i = 0; i < array.length; ++i) {
    const uint64_t row = first_row + array.offset + i;
    // Positions ascend: those skipped are before the array's rows, or belong to an earlier row.
    while (p < positions.size() && positions[p] < row) {
      ++p;
    }
    const bool apart = p < positions.size() && positions[p] == row;
    std::memcpy(target + i * size, apart ? static_cast<const void*>(values.data() + p * size) : fill, size);
  }
}

}  // namespace bobbin::codec::sparse
