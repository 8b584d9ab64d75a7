// SPDX-License-Identifier: Apache-2.0
// Every codec's kernels on the GPU. Without a GPU it exits with 77, which ctest treats as "skipped".
#include <gtest/gtest.h>

#include <algorithm>

#include <cstdio>

#include "array/array.hpp"
#include "bobbin/memory.hpp"
#include "codecs/registry.hpp"
#include "codecs/smallest.hpp"
#include "tests/codecs/ans/layouts.hpp"
#include "tests/codecs/cascades.hpp"
#include "tests/codecs/checks.hpp"
#include "tests/gpu/seeds.hpp"

namespace bobbin::testing {
namespace {

TEST(GpuCodecs, AgreeWithTheCpu) {
  for (const Component& component : components()) {
    const Codec& codec = *find_codec(component.codec);
    Random random(3);
    for (const Input& input : component.edges()) {
      ASSERT_EQ(check_backend(codec, input, Backend::cuda, random), "") << codec.name << ", " << input.name;
    }
    for (uint64_t seed = 0; seed < num_seeds(50); ++seed) {
      Random drawn(seed);
      ASSERT_EQ(check_backend(codec, component.generate(drawn), Backend::cuda, random), "")
          << codec.name << ", " << seed;
    }
  }
}

TEST(GpuCodecs, LongArraysAgreeWithTheCpu) {
  for (const Component& component : components()) {
    const Codec& codec = *find_codec(component.codec);
    for (const DType type : kAllTypes) {
      if (!codec.takes(type)) {
        continue;
      }
      Random random(5);
      Input input{"long", type, std::vector<std::byte>((size_t{10'000'000} + 77) * size_bytes(type))};
      for (size_t i = 0; i < input.bytes.size(); i += size_bytes(type)) {
        input.bytes[i] = static_cast<std::byte>(random.next() >> (i >> 20 & 7));
      }
      if (!can_encode(codec, input.values())) {
        std::ranges::fill(input.bytes, std::byte{5});
      }
      ASSERT_EQ(check_backend(codec, input, Backend::cuda, random), "") << to_string(type);
    }
  }
}

// As many segments as large blocks of an H200 have warps, and some more.
TEST(GpuAns, LargeBlocksDecodeEveryLayout) {
  for (uint32_t bits = 8; bits <= 11; ++bits) {
    Random random(bits);
    ASSERT_EQ(check_short_segments(Backend::cuda, bits, 5'000'000, random), "") << bits << " bits";
  }
}

TEST(GpuCodecs, AnyCascadeAgreesWithTheReference) {
  for (uint64_t seed = 0; seed < num_seeds(500); ++seed) {
    Random random(seed);
    const Array array = draw_cascade(random);
    ASSERT_EQ(check_any_array(array, Backend::cuda), "") << "seed " << seed << ", " << name_of(array);
  }
}

TEST(GpuMemory, AllocationThatCannotBeIsAStatus) {
  const auto stream = Stream::create(Backend::cuda);
  ASSERT_TRUE(stream.has_value());
  const auto buffer = DeviceBuffer::create(size_t{1} << 50, stream->view());
  ASSERT_FALSE(buffer.has_value());
  EXPECT_EQ(buffer.error().code(), StatusCode::out_of_memory);
  EXPECT_NE(buffer.error().message().find("cudaMallocFromPoolAsync"), std::string::npos);
}

TEST(GpuMemory, WhatFollowsAFailedAllocationWorks) {
  const auto stream = Stream::create(Backend::cuda);
  ASSERT_TRUE(stream.has_value());
  ASSERT_FALSE(DeviceBuffer::create(size_t{1} << 50, stream->view()).has_value());
  const std::vector<uint32_t> values{1, 2, 3};
  const auto array =
      array::encode(CodecId::bitpack, {DType::u32, values.data(), values.size()}, Backend::cpu);
  std::vector<uint32_t> decoded(3);
  const Status status = array::decode(*array, std::as_writable_bytes(std::span(decoded)), Backend::cuda);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(decoded, values);
}

}  // namespace
}  // namespace bobbin::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (const auto gpus = bobbin::list_gpus(); !gpus.has_value()) {
    std::printf("skipped: %s\n", gpus.error().message().c_str());
    return 77;
  }
  return RUN_ALL_TESTS();
}
