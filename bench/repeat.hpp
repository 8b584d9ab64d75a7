// SPDX-License-Identifier: Apache-2.0
// Long encoded arrays from short ones, which take less time to encode.
#pragma once

#include <cstdint>
#include <cstring>

#include "array/array.hpp"
#include "codecs/ffor/ffor.hpp"
#include "core/lanes.hpp"

namespace bobbin::bench {

inline Buffer repeat(const Buffer& buffer, uint64_t times) {
  const NewBuffer all = make_buffer(buffer.bytes.size() * times);
  for (uint64_t k = 0; k < times; ++k) {
    std::memcpy(all.data + k * buffer.bytes.size(), buffer.bytes.data(), buffer.bytes.size());
  }
  return all.buffer;
}

// The array of the values repeated `times` times: buffers are repeated, and positions in them adjusted.
inline Array repeat(const Array& array, uint64_t times) {
  Array all = array;
  all.length *= times;
  for (Buffer& buffer : all.buffers) {
    buffer = repeat(buffer, times);
  }
  for (Array& child : all.children) {
    child = repeat(child, times);
  }
  if (array.codec == CodecId::dict) {
    all.children[1] = array.children[1];
  }
  const auto move_on = [&](size_t buffer, uint64_t per_block, uint32_t by) {
    auto* words = reinterpret_cast<uint32_t*>(const_cast<std::byte*>(all.buffers[buffer].bytes.data()));
    for (uint64_t i = 0; i < times * per_block; ++i) {
      words[i] += static_cast<uint32_t>(i / per_block) * by;
    }
  };
  if (array.codec == CodecId::ffor) {
    const uint64_t registers = array.buffers[2].bytes.size() / kRegisterBytes;
    move_on(1, num_vectors(array.length), static_cast<uint32_t>(registers << 7));
  }
  if (array.codec == CodecId::rle || array.codec == CodecId::sparse) {
    Buffer& references = all.children[0].buffers[0];
    auto* rows = reinterpret_cast<uint32_t*>(const_cast<std::byte*>(references.bytes.data()));
    const uint64_t vectors = num_vectors(array.children[0].length);
    for (uint64_t v = 0; v < times * vectors; ++v) {
      rows[v] += static_cast<uint32_t>(v / vectors * array.length);
    }
  }
  if (array.codec == CodecId::patched) {
    const uint64_t patches = array.buffers[1].bytes.size() / sizeof(uint16_t);
    // One more start than vectors: except in the last block, the last start is the next block's first.
    const uint64_t vectors = num_vectors(array.length);
    const NewBuffer starts = make_buffer((times * vectors + 1) * sizeof(uint32_t));
    auto* to = reinterpret_cast<uint32_t*>(starts.data);
    const auto* from = reinterpret_cast<const uint32_t*>(array.buffers[0].bytes.data());
    for (uint64_t v = 0; v <= times * vectors; ++v) {
      to[v] = from[v % vectors] + static_cast<uint32_t>(v / vectors * patches);
    }
    all.buffers[0] = starts.buffer;
  }
  return all;
}

}  // namespace bobbin::bench
