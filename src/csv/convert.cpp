// SPDX-License-Identifier: Apache-2.0
#include "csv/convert.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/digits.hpp"
#include "core/dispatch.hpp"
#include "core/value_text.hpp"
#include "csv/guess.hpp"
#include "file/text.hpp"

namespace bobbin::csv {
namespace {

// A validity bitmap, written 64 rows at a time.
class Validity {
 public:
  explicit Validity(std::vector<uint64_t>& words) : words_(words) { words_.clear(); }

  void push(bool there) {
    word_ |= uint64_t{there} << count_;
    nulls_ |= !there;
    if (++count_ == 64) {
      flush();
    }
  }
  // Returns whether there was a null.
  bool finish() {
    flush();
    return nulls_;
  }

 private:
  void flush() {
    words_.push_back(word_);
    word_ = 0;
    count_ = 0;
  }

  std::vector<uint64_t>& words_;
  uint64_t word_ = 0;
  uint32_t count_ = 0;
  bool nulls_ = false;
};

// Integers of any size.
template <class T>
bool read_integer(std::string_view text, T& value) {
  if (uint64_t digits = 0; read_short(text, digits)) {
    value = static_cast<T>(digits);
    return std::in_range<T>(digits);
  }
  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t> wide = 0;
  TextError error = TextError::none;
  if constexpr (std::is_signed_v<T>) {
    error = parse_signed(text, wide);
  } else {
    error = parse_unsigned(text, wide);
  }
  value = static_cast<T>(wide);
  return error == TextError::none && std::in_range<T>(wide);
}

template <class T>
bool read_scaled(std::string_view text, uint8_t scale, T& value) {
  int64_t wide = 0;
  const bool fine = parse_decimal(text, scale, wide) == TextError::none && std::in_range<T>(wide);
  value = static_cast<T>(wide);
  return fine;
}

// What most numbers are: up to eight digits, as they would be printed again. Others go the long way.
bool read_short(std::string_view text, int64_t& value) {
  uint64_t digits = 0;
  if (text.empty() || text.size() > 8 || (text[0] == '0' && text.size() > 1) ||
      !parse_digits(text.data(), text.size(), digits)) {
    return false;
  }
  value = static_cast<int64_t>(digits);
  return true;
}

// The same of decimals: up to eight digits before the point and as many behind it.
bool read_short_decimal(std::string_view text, uint8_t scale, int64_t& value) {
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  uint64_t behind = 0;
  if (scale > 8 || fraction.size() > scale || (point != text.size() && fraction.empty()) ||
      !read_short(text.substr(0, point), value) ||
      (!fraction.empty() && !parse_digits(fraction.data(), fraction.size(), behind))) {
    return false;
  }
  value = value * static_cast<int64_t>(kPowersOfTen[scale]) +
          static_cast<int64_t>(behind * kPowersOfTen[scale - fraction.size()]);
  return true;
}

// Copies short texts, which most are, by sixteen bytes. Both sides have room for that.
uint8_t* copy_text(uint8_t* out, const RawField& field) {
  if (field.escaped) {
    return reinterpret_cast<uint8_t*>(unescape(field.text(), reinterpret_cast<char*>(out)));
  }
  if (field.size <= 16) {
    std::memcpy(out, field.data, 16);
  } else {
    std::memcpy(out, field.data, field.size);
  }
  return out + field.size;
}
constexpr size_t kCopyRoom = 16;

}  // namespace

NullTest::NullTest(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    empty_ = empty_ || text.empty();
    longest_ = std::max(longest_, text.size());
    texts_.push_back(text);
  }
}

bool NullTest::is_listed(std::string_view text) const {
  return std::ranges::find(texts_, text) != texts_.end();
}

template <class T, class Read>
size_t ColumnBuilder::convert_numbers(const Rows& rows, size_t column, const NullTest& is_null,
                                      const Read& read) {
  values_.resize((rows.count * sizeof(T) + 7) / 8);
  T* const values = reinterpret_cast<T*>(values_.data());
  Validity validity(validity_);
  std::string scratch;
  for (size_t r = 0; r < rows.count; ++r) {
    const RawField field = rows.scanner.field(r, column, rows.fields);
    const bool null = is_null(field);
    validity.push(!null);
    T value{};
    if (!null && !read(value_of(field, scratch), value)) {
      return r;
    }
    values[r] = value;
  }
  has_nulls_ = validity.finish();
  return rows.count;
}

