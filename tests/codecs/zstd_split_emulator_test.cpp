// SPDX-License-Identifier: Apache-2.0
// Large zstd frames in the emulator, each worked on by the whole device. Small steps and small blocks make
// large frames of few bytes.
#include <gtest/gtest.h>

#include <zstd.h>

#include "codecs/zstd/batch.hpp"
#include "codecs/zstd/bits.hpp"
#include "simt/emulator.hpp"
#include "tests/codecs/zstd/batches.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

// Sanitizers get smaller contents, ThreadSanitizer the smallest.
constexpr size_t kScale = kDrawnShare == 1 ? 1 : BOBBIN_RACES_ARE_CHECKED ? 16 : 4;
// Frames of any size are split, into segments of 1 KiB and steps of 8 segments.
constexpr zstd::BatchOptions kSplit{.slice_bytes = uint64_t{1} << 20, .split_bytes = 0};

BatchOutcome check(const std::vector<FrameCase>& cases, const zstd::BatchOptions& options = kSplit) {
  return check_batch_on(Backend::emulator, cases, options);
}

void expect_ok(const std::vector<FrameCase>& cases) {
  const BatchOutcome outcome = check(cases);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ok, cases.size());
}

// Sequences that all have the same three symbols, so that a block's tables are one byte each.
struct AlikeSequences {
  uint32_t count = 0;
  uint8_t offset_symbol = 0;  // also the number of bits
  uint32_t offset_bits = 0;
  uint8_t match_symbol = 0;  // up to 31: match lengths from 3 on
  bool same_tables = false;  // as the block before
};

// A frame written block by block.
class FrameWriter {
 public:
  explicit FrameWriter(uint8_t window_descriptor) { put({0x28, 0xB5, 0x2F, 0xFD, 0x00, window_descriptor}); }

  void raw(const Bytes& content) {
    header(0, content.size());
    frame_.insert(frame_.end(), content.begin(), content.end());
    content_bytes_ += content.size();
  }
  void repeated(uint8_t byte, uint32_t count) {
    header(1, count);
    put({byte});
    content_bytes_ += count;
  }
  // Literals below 32, then matches.
  void matches(const AlikeSequences& sequences, const Bytes& literals = {}) {
    Bytes body;
    const auto add = [&](uint32_t byte) { body.push_back(static_cast<std::byte>(byte)); };
    add(static_cast<uint32_t>(literals.size() << 3));
    body.insert(body.end(), literals.begin(), literals.end());
    const uint32_t count = sequences.count;
    if (count < 128) {
      add(count);
    } else if (count < 0x7F00) {
      add((count >> 8) + 128);
      add(count & 255);
    } else {
      add(255);
      add((count - 0x7F00) & 255);
      add((count - 0x7F00) >> 8);
    }
    if (count != 0) {
      const std::vector<uint8_t> section = tables_and_stream(sequences);
      std::ranges::transform(section, std::back_inserter(body), [](uint8_t b) { return std::byte{b}; });
    }
    header(2, body.size());
    frame_.insert(frame_.end(), body.begin(), body.end());
    content_bytes_ += literals.size() + uint64_t{count} * (3 + sequences.match_symbol);
  }

  // Sequences of many bits: 256 literals, which are all alike, and a match of 515 bytes.
  void long_ones(uint32_t count, uint8_t offset_symbol) {
    constexpr uint32_t kLiterals = 256;
    constexpr uint32_t kMatch = 515;
    const uint32_t header_of_literals = 1 | 3 << 2 | count * kLiterals << 4;
    std::vector<uint8_t> body{static_cast<uint8_t>(header_of_literals),
                              static_cast<uint8_t>(header_of_literals >> 8),
                              static_cast<uint8_t>(header_of_literals >> 16),
                              'x',
                              static_cast<uint8_t>((count >> 8) + 128),
                              static_cast<uint8_t>(count),
                              0x54,
                              27,
                              offset_symbol,
                              45};
    zstd::BitWriter bits(body, count * 8 + 8);
    for (uint32_t i = 0; i < count; ++i) {
      bits.put(0, 8);
      bits.put(0, 9);
      bits.put(0, offset_symbol);
    }
    bits.end_backward();
    header(2, body.size());
    std::ranges::transform(body, std::back_inserter(frame_), [](uint8_t b) { return std::byte{b}; });
    content_bytes_ += uint64_t{count} * (kLiterals + kMatch);
  }

