// SPDX-License-Identifier: Apache-2.0
// Our decoder against the reference, which another hand wrote from the specification, and both against
// libzstd. On damaged frames only ours and the reference are compared: libzstd accepts more.
#include "codecs/zstd/frame_reference.hpp"

#include <gtest/gtest.h>
#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "bobbin/zstd.hpp"
#include "tests/codecs/zstd/batches.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

namespace reference = codec::zstd::frame_reference;

constexpr std::array<size_t, 14> kSizes{0,     1,     5,     255,    256,    4095,   4097,
                                        65535, 65536, 65537, 131071, 131072, 131073, 300000};

Result<Bytes> decode_by_us(const Bytes& frames, uint64_t max_bytes, const Bytes& dictionary) {
  if (dictionary.empty()) {
    return zstd::decode_all(frames, max_bytes);
  }
  BOBBIN_ASSIGN(const zstd::Dictionary parsed, zstd::Dictionary::parse(dictionary));
  return zstd::decode_all(frames, max_bytes, {.dictionary = &parsed});
}

std::optional<Bytes> decode_by_libzstd(const Bytes& frames, size_t max_bytes, const Bytes& dictionary) {
  Bytes content(max_bytes);
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  const size_t got = ZSTD_decompress_usingDict(context, content.data(), content.size(), frames.data(),
                                               frames.size(), dictionary.data(), dictionary.size());
  ZSTD_freeDCtx(context);
  if (ZSTD_isError(got) != 0) {
    return std::nullopt;
  }
  content.resize(got);
  return content;
}

// All three decoders give this content.
void expect_content(const Bytes& frames, const Bytes& content, const Bytes& dictionary = {}) {
  const auto by_reference = reference::decode(frames, {.max_bytes = content.size()}, dictionary);
  ASSERT_TRUE(by_reference.has_value()) << by_reference.error().message();
  EXPECT_TRUE(*by_reference == content);
  const auto by_us = decode_by_us(frames, content.size(), dictionary);
  ASSERT_TRUE(by_us.has_value()) << by_us.error().message();
  EXPECT_TRUE(*by_us == content);
  EXPECT_TRUE(decode_by_libzstd(frames, content.size(), dictionary) == content);
}

std::string in_hex(const Bytes& bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[static_cast<size_t>(byte) / 16];
    text += kDigits[static_cast<size_t>(byte) % 16];
  }
  return text;
}

struct Agreement {
  uint64_t accepted = 0;
  uint64_t refused = 0;
};

// Ours and the reference give the same content, or both refuse.
void expect_agreement(const Bytes& frames, uint64_t max_bytes, const Bytes& dictionary,
                      Agreement& agreement) {
  const auto by_reference = reference::decode(frames, {.max_bytes = max_bytes}, dictionary);
  const auto by_us = decode_by_us(frames, max_bytes, dictionary);
  ++(by_reference.has_value() ? agreement.accepted : agreement.refused);
  ASSERT_EQ(by_reference.has_value(), by_us.has_value())
      << "reference: " << by_reference.error().message() << "\nours: " << by_us.error().message() << "\n"
      << in_hex(frames) << "\ndictionary: " << in_hex(dictionary);
  if (by_us.has_value()) {
    ASSERT_TRUE(*by_reference == *by_us) << in_hex(frames) << "\ndictionary: " << in_hex(dictionary);
  }
}

// One to three flipped bits, half of the time near the start where headers and tables are; or bytes cut off
// at the end, or replaced.
Bytes damage(std::mt19937_64& random, Bytes bytes) {
  const uint64_t kind = random() % 8;
  if (kind == 0) {
    bytes.resize(random() % bytes.size());
    return bytes;
  }
  const size_t reach = random() % 2 == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 40);
  for (uint64_t i = 0; i < 1 + random() % 3; ++i) {
    std::byte& byte = bytes[random() % reach];
    byte = kind == 1 ? static_cast<std::byte>(random()) : byte ^ static_cast<std::byte>(1U << random() % 8);
  }
  return bytes;
}

// Records that share most of their bytes: what dictionaries are made from.
Bytes draw_records(std::mt19937_64& random, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += "{\"sensor\": " + std::to_string(random() % 500) + ", \"place\": \"hall " +
            std::to_string(random() % 40) + "\", \"celsius\": " + std::to_string(random() % 100) + "}\n";
  }
  return bytes_in(text);
}

