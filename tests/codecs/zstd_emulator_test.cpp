// SPDX-License-Identifier: Apache-2.0
// The zstd kernels in the emulator: the same content and verdicts as on the CPU, with many schedules.
#include <gtest/gtest.h>

#include "simt/emulator.hpp"
#include "tests/codecs/zstd/batches.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

// Sanitizers get smaller contents.
constexpr size_t kScale = kDrawnShare == 1 ? 1 : BOBBIN_RACES_ARE_CHECKED ? 16 : 4;

BatchOutcome check(const std::vector<FrameCase>& cases, const zstd::BatchOptions& options = {}) {
  return check_batch_on(Backend::emulator, cases, options);
}

// Frames of any size are split, into segments of 1 KiB and steps of 8 segments.
constexpr zstd::BatchOptions kSplit{.slice_bytes = uint64_t{1} << 20, .split_bytes = 0};

// Split frames, or one to three streams with a slice each.
zstd::BatchOptions drawn_options(uint64_t seed) {
  return seed % 3 == 0 ? kSplit : zstd::BatchOptions{.streams = static_cast<uint32_t>(seed % 4)};
}

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) {
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

TEST(ZstdInEmulator, FramesOfAllKinds) {
  constexpr int kLevels[] = {-5, 3, 19};
  std::mt19937_64 random(1);
  std::vector<FrameCase> cases;
  constexpr size_t kSizes[] = {0, 1, 5, 63, 255, 1000, 5000, 20000, 66000, 140000};
  for (const size_t size : drawn_of(kSizes)) {
    for (const int level : drawn_of(kLevels)) {
      const Bytes content = draw_content(random, size / kScale);
      cases.push_back({compress_by_libzstd(content, {.level = level, .checksum = level == 3}), size});
    }
    const auto ours = zstd::encode(draw_content(random, size / kScale), {.frame_bytes = 1U << 20});
    cases.push_back({*ours, size});
  }
  const BatchOutcome outcome = check(cases);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ok, cases.size());
  if (BOBBIN_RACES_ARE_CHECKED) {
    cases.erase(cases.begin(), cases.end() - 4);  // a frame takes a second: only the two largest sizes
  }
  const BatchOutcome split = check(cases, kSplit);
  EXPECT_EQ(split.error, "");
  EXPECT_EQ(split.ok + split.left_to_cpu, cases.size());
  if (kAllCasesRun) {
    EXPECT_LE(split.left_to_cpu, 1U);  // of very short matches
  }
}

TEST(ZstdInEmulator, HandWrittenEdges) {
  const Bytes magic = bytes_of({0x28, 0xB5, 0x2F, 0xFD});
  const auto frame = [&](std::initializer_list<int> rest) {
    Bytes bytes = magic;
    const Bytes more = bytes_of(rest);
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
  };
  const std::vector<FrameCase> cases{
      {frame({0x20, 0, 1, 0, 0}), 0},                                      // empty
      {frame({0x20, 3, 0x19, 0, 0, 'a', 'b', 'c'}), 3},                    // raw
      {frame({0x20, 3, 0x19, 0, 0, 'a', 'b', 'c'}), 2},                    // the output is too small
      {frame({0x20, 9, 0x4B, 0, 0, 'x'}), 9},                              // repeated byte
      {frame({0x20, 9, 0x4D, 0, 0, 'x'}), 9},                              // compressed, but cut off
      {frame({0x20, 3, 0x1F, 0, 0, 'a', 'b', 'c'}), 3},                    // reserved type
      {frame({0x28, 3, 0x19, 0, 0, 'a', 'b', 'c'}), 3},                    // reserved bit
      {frame({0x21, 7, 3, 0x19, 0, 0, 'a', 'b', 'c'}), 3},                 // names a dictionary
      {frame({0x20, 5, 0, 0, 0, 0, 0, 0, 0x29, 0, 0, 1, 2, 3, 4, 5}), 5},  // empty blocks
      {frame({0x20, 4, 0x25, 0, 0, 0x10, 'a', 'b', 0}), 4},                // raw literals, too few
      {frame({0, 0, 0x25, 0, 0, 0x10, 'a', 'b', 0}), 2},                   // raw literals, no sequences
      {frame({0x20, 7, 0x1D, 0, 0, 0x39, 'z', 0}), 7},                     // repeated literal
      {frame({0x20, 7, 0x1D, 0, 0, 0x3B, 'z', 0}), 7},                     // a tree that does not exist
      {bytes_of({0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 1, 2}), 0},           // skippable
      {bytes_of({0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2}), 0},           // skippable, cut off
      {bytes_of({0x27, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0}), 10},                // legacy
      {bytes_of({1, 2, 3}), 10},
      {{}, 10}};
  for (const zstd::BatchOptions& options : {zstd::BatchOptions{}, kSplit}) {
    const BatchOutcome outcome = check(cases, options);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.left_to_cpu, 1U);
    EXPECT_EQ(outcome.ok, 7U);
  }
}