  // libzstd and we agree on what it holds.
  [[nodiscard]] FrameCase finish() {
    frame_[last_header_] |= std::byte{1};
    Bytes by_libzstd(content_bytes_);
    const size_t bytes = ZSTD_decompress(by_libzstd.data(), by_libzstd.size(), frame_.data(), frame_.size());
    EXPECT_EQ(bytes, content_bytes_) << (ZSTD_isError(bytes) != 0 ? ZSTD_getErrorName(bytes) : "");
    Bytes by_us(content_bytes_);
    EXPECT_TRUE(zstd::decode_frame(frame_, by_us).has_value());
    EXPECT_EQ(by_us, by_libzstd);
    return {frame_, content_bytes_};
  }
  // A frame that is not valid.
  [[nodiscard]] FrameCase finish_damaged() {
    frame_[last_header_] |= std::byte{1};
    Bytes by_us(content_bytes_);
    EXPECT_FALSE(zstd::decode_frame(frame_, by_us).has_value());
    return {frame_, content_bytes_};
  }

 private:
  static std::vector<uint8_t> tables_and_stream(const AlikeSequences& sequences) {
    std::vector<uint8_t> bytes{0xFC};
    if (!sequences.same_tables) {
      bytes = {0x54, 0, sequences.offset_symbol, sequences.match_symbol};
    }
    zstd::BitWriter bits(bytes, sequences.count * 4 + 8);
    for (uint32_t i = 0; i < sequences.count; ++i) {
      bits.put(sequences.offset_bits, sequences.offset_symbol);
    }
    bits.end_backward();
    return bytes;
  }
  void put(std::initializer_list<uint32_t> bytes) {
    for (const uint32_t byte : bytes) {
      frame_.push_back(static_cast<std::byte>(byte));
    }
  }
  void header(uint32_t kind, uint64_t size) {
    last_header_ = frame_.size();
    const auto word = static_cast<uint32_t>(kind << 1 | size << 3);
    put({word & 255, word >> 8 & 255, word >> 16 & 255});
  }

  Bytes frame_;
  size_t last_header_ = 0;
  uint64_t content_bytes_ = 0;
};

constexpr uint8_t kWindow1M = 10 << 3;  // descriptors of windows
constexpr uint8_t kWindow1K = 0;

Bytes noise(std::mt19937_64& random, size_t size) {
  Bytes bytes(size);
  std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
  return bytes;
}

// Small blocks that reuse the tables of earlier ones, all levels, windows small and large.
TEST(ZstdSplit, ManyBlocks) {
  for (const uint64_t seed : drawn(12)) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = 1 + seed % 4;
    std::mt19937_64 random(seed);
    const Bytes content = draw_content(random, (30000 + random() % 30000) / kScale);
    const int level = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 3 : seed % 4 == 2 ? 9 : 19;
    const Bytes by_libzstd = compress_by_libzstd(content, {.level = level,
                                                           .checksum = seed % 2 == 0,
                                                           .content_size = seed % 3 == 0,
                                                           .window_log = seed % 2 == 0 ? 11 : 0,
                                                           .flush_every = 200 + random() % 3000});
    const auto ours = zstd::encode(content, {.frame_bytes = 1U << 20, .block_bytes = 512});
    expect_ok({{by_libzstd, content.size()}, {*ours, content.size() + 1}});
  }
}

