// SPDX-License-Identifier: Apache-2.0
// Iterates over an array's codes a few vectors at a time, so that they stay in a cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::dict {

inline constexpr uint64_t kBatchRows = 8 * uint64_t{kVectorLength};
// Decoded at once, because slicing some codecs, such as rle, needs a search.
inline constexpr uint64_t kCodesRows = 8 * kBatchRows;

// Calls f(first, codes) for each batch of rows in order; `first` is its first row. Batches begin and end at
// vector boundaries.
template <class Code, class F>
void for_each_batch(const Array& codes, F&& f) {
  const Codec& codec = *find_codec(codes.codec);
  const uint64_t end = codes.offset + codes.length;
  UnsetVector<Code> decoded(std::min(kCodesRows, codes.length));
  for (uint64_t at = codes.offset; at < end;) {
    const uint64_t stop = std::min((at / kCodesRows + 1) * kCodesRows, end);
    codec.decode(codec.slice(codes, at - codes.offset, stop - at), decoded.data());
    for (std::span<const Code> rest(decoded.data(), stop - at); at < stop;) {
      const size_t rows = std::min((at / kBatchRows + 1) * kBatchRows, stop) - at;
      f(at - codes.offset, rest.first(rows));
      rest = rest.subspan(rows);
      at += rows;
    }
  }
}

// Calls f(i, entry) for each row i with the index of its entry.
template <class F>
void for_each_entry(const Array& array, F&& f) {
  visit_codes(codes_of(array).type, [&]<class Code>(std::type_identity<Code>) {
    const uint64_t entries = dictionary_of(array).length;
    if (entries == 0) {
      return;  // there are no rows either
    }
    const Code last = last_code<Code>(entries);
    for_each_batch<Code>(codes_of(array), [&](uint64_t first, std::span<const Code> codes) {
      for (size_t k = 0; k < codes.size(); ++k) {
        f(first + k, std::min(codes[k], last));
      }
    });
  });
}

}  // namespace bobbin::codec::dict
