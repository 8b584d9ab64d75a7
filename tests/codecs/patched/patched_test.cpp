// SPDX-License-Identifier: Apache-2.0
// Specific to patches: both forms, any inner array, and their size.
#include "codecs/patched/patched.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "array/array.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "tests/codecs/cascades.hpp"
#include "tests/codecs/checks.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

using codec::patched::PatchLayout;

// Values of 8 bits except one in `every`.
std::vector<uint32_t> with_wide_values(uint64_t length, uint64_t every) {
  Random random(every);
  std::vector<uint32_t> values(length);
  for (uint32_t& value : values) {
    value = static_cast<uint32_t>(random.below(every) == 0 ? random.next() : random.below(256));
  }
  return values;
}

TEST(Patched, AnyCascadeAgreesWithTheReference) {
  for (const uint64_t seed : drawn(2000)) {
    Random random(seed);
    const Array array = draw_cascade(random);
    ASSERT_TRUE(array::validate(array).ok()) << name_of(array);
    EXPECT_EQ(check_any_array(array, Backend::cpu), "") << "seed " << seed << ", " << name_of(array);
  }
}

TEST(Patched, SlicesAtEveryOffset) {
  const auto values = with_wide_values(5000, 30);
  const Array array = *codec::patched::encode({DType::u32, values.data(), values.size()});
  for (const Array& form : {array, codec::patched::to_lanes(array)}) {
    for (uint64_t offset = 0; offset < 1024; ++offset) {
      const Array part = *array::slice(form, 1000 + offset, 1100);
      std::vector<uint32_t> out(part.length);
      ASSERT_TRUE(array::decode(part, std::as_writable_bytes(std::span(out))).ok());
      ASSERT_TRUE(std::equal(out.begin(), out.end(), values.begin() + static_cast<ptrdiff_t>(1000 + offset)))
          << offset;
    }
  }
}

// Overhead besides indices and values, at one patch in a thousand: under 0.3 bits per value, in both forms.
TEST(Patched, TakesLittleSpace) {
  const auto values = with_wide_values(1 << 20, 1000);
  const Array array = *codec::patched::encode({DType::u32, values.data(), values.size()});
  const uint64_t patches = array.buffers[1].bytes.size() / sizeof(uint16_t);
  EXPECT_GT(patches, 900U);
  for (const Array& form : {array, codec::patched::to_lanes(array)}) {
    uint64_t bytes = 0;
    for (const Buffer& buffer : form.buffers) {
      bytes += buffer.bytes.size();
    }
    const uint64_t overhead = bytes - patches * codec::patched::patch_bytes(sizeof(uint32_t));
    EXPECT_LT(8.0 * static_cast<double>(overhead) / static_cast<double>(values.size()), 0.3);
  }
}

// The chosen width is the best: no other one needs fewer bytes.
TEST(Patched, WidthIsTheBest) {
  const auto values = with_wide_values(1024, 12);
  const Array array = *codec::patched::encode({DType::u32, values.data(), values.size()});
  const uint64_t chosen = array.buffers[1].bytes.size() + array.buffers[2].bytes.size() +
                          array.children[0].buffers[2].bytes.size();
  const uint32_t low = *std::ranges::min_element(values);
  for (uint32_t width = 0; width <= 32; ++width) {
    const auto patches = static_cast<uint32_t>(
        std::ranges::count_if(values, [&](uint32_t value) { return bit_width_of(value - low) > width; }));
    EXPECT_LE(chosen, 128 * width + uint64_t{6} * patches) << width;
  }
}

TEST(Patched, LiesAreRefused) {
  const auto values = with_wide_values(3000, 40);
  const Array sorted = *codec::patched::encode({DType::u32, values.data(), values.size()});
  const Array array = codec::patched::to_lanes(sorted);
  const auto refused = [&](const Array& form, size_t buffer, size_t at, uint8_t byte) {
    Array changed = form;
    const NewBuffer copy = make_buffer(form.buffers[buffer].bytes.size());
    std::ranges::copy(form.buffers[buffer].bytes, copy.data);
    copy.data[at] = static_cast<std::byte>(byte);
    changed.buffers[buffer] = copy.buffer;
    return !array::validate(changed).ok();
  };
  const auto byte_of = [&](const Array& form, size_t buffer, size_t at) {
    return static_cast<uint8_t>(form.buffers[buffer].bytes[at]);
  };
  EXPECT_TRUE(refused(array, 0, 4, static_cast<uint8_t>(byte_of(array, 0, 4) + 1)));  // a block's size
  EXPECT_TRUE(refused(array, 0, 7, 255));                                             // past the end
  EXPECT_TRUE(refused(array, 1, 0, 129));                                             // a count
  EXPECT_TRUE(refused(array, 1, 9, 4));                                               // an index above 1023
  EXPECT_TRUE(refused(array, 1, 8, static_cast<uint8_t>(byte_of(array, 1, 8) ^ 4)));  // of another lane
  EXPECT_TRUE(refused(sorted, 1, 1, 4));
  EXPECT_TRUE(refused(sorted, 1, 2, byte_of(sorted, 1, 0)) || byte_of(sorted, 1, 3) != byte_of(sorted, 1, 1));
  Array form = array;
  form.metadata = {2};
  EXPECT_FALSE(array::validate(form).ok());
  Array other = array;
  other.children[0].type = DType::i32;
  EXPECT_FALSE(array::validate(other).ok());
}

}  // namespace
}  // namespace bobbin::testing
