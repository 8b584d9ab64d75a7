// SPDX-License-Identifier: Apache-2.0
// Cascades by name, why a chunk has its encoding, and arrays encoded without a file.
#include "bobbin/encoding.hpp"

#include <algorithm>

#include "bobbin/encoded_array.hpp"
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
    EXPECT_EQ(std::ranges::count_if(choice->candidates, &EncodingCandidate::in_file), 1);
  }
  EXPECT_EQ(to_string(cascade_of(reader->row_group(0).chunks[0].root)).substr(0, 7), "masked(");
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
