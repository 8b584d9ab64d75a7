// SPDX-License-Identifier: Apache-2.0
// Single lines: sizes, what each algorithm takes, and that images give the lines again; arrays of lines of
// other sizes, and damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "array/array.hpp"
#include "codecs/line/array.hpp"
#include "codecs/line/expand.hpp"
#include "codecs/line/write.hpp"
#include "tests/codecs/checks.hpp"
#include "tests/codecs/component.hpp"
#include "tests/codecs/line/lines.hpp"

namespace bobbin::testing {
namespace {

namespace line = codec::line;

// Compresses and expands a line, reading and writing nothing outside of the image; returns the code.
template <line::Algorithms kTried, uint32_t kWords>
uint32_t round_trip(const line::Line<kWords>& from) {
  const line::Plan plan = line::choose<kTried>(from);
  EXPECT_TRUE(line::is_valid(plan.code, kWords * 4)) << plan.code;
  std::vector<uint32_t> image(line::image_bytes(plan.code, kWords * 4) / 4);
  std::vector<int> written(image.size());
  line::write_image<kTried>(from, plan, [&](uint32_t i, uint32_t word) {
    image.at(i) = word;
    ++written.at(i);
  });
  EXPECT_TRUE(std::ranges::all_of(written, [](int times) { return times == 1; })) << plan.code;
  if (plan.code >= line::kFpc) {
    EXPECT_TRUE(line::is_valid_fpc(image[0], plan.code, kWords * 4));
  }
  for (uint32_t part = 0; part < kWords / line::kPartWords; ++part) {
    const line::Part words =
        line::expand_part(plan.code, kWords * 4, part, [&](uint32_t i) { return image.at(i); });
    EXPECT_TRUE(std::ranges::equal(words.word, std::span(from.word).subspan(part * 4, 4)))
        << "code " << plan.code << ", part " << part;
  }
  return plan.code;
}

template <uint32_t kWords>
void check_algorithms() {
  Random random(kWords);
  const std::vector<std::byte> bytes = draw_lines(random, 20'000);
  std::map<uint32_t, int> seen;
  for (size_t at = 0; at < bytes.size(); at += kWords * 4) {
    line::Line<kWords> from;
    std::memcpy(from.word, bytes.data() + at, sizeof from);
    const auto size = [](uint32_t code) { return line::image_bytes(code, kWords * 4); };
    const uint32_t best = round_trip<line::kBest>(from);
    const uint32_t best_fixed = size(round_trip<line::kBestFixed>(from));
    const uint32_t bdi = size(round_trip<line::kBdi>(from));
    const uint32_t reading = size(round_trip<line::kForReading>(from));
    const uint32_t any_width = size(round_trip<line::kBdiAnyWidth>(from));
    const uint32_t fpc = size(round_trip<line::kFpcOnly>(from));
    const uint32_t cpack = size(round_trip<line::kCpackOnly>(from));
    EXPECT_LE(bdi, size(round_trip<line::kBdiFirst>(from)));
    EXPECT_LE(reading, bdi);
    EXPECT_LE(any_width, reading);
    EXPECT_EQ(best_fixed, std::min({bdi, fpc, cpack}));
    EXPECT_EQ(size(best), std::min({any_width, fpc, cpack}));
    ++seen[best];
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  // All fixed codes, and most others.
  for (uint32_t code = 0; code <= line::kCpack; ++code) {
    EXPECT_NE(seen[code], 0) << code;
  }
  EXPECT_GE(seen.size(), kWords == 8 ? 45U : 60U);
}

TEST(Line, EveryAlgorithmGivesTheLineAgain) {
  check_algorithms<32>();
  check_algorithms<16>();
  check_algorithms<8>();
}

TEST(Line, SizesOfTheFixedCodes) {
  const uint32_t sizes[][3] = {{128, 64, 32}, {0, 0, 0},    {8, 8, 8},    {28, 20, 16}, {44, 28, 20},
                               {76, 44, 28},  {40, 24, 16}, {72, 40, 24}, {76, 40, 24}, {52, 32, 24}};
  for (uint32_t code = 0; code < std::size(sizes); ++code) {
    for (uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(line::image_bytes(code, 128 >> i), sizes[code][i]) << code;
      EXPECT_TRUE(line::is_valid(code, 128 >> i));
    }
  }
  EXPECT_EQ(line::sectors(line::image_bytes(3, 128)), 1U);
  EXPECT_EQ(line::sectors(line::image_bytes(6, 128)), 2U);
  EXPECT_EQ(line::sectors(line::image_bytes(5, 128)), 3U);
  EXPECT_EQ(line::sectors(line::image_bytes(0, 128)), 4U);
}

TEST(Line, CodesThatDoNotExist) {
  for (const uint32_t code :
       {0x0a, 0x1f, 0x20, 0x28, 0x2f, 0x40, 0x48, 0x50, 0x5f, 0x60, 0x68, 0x70, 0x7f, 0x80, 0xa0, 0xff}) {
    EXPECT_FALSE(line::is_valid(code, 128)) << code;
  }
  EXPECT_TRUE(line::is_valid(0x2e, 128));
  EXPECT_FALSE(line::is_valid(0x2e, 32)) << "larger than the line";
  EXPECT_TRUE(line::is_valid(0x9f, 128));
  EXPECT_FALSE(line::is_valid(0x90, 64));
}

TEST(Line, TheRulesForTheBaseDiffer) {
  line::Line<32> from{};
  for (uint32_t i = 0; i < 32; ++i) {
    from.word[i] = i == 0 ? 1 : 100'000 + i;
  }
  EXPECT_EQ(line::choose<line::kBdi>(from).code, 6U);
  EXPECT_EQ(line::choose<line::kBdiFirst>(from).code, line::kRaw);
  from.word[0] = 100'000;
  EXPECT_EQ(line::choose<line::kBdiFirst>(from).code, 6U);
  // Two's complement: from -128 to 127 above the base.
  from.word[1] = 100'000 - 128;
  from.word[2] = 100'000 + 127;
  EXPECT_EQ(line::choose<line::kBdiFirst>(from).code, 6U);
  from.word[2] = 100'000 + 128;
  EXPECT_NE(line::choose<line::kBdiFirst>(from).code, 6U);
}

// Values that are within 2^w of each other have deltas of w bits, wherever the first of them is.
template <class T, uint32_t kWidth>
void check_middle(uint32_t code) {
  Random random(kWidth + sizeof(T));
  constexpr T kReach = static_cast<T>((uint64_t{1} << kWidth) - 1);
  for (const T base : {T{0}, T{1}, static_cast<T>(-kReach), static_cast<T>(kReach * 3),
                       static_cast<T>(T{1} << (8 * sizeof(T) - 1))}) {
    for (uint32_t trial = 0; trial < 50; ++trial) {
      T values[128 / sizeof(T)];
      for (T& x : values) {
        x = static_cast<T>(base + random.below(uint64_t{kReach} + 1));
      }
      values[random.below(std::size(values))] = base;
      values[0] = static_cast<T>(base + kReach);
      line::Line<32> from;
      std::memcpy(from.word, values, sizeof from);
      EXPECT_EQ(round_trip<line::kForReading>(from), code);
    }
  }
}

TEST(Line, ABaseInTheMiddleIsFoundWheneverThereIsOne) {
  check_middle<uint64_t, 8>(3);
  check_middle<uint64_t, 16>(4);
  check_middle<uint64_t, 32>(5);
  check_middle<uint32_t, 8>(6);
  check_middle<uint32_t, 16>(7);
  check_middle<uint16_t, 8>(8);
}

// All checks of arrays, for lines of every size and values of every size.
TEST(LineArray, OtherSizesOfLines) {
  Random random(5);
  for (const DType type : {DType::u8, DType::i16, DType::f32, DType::u64}) {
    for (const uint32_t line_bytes : {32U, 64U, 128U}) {
      const std::vector<std::byte> bytes = draw_lines(random, 70);
      const Values values{type, bytes.data(), bytes.size() / size_bytes(type) - 3};
      const Array array = *line::encode_lines(values, line_bytes);
      EXPECT_EQ(check_any_array(array, Backend::emulator), "") << to_string(type) << " " << line_bytes;
      std::vector<std::byte> out(values.length * size_bytes(type));
      line::decode(array, out.data());
      EXPECT_TRUE(std::equal(out.begin(), out.end(), bytes.begin()));
    }
  }
}

// A small array with lines of all kinds, one bit or byte of it changed or cut off: it is refused, or all
// decoders agree on what it holds.
class DamagedLines : public ::testing::Test {
 protected:
  static Array small() {
    Random random(11);
    const std::vector<std::byte> bytes = draw_lines(random, 12);
    return *line::encode_lines({DType::u16, bytes.data(), bytes.size() / 2 - 5}, 64);
  }
  static Array with_bytes(const Array& array, size_t buffer, std::vector<std::byte> bytes) {
    Array changed = array;
    const NewBuffer fresh = make_buffer(bytes.size());
    std::ranges::copy(bytes, fresh.data);
    changed.buffers[buffer] = fresh.buffer;
    return changed;
  }
  static std::vector<std::byte> bytes_of(const Array& array, size_t buffer) {
    const auto bytes = array.buffers[buffer].bytes;
    return {bytes.begin(), bytes.end()};
  }
};

TEST_F(DamagedLines, EveryBitFlipped) {
  const Array array = small();
  uint64_t refused = 0;
  uint64_t accepted = 0;
  for (size_t buffer = 0; buffer < array.buffers.size(); ++buffer) {
    for (size_t bit = 0; bit < 8 * array.buffers[buffer].bytes.size(); ++bit) {
      std::vector<std::byte> bytes = bytes_of(array, buffer);
      bytes[bit / 8] ^= std::byte{1} << bit % 8;
      const Array changed = with_bytes(array, buffer, bytes);
      if (!array::validate(changed).ok()) {
        ++refused;
        continue;
      }
      ++accepted;
      std::vector<std::byte> out(array.length * 2);
      std::vector<std::byte> expected(array.length * 2);
      line::decode(changed, out.data());
      line::reference(changed, expected.data());
      ASSERT_EQ(out, expected) << buffer << " " << bit;
      if (buffer == 1) {
        ASSERT_EQ(check_any_array(changed, Backend::emulator), "") << bit;
      }
    }
  }
  EXPECT_GT(refused, 100U);
  EXPECT_GT(accepted, 1000U);
}

TEST_F(DamagedLines, EveryTruncation) {
  const Array array = small();
  for (size_t buffer = 0; buffer < array.buffers.size(); ++buffer) {
    for (size_t size = 0; size < array.buffers[buffer].bytes.size(); ++size) {
      std::vector<std::byte> bytes = bytes_of(array, buffer);
      bytes.resize(size);
      EXPECT_FALSE(array::validate(with_bytes(array, buffer, bytes)).ok()) << buffer << " " << size;
    }
  }
}

}  // namespace
}  // namespace bobbin::testing
