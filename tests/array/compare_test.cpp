// SPDX-License-Identifier: Apache-2.0
// Comparisons of decoded values, which floats and codecs that cannot compare use.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "array/array.hpp"
#include "array/compare_plain.hpp"
#include "codecs/registry.hpp"
#include "core/scalar.hpp"
#include "device/backends.hpp"
#include "tests/codecs/compares.hpp"

namespace bobbin::array {
namespace {

using bobbin::testing::holds;
using bobbin::testing::kAllCompares;

// An array for the comparison: only its type, length and offset matter.
template <class T>
Array outline(uint64_t length, uint64_t offset) {
  Array array;
  array.type = kDTypeOf<T>;
  array.length = length;
  array.offset = offset;
  return array;
}

// The type's extremes, and small numbers of both signs if it is signed.
template <class T>
std::vector<T> mixed(uint64_t length) {
  std::vector<T> values(length);
  for (uint64_t i = 0; i < length; ++i) {
    const T choices[] = {std::numeric_limits<T>::lowest(),
                         std::numeric_limits<T>::max(),
                         static_cast<T>(i % 100),
                         static_cast<T>(T{0} - static_cast<T>(i % 100)),
                         std::numeric_limits<T>::quiet_NaN(),
                         static_cast<T>(7)};
    values[i] = choices[i * i % 6];
  }
  return values;
}

template <class T>
class ComparePlain : public ::testing::Test {};
using Types =
    ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, float, double>;
TYPED_TEST_SUITE(ComparePlain, Types);

TYPED_TEST(ComparePlain, CpuAndEmulatorGiveTheBitsOfEveryComparison) {
  using T = TypeParam;
  for (const auto& [length, offset] : {std::pair{0, 0}, {1, 0}, {1024, 0}, {3000, 5}, {20, 1023}}) {
    const Array array = outline<T>(static_cast<uint64_t>(length), static_cast<uint64_t>(offset));
    const auto values = mixed<T>(array.length);
    for (const Compare op : kAllCompares) {
      const T constant = 7;
      const ValueRange range = ValueRange::of(array.type, op, scalar_of(constant));
      std::vector<uint32_t> expected(num_vectors(array.offset + array.length) * 32);
      for (uint64_t i = 0; i < array.length; ++i) {
        const uint64_t bit = array.offset + i;
        expected[bit / 32] |= static_cast<uint32_t>(holds(op, values[i], constant)) << (bit % 32);
      }
      std::vector<uint32_t> on_cpu(expected.size());
      compare_plain(array, values.data(), range, on_cpu.data());
      EXPECT_EQ(on_cpu, expected);
      if constexpr (kHasEmulator) {
        std::vector<uint32_t> emulated(expected.size(), 0xaaaa'aaaa);
        ASSERT_TRUE(compare_plain_on<Backend::emulator>(array, values.data(), range, emulated.data(),
                                                        {Backend::emulator, nullptr})
                        .ok());
        EXPECT_EQ(emulated, expected);
      }
    }
  }
}

// One character per value: 1 where the comparison is true.
std::string compared(const std::vector<float>& values, Compare op, float constant) {
  const Array array = *find_codec(CodecId::bitpack)->encode({DType::f32, values.data(), values.size()});
  const Bitmap bitmap = *compare(array, op, scalar_of(constant));
  std::string text;
  for (uint64_t i = 0; i < bitmap.length; ++i) {
    text += bitmap.at(i) ? '1' : '0';
  }
  return text;
}

TEST(CompareFloats, AsIeee754Says) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{-kInfinity, -1, -1e-45F, -0.0F, 0.0F, 1e-45F, 1, kInfinity, kNan, -kNan};
  EXPECT_EQ(compared(values, Compare::eq, 0.0F), "0001100000");
  EXPECT_EQ(compared(values, Compare::eq, -0.0F), "0001100000");
  EXPECT_EQ(compared(values, Compare::ne, 0.0F), "1110011111");
  EXPECT_EQ(compared(values, Compare::lt, -0.0F), "1110000000");
  EXPECT_EQ(compared(values, Compare::le, -0.0F), "1111100000");
  EXPECT_EQ(compared(values, Compare::gt, 0.0F), "0000011100");
  EXPECT_EQ(compared(values, Compare::ge, kInfinity), "0000000100");
  EXPECT_EQ(compared(values, Compare::eq, kNan), "0000000000");
  EXPECT_EQ(compared(values, Compare::ge, kNan), "0000000000");
  EXPECT_EQ(compared(values, Compare::ne, kNan), "1111111111");
}

}  // namespace
}  // namespace bobbin::array