Bytes train_dictionary(std::mt19937_64& random) {
  constexpr unsigned kSamples = 500;
  Bytes samples;
  std::vector<size_t> sizes;
  for (unsigned i = 0; i < kSamples; ++i) {
    const Bytes sample = draw_records(random, 1 + random() % 4);
    samples.insert(samples.end(), sample.begin(), sample.end());
    sizes.push_back(sample.size());
  }
  Bytes dictionary(2000 + random() % 6000);
  const size_t size =
      ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), samples.data(), sizes.data(), kSamples);
  EXPECT_EQ(ZDICT_isError(size), 0U) << ZDICT_getErrorName(size);
  dictionary.resize(ZDICT_isError(size) != 0 ? 0 : size);
  return dictionary;
}

struct DictionaryCase {
  Bytes dictionary;
  Bytes content;
  Bytes frame;
};

DictionaryCase draw_dictionary_case(std::mt19937_64& random) {
  DictionaryCase drawn{.dictionary = random() % 2 == 0 ? train_dictionary(random) : draw_records(random, 60),
                       .content = draw_records(random, random() % 300),
                       .frame = {}};
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, static_cast<int>(1 + random() % 19));
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, static_cast<int>(random() % 2));
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, static_cast<int>(random() % 2));
  ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, static_cast<int>(random() % 2));
  if (random() % 2 == 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, static_cast<int>(10 + random() % 5));
  }
  ZSTD_CCtx_loadDictionary(context, drawn.dictionary.data(), drawn.dictionary.size());
  drawn.frame.resize(ZSTD_compressBound(drawn.content.size()));
  drawn.frame.resize(ZSTD_compress2(context, drawn.frame.data(), drawn.frame.size(), drawn.content.data(),
                                    drawn.content.size()));
  ZSTD_freeCCtx(context);
  return drawn;
}

TEST(ZstdReference, FramesWrittenByUs) {
  for (const uint64_t number : drawn(9 * kSizes.size())) {
    std::mt19937_64 random(number);
    const size_t size = kSizes[number / 9];
    const zstd::EncodeOptions options{.level = static_cast<uint32_t>(1 + number % 9),
                                      .frame_bytes = random() % 2 == 0 ? 65536U : 1U << 20,
                                      .block_bytes = random() % 2 == 0 ? 4096U : 131072U,
                                      .checksum = random() % 2 == 0,
                                      .seek_table = random() % 2 == 0};
    const Bytes content = draw_content(random, size);
    const auto frames = zstd::encode(content, options);
    ASSERT_TRUE(frames.has_value());
    SCOPED_TRACE("level " + std::to_string(options.level) + ", " + std::to_string(size) + " bytes");
    expect_content(*frames, content);
  }
}

TEST(ZstdReference, FramesWrittenByLibzstd) {
  constexpr std::array<int, 4> kLevels{1, 3, 9, 19};
  for (const uint64_t number : drawn(16 * kSizes.size())) {
    std::mt19937_64 random(number);
    const Bytes content = draw_content(random, kSizes[number / 16]);
    const LibzstdOptions options{.level = kLevels[number % 4],
                                 .checksum = number / 4 % 2 == 0,
                                 .content_size = number / 8 % 2 == 0,
                                 .window_log = random() % 3 == 0 ? static_cast<int>(10 + random() % 8) : 0,
                                 .flush_every = random() % 3 == 0 ? 300 + random() % 8000 : 0};
    SCOPED_TRACE("case " + std::to_string(number));
    expect_content(compress_by_libzstd(content, options), content);
  }
}

TEST(ZstdReference, FramesWithDictionaries) {
  for (const uint64_t number : drawn(100)) {
    std::mt19937_64 random(number);
    const DictionaryCase one = draw_dictionary_case(random);
    SCOPED_TRACE("case " + std::to_string(number));
    expect_content(one.frame, one.content, one.dictionary);
  }
}

TEST(ZstdReference, ConcatenatedAndSkippableFrames) {
  std::mt19937_64 random(1);
  Bytes frames;
  Bytes content;
  for (int i = 0; i < 20; ++i) {
    const Bytes part = draw_content(random, random() % 3000);
    Bytes frame = draw_frame(random, part);
    if (i % 3 == 0) {
      frame = bytes_in({"\x5A\x2A\x4D\x18\x03\0\0\0abc", 11});
    } else {
      content.insert(content.end(), part.begin(), part.end());
    }
    frames.insert(frames.end(), frame.begin(), frame.end());
  }
  expect_content(frames, content);
}

