// SPDX-License-Identifier: Apache-2.0
// Frames against libzstd, frames written by hand, and damage.
#include "bobbin/zstd.hpp"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include "codecs/zstd/match.hpp"
#include "tests/codecs/zstd/batches.hpp"

namespace bobbin::testing {
namespace {

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) {
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

std::optional<Bytes> decompress_by_libzstd(const Bytes& frames, size_t size) {
  Bytes content(size + 1);
  const size_t got = ZSTD_decompress(content.data(), content.size(), frames.data(), frames.size());
  if (ZSTD_isError(got) != 0) {
    return std::nullopt;
  }
  content.resize(got);
  return content;
}

Result<Bytes> decode_in_pieces(const Bytes& frame, const zstd::DecodeOptions& options = {}) {
  Bytes content;
  const auto take = [&](std::span<const std::byte> piece) -> Status {
    content.insert(content.end(), piece.begin(), piece.end());
    return {};
  };
  BOBBIN_ASSIGN(const uint64_t size, zstd::decode_in_pieces(frame, take, options));
  EXPECT_EQ(size, content.size());
  return content;
}

TEST(Zstd, FramesOfLibzstdDecode) {
  std::mt19937_64 random(1);
  for (const size_t size : {0, 1, 5, 255, 256, 1000, 65791, 65792, 131072, 131073, 400000}) {
    for (const int level : {-5, 1, 3, 9, 19}) {
      for (const bool flag : {false, true}) {
        const Bytes content = draw_content(random, size);
        const Bytes frame =
            compress_by_libzstd(content, {.level = level, .checksum = flag, .content_size = !flag});
        const auto decoded = zstd::decode_all(frame, size);
        ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
        EXPECT_EQ(*decoded, content);
        EXPECT_EQ(decode_in_pieces(frame).value(), content);
      }
    }
  }
}

// The memory for the content slides several times, with matches that reach all of the window.
TEST(Zstd, LongFramesDecodeInPieces) {
  std::mt19937_64 random(11);
  const Bytes content = draw_content(random, 5'000'000);
  const Bytes before = draw_content(random, 3000);
  for (const int window_log : {10, 15, 17, 20, 21}) {
    for (const bool with_dictionary : {false, true}) {
      const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
      ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log);
      ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
      if (with_dictionary) {
        ZSTD_CCtx_loadDictionary(context.get(), before.data(), before.size());
      }
      Bytes frame(ZSTD_compressBound(content.size()));
      frame.resize(ZSTD_compress2(context.get(), frame.data(), frame.size(), content.data(), content.size()));
      const zstd::Dictionary dictionary = zstd::Dictionary::parse(before).value();
      const zstd::DecodeOptions options{.dictionary = with_dictionary ? &dictionary : nullptr};
      const auto decoded = decode_in_pieces(frame, options);
      ASSERT_TRUE(decoded.has_value()) << window_log << ": " << decoded.error().message();
      EXPECT_TRUE(*decoded == content) << window_log;
      frame[frame.size() - 2] ^= std::byte{1};
      EXPECT_EQ(decode_in_pieces(frame, options).error().message(),
                "zstd: the checksum does not match the content");
    }
  }
}

TEST(Zstd, PiecesEndWithTheFirstErrorOfTheirReader) {
  std::mt19937_64 random(12);
  const Bytes frame = compress_by_libzstd(draw_content(random, 5'000'000), {.content_size = false});
  int pieces = 0;
  const auto refuse = [&](std::span<const std::byte> /*piece*/) -> Status {
    ++pieces;
    return {StatusCode::io, "full"};
  };
  EXPECT_EQ(zstd::decode_in_pieces(frame, refuse).error().message(), "full");
  EXPECT_EQ(pieces, 1);
}

TEST(Zstd, OurFramesDecodeByLibzstdAndByUs) {
  std::mt19937_64 random(2);
  for (const uint32_t level : {1U, 3U, 4U, 6U, 9U}) {
    for (const size_t size : {0, 1, 3, 4, 7, 255, 256, 4095, 4096, 4097, 65535, 65536, 65537, 200000}) {
      const zstd::EncodeOptions options{.level = level,
                                        .block_bytes = random() % 2 == 0 ? 4096U : 131072U,
                                        .checksum = random() % 2 == 0,
                                        .seek_table = random() % 2 == 0,
                                        .threads = 2};
      const Bytes content = draw_content(random, size);
      const auto frames = zstd::encode(content, options);
      ASSERT_TRUE(frames.has_value());
      EXPECT_EQ(decompress_by_libzstd(*frames, size), content)
          << "level " << level << ", " << size << " bytes";
      const auto decoded = zstd::decode_all(*frames, size);
      ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
      EXPECT_EQ(*decoded, content);
    }
  }
}

// What small blocks cost on these lines, level by level.
TEST(Zstd, RatiosAreCloseToThoseOfLibzstdAtTheSameLevel) {
  std::mt19937_64 random(3);
  Bytes content;
  for (int i = 0; i < 20000; ++i) {
    const Bytes line = bytes_in("order " + std::to_string(random() % 5000) + " of customer " +
                                std::to_string(random() % 300) + ": shipped\n");
    content.insert(content.end(), line.begin(), line.end());
  }
  for (const auto& [level, most] : {std::pair{1U, 1.06}, {3U, 1.03}, {4U, 1.01}, {6U, 1.02}, {9U, 1.04}}) {
    size_t by_libzstd = 0;
    for (size_t begin = 0; begin < content.size(); begin += 65536) {
      const auto end = std::min(begin + 65536, content.size());
      const Bytes part(content.begin() + static_cast<ptrdiff_t>(begin),
                       content.begin() + static_cast<ptrdiff_t>(end));
      by_libzstd += compress_by_libzstd(part, {.level = static_cast<int>(level)}).size();
    }
    EXPECT_LE(static_cast<double>(zstd::encode(content, {.level = level})->size()),
              most * static_cast<double>(by_libzstd))
        << "level " << level;
  }
}

TEST(Zstd, ThreadsDoNotChangeBytes) {
  std::mt19937_64 random(4);
  const Bytes content = draw_content(random, 500000);
  EXPECT_EQ(*zstd::encode(content, {.threads = 1}), *zstd::encode(content, {.threads = 4}));
}

TEST(Zstd, TheWorkedExampleOfTheSpec) {
  const Bytes frame = bytes_of({0x28, 0xB5, 0x2F, 0xFD, 0x20, 3, 0x19, 0, 0, 'a', 'b', 'c'});
  EXPECT_EQ(*zstd::encode(bytes_in("abc")), frame);
  EXPECT_EQ(*zstd::decode_all(frame, 3), bytes_in("abc"));
}

TEST(Zstd, ConcatenatedAndSkippableFrames) {
  Bytes frames = compress_by_libzstd(bytes_in("one "));
  const Bytes skipped = bytes_of({0x53, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3});
  const Bytes second = *zstd::encode(bytes_in("two"));
  frames.insert(frames.end(), skipped.begin(), skipped.end());
  frames.insert(frames.end(), second.begin(), second.end());
  EXPECT_EQ(*zstd::decode_all(frames, 100), bytes_in("one two"));
}

TEST(Zstd, MagiclessFramesByOptionOnly) {
  Bytes frame = *zstd::encode(bytes_in("no magic number, no magic number"));
  frame.erase(frame.begin(), frame.begin() + 4);
  EXPECT_FALSE(zstd::decode_all(frame, 100).has_value());
  EXPECT_EQ(zstd::decode_all(frame, 100, {.magicless = true})->size(), 32);
}

TEST(Zstd, LegacyFormatsAreRefusedByName) {
  const auto decoded = zstd::decode_all(bytes_of({0x27, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0}), 100);
  EXPECT_EQ(decoded.error().code(), StatusCode::unsupported);
  EXPECT_NE(decoded.error().message().find("version 0.7"), std::string::npos);
}

TEST(Zstd, AWindowAboveTheLimitIsRefused) {
  // Window descriptor 0xF8: 2^41 bytes. Then one empty raw block, the last.
  const Bytes frame = bytes_of({0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xF8, 0x01, 0x00, 0x00});
  EXPECT_EQ(zstd::decode_all(frame, 100).error().code(), StatusCode::unsupported);
  EXPECT_TRUE(zstd::decode_all(frame, 100, {.max_window = uint64_t{1} << 42}).has_value());
}

TEST(Zstd, OutputsOneByteTooSmallAreRefused) {
  std::mt19937_64 random(5);
  for (const size_t size : {1, 100, 5000, 70000}) {
    const Bytes content = draw_content(random, size);
    for (const Bytes& frame :
         {compress_by_libzstd(content), *zstd::encode(content, {.frame_bytes = 1 << 20})}) {
      EXPECT_FALSE(zstd::decode_all(frame, size - 1).has_value());
      Bytes small(size - 1);
      EXPECT_FALSE(zstd::decode_frame(frame, small).has_value());
      Bytes exact(size);
      EXPECT_EQ(*zstd::decode_frame(frame, exact), size);
      EXPECT_EQ(exact, content);
    }
  }
}

// Four bytes per block claim 128 KiB each: memory stays below what the caller allows.
// The address of an empty output may be null: UndefinedBehaviorSanitizer finds sums of that and a number.
TEST(Zstd, SequencesDoNotFitAnEmptyOutput) {
  std::mt19937_64 random(13);
  const Bytes frame = compress_by_libzstd(draw_content(random, 3000), {.level = 3});
  EXPECT_FALSE(zstd::decode_frame(frame, std::span<std::byte>()).has_value());
  EXPECT_FALSE(zstd::decode_all(frame, 0).has_value());
}

TEST(Zstd, RepeatedBytesDoNotTakeMoreThanAllowed) {
  Bytes frame = bytes_of({0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58});
  for (int i = 0; i < 100000; ++i) {
    const uint32_t header = (uint32_t{131072} << 3 | 1 << 1) & 0xFFFFFF;
    for (int b = 0; b < 3; ++b) {
      frame.push_back(static_cast<std::byte>(header >> (8 * b)));
    }
    frame.push_back(std::byte{7});
  }
  const auto decoded = zstd::decode_all(frame, 1 << 20);
  EXPECT_EQ(decoded.error().code(), StatusCode::invalid_argument);
}

TEST(Zstd, DictionariesOfLibzstd) {
  std::string samples;
  for (int i = 0; i < 400; ++i) {
    samples += "{\"name\": \"sensor " + std::to_string(i % 37) + "\", \"unit\": \"celsius\"}";
  }
  const Bytes content = bytes_in("{\"name\": \"sensor 12\", \"unit\": \"celsius\"}");
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  Bytes frame(500);
  frame.resize(ZSTD_compress_usingDict(context, frame.data(), frame.size(), content.data(), content.size(),
                                       samples.data(), samples.size(), 3));
  ZSTD_freeCCtx(context);
  const auto dictionary = zstd::Dictionary::parse(bytes_in(samples));
  ASSERT_TRUE(dictionary.has_value());
  EXPECT_EQ(*zstd::decode_all(frame, 100, {.dictionary = &*dictionary}), content);
  EXPECT_FALSE(zstd::decode_all(frame, 100).has_value());
}

TEST(Zstd, RangesDecodeOnlyTheirFrames) {
  std::mt19937_64 random(6);
  const Bytes content = draw_content(random, 300000);
  for (const bool table : {false, true}) {
    Bytes frames = *zstd::encode(content, {.seek_table = table});
    ASSERT_EQ(zstd::list_frames(frames)->size(), 5);
    frames[10] = std::byte{0xFF};  // the first frame is damaged: ranges in others are not affected
    for (const auto& [begin, length] :
         {std::pair{65536, 0}, {65536, 1}, {70000, 200000}, {299999, 1}, {300000, 0}}) {
      const auto part =
          zstd::decode_range(frames, static_cast<uint64_t>(begin), static_cast<uint64_t>(length));
      ASSERT_TRUE(part.has_value()) << part.error().message();
      EXPECT_TRUE(
          std::equal(part->begin(), part->end(), content.begin() + begin, content.begin() + begin + length));
    }
    EXPECT_FALSE(zstd::decode_range(frames, 300000, 1).has_value());
    EXPECT_FALSE(zstd::decode_range(frames, UINT64_MAX, 2).has_value());
  }
}

// Whatever is wrong with a frame: an error or some content, never more than allowed.
TEST(Zstd, DamageIsFoundOrHarmless) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    const Bytes content = draw_content(random, 1 + random() % 20000);
    const Bytes frame = round % 2 == 0
                            ? compress_by_libzstd(content, {.level = 1 + round % 15, .checksum = true})
                            : *zstd::encode(content, {.checksum = true});
    for (size_t length = 0; length < frame.size(); length += 1 + frame.size() / 40) {
      const Bytes cut(frame.begin(), frame.begin() + static_cast<ptrdiff_t>(length));
      EXPECT_TRUE(length == 0 || !zstd::decode_all(cut, content.size()).has_value());
    }
    for (int flips = 0; flips < 60; ++flips) {
      Bytes damaged = frame;
      damaged[random() % frame.size()] ^= static_cast<std::byte>(1U << random() % 8);
      const auto decoded = zstd::decode_all(damaged, content.size());
      EXPECT_TRUE(!decoded.has_value() || decoded->size() <= content.size());
    }
  }
}

