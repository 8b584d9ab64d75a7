// SPDX-License-Identifier: Apache-2.0
#include "csv/convert.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/bits.hpp"
#include "core/digits.hpp"
#include "core/dispatch.hpp"
#include "core/text.hpp"
#include "core/value_text.hpp"
#include "csv/form_guess.hpp"
#include "csv/guess.hpp"
#include "csv/number_text.hpp"

namespace bobbin::csv {
namespace {

// A validity bitmap, allocated at the first null.
class Validity {
 public:
  Validity(std::vector<uint64_t>& words, size_t rows) : words_(words), rows_(rows) {}

  void set_null(size_t row) {
    if (!nulls_) {
      words_.assign(ceil_div<size_t>(rows_, 64), ~uint64_t{0});
      nulls_ = true;
    }
    words_[row / 64] &= ~(uint64_t{1} << (row % 64));
  }
  [[nodiscard]] bool has_nulls() const { return nulls_; }

 private:
  std::vector<uint64_t>& words_;
  size_t rows_;
  bool nulls_ = false;
};

// One to eight digits.
struct ShortInteger {
  bool operator()(const Scanner::FieldColumn& fields, size_t row, int64_t& value) const {
    return read(fields[row], value);
  }
  static bool read(const RawField& field, int64_t& value) {
    uint64_t digits = 0;
    const bool fine =
        !field.escaped && read_short(field.text(), digits) && (*field.data != '0' || field.size == 1);
    value = static_cast<int64_t>(digits);
    return fine;
  }
};

// A double that was read when the type was inferred, or one of the usual forms.
class ShortDouble {
 public:
  ShortDouble(const Rows& rows, const Spelling& spelling)
      : known_(rows.is_known ? rows.doubles : std::span<const double>()),
        any_form_(rows.is_known || spelling.mixed),
        form_(bit_of(spelling.number)),
        integers_(spelling.mixed || spelling.number == Spelling::Number::bare ||
                  spelling.number == Spelling::Number::trimmed) {}

  bool operator()(const Scanner::FieldColumn& fields, size_t row, double& value) const {
    if (row < known_.size() && !std::isnan(known_[row])) {
      value = known_[row];
      return true;
    }
    const RawField field = fields[row];
    if (PlainDecimal plain; !field.escaped && read_plain(field.text(), plain)) {
      value = plain.value;
      return any_form_ || (plain.forms & form_) != 0;
    }
    int64_t whole = 0;
    const bool fine = integers_ && ShortInteger::read(field, whole);
    value = static_cast<double>(whole);
    return fine;
  }