TEST(ZstdReference, DamagedFrames) {
  Agreement agreement;
  for (const uint64_t number : drawn(1500)) {
    std::mt19937_64 random(number);
    const size_t size = number % 50 == 0 ? 131000 + random() % 2000 : random() % 4000;
    const Bytes frame = draw_frame(random, draw_content(random, size));
    for (int i = 0; i < 40 && !HasFatalFailure(); ++i) {
      expect_agreement(damage(random, frame), 2 * size + 1000, {}, agreement);
    }
  }
  if (kAllCasesRun) {
    EXPECT_GT(agreement.accepted, 0);
    EXPECT_GT(agreement.refused, agreement.accepted);
  }
}

TEST(ZstdReference, DamagedFramesAndDictionaries) {
  Agreement agreement;
  for (const uint64_t number : drawn(100)) {
    std::mt19937_64 random(number);
    const DictionaryCase one = draw_dictionary_case(random);
    for (int i = 0; i < 40 && !HasFatalFailure(); ++i) {
      expect_agreement(damage(random, one.frame), 100000, one.dictionary, agreement);
      expect_agreement(one.frame, 100000, damage(random, one.dictionary), agreement);
    }
  }
  if (kAllCasesRun) {
    EXPECT_GT(agreement.accepted, 0);
    EXPECT_GT(agreement.refused, 0);
  }
}

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

struct EdgeFrame {
  std::string_view frame;
  bool valid;
  std::string_view why;
};

// Each is a valid frame or has one fault. 28b52ffd0000: a window of 1 KiB, no content size.
constexpr std::array kEdgeFrames{
    EdgeFrame{"", true, "no frame"},
    EdgeFrame{"28b52ffd0000010000", true, "an empty raw block"},
    EdgeFrame{"28b52ffd200003000061", true, "an empty RLE block in an empty window"},
    EdgeFrame{"28b52ffd20010b000061", true, "an RLE block as large as the window"},
    EdgeFrame{"28b52ffd200113000061", false, "an RLE block larger than the window"},
    EdgeFrame{"28b52ffd0000050000", false, "a compressed block of no bytes"},
    EdgeFrame{"28b52ffd00000d000000", false, "a compressed block without sequences section"},
    EdgeFrame{"28b52ffd00001500000000", true, "a compressed block without content"},
    EdgeFrame{"28b52ffd00001d0000008000", true, "a count of zero sequences in two bytes"},
    EdgeFrame{"28b52ffd00001d0000000000", false, "a byte after a count of zero sequences"},
    EdgeFrame{"28b52ffd00003d000032c00080100a00", true, "three Huffman literals in one stream"},
    EdgeFrame{"28b52ffd00003d000002c00080100100", true, "no Huffman literals in one stream"},
    EdgeFrame{"28b52ffd00003d000022c00080100a00", false, "a bit too many for two literals"},
    EdgeFrame{"28b52ffd00003d000042c00080100a00", false, "a bit too few for four literals"},
    EdgeFrame{"28b52ffd00003d000033c00080100a00", false, "no tree to repeat"},
    EdgeFrame{"28b52ffd000085000066000380100100010001000404040100", true, "six literals in four streams"},
    EdgeFrame{"28b52ffd000085000056000380100100010001000404040100", false, "five literals in four streams"},
};

// The second of two blocks has one sequence of three bytes, the first `produced` bytes.
Bytes frame_with_offset(size_t produced, uint32_t offset) {
  Bytes frame = from_hex("28b52ffd0000");
  const auto append = [&](uint32_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
      frame.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
  };
  for (size_t left = produced; left > 0;) {
    const size_t size = std::min<size_t>(left, 1024);
    append(static_cast<uint32_t>(size << 3), 3);
    for (size_t i = 0; i < size; ++i) {
      append(static_cast<uint32_t>(left + i) * 37, 1);
    }
    left -= size;
  }
  // No literals, one sequence with three tables of one symbol. The offset's bits, after the end mark, are all
  // that the stream contains: together they are the value itself.
  const uint32_t value = offset + 3;
  const auto code = static_cast<uint32_t>(std::bit_width(value)) - 1;
  const uint32_t stream_bytes = code / 8 + 1;
  append((6 + stream_bytes) << 3 | 5, 3);
  append(0x540100, 3);
  append(code << 8, 3);
  append(value, stream_bytes);
  return frame;
}

TEST(ZstdReference, EdgeFrames) {
  for (const EdgeFrame& edge : kEdgeFrames) {
    Agreement agreement;
    SCOPED_TRACE(edge.why);
    expect_agreement(from_hex(edge.frame), 100000, {}, agreement);
    EXPECT_EQ(agreement.accepted, edge.valid ? 1 : 0);
  }
}