// Eight of them have more bits than a decoder has at hand.
TEST(ZstdSplit, SequencesOfManyBits) {
  constexpr uint8_t kOffset = kDrawnShare == 1 ? 18 : 14;
  std::mt19937_64 random(1);
  FrameWriter frame(kWindow1M);
  for (uint32_t left = 1U << kOffset; left != 0;) {
    const uint32_t here = std::min(left, 100'000U);
    frame.raw(noise(random, here));
    left -= here;
  }
  frame.long_ones(160 / kScale, kOffset);
  frame.long_ones(30, kOffset);
  const FrameCase one = frame.finish();
  expect_ok({one});
  const BatchOutcome whole = check({one}, {});
  EXPECT_EQ(whole.error, "");
  EXPECT_EQ(whole.ok, 1U);
}

// Each of the far matches is a copy of a copy: from block to block, over all segments of a step.
TEST(ZstdSplit, CopiesOfCopies) {
  std::mt19937_64 random(1);
  std::vector<FrameCase> cases;
  for (const uint32_t distance : {700, 1024, 1025, 3000, 9000}) {
    FrameWriter frame(kWindow1M);
    frame.raw(noise(random, distance));
    const auto symbol = static_cast<uint8_t>(std::bit_width(distance + 3) - 1);
    for (uint32_t i = 0; i < 100 / kScale; ++i) {
      frame.matches({.count = 9,  // smaller blocks than 256 bytes are left to the CPU
                     .offset_symbol = symbol,
                     .offset_bits = distance + 3 - (1U << symbol),
                     .match_symbol = 30,
                     .same_tables = i % 5 != 0});
    }
    cases.push_back(frame.finish());
  }
  expect_ok(cases);
}

// Every byte is a copy of the one before, through the whole frame.
TEST(ZstdSplit, OneByteThroughout) {
  std::vector<FrameCase> cases;
  for (const uint32_t count : {1U, 40U, 5000U}) {
    for (const uint32_t match_symbol : {0U, 31U}) {
      FrameWriter frame(kWindow1M);
      frame.raw(bytes_in("x"));
      // Offset value 2 without literals is the third recent offset; 4 - 3 = 1 is the offset itself.
      for (uint32_t i = 0; i < 4; ++i) {
        frame.matches({.count = count / static_cast<uint32_t>(kScale) + 1,
                       .offset_symbol = 2,
                       .offset_bits = 0,
                       .match_symbol = static_cast<uint8_t>(match_symbol),
                       .same_tables = i == 3});
      }
      if (count * (3 + match_symbol) < 131072) {
        cases.push_back(frame.finish());
      }
    }
  }
  FrameWriter runs(kWindow1M);
  for (uint32_t i = 0; i < 6; ++i) {
    runs.repeated(static_cast<uint8_t>(i), 20000 / kScale);
    runs.raw(bytes_in("between"));
  }
  cases.push_back(runs.finish());
  expect_ok(cases);
}

// Offsets that become less by one with each sequence, more often than a block's function can count, and
// blocks without sequences between.
TEST(ZstdSplit, OffsetsShrinkAcrossBlocks) {
  constexpr uint32_t kHistory = 100'000 / (kScale == 16 ? 8 : 1);
  constexpr uint32_t kSequences = 30'000 / (kScale == 16 ? 8 : 1);
  std::mt19937_64 random(2);
  FrameWriter frame(kWindow1M);
  frame.raw(noise(random, kHistory));
  const uint32_t value = kHistory + 3;
  const auto symbol = static_cast<uint8_t>(std::bit_width(value) - 1);
  frame.matches({.count = 1, .offset_symbol = symbol, .offset_bits = value - (1U << symbol)});
  const uint32_t blocks = kScale == 1 ? 3 : 1;
  for (uint32_t i = 0; i < blocks; ++i) {
    // Value 3 without literals: the latest offset less one.
    frame.matches({.count = kSequences, .offset_symbol = 1, .offset_bits = 1, .same_tables = i > 1});
    frame.repeated('r', kHistory);
    frame.matches({.count = 0}, bytes_in("literals only"));
  }
  expect_ok({frame.finish()});
}

TEST(ZstdSplit, OffsetsThatReachTooFar) {
  std::vector<FrameCase> cases;
  std::mt19937_64 random(3);
  const auto with = [&](uint8_t window, uint32_t history, uint32_t offset, bool valid) {
    FrameWriter frame(window);
    for (uint32_t i = 0; i < history / 500; ++i) {
      frame.raw(noise(random, 500));
    }
    const uint32_t value = offset + 3;
    const auto symbol = static_cast<uint8_t>(std::bit_width(value) - 1);
    frame.matches({.count = 1, .offset_symbol = symbol, .offset_bits = value - (1U << symbol)});
    frame.raw(noise(random, 900));
    if (valid) {
      cases.push_back(frame.finish());
    } else {
      cases.push_back(frame.finish_damaged());
    }
  };
  with(kWindow1M, 3000, 3000, true);
  with(kWindow1M, 3000, 3001, false);
  with(kWindow1K, 3000, 1024, true);
  with(kWindow1K, 3000, 1025, false);
  // The first recent offset is 1: less one it is 0, in the first block and, unnoticed there, in later ones.
  for (const uint32_t before : {0U, 3U}) {
    FrameWriter frame(kWindow1M);
    frame.raw(noise(random, 2000));
    for (uint32_t i = 0; i < before; ++i) {
      frame.repeated('a', 700);
    }
    frame.matches({.count = 2, .offset_symbol = 1, .offset_bits = 1});
    frame.matches({.count = 2, .offset_symbol = 1, .offset_bits = 1, .same_tables = true});
    cases.push_back(frame.finish_damaged());
  }
  const BatchOutcome outcome = check(cases);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ok, 2U);
  EXPECT_EQ(outcome.refused, cases.size() - 2);
}