// One literal and one sequence in the first 16 bytes: words before and after the frame must not matter.
TEST(ZstdInEmulator, StreamsAtTheVeryStart) {
  std::vector<FrameCase> cases;
  uint64_t sound = 0;
  for (int stream = 0; stream < 1 << 17 && sound < 40; ++stream) {
    constexpr int kEndMark = 2;  // after 17 bits: three states and nothing else
    const FrameCase one{bytes_of({0, 0, 0x3D, 0, 0, 0x08, 'a', 1, 0, stream & 255, stream >> 8 & 255,
                                  stream >> 16 | kEndMark}),
                        50};
    Bytes content(one.capacity);
    const bool is_sound = zstd::decode_frame(one.frame, content, {.magicless = true}).has_value();
    sound += is_sound ? 1 : 0;
    if (is_sound || stream % 997 == 0) {
      cases.push_back(one);
    }
  }
  const BatchOutcome outcome = check(cases, {.magicless = true});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ok, sound);
  EXPECT_GT(sound, 5U);
}

// A sequence with more bits than others may have, among many: literals, and a match far back, of tens of
// thousands of bytes.
TEST(ZstdInEmulator, ALongSequenceAmongShortOnes) {
  for (const uint64_t seed : drawn(2)) {
    simt::default_emulator_options().seed = seed;
    std::mt19937_64 random(seed);
    Bytes content = draw_content(random, 8000);
    for (uint32_t i = 0; i < 67'000; ++i) {
      content.push_back(static_cast<std::byte>(random()));
    }
    const auto repeat = [&](size_t from, size_t bytes) {
      for (size_t i = 0; i < bytes; ++i) {
        content.push_back(content[from + i]);
      }
    };
    repeat(random() % 8000, 33'000 + random() % 5000);
    while (content.size() < 122'000) {
      repeat(random() % (content.size() - 300), 4 + random() % 40);
      content.push_back(static_cast<std::byte>(random()));
    }
    const auto ours = zstd::encode(content, {.frame_bytes = 1U << 20, .block_bytes = 1U << 17});
    const BatchOutcome outcome =
        check({{compress_by_libzstd(content), content.size()}, {*ours, content.size()}});
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.ok, 2U);
  }
}

TEST(ZstdInEmulator, ManySchedules) {
  for (const uint64_t seed : drawn(40)) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = seed % 2 == 0 ? 4 : 1;  // of few frames, or of many
    std::mt19937_64 random(seed);
    std::vector<FrameCase> cases;
    for (uint64_t i = 0; i < 6; ++i) {
      const size_t size = random() % (uint64_t{1} << (6 + random() % 11)) / kScale;
      cases.push_back({draw_frame(random, draw_content(random, size)), size + random() % 2});
    }
    const BatchOutcome outcome = check(cases, drawn_options(seed));
    EXPECT_EQ(outcome.error, "") << seed;
    EXPECT_EQ(outcome.refused, 0U) << seed;
  }
}

// Each part of the content has its own alphabet, so runs of blocks that share a tree are of many lengths.
TEST(ZstdInEmulator, TreesOfFewBlocksAndOfMany) {
  for (const uint64_t seed : drawn(8)) {
    simt::default_emulator_options().seed = seed;
    std::mt19937_64 random(seed);
    std::vector<FrameCase> cases;
    for (uint64_t i = 0; i < 6; ++i) {
      Bytes content;
      for (uint64_t part = 0; part < 4; ++part) {
        const uint64_t first = random() % 200;
        for (uint64_t left = (500 + random() % 4000) / kScale; left > 0; --left) {
          content.push_back(static_cast<std::byte>(first + (random() & random() & 15)));
        }
      }
      // Blocks that are much smaller are too many for a device.
      const size_t flush_every = 400 + random() % 400;
      cases.push_back(
          {compress_by_libzstd(content, {.level = 3, .flush_every = flush_every}), content.size()});
      const auto ours = zstd::encode(content, {.frame_bytes = 1U << 20, .block_bytes = 1U << 9});
      cases.push_back({*ours, content.size()});
    }
    const BatchOutcome outcome = check(cases);
    EXPECT_EQ(outcome.error, "") << seed;
    EXPECT_EQ(outcome.ok, cases.size()) << seed;
  }
}

