// SPDX-License-Identifier: Apache-2.0
#include "core/bit_ranges.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/codecs/component.hpp"

namespace bobbin {
namespace {

using Bits = std::vector<uint8_t>;

bool bit(const Bits& bits, uint64_t i) {
  return (bits[i / 8] >> (i % 8) & 1) != 0;
}

// Every combination of positions of both ends in their bytes.
template <class F>
void for_each_place(F&& f) {
  for (uint64_t at = 0; at < 9; ++at) {
    for (uint64_t from = 0; from < 9; ++from) {
      for (uint64_t count = 0; count < 40; ++count) {
        f(at, from, count);
      }
    }
  }
}

Bits drawn(uint64_t size, testing::Random& random) {
  Bits bits(size);
  for (uint8_t& byte : bits) {
    byte = static_cast<uint8_t>(random.next());
  }
  return bits;
}

TEST(BitRanges, CopiedBitsAreThoseAndNoOthers) {
  testing::Random random(1);
  for_each_place([&](uint64_t at, uint64_t from, uint64_t count) {
    const Bits source = drawn((from + count + 7) / 8, random);
    Bits to((at + count + 7) / 8 + 1);
    copy_bits(to.data(), at, source.data(), from, count);
    for (uint64_t i = 0; i < 8 * to.size(); ++i) {
      const bool inside = i >= at && i < at + count;
      ASSERT_EQ(bit(to, i), inside && bit(source, from + i - at)) << at << " " << from << " " << count;
    }
  });
}

TEST(BitRanges, SetAndCount) {
  testing::Random random(2);
  for_each_place([&](uint64_t at, uint64_t from, uint64_t count) {
    Bits to((at + count + 7) / 8 + 1);
    set_bits(to.data(), at, at + count);
    for (uint64_t i = 0; i < 8 * to.size(); ++i) {
      ASSERT_EQ(bit(to, i), i >= at && i < at + count) << at << " " << count;
    }
    const Bits bits = drawn((from + count + 7) / 8, random);
    uint64_t ones = 0;
    for (uint64_t i = from; i < from + count; ++i) {
      ones += bit(bits, i) ? 1 : 0;
    }
    ASSERT_EQ(count_bits(bits.data(), from, from + count), ones) << from << " " << count;
  });
}

}  // namespace
}  // namespace bobbin