size_t ColumnBuilder::convert_strings(const Rows& rows, size_t column, const NullTest& is_null) {
  size_t size = kCopyRoom;
  for (size_t r = 0; r < rows.count; ++r) {
    size += rows.scanner.field(r, column, rows.fields).size;
  }
  if (bytes_.size() < size) {
    bytes_.resize(size);
  }
  offsets_.resize(rows.count + 1);
  const bool check = type_.type == DType::utf8 && !rows.is_utf8;
  Validity validity(validity_);
  uint8_t* out = bytes_.data();
  for (size_t r = 0; r < rows.count; ++r) {
    const RawField field = rows.scanner.field(r, column, rows.fields);
    const bool null = is_null(field);
    validity.push(!null);
    offsets_[r] = static_cast<uint32_t>(out - bytes_.data());
    if ((check && !file::is_utf8(field.text())) || (accept_ == Accept::nulls && !null)) {
      return r;
    }
    out = null ? out : copy_text(out, field);
  }
  offsets_[rows.count] = static_cast<uint32_t>(out - bytes_.data());
  has_nulls_ = validity.finish();
  return rows.count;
}

// The types that are guessed.
size_t ColumnBuilder::convert_strictly(const Rows& rows, size_t column, const NullTest& is_null) {
  const Logical& logical = type_.logical;
  switch (logical.kind) {
    case Logical::Kind::boolean:
      break;  // as always
    case Logical::Kind::date:
      return convert_numbers<int32_t>(rows, column, is_null, &read_date);
    case Logical::Kind::timestamp:
      return convert_numbers<int64_t>(rows, column, is_null, [&](std::string_view text, int64_t& value) {
        return read_timestamp(text, logical.unit, value);
      });
    case Logical::Kind::decimal:
      return convert_numbers<int64_t>(rows, column, is_null, [&](std::string_view text, int64_t& value) {
        return read_short_decimal(text, logical.scale, value) || read_decimal(text, logical.scale, value);
      });
    case Logical::Kind::plain:
      if (type_.type == DType::i64) {
        return convert_numbers<int64_t>(rows, column, is_null, [](std::string_view text, int64_t& value) {
          return read_short(text, value) || read_signed(text, value);
        });
      }
      if (type_.type == DType::u64) {
        return convert_numbers<uint64_t>(rows, column, is_null, &read_unsigned);
      }
      return convert_numbers<double>(rows, column, is_null, &read_double);
  }
  return convert_plain(rows, column, is_null);
}

size_t ColumnBuilder::convert_plain(const Rows& rows, size_t column, const NullTest& is_null) {
  const Logical& logical = type_.logical;
  switch (logical.kind) {
    case Logical::Kind::boolean:
      return convert_numbers<uint8_t>(rows, column, is_null, [](std::string_view text, uint8_t& value) {
        return parse_boolean(text, value) == TextError::none;
      });
    case Logical::Kind::date:
      return convert_numbers<int32_t>(rows, column, is_null, [](std::string_view text, int32_t& value) {
        return parse_date(text, value) == TextError::none;
      });
    case Logical::Kind::timestamp:
      return convert_numbers<int64_t>(rows, column, is_null, [&](std::string_view text, int64_t& value) {
        return parse_timestamp(text, logical.unit, value) == TextError::none;
      });
    case Logical::Kind::decimal:
      return visit_integer(type_.type, [&]<class T>(std::type_identity<T>) {
        return convert_numbers<T>(rows, column, is_null, [&](std::string_view text, T& value) {
          return read_scaled(text, logical.scale, value);
        });
      });
    case Logical::Kind::plain:
      break;
  }
  return visit_type(type_.type, [&]<class T>(std::type_identity<T>) {
    return convert_numbers<T>(rows, column, is_null, [](std::string_view text, T& value) {
      if constexpr (std::is_same_v<T, double>) {
        return parse_double(text, value) == TextError::none;
      } else if constexpr (std::is_same_v<T, float>) {
        return parse_float(text, value) == TextError::none;
      } else {
        return read_integer(text, value);
      }
    });
  });
}

size_t ColumnBuilder::convert(const Rows& rows, size_t column, const NullTest& is_null) {
  rows_ = rows.count;
  if (is_string(type_.type)) {
    return convert_strings(rows, column, is_null);
  }
  return accept_ == Accept::guessed ? convert_strictly(rows, column, is_null)
                                    : convert_plain(rows, column, is_null);
}

ColumnData ColumnBuilder::data() const {
  const auto* const validity = has_nulls_ ? reinterpret_cast<const uint8_t*>(validity_.data()) : nullptr;
  if (!is_string(type_.type)) {
    return {.type = type_, .numbers = {values_.data(), validity}, .strings = {}};
  }
  return {.type = type_,
          .numbers = {},
          .strings = {.type = type_.type,
                      .length = rows_,
                      .offsets = offsets_.data(),
                      .wide = false,
                      .bytes = bytes_.data(),
                      .validity = validity}};
}

}  // namespace bobbin::csv
