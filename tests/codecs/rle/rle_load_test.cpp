// SPDX-License-Identifier: Apache-2.0
// Slices of runs loaded from a file: where the encoding of the row numbers shows the vectors that are needed,
// these are loaded at once; what it shows is not trusted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "array/array.hpp"
#include "codecs/delta/delta.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/registry.hpp"
#include "codecs/rle/rle.hpp"
#include "codecs/stored.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {
namespace {

constexpr uint64_t kLoadedRuns = 5000;

// The buffers of one array as a file's segments.
class SegmentsInMemory final : public Segments {
 public:
  [[nodiscard]] StoredNode store(const Array& array) {
    StoredNode node{.codec = array.codec,
                    .type = array.type,
                    .length = array.length,
                    .metadata = array.metadata,
                    .segments = {}};
    std::vector<uint32_t>& own = *numbers_.emplace_back(std::make_unique<std::vector<uint32_t>>());
    for (const Buffer& buffer : array.buffers) {
      own.push_back(static_cast<uint32_t>(buffers_.size()));
      buffers_.push_back(buffer);
    }
    node.segments = own;
    for (const Array& child : array.children) {
      node.children.push_back(store(child));
    }
    return node;
  }

  [[nodiscard]] uint64_t size(uint32_t segment) const override { return buffers_[segment].bytes.size(); }
  [[nodiscard]] Result<Buffer> read(uint32_t segment, uint64_t offset, uint64_t bytes) override {
    BOBBIN_RETURN_IF(offset > size(segment) || bytes > size(segment) - offset, StatusCode::corrupt, "range");
    return buffers_[segment].sub(offset, bytes);
  }
  [[nodiscard]] Status validate(const Array& array) override {
    ++validations_;
    return array::validate(array);
  }
  [[nodiscard]] int validations() const { return validations_; }

 private:
  std::vector<Buffer> buffers_;
  std::vector<std::unique_ptr<std::vector<uint32_t>>> numbers_;
  int validations_ = 0;
};

// Ends of runs whose lengths differ from place to place, so that an even spread is a wrong guess.
std::vector<uint32_t> draw_ends() {
  Random random(17);
  std::vector<uint32_t> ends;
  for (uint64_t i = 0, row = 0; i < kLoadedRuns; ++i) {
    row += 1 + random.below(i < kLoadedRuns / 2 ? 3 : 300);
    ends.push_back(static_cast<uint32_t>(row));
  }
  return ends;
}

// The row numbers as differences; what is stored before each vector is `shift` too small, which the vector's
// first difference makes up for.
Array encoded_differences(const std::vector<uint32_t>& ends, uint32_t shift) {
  const Split split = *find_codec(CodecId::diff)->split({DType::u32, ends.data(), ends.size()});
  std::array<std::vector<uint32_t>, 2> parts;
  for (size_t i = 0; i < 2; ++i) {
    const auto values = split.children[i].view().as<uint32_t>();
    parts[i].assign(values.begin(), values.end());
  }
  for (size_t v = 0; v < parts[1].size(); ++v) {
    parts[1][v] -= shift;
    parts[0][v * 1024] += shift;
  }
  Array array = split.node;
  for (size_t i = 0; i < 2; ++i) {
    array.children.push_back(
        *codec::ffor::encode({split.children[i].type, parts[i].data(), parts[i].size()}));
  }
  return array;
}

Array runs_with_ends(Array ends, uint64_t rows) {
  std::vector<uint64_t> values(ends.length);
  std::ranges::generate(values, [i = uint64_t{0}]() mutable { return i++ * 7 % 1001; });
  const uint64_t first_row = 0;
  Array array{.codec = CodecId::rle,
              .type = DType::u64,
              .length = rows,
              .offset = 0,
              .metadata = std::vector<uint8_t>(sizeof first_row),
              .buffers = {},
              .children = {}};
  array.children.push_back(std::move(ends));
  array.children.push_back(*codec::ffor::encode({DType::u64, values.data(), values.size()}));
  return array;
}

std::vector<uint64_t> decode_loaded(const Array& array) {
  EXPECT_TRUE(array::validate(array).ok());
  std::vector<uint64_t> values(array.length);
  EXPECT_TRUE(array::decode(array, std::as_writable_bytes(std::span(values))).ok());
  return values;
}

// Reads 100 rows from many places. Returns the most row numbers that were loaded for them.
uint64_t expect_slices_of(const Array& array) {
  const std::vector<uint64_t> all = decode_loaded(array);
  uint64_t most = 0;
  for (uint64_t begin = 0; begin + 100 <= all.size(); begin += 97) {
    SegmentsInMemory segments;
    const StoredNode node = segments.store(array);
    const Result<Array> part = load_slice(node, begin, 100, segments);
    EXPECT_TRUE(part.has_value()) << begin;
    EXPECT_TRUE(std::ranges::equal(decode_loaded(*part), std::span(all).subspan(begin, 100))) << begin;
    most = std::max(most, part->children[0].length);
  }
  return most;
}

TEST(RleLoad, NumbersAreLoadedOnceWhereTheEncodingShowsTheirPlace) {
  const std::vector<uint32_t> ends = draw_ends();
  SegmentsInMemory segments;
  const Array array = runs_with_ends(encoded_differences(ends, 0), ends.back());
  const StoredNode node = segments.store(array);
  ASSERT_TRUE(load_slice(node, ends[3000], 100, segments).has_value());
  EXPECT_EQ(segments.validations(), 2);  // what is before the vectors, and the numbers
  EXPECT_LE(expect_slices_of(array), 2 * 1024U + 1);
}

TEST(RleLoad, RestartsOfDeltaShowThePlaceToo) {
  const std::vector<uint32_t> ends = draw_ends();
  SegmentsInMemory segments;
  const Array array =
      runs_with_ends(*codec::delta::encode_with({DType::u32, ends.data(), ends.size()}, {}), ends.back());
  const StoredNode node = segments.store(array);
  ASSERT_TRUE(load_slice(node, ends[3000], 100, segments).has_value());
  EXPECT_EQ(segments.validations(), 1);
  EXPECT_LE(expect_slices_of(array), 2 * 1024U + 1);
}

TEST(RleLoad, WhatIsBeforeAVectorIsNotTrusted) {
  const std::vector<uint32_t> ends = draw_ends();
  for (const uint32_t shift : {1U, 50U, 5000U, 1'000'000U, 0U - 50U, 0U - 100'000U}) {
    SCOPED_TRACE(shift);
    expect_slices_of(runs_with_ends(encoded_differences(ends, shift), ends.back()));
  }
}

}  // namespace
}  // namespace bobbin::testing
