// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: row by row, from one run to the next.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/registry.hpp"
#include "codecs/rle/rle.hpp"

namespace bobbin::codec::rle {
namespace {

// Numbers are copied as they are stored, the lowest byte first.
static_assert(std::endian::native == std::endian::little);

std::vector<uint32_t> read_ends(const Array& child) {
  std::vector<uint32_t> ends(child.length);
  find_codec(child.codec)->reference(child, ends.data());
  return ends;
}

std::vector<std::byte> read_values(const Array& child) {
  std::vector<std::byte> values(child.length * size_bytes(child.type));
  find_codec(child.codec)->reference(child, values.data());
  return values;
}

}  // namespace

void reference(const Array& array, void* out) {
  uint64_t first_row = 0;
  std::memcpy(&first_row, array.metadata.data(), 8);
  const std::vector<uint32_t> ends = read_ends(array.children[0]);
  const std::vector<std::byte> values = read_values(array.children[1]);

  const size_t size = size_bytes(array.type);
  auto* target = static_cast<std::byte*>(out);
  size_t run = 0;
  for (uint64_t i = 0; i < array.length; ++i) {
    const uint64_t row = first_row + array.offset + i;
    // Ends ascend: the run that a row lies in is never before the last row's.
    while (ends[run] <= row) {
      ++run;
    }
    std::memcpy(target + i * size, values.data() + run * size, size);
  }
}

}  // namespace bobbin::codec::rle
