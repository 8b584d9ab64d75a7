// SPDX-License-Identifier: Apache-2.0
// Strings of a dictionary on the CPU: their total size, computed per entry, and all of them.
#include "codecs/dict/strings.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/dict/stream.hpp"

namespace bobbin::codec::dict {
namespace {

// Total size of all strings.
uint64_t total_of(const Array& array, const std::vector<uint64_t>& entry_sizes) {
  uint64_t total = 0;
  for_each_entry(array, [&](uint64_t, uint64_t entry) { total += entry_sizes[entry]; });
  return total;
}

Status wrong_total(uint64_t expected) {
  return {StatusCode::corrupt,
          "dict: the strings do not have " + std::to_string(expected) + " bytes in total"};
}

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

StringSizes sizes(const Array& array) {
  const Array& dictionary = dictionary_of(array);
  const uint64_t bytes = total_of(array, ops_of(dictionary).lengths(dictionary));
  return StringSizes::of(bytes);
}

Status decode(const Array& array, const HostStringsOut& out) {
  if (array.length == 0) {
    return out.bytes.empty() ? Status{} : wrong_total(out.bytes.size());
  }
  const Array& dictionary = dictionary_of(array);
  return is_few(array.length, dictionary.length) || is_large(dictionary, out.bytes.size())
             ? copy_few(array, out)
             : copy_all(array, out);
}

}  // namespace bobbin::codec::dict
