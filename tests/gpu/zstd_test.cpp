// SPDX-License-Identifier: Apache-2.0
// Batches of zstd frames on the GPU: the same content and verdicts as on the CPU.
#include <gtest/gtest.h>

#include "tests/codecs/zstd/batches.hpp"
#include "tests/gpu/seeds.hpp"

namespace bobbin::testing {
namespace {

std::vector<FrameCase> draw_cases(std::mt19937_64& random, uint64_t count, uint64_t most_bytes) {
  std::vector<FrameCase> cases;
  for (uint64_t i = 0; i < count; ++i) {
    const size_t size = random() % most_bytes;
    cases.push_back({draw_frame(random, draw_content(random, size)), size + random() % 3});
  }
  return cases;
}

TEST(GpuZstd, Drawn) {
  for (uint64_t seed = 0; seed < num_seeds(30); ++seed) {
    std::mt19937_64 random(seed);
    const zstd::BatchOptions options{.streams = static_cast<uint32_t>(seed % 5)};
    const BatchOutcome outcome = check_batch_on(Backend::cuda, draw_cases(random, 40, 100'000), options);
    ASSERT_EQ(outcome.error, "") << seed;
    ASSERT_EQ(outcome.refused, 0U) << seed;
  }
}

TEST(GpuZstd, DamageIsFoundAndStaysInItsFrame) {
  for (uint64_t seed = 0; seed < num_seeds(60); ++seed) {
    std::mt19937_64 random(seed);
    std::vector<FrameCase> cases = draw_cases(random, 60, 30'000);
    for (FrameCase& one : cases) {
      const uint64_t damage = random() % 4;
      if (damage == 1) {
        one.frame.resize(random() % one.frame.size());
      } else if (damage == 2) {
        one.capacity -= std::min<uint64_t>(one.capacity, 1 + random() % 4);
      } else if (damage == 3) {
        for (uint64_t flips = 1 + random() % 3; flips != 0; --flips) {
          one.frame[random() % one.frame.size()] ^= static_cast<std::byte>(1U << random() % 8);
        }
      }
    }
    const zstd::BatchOptions options{.streams = static_cast<uint32_t>(seed % 3)};
    const BatchOutcome outcome = check_batch_on(Backend::cuda, cases, options);
    ASSERT_EQ(outcome.error, "") << seed;
    ASSERT_GT(outcome.refused, 0U) << seed;
  }
}

// More frames than are resident at a time, in one slice and in several.
TEST(GpuZstd, Many) {
  std::mt19937_64 random(1);
  const std::vector<FrameCase> few = draw_cases(random, 100, 65'000);
  std::vector<FrameCase> cases;
  for (uint64_t i = 0; i < 3000; ++i) {
    cases.push_back(few[random() % few.size()]);
  }
  for (const uint64_t slice_bytes : {uint64_t{30} << 20, uint64_t{1} << 30}) {
    const BatchOutcome outcome = check_batch_on(Backend::cuda, cases, {.slice_bytes = slice_bytes});
    ASSERT_EQ(outcome.error, "");
    ASSERT_EQ(outcome.refused, 0U);
  }
}

// Frames that are split over the whole device: in small steps, and in those that large frames have.
TEST(GpuZstd, Split) {
  for (uint64_t seed = 0; seed < num_seeds(30); ++seed) {
    std::mt19937_64 random(seed);
    const zstd::BatchOptions options{.slice_bytes = uint64_t{1} << (seed % 2 == 0 ? 20 : 30),
                                     .split_bytes = 0};
    std::vector<FrameCase> cases = draw_cases(random, seed % 2 == 0 ? 10 : 2, 400'000);
    const BatchOutcome outcome = check_batch_on(Backend::cuda, cases, options);
    ASSERT_EQ(outcome.error, "") << seed;
    ASSERT_EQ(outcome.refused, 0U) << seed;
    for (FrameCase& one : cases) {
      one.frame[random() % one.frame.size()] ^= static_cast<std::byte>(1U << random() % 8);
    }
    ASSERT_EQ(check_batch_on(Backend::cuda, cases, options).error, "") << seed;
  }
}

// One frame of 40 MB, with matches that reach back over many blocks.
TEST(GpuZstd, OneLargeFrame) {
  for (const int level : {1, 3, 12}) {
    std::mt19937_64 random(3);
    Bytes content;
    while (content.size() < 40'000'000) {
      const Bytes piece = draw_content(random, random() % 3'000'000);
      content.insert(content.end(), piece.begin(), piece.end());
      const size_t from = random() % content.size();
      const Bytes again(content.begin() + static_cast<ptrdiff_t>(from), content.end());
      content.insert(content.end(), again.begin(), again.begin() + static_cast<ptrdiff_t>(again.size() / 2));
    }
    const Bytes frame = compress_by_libzstd(content, {.level = level, .window_log = 23});
    const BatchOutcome outcome = check_batch_on(Backend::cuda, {{frame, content.size()}});
    ASSERT_EQ(outcome.error, "") << level;
    ASSERT_EQ(outcome.ok, 1U) << level;
  }
}

TEST(GpuZstd, Files) {
  std::mt19937_64 random(2);
  const Bytes content = draw_content(random, 3'000'000);
  auto frames = zstd::encode(content, {.checksum = true, .seek_table = true});
  const auto decoded = zstd::decode_all(*frames, content.size(), {}, Backend::cuda);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
  EXPECT_EQ(*decoded, content);
  (*frames)[30] ^= std::byte{4};
  EXPECT_FALSE(zstd::decode_all(*frames, content.size(), {}, Backend::cuda).has_value());
}

TEST(GpuZstd, EncodesLikeTheCpu) {
  for (uint64_t seed = 0; seed < num_seeds(30); ++seed) {
    std::mt19937_64 random(seed);
    const Bytes content = draw_content(random, random() % 3'000'000);
    const zstd::EncodeOptions options{
        .level = static_cast<uint32_t>(1 + seed % 9),
        .frame_bytes = seed % 3 == 0 ? static_cast<uint32_t>(256 + random() % 65281) : uint32_t{1} << 16,
        .block_bytes = seed % 2 == 0 ? static_cast<uint32_t>(256 + random() % 20000) : uint32_t{4096},
        .checksum = random() % 2 == 0};
    const auto expected = zstd::encode(content, options);
    const auto found = zstd::encode(content, options, Backend::cuda);
    ASSERT_TRUE(found.has_value()) << found.error().message();
    ASSERT_TRUE(*found == *expected) << seed;
  }
}

}  // namespace
}  // namespace bobbin::testing