TEST(ZstdReference, OffsetsAroundWindowAndDictionary) {
  std::mt19937_64 random(1);
  for (const uint32_t dictionary_bytes : {0, 8, 600, 4096}) {
    const Bytes dictionary = draw_content(random, dictionary_bytes);
    for (const uint32_t produced : {0, 1, 1023, 1024, 1025, 3000}) {
      for (const uint32_t around : {1U, produced, 1024U, dictionary_bytes, produced + dictionary_bytes}) {
        for (const uint32_t offset : {around - 1, around, around + 1}) {
          if (offset != 0 && offset < 10000) {
            Agreement agreement;
            SCOPED_TRACE(std::to_string(produced) + " bytes, offset " + std::to_string(offset));
            expect_agreement(frame_with_offset(produced, offset), 100000, dictionary, agreement);
            // The dictionary is in reach until the output exceeds the window.
            const uint32_t reach = produced > 1024 ? 1024 : produced + dictionary_bytes;
            EXPECT_EQ(agreement.accepted, offset <= reach ? 1 : 0);
          }
        }
      }
    }
  }
}

TEST(ZstdReference, EdgeDictionaries) {
  std::mt19937_64 random(2);
  const Bytes trained = train_dictionary(random);
  const size_t header = ZDICT_getDictHeaderSize(trained.data(), trained.size());
  const auto content_bytes = static_cast<uint32_t>(trained.size() - header);
  const auto changed = [&](size_t at, uint32_t value) {
    Bytes bytes = trained;
    std::memcpy(bytes.data() + at, &value, 4);
    return bytes;
  };
  const Bytes frame = *zstd::encode(draw_content(random, 1000));
  Agreement agreement;
  for (const size_t at : {header - 12, header - 8, header - 4}) {
    for (const uint32_t offset : {0U, 1U, content_bytes - 1, content_bytes, content_bytes + 1}) {
      SCOPED_TRACE("recent offset " + std::to_string(offset) + " of " + std::to_string(content_bytes));
      expect_agreement(frame, 1000, changed(at, offset), agreement);
    }
  }
  EXPECT_EQ(agreement.accepted, 9);
  for (const size_t size : {size_t{1}, size_t{7}, size_t{8}, header - 1, header, header + 1, header + 8}) {
    SCOPED_TRACE("cut to " + std::to_string(size) + " bytes");
    Bytes cut = trained;
    cut.resize(size);
    expect_agreement(frame, 1000, cut, agreement);
  }
  expect_agreement(frame, 1000, changed(4, 0), agreement);
}

TEST(ZstdReference, WindowsAboveTheLimit) {
  std::mt19937_64 random(3);
  const Bytes content = draw_content(random, 5000);
  // The second frame is a single segment: its window is the content, not 8 KiB.
  for (const int window_log : {12, 13}) {
    const Bytes frame = compress_by_libzstd(content, {.window_log = window_log});
    for (const uint64_t max_window : {1024, 4095, 4096, 4999, 5000, 10000}) {
      SCOPED_TRACE(max_window);
      const auto by_reference = reference::decode(frame, {.max_bytes = 5000, .max_window = max_window});
      const auto by_us = zstd::decode_all(frame, 5000, {.max_window = max_window});
      EXPECT_EQ(by_reference.has_value(), by_us.has_value());
      EXPECT_EQ(by_reference.has_value(), max_window >= (window_log == 12 ? 4096 : 5000));
    }
  }
}

// To these decoders the table is a skippable frame like any other.
TEST(ZstdReference, DamagedSeekTables) {
  std::mt19937_64 random(4);
  const Bytes content = draw_content(random, 3000);
  const Bytes frames = *zstd::encode(content, {.frame_bytes = 1024, .seek_table = true});
  Agreement agreement;
  for (size_t i = 1; i <= 8 + 3 * 8 + 9; ++i) {
    Bytes damaged = frames;
    damaged[frames.size() - i] ^= std::byte{1};
    SCOPED_TRACE(std::to_string(i) + " bytes from the end");
    expect_agreement(damaged, content.size(), {}, agreement);
  }
  EXPECT_GT(agreement.accepted, 0);
}

TEST(ZstdReference, FramesOfOthersHaveTheirVerdict) {
  const std::vector<FoundFrame> frames = frames_of_others();
  if (frames.empty()) {
    GTEST_SKIP() << kNoFramesOfOthers;
  }
  for (const FoundFrame& found : frames) {
    Agreement agreement;
    expect_agreement(found.frame, uint64_t{1} << 30, {}, agreement);
    EXPECT_EQ(agreement.accepted, found.is_valid ? 1 : 0) << found.path;
  }
}

}  // namespace
}  // namespace bobbin::testing
