// SPDX-License-Identifier: Apache-2.0
// Dictionaries: trained by us or by libzstd, used by us and by libzstd.
#include <gtest/gtest.h>
#include <zdict.h>
#include <zstd.h>

#include <memory>
#include <random>
#include <string>

#include "bobbin/zstd.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

using Bytes = std::vector<std::byte>;

constexpr size_t kSamples = kDrawnShare == 1 ? 2000 : 400;

std::vector<std::string> records(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  const char* const units[] = {"celsius", "fahrenheit", "kelvin"};
  const char* const states[] = {"active", "suspended", "to be replaced", "unknown"};
  std::vector<std::string> made;
  for (size_t i = 0; i < count; ++i) {
    made.push_back("{\"sensor\": " + std::to_string(random() % 10000) + ", \"unit\": \"" +
                   units[random() % 3] + "\", \"state\": \"" + states[random() % 4] + "\", \"value\": " +
                   std::to_string(random() % 1000) + "." + std::to_string(random() % 100) + "}");
  }
  return made;
}

std::span<const std::byte> view(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Result<Bytes> train(const std::vector<std::string>& samples, size_t max_bytes = 8192) {
  std::vector<std::span<const std::byte>> views;
  for (const std::string& sample : samples) {
    views.push_back(view(sample));
  }
  return zstd::train_dictionary(views, {.max_bytes = max_bytes});
}

Bytes train_by_libzstd(const std::vector<std::string>& samples, size_t max_bytes) {
  std::string all;
  std::vector<size_t> sizes;
  for (const std::string& sample : samples) {
    all += sample;
    sizes.push_back(sample.size());
  }
  Bytes out(max_bytes);
  out.resize(ZDICT_trainFromBuffer(out.data(), out.size(), all.data(), sizes.data(),
                                   static_cast<unsigned>(sizes.size())));
  return out;
}

std::string decompress_with(const Bytes& frame, const Bytes& dictionary) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  std::string out(1 << 19, '\0');
  const size_t size = ZSTD_decompress_usingDict(context.get(), out.data(), out.size(), frame.data(),
                                                frame.size(), dictionary.data(), dictionary.size());
  EXPECT_FALSE(ZSTD_isError(size)) << ZSTD_getErrorName(size);
  out.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return out;
}

Bytes compress_with(const std::string& content, const Bytes& dictionary) {
  const std::unique_ptr<ZSTD_CDict, decltype(&ZSTD_freeCDict)> loaded(
      ZSTD_createCDict(dictionary.data(), dictionary.size(), 3), &ZSTD_freeCDict);
  EXPECT_NE(loaded, nullptr);
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  Bytes out(ZSTD_compressBound(content.size()));
  const size_t size = ZSTD_compress_usingCDict(context.get(), out.data(), out.size(), content.data(),
                                               content.size(), loaded.get());
  EXPECT_FALSE(ZSTD_isError(size)) << ZSTD_getErrorName(size);
  out.resize(size);
  return out;
}

std::string decompress_by_us(const Bytes& frame, const zstd::Dictionary& dictionary) {
  const auto decoded = zstd::decode_all(frame, 1 << 19, {.dictionary = &dictionary});
  EXPECT_TRUE(decoded.has_value()) << decoded.error().message();
  return decoded.has_value() ? std::string(reinterpret_cast<const char*>(decoded->data()), decoded->size())
                             : std::string();
}

