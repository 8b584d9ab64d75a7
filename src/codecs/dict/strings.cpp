// SPDX-License-Identifier: Apache-2.0
// Strings of a dictionary on the CPU. Sizes and tests are computed per entry, not per row.
#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/dict/dict.hpp"
#include "codecs/dict/stream.hpp"
#include "codecs/gather.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::dict {
namespace {

constexpr uint64_t kChunk = 16;

const StringOps& ops_of(const Array& dictionary) {
  return *find_codec(dictionary.codec)->strings;
}

// Total size of all strings.
uint64_t total_of(const Array& array, const std::vector<uint64_t>& entry_sizes) {
  uint64_t total = 0;
  for_each_entry(array, [&](uint64_t, uint64_t entry) { total += entry_sizes[entry]; });
  return total;
}

// A dictionary's strings, padded by one chunk.
struct Entries {
  UnsetVector<uint64_t> offsets;  // one more than entries
  UnsetVector<uint8_t> bytes;
  uint64_t longest = 0;
};

Result<Entries> decode_string_entries(const Array& dictionary) {
  const StringOps& ops = ops_of(dictionary);
  const uint64_t bytes = ops.sizes(dictionary).bytes;
  Entries entries;
  entries.offsets.resize(dictionary.length + 1);
  entries.offsets[0] = 0;
  entries.bytes.resize(bytes + kChunk);
  std::memset(entries.bytes.data() + bytes, 0, kChunk);
  BOBBIN_TRY(ops.decode(dictionary, {entries.offsets.data() + 1, 0, std::span(entries.bytes).first(bytes)}));
  for (uint64_t e = 0; e < dictionary.length; ++e) {
    entries.longest = std::max(entries.longest, entries.offsets[e + 1] - entries.offsets[e]);
  }
  return entries;
}

Status wrong_total(uint64_t expected) {
  return {StatusCode::corrupt,
          "dict: the strings do not have " + std::to_string(expected) + " bytes in total"};
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

Status copy_all(const Array& array, const HostStringsOut& out) {
  BOBBIN_ASSIGN(const Entries entries, decode_string_entries(dictionary_of(array)));
  return visit_codes(codes_of(array).type, [&]<class Code>(std::type_identity<Code>) -> Status {
    Copier<Code> copier(entries, out);
    bool fits = true;
    for_each_batch<Code>(codes_of(array), [&](uint64_t first, std::span<const Code> codes) {
      fits = fits && copier.copy(first, codes);
    });
    return fits && copier.room() == 0 ? Status{} : wrong_total(out.bytes.size());
  });
}

template <class Code>
void append_with_nulls(const Entries& entries, const std::vector<uint8_t>& validity,
                       std::span<const Code> codes, Strings& out) {
  const Code last = last_code<Code>(entries.offsets.size() - 1);
  for (const Code code : codes) {
    const Code entry = std::min(code, last);
    if (!validity.empty() && (validity[entry / 8] >> (entry % 8) & 1) == 0) {
      out.push_null();
    } else {
      const uint64_t begin = entries.offsets[entry];
      out.push_back({entries.bytes.data() + begin, entries.offsets[entry + size_t{1}] - begin});
    }
  }
}

// Appends the strings with these codes. Decodes all entries.
template <class Code>
Status append_entries(const Array& dictionary, std::span<const Code> codes, Strings& out) {
  BOBBIN_ASSIGN(const Entries entries, decode_string_entries(dictionary));
  const std::vector<uint8_t> validity = ops_of(dictionary).validity(dictionary);
  if (!validity.empty() || !out.validity.empty()) {
    append_with_nulls(entries, validity, codes, out);
    return {};
  }
  const uint64_t rows = out.length();
  const uint64_t before = out.bytes.size();
  out.bytes.resize(before + total_bytes(entries, codes));
  out.offsets.resize(rows + 1 + codes.size());
  Copier<Code> copier(entries, {out.offsets.data() + rows + 1, before, std::span(out.bytes).subspan(before)});
  // In batches: only the last is copied without writing past its end.
  for (size_t first = 0; first < codes.size(); first += kBatchRows) {
    copier.copy(first, codes.subspan(first, std::min<size_t>(kBatchRows, codes.size() - first)));
  }
  return {};
}

// For a dictionary that is not worth decoding.
Status copy_few(const Array& array, const HostStringsOut& out) {
  std::vector<uint64_t> wanted(array.length);
  for_each_entry(array, [&](uint64_t i, uint64_t entry) { wanted[i] = entry; });
  Strings taken;
  BOBBIN_TRY(ops_of(dictionary_of(array)).take(dictionary_of(array), wanted, taken));
  if (taken.bytes.size() != out.bytes.size()) {
    return wrong_total(out.bytes.size());
  }
  for (size_t i = 0; i < array.length; ++i) {
    out.ends[i] = out.base + taken.offsets[i + 1];
  }
  std::ranges::copy(taken.bytes, out.bytes.begin());
  return {};
}

}  // namespace

StringSizes sizes(const Array& array) {
  const Array& dictionary = dictionary_of(array);
  const uint64_t bytes = total_of(array, ops_of(dictionary).lengths(dictionary));
  return StringSizes::of(bytes);
}

Status decode_strings(const Array& array, const HostStringsOut& out) {
  if (array.length == 0) {
    return out.bytes.empty() ? Status{} : wrong_total(out.bytes.size());
  }
  return is_few(array.length, dictionary_of(array).length) ? copy_few(array, out) : copy_all(array, out);
}

std::vector<uint8_t> validity(const Array& array) {
  const std::vector<uint8_t> entries = ops_of(dictionary_of(array)).validity(dictionary_of(array));
  std::vector<uint8_t> bits(entries.empty() ? 0 : ceil_div<uint64_t>(array.length, 8));
  if (!bits.empty()) {
    uint64_t word = 0;  // for up to 64 rows
    for_each_entry(array, [&](uint64_t i, uint64_t entry) {
      word |= uint64_t{entries[entry / 8] >> (entry % 8) & 1U} << (i % 64);
      if (i % 64 == 63 || i + 1 == array.length) {
        std::memcpy(bits.data() + i / 64 * 8, &word, i % 64 / 8 + 1);
        word = 0;
      }
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
  constexpr uint64_t kLookUp = 32;  // looking up one entry takes as long as decoding about this many
  if (indices.empty()) {
    return {};
  }
  const Array& dictionary = dictionary_of(array);
  return visit_codes(codes_of(array).type, [&]<class Code>(std::type_identity<Code>) -> Status {
    UnsetVector<Code> codes(indices.size());
    take_values(codes_of(array), indices, codes.data());
    if (dictionary.length / kLookUp <= indices.size()) {
      return append_entries<Code>(dictionary, codes, out);
    }
    std::vector<uint64_t> wanted(codes.begin(), codes.end());
    std::ranges::for_each(wanted, [&](uint64_t& entry) { entry = std::min(entry, dictionary.length - 1); });
    return ops_of(dictionary).take(dictionary, wanted, out);
  });
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
