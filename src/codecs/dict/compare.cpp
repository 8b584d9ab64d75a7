// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/compare_child.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/dict/stream.hpp"
#include "codecs/dict/strings.hpp"
#include "core/bits.hpp"
#include "core/dispatch.hpp"
#include "core/scalar.hpp"
#include "core/vectors.hpp"

namespace bobbin::codec::dict {
namespace {

// 1 for each value in one of the ranges.
template <class T>
std::vector<uint8_t> test(std::span<const BitsOf<T>> values, std::span<const ValueRange> ranges) {
  using Bits = BitsOf<T>;
  std::vector<uint8_t> passes(values.size(), 0);
  for (const ValueRange& range : ranges) {
    const auto low = static_cast<Bits>(range.low);
    const auto span = static_cast<Bits>(range.span);
    for (size_t i = 0; i < values.size(); ++i) {
      const auto from_low = static_cast<Bits>(range_key<T>(values[i]) - low);
      passes[i] |= static_cast<uint8_t>((from_low <= span) != range.negated);
    }
  }
  return passes;
}

template <class T>
std::vector<uint8_t> test_all(const Array& array, std::span<const ValueRange> ranges) {
  std::vector<BitsOf<T>> values(array.length);
  find_codec(array.codec)->decode(array, values.data());
  return test<T>(values, ranges);
}

// The passing codes as one range, or as all but one range, if possible. Only entries that codes can address
// are examined; codes past the last entry mean the last.
std::optional<ValueRange> range_of(std::span<const uint8_t> passes, DType codes) {
  const uint64_t greatest = low_mask<uint64_t>(size_bits(codes));
  passes = passes.first(std::min<uint64_t>(passes.size(), greatest + 1));
  if (std::ranges::find(passes, 1) == passes.end()) {
    return ValueRange::none(codes);
  }
  // From the first entry that differs from entry 0 to the last such.
  const auto others = static_cast<uint8_t>(1 - passes[0]);
  const auto first = static_cast<uint64_t>(std::ranges::find(passes, others) - passes.begin());
  if (first == passes.size()) {
    return ValueRange::all(codes);
  }
  const auto after = std::find(passes.begin() + static_cast<ptrdiff_t>(first), passes.end(), passes[0]);
  if (std::find(after, passes.end(), others) != passes.end()) {
    return std::nullopt;
  }
  if (others == 0 && after == passes.end()) {
    return ValueRange{.low = 0, .span = first - 1, .negated = false};
  }
  const uint64_t last = after == passes.end() ? greatest : static_cast<uint64_t>(after - passes.begin()) - 1;
  return ValueRange{.low = first, .span = last - first, .negated = others == 0};
}

// Calls rows(begin, length, to) for each vector's rows: it sets to[k] to 0 if row begin + k passes.
template <class Rows>
void compare_rows(const Array& array, uint32_t* bitmap, Rows&& rows) {
  compare_vectors<uint8_t>(
      array.offset + array.length, 0, false, bitmap,
      [&](uint64_t v, uint32_t /*rows*/, uint8_t* to) {
        const uint64_t first = std::max(v * kVectorLength, array.offset);
        const uint64_t end = std::min((v + 1) * kVectorLength, array.offset + array.length);
        std::fill_n(to, kVectorLength, uint8_t{1});
        rows(first - array.offset, end - first, to + first % kVectorLength);
      },
      [](uint64_t) { return uint8_t{0}; });
}

// For codes that are not a range: each is looked up.
template <class Code>
void compare_codes(const Array& array, const std::vector<uint8_t>& passes, uint32_t* bitmap) {
  const Array& codes = codes_of(array);
  const Codec& codec = *find_codec(codes.codec);
  const Code last = last_code<Code>(passes.size());
  std::vector<Code> vector(kVectorLength);
  compare_rows(array, bitmap, [&](uint64_t begin, uint64_t length, uint8_t* to) {
    codec.decode(codec.slice(codes, begin, length), vector.data());
    for (uint64_t k = 0; k < length; ++k) {
      to[k] = static_cast<uint8_t>(1 - passes[std::min(vector[k], last)]);
    }
  });
}

// For fewer rows than entries.
template <class T>
void compare_few(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  const std::vector<uint8_t> passes = test_all<T>(array, std::span(&range, 1));
  compare_rows(array, bitmap, [&](uint64_t begin, uint64_t length, uint8_t* to) {
    for (uint64_t k = 0; k < length; ++k) {
      to[k] = static_cast<uint8_t>(1 - passes[begin + k]);
    }
  });
}

}  // namespace

CodeSet CodeSet::of(std::vector<uint8_t> passes, DType codes) {
  CodeSet set{std::move(passes), {}};
  set.range = range_of(set.passes, codes);
  return set;
}

CodeSet CodeSet::of(const Values& entries, DType codes, std::span<const ValueRange> ranges) {
  return visit_type(entries.type, [&]<class T>(std::type_identity<T>) {
    return of(test<T>(entries.as<BitsOf<T>>(), ranges), codes);
  });
}

CodeSet CodeSet::of(const Values& entries, DType codes, const std::vector<uint8_t>& passes) {
  std::vector<uint8_t> picked(entries.length);
  visit_codes(entries.type, [&]<class Code>(std::type_identity<Code>) {
    const Code last = last_code<Code>(passes.size());
    std::ranges::transform(entries.as<Code>(), picked.begin(),
                           [&](Code code) { return passes[std::min(code, last)]; });
  });
  return of(std::move(picked), codes);
}

CodeSet code_set(const Array& array, std::span<const ValueRange> ranges) {
  return visit_type(array.type, [&]<class T>(std::type_identity<T>) {
    return CodeSet::of(test_all<T>(dictionary_of(array), ranges), codes_of(array).type);
  });
}

void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  if (array.length == 0) {
    return;
  }
  if (array.length < dictionary_of(array).length) {
    visit_type(array.type, [&]<class T>(std::type_identity<T>) { compare_few<T>(array, range, bitmap); });
    return;
  }
  const CodeSet set = code_set(array, std::span(&range, 1));
  visit_codes(codes_of(array).type, [&]<class Code>(std::type_identity<Code>) {
    if (set.range.has_value()) {
      compare_child<Code>(codes_of(array), *set.range, bitmap);
    } else {
      compare_codes<Code>(array, set.passes, bitmap);
    }
  });
}

// Entries are tested, not rows.
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
