// SPDX-License-Identifier: Apache-2.0
// The strings of a dictionary, decoded on the CPU, and copied to the rows that have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::dict {

inline constexpr uint64_t kChunk = 16;

[[nodiscard]] inline const StringOps& ops_of(const Array& dictionary) {
  return *find_codec(dictionary.codec)->strings;
}

// A dictionary's strings, padded by one chunk.
struct Entries {
  UnsetVector<uint64_t> offsets;  // one more than entries
  UnsetVector<uint8_t> bytes;
  uint64_t longest = 0;
};

[[nodiscard]] Result<Entries> decode_string_entries(const Array& dictionary);

// Dictionaries whose entries have more bytes are decoded as a whole only for rows that have as many.
inline constexpr uint64_t kSmallDictionary = uint64_t{8} << 20;

[[nodiscard]] inline bool is_large(const Array& dictionary) {
  return ops_of(dictionary).sizes(dictionary).bytes > kSmallDictionary;
}
// Whether the entries take more memory than rows of `row_bytes` bytes.
[[nodiscard]] inline bool is_large(const Array& dictionary, uint64_t row_bytes) {
  return ops_of(dictionary).sizes(dictionary).bytes > std::max(kSmallDictionary, row_bytes);
}

// Copies whole chunks, one instruction each, reading and writing past the end. Most strings fit in one.
inline void copy_chunks(uint8_t* to, const uint8_t* from, uint64_t size) {
  constexpr uint64_t kLong = 256;
  std::memcpy(to, from, kChunk);
  if (size > kLong) {
    std::memcpy(to, from, size);
    return;
  }
  for (uint64_t at = kChunk; at < size; at += kChunk) {
    std::memcpy(to + at, from + at, kChunk);
  }
}

// Total size of the strings with these codes.
template <class Code>
uint64_t total_bytes(const Entries& entries, std::span<const Code> codes) {
  const Code last = last_code<Code>(entries.offsets.size() - 1);
  uint64_t bytes = 0;
  for (const Code code : codes) {
    const Code entry = std::min(code, last);
    bytes += entries.offsets[entry + size_t{1}] - entries.offsets[entry];
  }
  return bytes;
}

// Appends strings to the output.
template <class Code>
class Copier {
 public:
  Copier(const Entries& entries, const HostStringsOut& out)
      : entries_(entries), last_(last_code<Code>(entries.offsets.size() - 1)), out_(out) {}

  // Returns false if the strings do not fit.
  bool copy(uint64_t first, std::span<const Code> codes) {
    uint64_t bytes = codes.size() * entries_.longest;
    if (bytes + kChunk > room()) {
      bytes = bytes_of(codes);
    }
    if (bytes > room()) {
      return false;
    }
    if (bytes + kChunk <= room()) {
      put(first, codes, [](uint8_t* to, const uint8_t* from, uint64_t size) { copy_chunks(to, from, size); });
    } else {
      put(first, codes, [](uint8_t* to, const uint8_t* from, uint64_t size) { std::copy_n(from, size, to); });
    }
    return true;
  }
  [[nodiscard]] uint64_t room() const { return out_.bytes.size() - at_; }

 private:
  [[nodiscard]] uint64_t bytes_of(std::span<const Code> codes) const {
    return total_bytes<Code>(entries_, codes);
  }
  template <class Copy>
  void put(uint64_t first, std::span<const Code> codes, Copy&& copy_string) {
    const uint64_t* const offsets = entries_.offsets.data();
    const uint8_t* const from = entries_.bytes.data();
    uint64_t* const ends = out_.ends + first;
    uint8_t* const to = out_.bytes.data();
    uint64_t at = at_;
    for (size_t k = 0; k < codes.size(); ++k) {
      const Code entry = std::min(codes[k], last_);
      const uint64_t begin = offsets[entry];
      const uint64_t size = offsets[entry + size_t{1}] - begin;
      copy_string(to + at, from + begin, size);
      at += size;
      ends[k] = out_.base + at;
    }
    at_ = at;
  }

  const Entries& entries_;
  Code last_;
  HostStringsOut out_;
  uint64_t at_ = 0;
};

}  // namespace bobbin::codec::dict
