// SPDX-License-Identifier: Apache-2.0
// Dates and times as people write them, by patterns such as %d/%m/%Y %I:%M %p, as strftime() takes them.
// docs/csv.md lists the conversions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bobbin::csv {

// A date, a time of day, or both.
struct Moment {
  int64_t days = 0;  // since 1970-01-01
  uint32_t second_of_day = 0;
  uint32_t nanoseconds = 0;
};

class DatePattern {
 public:
  // For each part of a pattern, the ways of writing it: bits, by index of a way.
  using Ways = std::vector<uint16_t>;

  // No pattern: there are other means for the usual dates.
  DatePattern() = default;
  // An error, in words, if the text is not the pattern of a date, a time, or both.
  static std::optional<DatePattern> parse(std::string_view text, std::string* error = nullptr);
  [[nodiscard]] std::string text() const;

  [[nodiscard]] bool empty() const { return parts_.empty(); }
  [[nodiscard]] bool has_date() const { return has_date_; }
  [[nodiscard]] bool has_time() const { return has_time_; }
  [[nodiscard]] bool has_fraction() const;
  // The conversions of year, month and day in their order, without their ways: "mdY".
  [[nodiscard]] std::string order() const;

  // Reads parts in any way: numbers with a zero before them or without, names short or long, in upper or
  // lower case. `ways`, if given, keeps those in which the parts would be written as in this text.
  [[nodiscard]] bool read(std::string_view text, Moment& moment, Ways* ways = nullptr) const;
  // The same for the beginning of a text; returns how many characters it has, 0 if it is none.
  [[nodiscard]] size_t read_prefix(std::string_view text, Moment& moment, Ways* ways = nullptr) const;
  // At most kMaxDateText characters; null if the pattern has no text that would be read as this moment.
  [[nodiscard]] char* write(const Moment& moment, char* out) const;

  [[nodiscard]] Ways all_ways() const;
  // Writes parts in the first of these ways, or in the usual way where there is none.
  void set_ways(const Ways& ways);

  friend bool operator==(const DatePattern&, const DatePattern&) = default;

 private:
  struct Part {
    char letter = '\0';   // of the conversion; NUL: the literal
    char literal = '\0';  // a byte of other text
    uint8_t way = 0;
    friend bool operator==(const Part&, const Part&) = default;
  };
  struct Reading;

  [[nodiscard]] static bool take_part(const Part& part, std::string_view& text, Reading& reading,
                                      uint16_t& ways);
  [[nodiscard]] static bool take_conversion(std::string_view& text, std::vector<Part>& parts);
  [[nodiscard]] const char* wrong_parts();
  [[nodiscard]] bool has(char letter) const;

  std::vector<Part> parts_;
  bool has_date_ = false;
  bool has_time_ = false;
};

inline constexpr size_t kMaxDateText = 96;

}  // namespace bobbin::csv
