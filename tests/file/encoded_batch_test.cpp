// SPDX-License-Identifier: Apache-2.0
// Batches of arrays that are encoded in memory.
#include "bobbin/encoded_batch.hpp"

#include <algorithm>
#include <iterator>
#include <random>

#include "bobbin/memory.hpp"
#include "tests/backends.hpp"
#include "tests/file/support.hpp"

namespace bobbin::file_tests {
namespace {

struct Drawn {
  std::vector<uint32_t> values;
  std::vector<uint64_t> offsets{0};
};

// Arrays of different lengths and kinds, some of them empty.
Drawn draw(size_t arrays, uint64_t step = 1) {
  std::mt19937 random(5);
  Drawn drawn;
  for (size_t i = 0; i < arrays; ++i) {
    const uint64_t length = i % 5 == 0 ? 0 : random() % 3000 / step * step;
    for (uint64_t k = 0; k < length; ++k) {
      drawn.values.push_back(static_cast<uint32_t>(i % 3 == 0 ? k : random() % (i % 3 == 1 ? 9 : 100'000)));
    }
    drawn.offsets.push_back(drawn.values.size());
  }
  return drawn;
}

std::vector<uint32_t> decoded(const EncodedBatch& batch) {
  std::vector<uint32_t> out(batch.offsets().back());
  EXPECT_TRUE(batch.decode(std::as_writable_bytes(std::span(out))).ok());
  return out;
}

TEST(EncodedBatch, DecodesToTheSameValues) {
  const Drawn drawn = draw(100);
  for (const std::optional<Cascade>& cascade :
       {std::optional<Cascade>(), std::optional(Cascade{"bitpack"})}) {
    const auto batch = EncodedBatch::encode(DType::u32, drawn.values.data(), drawn.offsets, cascade, 3);
    ASSERT_TRUE(batch.has_value()) << batch.error().message();
    EXPECT_EQ(batch->size(), 100U);
    EXPECT_EQ(decoded(*batch), drawn.values);
    EXPECT_LT(batch->encoded_bytes(), drawn.values.size() * sizeof(uint32_t));
    const EncodedArray one = *batch->array(7);
    EXPECT_EQ(batch->array(100).error().message(), "batch: array 100 of 100");
    EXPECT_EQ(one.length(), drawn.offsets[8] - drawn.offsets[7]);
    EXPECT_EQ(one.value_at(5)->bits, drawn.values[drawn.offsets[7] + 5]);
    const auto again = EncodedBatch::from_bytes(batch->to_bytes().value());
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_EQ(decoded(*again), drawn.values);
    EXPECT_EQ(again->to_bytes().value(), batch->to_bytes().value());
  }
}

TEST(EncodedBatch, NothingIsABatchToo) {
  const std::vector<uint64_t> offsets = {0};
  const auto batch = EncodedBatch::encode(DType::f64, nullptr, offsets);
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->size(), 0U);
  EXPECT_TRUE(batch->decode({}).ok());
  EXPECT_EQ(EncodedBatch::from_bytes(batch->to_bytes().value())->type(), DType::f64);
}

TEST(EncodedBatch, WrongArgumentsAreRefused) {
  const std::vector<uint32_t> values(10);
  const auto code = [&](std::vector<uint64_t> offsets, std::optional<Cascade> cascade = {}) {
    return EncodedBatch::encode(DType::u32, values.data(), offsets, cascade).error().code();
  };
  EXPECT_EQ(code({}), StatusCode::invalid_argument);
  EXPECT_EQ(code({1, 10}), StatusCode::invalid_argument);
  EXPECT_EQ(code({0, 5, 4, 10}), StatusCode::invalid_argument);
  EXPECT_NE(code({0, 10}, Cascade{"fsst"}), StatusCode::ok);
  const std::vector<uint64_t> whole = {0, 10};
  const EncodedBatch batch = EncodedBatch::encode(DType::u32, values.data(), whole).value();
  std::vector<std::byte> small(39);
  EXPECT_EQ(batch.decode(small).code(), StatusCode::invalid_argument);
  EXPECT_EQ(batch.decode_on_device(small.data(), StreamView(Backend::cpu, nullptr)).code(),
            StatusCode::invalid_argument);
}

TEST(EncodedBatch, HostileBytesAreRefused) {
  const Drawn drawn = draw(12);
  const EncodedBatch batch = EncodedBatch::encode(DType::u32, drawn.values.data(), drawn.offsets).value();
  const std::vector<std::byte> good = batch.to_bytes().value();
  EXPECT_EQ(EncodedBatch::from_bytes(good, drawn.values.size() - 1).error().code(), StatusCode::corrupt);
  for (size_t size = 0; size < good.size(); size += 1 + size / 16) {
    EXPECT_EQ(EncodedBatch::from_bytes(std::span(good).first(size)).error().code(), StatusCode::corrupt);
  }
  for (size_t place = 0; place < good.size(); place += 1 + place / 64) {
    std::vector<std::byte> bad = good;
    bad[place] ^= std::byte{0x41};
    EXPECT_FALSE(EncodedBatch::from_bytes(bad).has_value()) << place;
  }
}

// Decodes a batch on a device and compares.
template <class T>
void check_on_device(Backend backend, DType type, const std::vector<T>& values,
                     std::span<const uint64_t> offsets, const std::optional<Cascade>& cascade) {
  const auto batch = EncodedBatch::encode(type, values.data(), offsets, cascade);
  ASSERT_TRUE(batch.has_value()) << batch.error().message();
  const Stream stream = Stream::create(backend).value();
  const auto there = batch->to_device(stream.view());
  ASSERT_TRUE(there.has_value()) << there.error().message();
  const size_t bytes = values.size() * sizeof(T);
  for (const size_t start : {size_t{0}, size_t{16}}) {  // the output may move from call to call
    const DeviceBuffer out = DeviceBuffer::create(start + bytes, stream.view()).value();
    const Status status = there->decode_on_device(out.as<std::byte>() + start, stream.view());
    ASSERT_TRUE(status.ok()) << status.message();
    std::vector<T> host(values.size());
    ASSERT_TRUE(copy_async(host.data(), out.as<std::byte>() + start, bytes, stream.view()).ok());
    ASSERT_TRUE(stream.view().synchronize().ok());
    EXPECT_EQ(host, values);
    EXPECT_FALSE(there->decode(std::as_writable_bytes(std::span(host))).ok());
  }
}

TEST(EncodedBatch, ADeviceDecodesTheSame) {
  const Drawn drawn = draw(20, 4);
  std::vector<double> prices;
  std::ranges::transform(drawn.values, std::back_inserter(prices),
                         [](uint32_t value) { return value % 11 == 0 ? 1.0 / value : value / 100.0; });
  for (const Backend backend : testing::backends_here()) {
    if (backend == Backend::cpu) {
      continue;
    }
    for (const char* const codec : {"", "ffor", "bitpack", "delta", "patched", "rle", "dict"}) {
      SCOPED_TRACE(codec);
      const auto cascade = *codec == 0 ? std::optional<Cascade>() : Cascade{codec};
      check_on_device(backend, DType::u32, drawn.values, drawn.offsets, cascade);
    }
    check_on_device(backend, DType::f64, prices, drawn.offsets, {});
    check_on_device(backend, DType::f64, prices, drawn.offsets, Cascade{"alp"});
  }
}

}  // namespace
}  // namespace bobbin::file_tests
