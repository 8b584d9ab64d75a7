// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: value by value, in exact signed arithmetic, truncated to the type's
// bits at the end.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/diff/diff.hpp"
#include "codecs/reference.hpp"

namespace bobbin::codec::diff {
namespace {

// All of a child's values, sign-extended.
std::vector<int64_t> read_numbers(const Array& child) {
  const size_t size = size_bytes(child.type);
  const auto bytes = reference_values<std::byte>(child);
  std::vector<int64_t> numbers(child.length);
  for (uint64_t i = 0; i < child.length; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * size, size);
    const auto unused = static_cast<uint32_t>(64 - 8 * size);
    numbers[i] = static_cast<int64_t>(bits << unused) >> unused;
  }
  return numbers;
}

}  // namespace

void reference(const Array& array, void* out) {
  const std::vector<int64_t> differences = read_numbers(array.children[0]);
  const std::vector<int64_t> starts = read_numbers(array.children[1]);
  const size_t size = size_bytes(array.type);
  auto* target = static_cast<std::byte*>(out);
  Int128 sum = 0;  // fits sums of 1025 numbers of 64 bits
  for (uint64_t i = 0; i < array.offset + array.length; ++i) {
    if (i % 1024 == 0) {
      sum = starts[i / 1024];
    }
    sum += differences[i];
    if (i >= array.offset) {
      const auto value = static_cast<uint64_t>(sum);
      std::memcpy(target + (i - array.offset) * size, &value, size);
    }
  }
}

}  // namespace bobbin::codec::diff
