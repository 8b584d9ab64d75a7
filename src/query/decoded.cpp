// SPDX-License-Identifier: Apache-2.0
#include "query/decoded.hpp"

#include <algorithm>
#include <cmath>

#include "array/strings.hpp"
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

}  // namespace

Result<DecodedColumn> DecodedColumn::of(const Array& array) {
  DecodedColumn decoded;
  decoded.type_ = array.type;
  decoded.length_ = array.length;
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

Result<DecodedColumn> DecodedColumn::of(const Array& array, std::span<const uint64_t> rows) {
  DecodedColumn decoded;
  decoded.type_ = array.type;
  decoded.length_ = rows.size();
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
  std::vector<uint64_t> rows;
  for (size_t w = 0; w < words.size(); ++w) {
    for (uint32_t bits = words[w]; bits != 0; bits &= bits - 1) {
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