TEST(ZstdInEmulator, DamageIsFoundAndStaysInItsFrame) {
  uint64_t refused = 0;
  for (const uint64_t seed : drawn(60)) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = seed % 2 == 0 ? 4 : 1;  // of few frames, or of many
    std::mt19937_64 random(seed);
    std::vector<FrameCase> cases;
    for (uint64_t i = 0; i < 8; ++i) {
      const size_t size = 1 + random() % 9000 / kScale;
      FrameCase one{draw_frame(random, draw_content(random, size)), size};
      const uint64_t damage = random() % 4;
      if (damage == 1) {
        one.frame.resize(random() % one.frame.size());
      } else if (damage == 2) {
        one.capacity -= 1;
      } else if (damage == 3) {
        for (uint64_t flips = 1 + random() % 3; flips != 0; --flips) {
          one.frame[random() % one.frame.size()] ^= static_cast<std::byte>(1U << random() % 8);
        }
      }
      cases.push_back(std::move(one));
    }
    const BatchOutcome outcome = check(cases, drawn_options(seed));
    EXPECT_EQ(outcome.error, "") << seed;
    refused += outcome.refused;
  }
  if (kAllCasesRun) {
    EXPECT_GT(refused, 0U);
  }
}

// A batch of several slices, and of frames that need more scratch than one round has.
TEST(ZstdInEmulator, SlicesAndRounds) {
  std::mt19937_64 random(5);
  std::vector<FrameCase> cases;
  for (uint64_t i = 0; i < 12; ++i) {
    Bytes content;  // matches of 4 bytes: as many sequences as can be
    std::vector<uint32_t> words(64);
    std::ranges::generate(words, [&] { return static_cast<uint32_t>(random()); });
    while (content.size() < 6000 / kScale) {
      const auto word = std::as_bytes(std::span(words).subspan(random() % words.size(), 1));
      content.insert(content.end(), word.begin(), word.end());
    }
    cases.push_back({compress_by_libzstd(content, {.level = 19}), content.size()});
  }
  for (const uint64_t slice_bytes : {uint64_t{1}, uint64_t{20000}, uint64_t{1} << 30}) {
    const BatchOutcome outcome = check(cases, {.slice_bytes = slice_bytes});
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.ok, cases.size());
  }
}

TEST(ZstdInEmulator, OptionsAreKept) {
  std::mt19937_64 random(6);
  const Bytes content = draw_content(random, 3000);
  FrameCase one{compress_by_libzstd(content, {.checksum = true, .content_size = false, .window_log = 17}),
                content.size()};
  EXPECT_EQ(check({one}, {.max_window = 1000}).refused, 1U);
  one.frame.back() ^= std::byte{1};
  EXPECT_EQ(check({one}).refused, 1U);
  EXPECT_EQ(check({one}, {.verify_checksums = false}).ok, 1U);
  one.frame.erase(one.frame.begin(), one.frame.begin() + 4);
  EXPECT_EQ(check({one}, {.magicless = true, .verify_checksums = false}).ok, 1U);
}

TEST(ZstdInEmulator, FilesOfManyFrames) {
  std::mt19937_64 random(7);
  const Bytes content = draw_content(random, 100'000 / kScale);
  auto frames = zstd::encode(content, {.frame_bytes = 8192, .checksum = true, .seek_table = true});
  const auto decoded = zstd::decode_all(*frames, content.size(), {}, Backend::emulator);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
  EXPECT_EQ(*decoded, content);
  EXPECT_FALSE(zstd::decode_all(*frames, content.size() - 1, {}, Backend::emulator).has_value());
  (*frames)[30] ^= std::byte{4};
  EXPECT_FALSE(zstd::decode_all(*frames, content.size(), {}, Backend::emulator).has_value());
}

TEST(ZstdInEmulator, FramesOfOthers) {
  std::vector<FrameCase> cases;
  for (const FoundFrame& found : frames_of_others()) {
    const auto content = zstd::decode_all(found.frame, uint64_t{1} << 26);
    cases.push_back({found.frame, content.has_value() ? content->size() : 1000});
  }
  if (cases.empty()) {
    GTEST_SKIP() << kNoFramesOfOthers;
  }
  const BatchOutcome outcome = check(cases);
  EXPECT_EQ(outcome.error, "");
  EXPECT_GT(outcome.ok, cases.size() * 9 / 10);
  // Few at a time, they are executed by a block each.
  for (size_t first = 0; first < cases.size(); first += 8) {
    const auto begin = cases.begin() + static_cast<ptrdiff_t>(first);
    const std::vector<FrameCase> few(
        begin, begin + static_cast<ptrdiff_t>(std::min<size_t>(8, cases.size() - first)));
    EXPECT_EQ(check(few).error, "") << first;
    EXPECT_EQ(check(few, kSplit).error, "") << first;
  }
}

}  // namespace
}  // namespace bobbin::testing
