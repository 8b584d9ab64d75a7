// SPDX-License-Identifier: Apache-2.0
// The zstd encoder's kernels in the emulator: the bytes of the CPU encoder, which libzstd decodes.
#include <gtest/gtest.h>
#include <zstd.h>

#include "bobbin/memory.hpp"
#include "simt/emulator.hpp"
#include "tests/codecs/zstd/batches.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

constexpr size_t kScale = kDrawnShare == 1 ? 1 : 8;  // sanitizers get smaller contents

// All frames of `frames`, decoded by libzstd.
Bytes decode_by_libzstd(const Bytes& frames, size_t size) {
  Bytes content(size);
  size_t at = 0;
  size_t written = 0;
  while (at < frames.size()) {
    const size_t stored = ZSTD_findFrameCompressedSize(frames.data() + at, frames.size() - at);
    if (ZSTD_isError(stored) != 0) {
      return {};
    }
    const size_t got = ZSTD_decompress(content.data() + written, size - written, frames.data() + at, stored);
    if (ZSTD_isError(got) != 0) {
      return {};
    }
    at += stored;
    written += got;
  }
  content.resize(written);
  return content;
}

void check_encode(const Bytes& content, const zstd::EncodeOptions& options) {
  SCOPED_TRACE(std::to_string(content.size()) + " bytes, level " + std::to_string(options.level));
  const auto expected = zstd::encode(content, options);
  const auto found = zstd::encode(content, options, Backend::emulator);
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_TRUE(*found == *expected);
  EXPECT_EQ(decode_by_libzstd(*found, content.size()), content);
}

TEST(ZstdEncodeInEmulator, SmallContents) {
  const std::vector<size_t> all{0, 1, 2, 3, 4, 5, 8, 9, 40, 255, 256, 257, 700};
  for (const uint64_t which : drawn(all.size())) {
    const size_t size = all[which];
    std::mt19937_64 random(size);
    check_encode(draw_content(random, size), {.level = 3, .frame_bytes = 256, .checksum = size % 2 == 0});
    check_encode(Bytes(size, std::byte{'x'}), {.level = 1, .frame_bytes = 512, .block_bytes = 256});
  }
}

TEST(ZstdEncodeInEmulator, Drawn) {
  for (const uint64_t seed : drawn(24)) {
    simt::default_emulator_options().seed = seed;
    std::mt19937_64 random(seed);
    const size_t size = 1 + random() % (uint64_t{1} << (8 + random() % 9)) / kScale;
    constexpr uint32_t kLevels[] = {1, 3, 4, 6, 9};
    check_encode(draw_content(random, size),
                 {.level = kLevels[seed % 5],
                  .frame_bytes = static_cast<uint32_t>(256 + random() % 65281),
                  .block_bytes = static_cast<uint32_t>(256 + random() % (uint64_t{1} << (8 + random() % 8))),
                  .checksum = random() % 2 == 0,
                  .seek_table = random() % 2 == 0});
  }
}

// Blocks that are stored raw or as one byte before, between and after compressed ones.
TEST(ZstdEncodeInEmulator, BlocksOfAllForms) {
  std::mt19937_64 random(7);
  Bytes content;
  for (uint64_t i = 0; i < 24; ++i) {
    const size_t size = 1024;
    Bytes part = i % 4 == 0 ? Bytes(size, static_cast<std::byte>(i)) : draw_content(random, size);
    if (i % 4 == 1) {
      std::ranges::generate(part, [&] { return static_cast<std::byte>(random()); });
    }
    content.insert(content.end(), part.begin(), part.end());
  }
  constexpr uint32_t kLevels[] = {1, 3};
  for (const uint32_t level : drawn_of(kLevels)) {
    check_encode(content, {.level = level, .block_bytes = 1024});
    check_encode(Bytes(content.rbegin(), content.rend()), {.level = level, .block_bytes = 1024});
  }
}

TEST(ZstdEncodeInEmulator, FullFrames) {
  std::mt19937_64 random(8);
  for (const uint32_t level : {1, 3}) {
    check_encode(draw_content(random, 140'000 / kScale), {.level = level, .checksum = true});
  }
}

// Every alignment, several slices; nothing around the output is written.
TEST(ZstdEncodeInEmulator, SlicesAndAlignments) {
  const auto stream = Stream::create(Backend::emulator);
  ASSERT_TRUE(stream.has_value());
  std::mt19937_64 random(9);
  for (const uint64_t skew : drawn(4)) {
    const Bytes content = draw_content(random, 5000 + skew);
    Bytes in(4 + skew, std::byte{0x11});
    in.insert(in.end(), content.begin(), content.end());
    in.resize(in.size() + 8, std::byte{0x22});
    const zstd::EncodeBatchOptions options{
        .level = 3, .frame_bytes = 1000, .block_bytes = 300, .slice_bytes = 2000};
    const uint64_t bound = zstd::encode_bound(content.size(), options);
    Bytes out(bound + 16, std::byte{0x33});
    std::vector<uint64_t> ends(zstd::encode_frames(content.size(), options));
    const Status status = zstd::encode_batch(in.data() + 4 + skew, content.size(), out.data() + 8 - skew,
                                             bound, ends.data(), options, stream->view());
    ASSERT_TRUE(status.ok()) << status.message();
    const auto expected = zstd::encode(content, {.level = 3, .frame_bytes = 1000, .block_bytes = 300});
    ASSERT_EQ(ends.back(), expected->size());
    EXPECT_TRUE(
        std::equal(expected->begin(), expected->end(), out.begin() + 8 - static_cast<ptrdiff_t>(skew)));
    EXPECT_EQ(std::ranges::count(out, std::byte{0x33}) - std::ranges::count(*expected, std::byte{0x33}),
              static_cast<ptrdiff_t>(out.size() - expected->size()));
    EXPECT_FALSE(zstd::encode_batch(in.data(), content.size(), out.data(), bound - 1, ends.data(), options,
                                    stream->view())
                     .ok());
  }
}

TEST(ZstdEncodeInEmulator, OptionsAreChecked) {
  const auto refused = [](const zstd::EncodeOptions& options) {
    return !zstd::encode(Bytes(10), options, Backend::emulator).has_value();
  };
  EXPECT_TRUE(refused({.level = 0}));
  EXPECT_TRUE(refused({.level = 10}));
  EXPECT_TRUE(refused({.frame_bytes = 255}));
  EXPECT_TRUE(refused({.block_bytes = 100}));
  // Larger frames than a device encodes are left to the CPU.
  EXPECT_TRUE(zstd::encode(Bytes(10), {.frame_bytes = 1 << 20}, Backend::emulator).has_value());
}

}  // namespace
}  // namespace bobbin::testing
