// SPDX-License-Identifier: Apache-2.0
// Copies of results to the host, through memory that is used again.
#include "device/fetch.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "bobbin/memory.hpp"
#include "tests/backends.hpp"

namespace bobbin {
namespace {

std::vector<uint32_t> numbers_from(uint32_t first, size_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// More in all than there is pinned memory, and one that exceeds it by itself.
TEST(Fetch, CopiesOfAnySize) {
  SKIP_WITHOUT_EMULATOR();
  const Stream stream = *Stream::create(Backend::emulator);
  const std::vector<uint32_t> all = numbers_from(0, 200'000);
  const DeviceBuffer there = *DeviceBuffer::create(all.size() * sizeof(uint32_t), stream.view());
  ASSERT_TRUE(copy_async(there.data(), all.data(), there.size(), stream.view()).ok());
  for (int round = 0; round < 2; ++round) {
    Fetch copies(stream.view());
    std::vector<std::vector<uint32_t>> parts;
    for (const size_t count : {1, 0, 3, 30'000, 30'000, 30'000, 200'000, 5}) {
      parts.emplace_back(count);
      ASSERT_TRUE(copies.add(parts.back().data(), there.data(), count * sizeof(uint32_t)).ok());
    }
    ASSERT_TRUE(copies.wait().ok());
    for (const std::vector<uint32_t>& part : parts) {
      EXPECT_EQ(part, numbers_from(0, part.size()));
    }
  }
}

// The stream may end before the copies are waited for, and nobody has to wait for them.
TEST(Fetch, OutlivesItsStream) {
  SKIP_WITHOUT_EMULATOR();
  std::optional<Stream> stream = *Stream::create(Backend::emulator);
  const std::vector<uint32_t> all = numbers_from(7, 100);
  std::vector<uint32_t> copy(all.size());
  Fetch copies(stream->view());
  {
    const DeviceBuffer there = *DeviceBuffer::create(all.size() * sizeof(uint32_t), stream->view());
    ASSERT_TRUE(copy_async(there.data(), all.data(), there.size(), stream->view()).ok());
    ASSERT_TRUE(copies.add(copy.data(), there.data(), there.size()).ok());
    Fetch forgotten(stream->view());
    ASSERT_TRUE(forgotten.add(copy.data(), there.data(), there.size()).ok());
  }
  ASSERT_TRUE(copies.finish().ok());
  stream.reset();
  ASSERT_TRUE(copies.wait().ok());
  EXPECT_EQ(copy, all);
}

}  // namespace
}  // namespace bobbin
