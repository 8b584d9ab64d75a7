// SPDX-License-Identifier: Apache-2.0
#include "query/decoded.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "array/strings.hpp"
#include "codecs/dict/dict.hpp"
#include "plan/column_plan.hpp"
#include "query/value.hpp"

namespace bobbin::query {
namespace {

// Calls f(row) for each row and keeps those for which it returns true.
template <class F>
BitmapWords select_rows(const DecodedColumn& column, F&& f) {
  BitmapWords words((column.length() + 31) / 32);
  for (uint64_t row = 0; row < column.length(); ++row) {
    if (!column.is_null(row) && f(row)) {
      words[row / 32] |= 1U << (row % 32);
    }
  }
  return words;
}

template <class T>
int compare_numbers(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
    }
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

int compare_texts(std::string_view a, std::string_view b) {
  const int sign = a.compare(b);
  return sign < 0 ? -1 : sign > 0 ? 1 : 0;
}

// One bit for each of some rows.
array::Bitmap pick(const array::Bitmap& bitmap, std::span<const uint64_t> rows) {
  array::Bitmap picked{.words = std::vector<uint32_t>((rows.size() + 31) / 32), .length = rows.size()};
  for (size_t i = 0; i < rows.size(); ++i) {
    picked.words[i / 32] |= static_cast<uint32_t>(bitmap.at(rows[i])) << (i % 32);
  }
  return picked;
}

array::Bitmap bitmap_of(std::span<const uint64_t> rows, uint64_t length) {
  array::Bitmap bitmap{.words = std::vector<uint32_t>((length + 31) / 32), .length = length};
  for (const uint64_t row : rows) {
    bitmap.words[row / 32] |= 1U << (row % 32);
  }
  return bitmap;
}

// Numbers of some rows; few of them are decoded alone.
Status decode_rows(const Array& array, std::span<const uint64_t> rows, std::span<std::byte> out) {
  constexpr uint64_t kFew = 64;
  return rows.size() <= array.length / kFew ? array::take(array, rows, out)
                                            : array::filter(array, bitmap_of(rows, array.length), out);
}

// Entries by decode(where to), in the type of codes; those past the last mean the last.
template <class Decode>
Result<std::vector<uint32_t>> decode_codes(const Array& array, uint64_t count, Decode&& decode) {
  std::vector<uint32_t> entries(count);
  const Status status =
      codec::dict::visit_codes(codec::dict::codes_of(array).type, [&]<class Code>(std::type_identity<Code>) {
        UnsetVector<Code> codes(count);
        const Status done = decode(std::as_writable_bytes(std::span(codes)));
        const Code last = codec::dict::last_code<Code>(codec::dict::dictionary_of(array).length);
        std::ranges::transform(codes, entries.begin(), [&](Code code) { return std::min(code, last); });
        return done;
      });
  return status.ok() ? Result<std::vector<uint32_t>>(std::move(entries)) : status;
}

// Decodes the entries that the codes name, and renumbers the codes.
Result<std::shared_ptr<const StringEntries>> used_entries(const Array& dictionary,
                                                          std::vector<uint32_t>& codes) {
  std::vector<uint32_t> used = codes;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const std::vector<uint64_t> wanted(used.begin(), used.end());
  BOBBIN_ASSIGN(Strings strings, array::take_strings(dictionary, wanted, Backend::cpu));
  for (uint32_t& code : codes) {
    code = static_cast<uint32_t>(std::ranges::lower_bound(used, code) - used.begin());
  }
  return std::make_shared<const StringEntries>(std::move(strings));
}

}  // namespace

std::span<const uint32_t> StringEntries::ranks() const {
  if (!ranks_.empty() || length() == 0) {
    return ranks_;
  }
  const auto compare = [&](uint32_t a, uint32_t b) {
    return is_null(a) || is_null(b) ? static_cast<int>(is_null(b)) - static_cast<int>(is_null(a))
                                    : compare_texts(text(a), text(b));
  };
  std::vector<uint32_t> order(length());
  std::iota(order.begin(), order.end(), 0U);
  const auto descends = [&](uint32_t a, uint32_t b) { return compare(a, b) > 0; };
  if (std::ranges::adjacent_find(order, descends) != order.end()) {
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return compare(a, b) < 0; });
  }
  ranks_.resize(length());
  for (size_t i = 1; i < order.size(); ++i) {
    ranks_[order[i]] = ranks_[order[i - 1]] + (compare(order[i - 1], order[i]) != 0 ? 1 : 0);
  }
  return ranks_;
}

bool has_string_entries(const Array& array) {
  return is_string(array.type) && array.codec == CodecId::dict && array.length != 0;
}

Result<std::vector<uint32_t>> decode_string_codes(const Array& array) {
  return decode_codes(array, array.length, [&](std::span<std::byte> out) {
    return array::decode(codec::dict::codes_of(array), out);
  });
}

Result<std::shared_ptr<const StringEntries>> string_entries(const Array& array) {
  const Array& dictionary = codec::dict::dictionary_of(array);
  if (array::string_bytes(dictionary) > kMostEntryBytes) {
    return std::shared_ptr<const StringEntries>();
  }
  BOBBIN_ASSIGN(Strings strings, array::decode_strings(dictionary, Backend::cpu));
  return std::make_shared<const StringEntries>(std::move(strings));
}

