// SPDX-License-Identifier: Apache-2.0
// Cascades by name, why a chunk has its encoding, and arrays encoded without a file.
#include "bobbin/encoding.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "bobbin/encoded_array.hpp"
#include "file/checksum.hpp"
#include "tests/backends.hpp"
#include "tests/file/support.hpp"

namespace bobbin::file_tests {
namespace {

TEST(Encoding, CascadesAreTextAndBack) {
  const Cascade cascade{"dict", {{"bitpack"}, {"delta"}}};
  EXPECT_EQ(to_string(cascade), "dict(bitpack, delta)");
  EXPECT_EQ(parse_cascade(" dict( bitpack,delta )").value(), cascade);
  EXPECT_FALSE(parse_cascade("dict(").has_value());
  EXPECT_FALSE(parse_cascade("zip").has_value());
  EXPECT_TRUE(check_cascade(cascade, DType::i32).ok());
  EXPECT_FALSE(check_cascade({"fsst"}, DType::i32).ok());
  EXPECT_FALSE(check_cascade({"zip"}, DType::i32).ok());
  const std::vector<std::string> names = codec_names();
  EXPECT_NE(std::ranges::find(names, "ffor"), names.end());
  EXPECT_EQ(std::ranges::find(names, "masked"), names.end());
}

TEST(Encoding, TheChoiceOfAChunkIsExplained) {
  const TempDir dir;
  Result<Writer> writer = Writer::create(dir / "t.bob", {{"n", DType::u32, true}, {"s", DType::utf8}}, {});
  ASSERT_TRUE(writer.has_value());
  std::vector<uint32_t> numbers;
  Texts texts;
  for (uint32_t i = 0; i < 5000; ++i) {
    numbers.push_back(i / 100);
    texts.emplace_back("text " + std::to_string(i % 7));
  }
  std::vector<uint8_t> validity(625, 0xfe);
  ASSERT_OK(writer->append({{numbers, validity.data()}, strings_of(texts)}));
  ASSERT_OK(writer->finish());
  const Result<Reader> reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  for (const size_t column : {0U, 1U}) {
    const Result<EncodingChoice> choice = explain_encoding(*reader, 0, column);
    ASSERT_TRUE(choice.has_value()) << choice.error().message();
    EXPECT_EQ(choice->num_rows, 5000U);
    EXPECT_FALSE(choice->candidates.empty());
    const auto taken = std::ranges::find_if(choice->candidates, &EncodingCandidate::in_file);
    ASSERT_NE(taken, choice->candidates.end());
    EXPECT_EQ(taken->cascade, choice->in_file);
    EXPECT_EQ(std::ranges::count(taken, choice->candidates.end(), true, &EncodingCandidate::in_file), 1);
  }
  EXPECT_EQ(to_string(cascade_of(reader->row_group(0)->chunks[0].root)).substr(0, 7), "masked(");
  EXPECT_EQ(explain_encoding(*reader, 1, 0).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(explain_encoding(*reader, 0, 2).error().code(), StatusCode::invalid_argument);
}

TEST(EncodedArray, NumbersComeBack) {
  const std::vector<std::byte> values = make_values(DType::i32, 3000, 1);
  for (const std::optional<Cascade>& cascade : {std::optional<Cascade>(), std::optional(Cascade{"ffor"}),
                                                std::optional(Cascade{"dict", {{"ffor"}, {"bitpack"}}})}) {
    const auto array = EncodedArray::encode(DType::i32, values.data(), 3000, cascade);
    ASSERT_TRUE(array.has_value()) << array.error().message();
    EXPECT_EQ(array->type(), DType::i32);
    EXPECT_EQ(array->length(), 3000U);
    EXPECT_GT(array->encoded_bytes(), 0U);
    EXPECT_TRUE(!cascade || array->cascade().codec == cascade->codec);
    Bytes out(values.size());
    ASSERT_OK(array->decode(out));
    EXPECT_EQ(out, values);
    EXPECT_FALSE(array->decode(std::span(out).first(4)).ok());
    EXPECT_FALSE(array->decode_on_device(out.data(), {Backend::emulator, nullptr}).ok());
  }
  EXPECT_FALSE(EncodedArray::encode(DType::i32, values.data(), 3000, Cascade{"constant"}).has_value());
  EXPECT_FALSE(EncodedArray::encode(DType::i32, values.data(), 3000, Cascade{"fsst"}).has_value());
  EXPECT_FALSE(EncodedArray::encode(DType::utf8, values.data(), 1).has_value());
}

const std::vector<std::optional<Cascade>> kCascades{
    {}, Cascade{"ffor"}, Cascade{"patched"}, Cascade{"delta"}, Cascade{"dict", {{"ffor"}, {"bitpack"}}}};

TEST(EncodedArray, PartsAreThoseOfTheValues) {
  const std::vector<std::byte> values = make_values(DType::i32, 3000, 1);
  const auto at = [&](uint64_t i) { return value_of<int32_t>(scalar_at(DType::i32, values.data(), i)); };
  for (const auto& cascade : kCascades) {
    const auto array = EncodedArray::encode(DType::i32, values.data(), 3000, cascade);
    ASSERT_TRUE(array.has_value()) << array.error().message();
    for (const auto& [begin, length] :
         {std::pair{0, 3000}, {5, 2000}, {0, 10}, {1024, 1}, {2999, 1}, {3000, 0}}) {
      const auto part = array->slice(static_cast<uint64_t>(begin), static_cast<uint64_t>(length));
      ASSERT_TRUE(part.has_value()) << part.error().message();
      Bytes out(static_cast<size_t>(length) * 4);
      ASSERT_OK(part->decode(out));
      EXPECT_TRUE(
          std::ranges::equal(out, std::span(values).subspan(static_cast<size_t>(begin) * 4, out.size())));
      // The bytes have nothing from outside the slice.
      const auto again = EncodedArray::from_bytes(*part->to_bytes(), static_cast<uint64_t>(length));
      ASSERT_TRUE(again.has_value()) << again.error().message();
      Bytes copy(out.size());
      ASSERT_OK(again->decode(copy));
      EXPECT_EQ(copy, out);
    }
    EXPECT_EQ(value_of<int32_t>(*array->value_at(1500)), at(1500));
    const std::vector<uint64_t> rows{2999, 0, 7, 7};
    std::vector<int32_t> taken(4);
    ASSERT_OK(array->take(rows, std::as_writable_bytes(std::span(taken))));
    EXPECT_EQ(taken, (std::vector<int32_t>{at(2999), at(0), at(7), at(7)}));
    const auto bits = array->compare(Compare::lt, scalar_of(int32_t{50}));
    ASSERT_TRUE(bits.has_value());
    for (uint64_t i = 0; i < 3000; ++i) {
      ASSERT_EQ(((*bits)[i / 8] >> (i % 8) & 1) != 0, at(i) < 50) << i;
    }
    EXPECT_FALSE(array->slice(1, 3000).has_value());
    EXPECT_FALSE(array->slice(UINT64_MAX, 2).has_value());
    EXPECT_FALSE(array->value_at(3000).has_value());
    EXPECT_FALSE(
        array->take(std::vector<uint64_t>{3000}, std::as_writable_bytes(std::span(taken).first(1))).ok());
  }
}

// With a checksum that is right, so that the checks after it are reached.
Bytes with_checksum(Bytes bytes) {
  const uint64_t sum = file::checksum(std::span(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &sum, 8);
  return bytes;
}

TEST(EncodedArray, BytesFromOutsideAreChecked) {
  const std::vector<std::byte> values = make_values(DType::i32, 3000, 1);
  for (const auto& cascade : kCascades) {
    const auto array = EncodedArray::encode(DType::i32, values.data(), 3000, cascade);
    const Bytes bytes = *array->to_bytes();
    for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
      EXPECT_FALSE(EncodedArray::from_bytes(std::span(bytes).first(size)).has_value());
    }
    std::mt19937_64 random(7);
    for (int turn = 0; turn < 2000; ++turn) {
      Bytes bad = bytes;
      // Mostly where the tree is described.
      const size_t within = turn % 2 == 0 ? std::min<size_t>(bad.size(), 120) : bad.size();
      bad[random() % within] ^= static_cast<std::byte>(1 + random() % 255);
      EXPECT_FALSE(EncodedArray::from_bytes(bad).has_value());
      const auto made = EncodedArray::from_bytes(with_checksum(bad));
      if (made.has_value() && made->length() <= 100000) {
        Bytes out(made->length() * size_bytes(made->type()));
        (void)made->decode(out);
        (void)made->compare(Compare::ge, {});
      }
    }
  }
}

TEST(EncodedArray, DevicesEncodeAndDecodeTheSame) {
  SKIP_WITHOUT_EMULATOR();
  const std::vector<std::byte> values = make_values(DType::u32, 3000, 2);
  const Result<Stream> stream = Stream::create(Backend::emulator);
  ASSERT_TRUE(stream.has_value());
  const auto host = EncodedArray::encode(DType::u32, values.data(), 3000, Cascade{"ffor"});
  ASSERT_TRUE(host.has_value());
  const auto copied = host->to_device(stream->view());
  const auto made = EncodedArray::encode_on_device("ffor", DType::u32, values.data(), 3000, stream->view());
  ASSERT_TRUE(copied.has_value() && made.has_value());
  for (const EncodedArray* array : {&*copied, &*made}) {
    EXPECT_EQ(array->encoded_bytes(), host->encoded_bytes());
    Bytes out(values.size());
    EXPECT_FALSE(array->decode(out).ok());
    alignas(16) std::array<std::byte, 12000> device{};
    ASSERT_OK(array->decode_on_device(device.data(), stream->view()));
    EXPECT_TRUE(std::ranges::equal(device, values));
  }
}

}  // namespace
}  // namespace bobbin::file_tests
