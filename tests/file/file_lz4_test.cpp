// SPDX-License-Identifier: Apache-2.0
// LZ4 blocks: round trips, and damage is an error.
#include "file/lz4_block.hpp"
#include "support.hpp"

namespace bobbin::file_tests {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// From noise to a single value, with repeats near and far.
Bytes mixture(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes;
  while (bytes.size() < size) {
    const size_t count = std::min<size_t>(1 + random() % 300, size - bytes.size());
    const size_t back = bytes.empty() ? 0 : random() % bytes.size() + 1;
    const uint64_t kind = random() % 4;
    for (size_t i = 0; i < count; ++i) {
      bytes.push_back(kind == 0 && back > 0 ? bytes[bytes.size() - back]
                                            : static_cast<std::byte>(kind == 1 ? random() : seed));
    }
  }
  return bytes;
}

TEST(FileLz4, RoundTrips) {
  for (const size_t size :
       {0, 1, 4, 5, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 33, 270, 300, 5000, 200'000}) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const Bytes bytes = mixture(size, seed);
      const Bytes block = file::compress_block(bytes);
      EXPECT_EQ(block, file::compress_block(bytes));
      const auto back = file::decompress_block(block, size);
      ASSERT_TRUE(back.has_value()) << size << ": " << back.error().message();
      EXPECT_EQ(*back, bytes);
      EXPECT_FALSE(file::decompress_block(block, size + 1).has_value());
      EXPECT_TRUE(size == 0 || !file::decompress_block(block, size - 1).has_value());
    }
  }
}

// The bytes that follow from LZ4's own description.
TEST(FileLz4, KnownBlocks) {
  EXPECT_EQ(file::compress_block({}), Bytes(1));
  EXPECT_EQ(file::compress_block(bytes_of("abc")), bytes_of("\x30"
                                                            "abc"));
  EXPECT_EQ(file::compress_block(Bytes(40, std::byte{'a'})), bytes_of(std::string_view("\x1f"
                                                                                       "a\x01\0\x0f\x50"
                                                                                       "aaaaa",
                                                                                       11)));
}

TEST(FileLz4, DamageIsAnErrorOrOtherBytes) {
  const Bytes bytes = mixture(3000, 1);
  Bytes block = file::compress_block(bytes);
  for (size_t i = 0; i < block.size(); ++i) {
    EXPECT_FALSE(file::decompress_block(std::span(block).first(i), bytes.size()).has_value()) << i;
    for (const uint8_t bits : std::to_array<uint8_t>({1, 16, 128, 255})) {
      block[i] ^= std::byte{bits};
      const auto back = file::decompress_block(block, bytes.size());
      EXPECT_TRUE(!back.has_value() || back->size() == bytes.size());
      block[i] ^= std::byte{bits};
    }
  }
}

}  // namespace
}  // namespace bobbin::file_tests