Result<DecodedColumn> DecodedColumn::of(const Array& array, std::shared_ptr<const StringEntries> entries) {
  DecodedColumn decoded;
  decoded.type_ = array.type;
  decoded.length_ = array.length;
  if (has_string_entries(array)) {
    BOBBIN_ASSIGN(decoded.codes_, decode_string_codes(array));
    return std::move(decoded).with_entries(array, std::move(entries));
  }
  if (is_string(array.type)) {
    BOBBIN_ASSIGN(decoded.strings_, array::decode_strings(array, Backend::cpu));
    return decoded;
  }
  if (array::has_nulls(array)) {
    BOBBIN_ASSIGN(decoded.validity_, array::validity(array));
  }
  decoded.bytes_.resize(array.length * size_bytes(array.type));
  BOBBIN_TRY(array::decode(plan::values_of(array), decoded.bytes_));
  return decoded;
}

Result<DecodedColumn> DecodedColumn::of(const Array& array, std::span<const uint64_t> rows,
                                        std::shared_ptr<const StringEntries> entries) {
  DecodedColumn decoded;
  decoded.type_ = array.type;
  decoded.length_ = rows.size();
  if (has_string_entries(array)) {
    const auto decode = [&](std::span<std::byte> out) {
      return decode_rows(codec::dict::codes_of(array), rows, out);
    };
    BOBBIN_ASSIGN(decoded.codes_, decode_codes(array, rows.size(), decode));
    return std::move(decoded).with_entries(array, std::move(entries));
  }
  if (is_string(array.type)) {
    BOBBIN_ASSIGN(decoded.strings_, array::take_strings(array, rows, Backend::cpu));
    return decoded;
  }
  if (array::has_nulls(array)) {
    BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(array));
    decoded.validity_ = pick(validity, rows);
  }
  decoded.bytes_.resize(rows.size() * size_bytes(array.type));
  BOBBIN_TRY(array::filter(plan::values_of(array), bitmap_of(rows, array.length), decoded.bytes_));
  return decoded;
}

Result<DecodedColumn> DecodedColumn::with_entries(const Array& array,
                                                  std::shared_ptr<const StringEntries> entries) && {
  entries_ = std::move(entries);
  if (entries_ == nullptr) {
    BOBBIN_ASSIGN(entries_, used_entries(codec::dict::dictionary_of(array), codes_));
  }
  return std::move(*this);
}

Value DecodedColumn::value(const Column& column, uint64_t row) const {
  return is_null(row)       ? Value()
         : is_string(type_) ? Value::of_text(std::string(text(row)))
                            : to_value(column, scalar(row));
}

int compare_values(const DecodedColumn& a, uint64_t row_a, const DecodedColumn& b, uint64_t row_b) {
  const bool null_a = a.is_null(row_a);
  const bool null_b = b.is_null(row_b);
  if (null_a || null_b) {
    return static_cast<int>(null_b) - static_cast<int>(null_a);
  }
  if (a.entries() != nullptr && a.entries() == b.entries()) {
    const auto ranks = a.entries()->ranks();
    return compare_numbers(ranks[a.entry(row_a)], ranks[b.entry(row_b)]);
  }
  if (is_string(a.type())) {
    return compare_texts(a.text(row_a), b.text(row_b));
  }
  return visit_type(a.type(), [&]<class T>(std::type_identity<T>) {
    return compare_numbers(a.number<T>(row_a), b.number<T>(row_b));
  });
}

int compare_values(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.is_null()) {
    return static_cast<int>(b.is_null()) - static_cast<int>(a.is_null());
  }
  return a.kind == Value::Kind::integer ? compare_numbers(a.integer, b.integer)
         : a.kind == Value::Kind::real  ? compare_numbers(a.real, b.real)
                                        : compare_texts(a.text, b.text);
}

std::vector<uint64_t> rows_of(std::span<const uint32_t> words) {
  return rows_of(words, 0, words.size() * 32);
}

std::vector<uint64_t> rows_of(std::span<const uint32_t> words, uint64_t begin, uint64_t end) {
  std::vector<uint64_t> rows;
  for (uint64_t w = begin / 32; w * 32 < end; ++w) {
    uint32_t bits = words[w];
    bits &= w == begin / 32 ? ~uint32_t{0} << (begin % 32) : ~uint32_t{0};
    bits &= end - w * 32 < 32 ? low_mask<uint32_t>(static_cast<uint32_t>(end - w * 32)) : ~uint32_t{0};
    for (; bits != 0; bits &= bits - 1) {
      rows.push_back(w * 32 + static_cast<uint32_t>(std::countr_zero(bits)));
    }
  }
  return rows;
}

BitmapWords matching_rows(const DecodedColumn& strings, const StringTests& tests) {
  return select_rows(strings, [&](uint64_t row) { return tests.matches(strings.text(row)); });
}

BitmapWords rows_in_set(const DecodedColumn& numbers, const KeySet& set) {
  return visit_type(numbers.type(), [&]<class T>(std::type_identity<T>) {
    return select_rows(numbers, [&](uint64_t row) { return set.holds(set_key(numbers.number<T>(row))); });
  });
}

}  // namespace bobbin::query
