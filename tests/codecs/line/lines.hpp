// SPDX-License-Identifier: Apache-2.0
// Lines of memory of every class, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/bits.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// What the values of one line have in common.
struct LineKind {
  uint64_t kind = 0;
  uint64_t bases[2] = {0, 0};
  uint64_t mask = 0;
  uint64_t shift = 0;

  static LineKind draw(Random& random) {
    return {.kind = random.below(10),
            .bases = {random.next() >> random.below(64), random.next() >> random.below(64)},
            .mask = low_mask<uint64_t>(static_cast<uint32_t>(random.below(33))),
            .shift = random.below(64)};
  }

  [[nodiscard]] uint64_t value(Random& random) const {
    const uint64_t x = random.next();
    switch (kind) {
      case 0:
        return bases[0] + (x & mask);
      case 1:  // two bases, of which one is zero
        return (x >> 60 < 8 ? bases[0] : 0) + (x & mask) - mask / 2;
      case 2:  // a dictionary
        return bases[x >> 63] + (x & 15);
      case 3:  // mostly zeros
        return x >> 61 != 0 ? 0 : x & mask;
      case 4:
        return bases[x >> 63];
      case 5:  // repeated bytes
        return (x & 0xff) * 0x0101'0101'0101'0101;
      case 6:
        return x << shift;
      case 7:
        return uint64_t{0} - (x & mask);
      case 8:  // around the change of sign
        return (uint64_t{1} << 63 >> shift / 8 * 8) + (x & mask) - mask / 2;
      default:
        return 0;
    }
  }
};

// Lines of 128 bytes; neighbours are often of one kind.
inline std::vector<std::byte> draw_lines(Random& random, uint64_t count) {
  std::vector<std::byte> bytes(count * 128);
  LineKind kind;
  uint64_t size = 4;
  for (uint64_t line = 0; line < count; ++line) {
    if (line == 0 || random.below(3) == 0) {
      kind = LineKind::draw(random);
      size = uint64_t{1} << random.below(4);
    }
    for (uint64_t at = 0; at < 128; at += size) {
      const uint64_t value = kind.value(random);
      std::memcpy(bytes.data() + line * 128 + at, &value, size);
    }
  }
  return bytes;
}

}  // namespace bobbin::testing