// Damage in any byte of a frame of several blocks: header, tables, streams, checksum.
TEST(ZstdSplit, DamageAnywhere) {
  std::mt19937_64 random(4);
  Bytes content = draw_content(random, 1500);
  const Bytes more = noise(random, 300);
  content.insert(content.end(), more.begin(), more.end());
  const Bytes frame = compress_by_libzstd(content, {.level = 5, .checksum = true, .flush_every = 500});
  uint64_t refused = 0;
  for (size_t first = 0; first < frame.size(); first += 16 * kDrawnShare) {
    std::vector<FrameCase> cases;
    for (size_t at = first; at < std::min(first + 16, frame.size()); ++at) {
      FrameCase one{frame, content.size()};
      one.frame[at] ^= static_cast<std::byte>(1U << random() % 8);
      cases.push_back(one);
    }
    const BatchOutcome outcome = check(cases);
    EXPECT_EQ(outcome.error, "") << first;
    refused += outcome.refused;
  }
  if (kAllCasesRun) {
    EXPECT_GT(refused, frame.size() / 2);
  }
}

TEST(ZstdSplit, OutputsThatAreTooSmall) {
  std::mt19937_64 random(5);
  const Bytes content = draw_content(random, 20000 / std::min<size_t>(kScale, 8));
  std::vector<FrameCase> cases;
  for (const bool content_size : {false, true}) {
    const Bytes frame = compress_by_libzstd(content, {.content_size = content_size, .flush_every = 2000});
    for (const uint64_t missing : {uint64_t{1}, uint64_t{1500}, uint64_t{content.size()}}) {
      cases.push_back({frame, content.size() - missing});
    }
    cases.push_back({frame, content.size() + 3000});
  }
  const BatchOutcome outcome = check(cases);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ok, 2U);
}

// Files: small frames before and after a large one, whose checksum the host checks.
TEST(ZstdSplit, FilesWithLargeFrames) {
  if (BOBBIN_RACES_ARE_CHECKED) {
    GTEST_SKIP() << "frames that are large by default take a minute here; the same kernels run above";
  }
  std::mt19937_64 random(6);
  const Bytes small = draw_content(random, 3000);
  Bytes large;
  while (large.size() < zstd::BatchOptions{}.split_bytes + 5000) {
    const Bytes piece = bytes_in("row " + std::to_string(random() % 100) + ";");
    large.insert(large.end(), piece.begin(), piece.end());
    large.insert(large.end(), 150'000, piece[4]);
  }
  Bytes file;
  Bytes content;
  for (const Bytes* const part : {&small, &std::as_const(large), &small}) {
    const Bytes frame = compress_by_libzstd(*part, {.checksum = true});
    file.insert(file.end(), frame.begin(), frame.end());
    content.insert(content.end(), part->begin(), part->end());
  }
  const auto decoded = zstd::decode_all(file, content.size(), {}, Backend::emulator);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
  EXPECT_EQ(*decoded, content);
  if (!kAllCasesRun) {
    return;  // what follows differs on the host only, and takes as long again
  }
  const size_t small_frame = compress_by_libzstd(small, {.checksum = true}).size();
  file[file.size() - small_frame - 1] ^= std::byte{1};  // the large frame's checksum
  const auto damaged = zstd::decode_all(file, content.size(), {}, Backend::emulator);
  ASSERT_FALSE(damaged.has_value());
  EXPECT_EQ(damaged.error().message(), zstd::decode_all(file, content.size()).error().message());
  const zstd::DecodeOptions trusting{.verify_checksums = false};
  EXPECT_TRUE(zstd::decode_all(file, content.size(), trusting, Backend::emulator).has_value());
}

// What the header says about scratch memory.
TEST(ZstdSplit, ScratchIsBounded) {
  for (const uint64_t bytes : {uint64_t{5} << 20, uint64_t{16} << 20, uint64_t{256} << 20}) {
    for (const uint64_t count : {uint64_t{1}, uint64_t{4}, uint64_t{100}}) {
      const zstd::BatchOptions options{.max_out_bytes = bytes};
      const uint64_t outputs = std::min(count * bytes, std::max(options.slice_bytes, bytes));
      EXPECT_LT(zstd::batch_scratch_bytes(count, options), outputs + outputs / 2 + (uint64_t{32} << 20));
    }
  }
  EXPECT_LT(zstd::batch_scratch_bytes(1, {.max_out_bytes = uint64_t{256} << 20}), uint64_t{384} << 20);
}

}  // namespace
}  // namespace bobbin::testing
