// SPDX-License-Identifier: Apache-2.0
// The oracle: decodes the inner array, then applies each chunk's patches one after another.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codecs/patched/patched.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::patched {
namespace {

// read_integer assumes little-endian numbers.
static_assert(std::endian::native == std::endian::little);

// Integer `index` of those of `size` bytes at `bytes`, zero-extended.
uint64_t read_integer(const std::byte* bytes, uint64_t index, uint64_t size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes + index * size, size);
  return value;
}

// The patches of one chunk: patch p has index p (u16) and value p.
struct Patches {
  uint64_t count = 0;
  const std::byte* indices = nullptr;
  const std::byte* values = nullptr;
};

uint64_t start_of(const Array& array, uint64_t v) {
  return read_integer(array.buffers[0].bytes.data(), v, 4);
}

Patches read_lanes(const Array& array, uint64_t v) {
  const uint64_t start = start_of(array, v);
  if (start == start_of(array, v + 1)) {
    return {};  // an empty block does not even have counts
  }
  const std::byte* block = array.buffers[1].bytes.data() + 8 * start;
  uint64_t count = 0;
  for (uint64_t lane = 0; lane < 8; ++lane) {
    count += read_integer(block, lane, 1);
  }
  uint64_t position = 8 + 2 * count;
  while (position % size_bytes(array.type) != 0) {
    ++position;
  }
  // An index determines its patch's place: the lane does not matter here.
  return {count, block + 8, block + position};
}

Patches read_sorted(const Array& array, uint64_t v) {
  const uint64_t start = start_of(array, v);
  return {start_of(array, v + 1) - start, array.buffers[1].bytes.data() + 2 * start,
          array.buffers[2].bytes.data() + start * size_bytes(array.type)};
}

}  // namespace

void reference(const Array& array, void* out) {
  const uint64_t size = size_bytes(array.type);
  const uint64_t end = array.offset + array.length;
  auto* target = static_cast<std::byte*>(out);
  const Array& inner = array.children[0];
  find_codec(inner.codec)->reference(inner, out);

  for (uint64_t v = 0; v * 1024 < end; ++v) {
    const Patches patches = array.metadata[0] == 0 ? read_lanes(array, v) : read_sorted(array, v);
    for (uint64_t p = 0; p < patches.count; ++p) {
      const uint64_t at = v * 1024 + read_integer(patches.indices, p, 2);
      // A slice's first and last chunk may have patches outside the slice.
      if (at >= array.offset && at < end) {
        std::memcpy(target + (at - array.offset) * size, patches.values + p * size, size);
      }
    }
  }
}

}  // namespace bobbin::codec::patched
