// SPDX-License-Identifier: Apache-2.0
// Arrays whose bytes were typed by hand from the spec.md files, without any encoder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "codecs/codec.hpp"
#include "codecs/registry.hpp"
#include "tests/codecs/checks.hpp"

namespace bobbin::testing {

// The bytes, padded with zeros to `size`.
inline Buffer buffer_of(std::initializer_list<uint8_t> bytes, size_t size) {
  const NewBuffer fresh = make_buffer(size);
  std::fill_n(fresh.data, size, std::byte{0});
  std::ranges::transform(bytes, fresh.data, [](uint8_t byte) { return std::byte{byte}; });
  return fresh.buffer;
}
inline Buffer buffer_of(std::initializer_list<uint8_t> bytes) {
  return buffer_of(bytes, bytes.size());
}

// A `bitpack` array whose values, including those that `offset` skips, are all in the first row: one
// register.
inline Array packed_row(DType type, uint64_t length, uint8_t width, std::initializer_list<uint8_t> bytes,
                        uint64_t offset = 0) {
  return {.codec = CodecId::bitpack,
          .type = type,
          .length = length,
          .offset = offset,
          .metadata = {width},
          .buffers = {buffer_of(bytes, 128)},
          .children = {}};
}

// Checks that the array is valid, and that its codec's decoder and the reference both give these values; so
// do the kernels, and slices of it.
template <class T>
void expect_decodes_to(const Array& array, const std::vector<T>& expected) {
  const Status status = array::validate(array);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(array.type, kDTypeOf<T>);
  ASSERT_EQ(array.length, expected.size());
  const Codec& codec = *find_codec(array.codec);
  for (const auto decode : {codec.decode, codec.reference}) {
    // A byte that no value of the examples contains.
    std::vector<std::byte> out(expected.size() * sizeof(T), std::byte{0xa7});
    decode(array, out.data());
    const auto wanted = std::as_bytes(std::span(expected));
    EXPECT_TRUE(std::ranges::equal(out, wanted)) << (decode == codec.decode ? "decode" : "reference");
  }
  EXPECT_EQ(check_any_array(array, Backend::emulator), "");
}

}  // namespace bobbin::testing