 private:
  std::span<const double> known_;
  // What a Guess has seen comes back as it is; otherwise, what the spelling allows.
  bool any_form_;
  uint8_t form_;
  bool integers_;
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

// A decimal of up to eight characters, in the form in which it would be printed again: without its point it
// is one number. Reads eight bytes, like read_short().
bool read_short_decimal(std::string_view text, uint8_t scale, int64_t& value, size_t& fraction) {
  if (text.size() < 3 || text.size() > 8 || scale > 8) {
    return false;
  }
  uint64_t word = 0;
  std::memcpy(&word, text.data(), sizeof word);
  const uint64_t other = word ^ 0x2e2e'2e2e'2e2e'2e2e;  // 0 where there is a point
  const uint64_t points = (other - 0x0101'0101'0101'0101) & ~other & 0x8080'8080'8080'8080;
  const auto point = static_cast<size_t>(std::countr_zero(points)) / 8;
  fraction = text.size() - 1 - point;  // wraps around if the text has no point
  if (point == 0 || fraction - 1 >= scale || (text[0] == '0' && point > 1)) {
    return false;
  }
  const uint64_t whole = (uint64_t{1} << (8 * point)) - 1;
  word = (word & whole) | (word >> 8 & ~whole);
  const size_t unused = 8 * (9 - text.size());
  word = word << unused | (0x3030'3030'3030'3030 & ((uint64_t{1} << unused) - 1));
  value = static_cast<int64_t>(value_of_digits(word) * kPowersOfTen[scale - fraction]);
  return all_digits(word);
}

struct ShortDecimal {
  uint8_t scale;
  FractionRule fits;

  bool operator()(const Scanner::FieldColumn& fields, size_t row, int64_t& value) const {
    const RawField field = fields[row];
    size_t digits = 0;
    if (!field.escaped && read_short_decimal(field.text(), scale, value, digits)) {
      return fits(field.text(), digits);
    }
    const bool fine = ShortInteger::read(field, value) && scale <= 8 && fits(field.text(), 0);
    value = fine ? value * static_cast<int64_t>(kPowersOfTen[scale]) : 0;
    return fine;
  }
};

size_t digits_after_point(std::string_view text) {
  const size_t point = text.find('.');
  return point == std::string_view::npos ? 0 : text.size() - point - 1;
}

// Up to eight digits before the point and up to eight after it.
bool read_plain_decimal(std::string_view text, uint8_t scale, int64_t& value) {
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  uint64_t whole = 0;
  uint64_t behind = 0;
  if (scale > 8 || fraction.size() > scale || (point != text.size() && fraction.empty()) ||
      (text.starts_with('0') && point > 1) || !read_short(text.substr(0, point), whole) ||
      (!fraction.empty() && !read_short(fraction, behind))) {
    return false;
  }
  value = static_cast<int64_t>(whole * kPowersOfTen[scale] + behind * kPowersOfTen[scale - fraction.size()]);
  return true;
}

// Copies short texts, which is the usual case, as sixteen bytes. Both sides have room for that.
uint8_t* copy_text(uint8_t* out, const RawField& field, const Marks& marks) {
  if (field.escaped) {
    return reinterpret_cast<uint8_t*>(unescape(field, marks, reinterpret_cast<char*>(out)));
  }
  if (field.size <= 16) {
    std::memcpy(out, field.data, 16);
  } else {
    std::memcpy(out, field.data, field.size);
  }
  return out + field.size;
}
constexpr size_t kCopyRoom = 16;
// Enough to read eight bytes from anywhere in a text that is short enough for a shortcut; a short string's
// own buffer is not.
constexpr size_t kScratchBytes = 32;
// Up to this many columns, each has room for the whole text; with more columns that would take too much
// memory.
constexpr size_t kFewFields = 16;

// At least as many bytes as the column's fields have.
size_t room_for(const Rows& rows, const Scanner::FieldColumn& fields) {
  size_t bytes = kCopyRoom;
  if (rows.fields <= kFewFields) {
    return bytes + rows.scanner.text_of(rows.count).size();
  }
  for (size_t r = 0; r < rows.count; ++r) {
    bytes += fields[r].text().size();
  }
  return bytes;
}

// A text without the blanks around it.
template <class T, class Read>
bool read_trimmed(std::string_view text, const Read& read, T& value) {
  PlainNumber inner;
  return trim(text, inner) && read(inner.text(), value);
}

}  // namespace

NullTest::NullTest(const std::vector<std::string>& texts) : texts_(texts) {
  std::ranges::for_each(texts, [this](const std::string& text) { see(text); });
}

NullTest::NullTest(const std::vector<std::string>& texts, const std::vector<std::string>& words)
    : NullTest(texts) {
  takes_quoted_ = true;
  words_ = words;
  std::ranges::for_each(words, [this](const std::string& text) { see(text); });
}

void NullTest::see(const std::string& text) {
  empty_ = empty_ || text.empty();
  longest_ = std::max(longest_, text.size());
  if (!text.empty()) {
    begins_[static_cast<uint8_t>(text[0])] = true;
  }
}

bool NullTest::is_word(const RawField& field) const {
  return std::ranges::find(words_, field.text()) != words_.end();
}

bool NullTest::is_listed(const RawField& field) const {
  return std::ranges::find(texts_, field.text()) != texts_.end();
}

template <class T, class Read, class Shortcut>
size_t ColumnBuilder::convert_numbers(const Rows& rows, size_t column, const NullTest& is_null,
                                      const Read& read, const Shortcut& shortcut) {
  const NumberForm& form = spelling_.form;
  if (form.is_plain()) {
    return convert_fields<T>(rows, column, is_null, read, shortcut);
  }
  PlainNumber plain;
  const auto read_form = [&, exact = is_exact()](std::string_view text, T& value) {
    return (exact ? form.read_exactly(text, plain) : form.read(text, plain)) && read(plain.text(), value);
  };
  return convert_fields<T>(rows, column, is_null, read_form, NoShortcut{});
}

template <class T>
size_t ColumnBuilder::convert_by_pattern(const Rows& rows, size_t column, const NullTest& is_null) {
  const DatePattern& pattern = spelling_.pattern;
  std::array<char, kMaxDateText> again;
  const auto read = [&, exact = is_exact()](std::string_view text, T& value) {
    Moment moment;
    int64_t number = 0;
    if (!pattern.read(text, moment) || !value_of_moment(type_, moment, number)) {
      // A column of a given type may be written as usual, although another one has the pattern.
      Scalar usual;
      const bool is_usual = accept_ == Accept::given && parse_value(type_, text, usual) == TextError::none;
      value = static_cast<T>(usual.bits);
      return is_usual;
    }
    value = static_cast<T>(number);
    const char* const end = exact ? pattern.write(moment, again.data()) : nullptr;
    return !exact || (end != nullptr && text == std::string_view(again.data(), end));
  };
  return convert_fields<T>(rows, column, is_null, read, NoShortcut{});
}

template <class T, class Read, class Shortcut>
size_t ColumnBuilder::convert_fields(const Rows& rows, size_t column, const NullTest& is_null,
                                     const Read& read, const Shortcut& shortcut) {
  values_.resize((rows.count * sizeof(T) + 7) / 8);
  T* const values = reinterpret_cast<T*>(values_.data());
  Validity validity(validity_, rows.count);
  const Scanner::FieldColumn fields = rows.scanner.column(column, rows.fields);
  const bool try_shortcut = !is_null.may_be_number();
  std::string scratch;
  scratch.reserve(kScratchBytes);
  std::string_view last_text;  // the last text that took the slow path
  T last_value{};
  for (size_t r = 0; r < rows.count; ++r) {
    T value{};
    if (!try_shortcut || !shortcut(fields, r, value)) {
      const RawField field = fields[r];
      value = T{};
      if (is_null(field)) {
        validity.set_null(r);
      } else if (last_text.empty() || field.text() != last_text) {
        const std::string_view text = value_of(field, rows.scanner.marks(), scratch);
        if (!read(text, value) && (is_exact() || !read_trimmed(text, read, value))) {
          return r;
        }
        last_text = field.text();
        last_value = value;
      } else {
        value = last_value;
      }
    }
    values[r] = value;
  }
  has_nulls_ = validity.has_nulls();
  return rows.count;
}

size_t ColumnBuilder::convert_strings(const Rows& rows, size_t column, const NullTest& is_null) {
  const Scanner::FieldColumn fields = rows.scanner.column(column, rows.fields);
  if (const size_t most = room_for(rows, fields); bytes_.size() < most) {
    bytes_.resize(most);
  }
  offsets_.resize(rows.count + 1);
  const bool check = type_.type == DType::utf8 && !rows.is_utf8;
  Validity validity(validity_, rows.count);
  uint8_t* out = bytes_.data();
  for (size_t r = 0; r < rows.count; ++r) {
    const RawField field = fields[r];
    const bool null = is_null(field);
    if (null) {
      validity.set_null(r);
    }
    offsets_[r] = static_cast<uint32_t>(out - bytes_.data());
    if ((check && !is_utf8(field.text())) || (accept_ == Accept::nulls && !null)) {
      return r;
    }
    out = null ? out : copy_text(out, field, rows.scanner.marks());
  }
  offsets_[rows.count] = static_cast<uint32_t>(out - bytes_.data());
  has_nulls_ = validity.has_nulls();
  return rows.count;
}

size_t ColumnBuilder::convert_decimals(const Rows& rows, size_t column, const NullTest& is_null) {
  const uint8_t scale = type_.logical.scale;
  const FractionRule fits(spelling_, scale);
  const auto read = [&](std::string_view text, int64_t& value) {
    return (read_plain_decimal(text, scale, value) || read_decimal(text, scale, value)) &&
           fits(text, digits_after_point(text));
  };
  return convert_numbers<int64_t>(rows, column, is_null, read, ShortDecimal{scale, fits});
}

size_t ColumnBuilder::convert_doubles(const Rows& rows, size_t column, const NullTest& is_null) {
  const auto read = [&](std::string_view text, double& value) {
    // What a Guess has seen comes back as it is: to check that takes three times as long as to read it.
    return rows.is_known ? parse_double(text, value) == TextError::none : read_double(text, spelling_, value);
  };
  return convert_numbers<double>(rows, column, is_null, read, ShortDouble(rows, spelling_));
}

// The types that can be inferred.
size_t ColumnBuilder::convert_strictly(const Rows& rows, size_t column, const NullTest& is_null) {
  const Logical& logical = type_.logical;
  switch (logical.kind) {
    case Logical::Kind::boolean:
      return convert_numbers<uint8_t>(rows, column, is_null, [&](std::string_view text, uint8_t& value) {
        return read_boolean(text, spelling_, value);
      });
    case Logical::Kind::date:
      return convert_numbers<int32_t>(rows, column, is_null, [&](std::string_view text, int32_t& value) {
        return read_date(text, spelling_, value);
      });
    case Logical::Kind::timestamp:
      return convert_numbers<int64_t>(rows, column, is_null, [&](std::string_view text, int64_t& value) {
        return read_timestamp(text, logical.unit, spelling_, value);
      });
    case Logical::Kind::time:
      return convert_times(rows, column, is_null);
    case Logical::Kind::decimal:
      return convert_decimals(rows, column, is_null);
    case Logical::Kind::plain:
      if (type_.type == DType::i64) {
        return convert_numbers<int64_t>(
            rows, column, is_null,
            [](std::string_view text, int64_t& value) { return read_signed(text, value); }, ShortInteger{});
      }
      if (type_.type == DType::u64) {
        return convert_numbers<uint64_t>(rows, column, is_null, &read_unsigned);
      }
      return convert_doubles(rows, column, is_null);
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
    case Logical::Kind::time:
      return convert_times(rows, column, is_null);
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

size_t ColumnBuilder::convert_times(const Rows& rows, size_t column, const NullTest& is_null) {
  const Logical::Unit unit = type_.logical.unit;
  return convert_numbers<int64_t>(rows, column, is_null, [&](std::string_view text, int64_t& value) {
    return accept_ == Accept::guessed ? read_time(text, unit, spelling_, value)
                                      : parse_time(text, unit, value) == TextError::none;
  });
}

size_t ColumnBuilder::convert(const Rows& rows, size_t column, const NullTest& is_null) {
  rows_ = rows.count;
  if (is_string(type_.type)) {
    return convert_strings(rows, column, is_null);
  }
  if (!spelling_.pattern.empty()) {
    return type_.logical.kind == Logical::Kind::date ? convert_by_pattern<int32_t>(rows, column, is_null)
                                                     : convert_by_pattern<int64_t>(rows, column, is_null);
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
