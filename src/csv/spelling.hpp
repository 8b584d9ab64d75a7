// SPDX-License-Identifier: Apache-2.0
// How a column's values are spelled in the text, for types that can be written in several ways. A file
// records it, so that the same text can be written again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bobbin/types.hpp"
#include "core/value_text.hpp"
#include "csv/date_pattern.hpp"
#include "csv/number_form.hpp"

namespace bobbin::csv {

struct Spelling {
  enum class Number : uint8_t {
    canonical,  // decimals: all digits of the scale; floats: the shortest text, with an exponent if shorter
    trimmed,    // 1.5, 96: no trailing zeros; floats without an exponent
    point,      // 1.5, 96.0: at least one digit after the point; floats as Python writes them
    bare,       // floats: trimmed, and without a zero before the point: .5, -.25
    digits16,   // floats: 16 significant digits, like %.16g
    digits17,
    digits18
  };

  bool mixed = false;  // the text has several forms: all are read, the canonical one is written
  Number number = Number::canonical;
  uint8_t nan = 0;       // index in kNanWords
  uint8_t infinity = 0;  // index in kInfinityWords
  uint8_t words = 0;     // for booleans: index in kBooleanWords
  TimeForm time{};
  NumberForm form{};      // what numbers have besides their digits
  DatePattern pattern{};  // of dates and times that no TimeForm describes

  [[nodiscard]] bool has_form() const { return !form.is_plain() || !pattern.empty(); }
  friend bool operator==(const Spelling&, const Spelling&) = default;
};

inline constexpr std::array<std::string_view, 3> kNanWords{"nan", "NaN", "NAN"};
inline constexpr std::array<std::string_view, 6> kInfinityWords{"inf",      "Inf",      "INF",
                                                                "infinity", "Infinity", "INFINITY"};

// For a form such as %.17g.
[[nodiscard]] constexpr int significant_digits(Spelling::Number form) {
  return 16 + static_cast<int>(form) - static_cast<int>(Spelling::Number::digits16);
}

// For sets of forms.
[[nodiscard]] constexpr uint8_t bit_of(Spelling::Number form) {
  return static_cast<uint8_t>(1U << static_cast<uint32_t>(form));
}

// Writes a value, at most kMaxSpelledText characters; returns the end.
[[nodiscard]] char* format_spelled(const ColumnType& type, const Spelling& spelling, Scalar value, char* out);

inline constexpr size_t kMaxSpelledText = std::max(kMaxNumberText, kMaxDateText);

// Whether a pattern has exactly the parts that values of the type have.
[[nodiscard]] bool fits_type(const DatePattern& pattern, const ColumnType& type);
// The value of a date, a time or a timestamp that a pattern has read, if the type has it.
[[nodiscard]] bool value_of_moment(const ColumnType& type, const Moment& moment, int64_t& value);

// "yes/no", "trimmed", "point nan=NaN", "%.17g", "%Y-%m-%dT%H:%M:%S%.3fZ", "group=,"; empty for the canonical
// spelling. A mixed one is prefixed with "mixed".
[[nodiscard]] std::string spelling_text(const ColumnType& type, const Spelling& spelling);
[[nodiscard]] std::optional<Spelling> parse_spelling(const ColumnType& type, std::string_view text);

// The zone of a text, with its offset; longer ones are truncated.
void set_zone(TimeForm& form, std::string_view zone, int16_t offset_minutes);

}  // namespace bobbin::csv
