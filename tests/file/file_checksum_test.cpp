// SPDX-License-Identifier: Apache-2.0
#include "file/checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace bobbin::file {
namespace {

std::vector<std::byte> some_bytes(size_t size) {
  std::vector<std::byte> bytes(size);
  uint32_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1'664'525 + 1'013'904'223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

// XXH3-64 of the empty input, from its specification.
TEST(Checksum, IsTheOneOfTheSpecification) {
  EXPECT_EQ(checksum({}), 0x2D06800538D394C2U);
}

TEST(Checksum, IsTheSameOnEveryCpuAndInPieces) {
  for (const size_t size : {0, 1, 16, 17, 128, 129, 240, 241, 1024, 4096, 100'003}) {
    const std::vector<std::byte> bytes = some_bytes(size);
    const uint64_t whole = checksum(bytes);
    EXPECT_EQ(kChecksumOnAnyCpu.of(bytes.data(), size), whole) << size;
    for (const size_t piece : {1, 100, 128, 4096}) {
      Checksum sum;
      for (size_t at = 0; at < size; at += piece) {
        sum.add(std::span(bytes).subspan(at, std::min(piece, size - at)));
      }
      EXPECT_EQ(sum.value(), whole) << size << " bytes, " << piece << " at a time";
    }
  }
}

}  // namespace
}  // namespace bobbin::file
