// SPDX-License-Identifier: Apache-2.0
// Strings of a dictionary on the CPU. What has to be found out about a string is found out of its entry.
#include <cstring>

#include "codecs/dict/dict.hpp"
#include "codecs/dict/stream.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::dict {
namespace {

constexpr uint64_t kChunk = 16;

const StringOps& ops_of(const Array& dictionary) {
  return *find_codec(dictionary.codec)->strings;
}

// Bytes of all strings together.
uint64_t total_of(const Array& array, const std::vector<uint64_t>& entry_sizes) {
  uint64_t total = 0;
  for_each_entry(array, [&](uint64_t, uint64_t entry) { total += entry_sizes[entry]; });
  return total;
}

// A dictionary's strings, with a chunk of room behind them.
struct Entries {
  std::vector<uint64_t> begins;
  std::vector<uint8_t> bytes;
};

Result<Entries> decode_entries(const Array& dictionary, const std::vector<uint64_t>& entry_sizes) {
  const StringOps& ops = ops_of(dictionary);
  const StringSizes sizes = ops.sizes(dictionary);
  Entries entries{std::vector<uint64_t>(dictionary.length), std::vector<uint8_t>(sizes.bytes + kChunk)};
  std::vector<uint64_t> offsets(dictionary.length + 1);  // also for ones of 32 bits
  BOBBIN_TRY(ops.decode(dictionary, {offsets.data(), entries.bytes.data()}));
  uint64_t at = 0;
  for (uint64_t e = 0; e < dictionary.length; ++e) {
    entries.begins[e] = at;
    at += entry_sizes[e];
  }
  return entries;
}

template <class Offset>
Status copy_all(const Array& array, const std::vector<uint64_t>& entry_sizes, uint64_t total, Offset* offsets,
                uint8_t* bytes) {
  BOBBIN_ASSIGN(const Entries entries, decode_entries(dictionary_of(array), entry_sizes));
  uint64_t at = 0;
  offsets[0] = 0;
  for_each_entry(array, [&](uint64_t i, uint64_t entry) {
    const uint64_t size = entry_sizes[entry];
    const uint8_t* const from = entries.bytes.data() + entries.begins[entry];
    if (size <= kChunk && at + kChunk <= total) {
      std::memcpy(bytes + at, from, kChunk);  // a copy of fixed size is one instruction
    } else if (size != 0) {
      std::memcpy(bytes + at, from, size);
    }
    at += size;
    offsets[i + 1] = static_cast<Offset>(at);
  });
  return {};
}

// Of a dictionary that is not worth decoding.
template <class Offset>
Status copy_few(const Array& array, Offset* offsets, uint8_t* bytes) {
  std::vector<uint64_t> wanted(array.length);
  for_each_entry(array, [&](uint64_t i, uint64_t entry) { wanted[i] = entry; });
  Strings taken;
  BOBBIN_TRY(ops_of(dictionary_of(array)).take(dictionary_of(array), wanted, taken));
  for (size_t i = 0; i < taken.offsets.size(); ++i) {
    offsets[i] = static_cast<Offset>(taken.offsets[i]);
  }
  if (!taken.bytes.empty()) {
    std::memcpy(bytes, taken.bytes.data(), taken.bytes.size());
  }
  return {};
}

template <class Offset>
Status decode_to(const Array& array, const std::vector<uint64_t>& entry_sizes, uint64_t total,
                 const StringsOut& out) {
  auto* const offsets = static_cast<Offset*>(out.offsets);
  return is_few(array.length, dictionary_of(array).length)
             ? copy_few(array, offsets, out.bytes)
             : copy_all(array, entry_sizes, total, offsets, out.bytes);
}

}  // namespace

StringSizes sizes(const Array& array) {
  const Array& dictionary = dictionary_of(array);
  const uint64_t bytes = total_of(array, ops_of(dictionary).lengths(dictionary));
  return {.wide = needs_wide_offsets(bytes), .bytes = bytes};
}

Status decode_strings(const Array& array, const StringsOut& out) {
  const Array& dictionary = dictionary_of(array);
  const std::vector<uint64_t> entry_sizes = ops_of(dictionary).lengths(dictionary);
  const uint64_t total = total_of(array, entry_sizes);
  return needs_wide_offsets(total) ? decode_to<uint64_t>(array, entry_sizes, total, out)
                                   : decode_to<uint32_t>(array, entry_sizes, total, out);
}

std::vector<uint8_t> validity(const Array& array) {
  const std::vector<uint8_t> entries = ops_of(dictionary_of(array)).validity(dictionary_of(array));
  std::vector<uint8_t> bits(entries.empty() ? 0 : ceil_div<uint64_t>(array.length, 8));
  if (!bits.empty()) {
    for_each_entry(array, [&](uint64_t i, uint64_t entry) {
      const uint32_t there = entries[entry / 8] >> (entry % 8) & 1U;
      bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | there << (i % 8));
    });
  }
  return bits;
}

std::vector<uint64_t> lengths(const Array& array) {
  const std::vector<uint64_t> entry_sizes = ops_of(dictionary_of(array)).lengths(dictionary_of(array));
  std::vector<uint64_t> sizes(array.length);
  for_each_entry(array, [&](uint64_t i, uint64_t entry) { sizes[i] = entry_sizes[entry]; });
  return sizes;
}

Status take(const Array& array, std::span<const uint64_t> indices, Strings& out) {
  const Array& codes = codes_of(array);
  const Array& dictionary = dictionary_of(array);
  const Codec& codec = *find_codec(codes.codec);
  std::vector<uint64_t> wanted(indices.begin(), indices.end());
  for (uint64_t& index : wanted) {
    index = std::min(codec.value_at(codes, index).bits, dictionary.length - 1);
  }
  return ops_of(dictionary).take(dictionary, wanted, out);
}

Status match(const Array& array, const StringQuery& query, uint32_t* bitmap) {
  const Array& dictionary = dictionary_of(array);
  std::vector<uint32_t> passes(ceil_div<uint64_t>(dictionary.length, 32));
  BOBBIN_TRY(ops_of(dictionary).match(dictionary, query, passes.data()));
  std::fill_n(bitmap, ceil_div<uint64_t>(array.length, 32), 0U);
  for_each_entry(array, [&](uint64_t i, uint64_t entry) {
    bitmap[i / 32] |= (passes[entry / 32] >> (entry % 32) & 1U) << (i % 32);
  });
  return {};
}

}  // namespace bobbin::codec::dict