// The links that a stable sort of (hash, position) gives, without the sort.
TEST(ZstdMatch, LinksAreThoseOfSortedPositions) {
  std::mt19937_64 random(8);
  const Bytes content = draw_content(random, 30000);
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(content.data()), content.size());
  std::vector<std::pair<uint32_t, uint32_t>> sorted;
  for (uint32_t i = 0; i + 4 <= bytes.size(); ++i) {
    uint64_t word = 0;
    std::memcpy(&word, &bytes[i], std::min<size_t>(8, bytes.size() - i));
    sorted.emplace_back(zstd::hash_of<4>(word), i);
  }
  std::ranges::sort(sorted);
  std::vector<uint32_t> previous;
  zstd::link_positions(bytes, 4, previous);
  for (size_t i = 0; i < sorted.size(); ++i) {
    const bool chained = i > 0 && sorted[i - 1].first == sorted[i].first;
    EXPECT_EQ(previous[sorted[i].second], chained ? sorted[i - 1].second : zstd::kNoPosition);
  }
}

TEST(Zstd, FramesOfOthersHaveTheirVerdict) {
  const std::vector<FoundFrame> frames = frames_of_others();
  if (frames.empty()) {
    GTEST_SKIP() << kNoFramesOfOthers;
  }
  for (const FoundFrame& found : frames) {
    EXPECT_EQ(zstd::decode_all(found.frame, uint64_t{1} << 30).has_value(), found.is_valid) << found.path;
  }
}

}  // namespace
}  // namespace bobbin::testing