TEST(ZstdDictionary, TrainedByUsAndByLibzstdUsedByBoth) {
  const std::vector<std::string> samples = records(kSamples, 1);
  for (const Bytes& bytes : {*train(samples), train_by_libzstd(samples, 8192)}) {
    const auto dictionary = zstd::Dictionary::parse(bytes);
    ASSERT_TRUE(dictionary.has_value()) << dictionary.error().message();
    EXPECT_EQ(dictionary->id(), ZSTD_getDictID_fromDict(bytes.data(), bytes.size()));
    size_t plain = 0;
    size_t ours = 0;
    size_t theirs = 0;
    for (const std::string& record : records(shrunk(300), 2)) {
      const Bytes frame = *zstd::encode(view(record), {.dictionary = &*dictionary});
      EXPECT_EQ(ZSTD_getDictID_fromFrame(frame.data(), frame.size()), dictionary->id());
      EXPECT_EQ(decompress_with(frame, bytes), record);
      EXPECT_EQ(decompress_by_us(frame, *dictionary), record);
      const Bytes by_libzstd = compress_with(record, bytes);
      EXPECT_EQ(decompress_by_us(by_libzstd, *dictionary), record);
      plain += zstd::encode(view(record))->size();
      ours += frame.size();
      theirs += by_libzstd.size();
    }
    EXPECT_LT(2 * ours, plain);           // what dictionaries are for
    EXPECT_LT(100 * ours, 105 * theirs);  // and no worse than libzstd with the same one
  }
}

TEST(ZstdDictionary, OursIsAsGoodAsThatOfLibzstd) {
  const std::vector<std::string> samples = records(kSamples, 3);
  const Bytes ours = *train(samples);
  const Bytes theirs = train_by_libzstd(samples, 8192);
  size_t with_ours = 0;
  size_t with_theirs = 0;
  for (const std::string& record : records(shrunk(300), 4)) {
    with_ours += compress_with(record, ours).size();
    with_theirs += compress_with(record, theirs).size();
  }
  EXPECT_LT(100 * with_ours, 105 * with_theirs);
}

// Every level, contents of many blocks and frames, with and without tables in the dictionary.
TEST(ZstdDictionary, LargerContentsAndContentOnlyDictionaries) {
  constexpr uint32_t kLevels[] = {1, 3, 6, 9};
  const std::vector<std::string> samples = records(kSamples, 5);
  std::string content;
  for (const std::string& record : records(2500, 6)) {
    content += record + "\n";
  }
  const Bytes trained = *train(samples);
  const Bytes plain(trained.end() - 3000, trained.end());
  for (const Bytes& bytes : {trained, plain}) {
    const auto dictionary = zstd::Dictionary::parse(bytes);
    ASSERT_TRUE(dictionary.has_value());
    for (const uint32_t level : drawn_of(kLevels)) {
      for (const size_t size : {0UL, 1UL, 7UL, 8UL, 100UL, 5000UL, content.size()}) {
        const std::string part = content.substr(0, size);
        const Bytes frames = *zstd::encode(
            view(part), {.level = level, .checksum = true, .threads = 2, .dictionary = &*dictionary});
        EXPECT_EQ(decompress_by_us(frames, *dictionary), part);
        if (size <= 65536) {
          EXPECT_EQ(decompress_with(frames, bytes), part);
        }
      }
    }
  }
}

TEST(ZstdDictionary, TrainingIsDeterministicAndBounded) {
  const std::vector<std::string> samples = records(kSamples / 2, 7);
  EXPECT_EQ(*train(samples), *train(samples));
  constexpr size_t kSizes[] = {1024, 2000, 100000};
  for (const size_t size : drawn_of(kSizes)) {
    EXPECT_LE(train(samples, size)->size(), size);
  }
}

TEST(ZstdDictionary, SamplesWithNothingInCommonAreRefused) {
  EXPECT_EQ(train({}).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(train({"", "a", "abc"}).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(train({"one sample only"}).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(train(records(10, 8), 100).error().code(), StatusCode::invalid_argument);
}

TEST(ZstdDictionary, AnotherDictionaryIsRefused) {
  const Bytes first = *train(records(kSamples / 2, 9));
  const auto one = zstd::Dictionary::parse(first);
  const Bytes second = *train(records(kSamples / 2, 10));
  const auto other = zstd::Dictionary::parse(second);
  const Bytes frame = *zstd::encode(view(records(1, 11)[0]), {.dictionary = &*one});
  EXPECT_FALSE(zstd::decode_all(frame, 1000, {.dictionary = &*other}).has_value());
  EXPECT_FALSE(zstd::decode_all(frame, 1000).has_value());
}

}  // namespace
}  // namespace bobbin::testing
