// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "codecs/dict/stream.hpp"
#include "codecs/dict/strings.hpp"
#include "codecs/gather.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::dict {
namespace {

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

// Whether all entries take more memory than those of some rows.
bool outweighs(const Array& dictionary, std::span<const uint64_t> rows) {
  const std::vector<uint64_t> sizes = ops_of(dictionary).lengths(dictionary);
  uint64_t bytes = 0;
  for (const uint64_t entry : rows) {
    bytes += sizes[entry];
  }
  return is_large(dictionary, bytes);
}

}  // namespace

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
    const bool few = dictionary.length / kLookUp > indices.size();
    if (!few && !is_large(dictionary)) {
      return append_entries<Code>(dictionary, codes, out);
    }
    std::vector<uint64_t> wanted(codes.begin(), codes.end());
    std::ranges::for_each(wanted, [&](uint64_t& entry) { entry = std::min(entry, dictionary.length - 1); });
    if (!few && !outweighs(dictionary, wanted)) {
      return append_entries<Code>(dictionary, codes, out);
    }
    return ops_of(dictionary).take(dictionary, wanted, out);
  });
}

}  // namespace bobbin::codec::dict
