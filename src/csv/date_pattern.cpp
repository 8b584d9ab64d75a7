// SPDX-License-Identifier: Apache-2.0
#include "csv/date_pattern.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "core/calendar.hpp"
#include "core/digits.hpp"

namespace bobbin::csv {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};
constexpr size_t kShortName = 3;

// The ways of writing a part, as flags and letters of its conversion; the first one is preferred if a column
// does not tell. GNU's strftime() has all but %~b and those of "a.m.".
constexpr std::array<std::string_view, 3> kNumberWays{"", "-", "_"};  // 05, 5, and 5 after a blank
constexpr std::array<std::string_view, 6> kMonthWays{"b", "^b", "~b", "B", "^B", "~B"};
constexpr std::array<std::string_view, 6> kWeekdayWays{"a", "^a", "~a", "A", "^A", "~A"};
constexpr std::array<std::string_view, 4> kHalfDayWays{"p", "P", ".p", ".P"};
constexpr std::array<std::array<std::string_view, 2>, 4> kHalfDays{
    {{"AM", "PM"}, {"am", "pm"}, {"A.M.", "P.M."}, {"a.m.", "p.m."}}};
constexpr size_t kMostFraction = 9;
constexpr uint8_t kTrimmed = 10;  // a fraction without zeros at its end; ways below it are numbers of digits
constexpr int64_t kPivot = 69;    // 69 to 99 are years before 2000

enum class Case : uint8_t { capital, upper, lower };

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}

char in_case(std::string_view name, size_t i, Case form) {
  return form == Case::upper ? upper(name[i]) : form == Case::lower ? lower(name[i]) : name[i];
}

bool begins_with(std::string_view text, std::string_view name, Case form) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (i == text.size() || text[i] != in_case(name, i, form)) {
      return false;
    }
  }
  return true;
}

// A word of letters: the name that it is, long or short, and the ways in which it would be written so. May is
// both.
bool take_name(std::string_view& text, std::span<const std::string_view> names, uint32_t& index,
               uint16_t& ways) {
  const size_t size = static_cast<size_t>(std::ranges::find_if_not(text, &is_letter) - text.begin());
  ways = 0;
  for (uint32_t i = 0; i < names.size() && ways == 0; ++i) {
    for (const Case form : {Case::capital, Case::upper, Case::lower}) {
      const std::string_view full = names[i];
      const std::string_view brief = full.substr(0, kShortName);
      const auto bit = static_cast<uint32_t>(form);
      if (size == brief.size() && begins_with(text, brief, form)) {
        ways = static_cast<uint16_t>(ways | 1U << bit);
      }
      if (size == full.size() && begins_with(text, full, form)) {
        ways = static_cast<uint16_t>(ways | 8U << bit);
      }
    }
    index = i;
  }
  text.remove_prefix(ways == 0 ? 0 : size);
  return ways != 0;
}

char* put_name(char* out, std::string_view name, uint8_t way) {
  const std::string_view text = name.substr(0, way < 3 ? kShortName : name.size());
  for (size_t i = 0; i < text.size(); ++i) {
    *out++ = in_case(text, i, static_cast<Case>(way % 3));
  }
  return out;
}

// One or two digits, perhaps after a blank.
bool take_number(std::string_view& text, uint32_t& value, uint16_t& ways) {
  const bool blank = text.starts_with(' ');
  const std::string_view digits = text.substr(blank ? 1 : 0);
  if (digits.empty() || !is_digit(digits[0])) {
    return false;
  }
  const bool two = !blank && digits.size() > 1 && is_digit(digits[1]);
  value = static_cast<uint32_t>(digits[0] - '0');
  value = two ? 10 * value + static_cast<uint32_t>(digits[1] - '0') : value;
  ways = blank ? 4 : !two ? 2 : value < 10 ? 1 : 7;
  text.remove_prefix(2 - (!blank && !two ? 1 : 0));
  return true;
}

char* put_number(char* out, uint32_t value, uint8_t way) {
  if (value >= 10 || way != 1) {
    *out++ = value >= 10 || way == 0 ? static_cast<char>('0' + value / 10) : ' ';
  }
  *out++ = static_cast<char>('0' + value % 10);
  return out;
}

// Exactly this many digits.
bool take_digits(std::string_view& text, size_t count, uint32_t& value) {
  value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i == text.size() || !is_digit(text[i])) {
      return false;
    }
    value = 10 * value + static_cast<uint32_t>(text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

// ".25", or nothing.
bool take_fraction_of_second(std::string_view& text, uint32_t& nanoseconds, uint16_t& ways) {
  nanoseconds = 0;
  size_t digits = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const auto end = std::ranges::find_if_not(text, [](char c) { return is_digit(c); });
    digits = static_cast<size_t>(end - text.begin());
    if (digits == 0 || digits > kMostFraction) {
      return false;
    }
    const bool trimmed = text[digits - 1] != '0';
    (void)take_digits(text, digits, nanoseconds);
    nanoseconds *= static_cast<uint32_t>(kPowersOfTen[kMostFraction - digits]);
    ways = static_cast<uint16_t>(1U << digits | (trimmed ? 1U << kTrimmed : 0U));
    return true;
  }
  ways = 1U | 1U << kTrimmed;
  return true;
}

// Null if the way has too few digits.
char* put_fraction_of_second(char* out, uint32_t nanoseconds, uint8_t way) {
  size_t digits = way == kTrimmed ? kMostFraction : way;
  const auto rest = static_cast<uint32_t>(kPowersOfTen[kMostFraction - digits]);
  if (nanoseconds % rest != 0) {
    return nullptr;
  }
  uint32_t value = nanoseconds / rest;
  while (way == kTrimmed && digits > 0 && value % 10 == 0) {
    value /= 10;
    --digits;
  }
  if (digits == 0) {
    return out;
  }
  *out++ = '.';
  for (size_t i = digits; i > 0; --i) {
    out[i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return out + digits;
}

char* put_digits(char* out, uint64_t value, size_t digits) {
  for (size_t i = digits; i > 0; --i) {
    out[i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return out + digits;
}

std::span<const std::string_view> ways_of(char letter) {
  switch (letter) {
    case 'b':
      return kMonthWays;
    case 'a':
      return kWeekdayWays;
    case 'p':
      return kHalfDayWays;
    default:
      return kNumberWays;
  }
}

bool has_padding(char letter) {
  return letter == 'm' || letter == 'd' || letter == 'H' || letter == 'I';
}

size_t count_ways(char letter) {
  return letter == 'f'                                                            ? kTrimmed + size_t{1}
         : has_padding(letter) || letter == 'b' || letter == 'a' || letter == 'p' ? ways_of(letter).size()
                                                                                  : 1;
}

std::string way_text(char letter, uint8_t way) {
  if (letter == 'f') {
    return way == 0 ? "" : way == kTrimmed ? "%.f" : "%." + std::to_string(way) + "f";
  }
  if (count_ways(letter) == 1) {
    return {'%', letter};
  }
  return "%" + std::string(ways_of(letter)[way]) + (has_padding(letter) ? std::string(1, letter) : "");
}

uint32_t weekday_of(int64_t days) {
  constexpr int64_t kThursday = 4;  // of 1970-01-01
  return static_cast<uint32_t>(((days + kThursday) % 7 + 7) % 7);
}

// Other names of conversions.
constexpr std::array<std::array<std::string_view, 2>, 8> kAliases{{{"%T", "%H:%M:%S"},
                                                                   {"%R", "%H:%M"},
                                                                   {"%F", "%Y-%m-%d"},
                                                                   {"%D", "%m/%d/%y"},
                                                                   {"%h", "%b"},
                                                                   {"%e", "%_d"},
                                                                   {"%k", "%_H"},
                                                                   {"%l", "%_I"}}};

std::string without_aliases(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto* const alias =
        std::ranges::find_if(kAliases, [&](const auto& pair) { return text.starts_with(pair[0]); });
    const size_t size = alias != kAliases.end() || text.starts_with("%%") ? 2 : 1;
    plain += alias != kAliases.end() ? (*alias)[1] : text.substr(0, size);
    text.remove_prefix(std::min(size, text.size()));
  }
  return plain;
}

}  // namespace

struct DatePattern::Reading {
  CivilDate date{};
  uint32_t weekday = 0;
  bool has_weekday = false;
  uint32_t hour = 0;
  uint32_t minute = 0;
  uint32_t second = 0;
  uint32_t nanoseconds = 0;
  bool half_days = false;
  bool afternoon = false;

  [[nodiscard]] bool has_date() const { return date.month != 0; }

  [[nodiscard]] bool moment(Moment& moment) const {
    if (has_date()) {
      if (date.year < 1 || date.month > 12 || date.day < 1 ||
          date.day > days_of_month(date.year, date.month)) {
        return false;
      }
      moment.days = days_of(date);
      if (has_weekday && weekday_of(moment.days) != weekday) {
        return false;
      }
    }
    if (half_days ? hour < 1 || hour > 12 : hour > 23) {
      return false;
    }
    const uint32_t hour_of_day = half_days ? hour % 12 + (afternoon ? 12 : 0) : hour;
    moment.second_of_day = hour_of_day * 3600 + minute * 60 + second;
    moment.nanoseconds = nanoseconds;
    return minute < 60 && second < 60;
  }
};

bool DatePattern::has(char letter) const {
  return std::ranges::find(parts_, letter, &Part::letter) != parts_.end();
}

bool DatePattern::has_fraction() const {
  return has('f');
}

// One conversion, of which `text` has what follows the percent sign.
bool DatePattern::take_conversion(std::string_view& text, std::vector<Part>& parts) {
  const auto take = [&](std::string_view name, char letter, size_t way) {
    if (!text.starts_with(name)) {
      return false;
    }
    text.remove_prefix(name.size());
    parts.push_back({.letter = letter, .way = static_cast<uint8_t>(way)});
    return true;
  };
  for (const char letter : {'Y', 'y', 'M', 'S'}) {
    if (take({&letter, 1}, letter, 0)) {
      return true;
    }
  }
  for (const char letter : {'b', 'a', 'p'}) {
    const auto ways = ways_of(letter);
    for (size_t way = 0; way < ways.size(); ++way) {
      if (take(ways[way], letter, way)) {
        return true;
      }
    }
  }
  for (const char letter : {'m', 'd', 'H', 'I'}) {
    for (size_t way = 0; way < kNumberWays.size(); ++way) {
      if (take(std::string(kNumberWays[way]) + letter, letter, way)) {
        return true;
      }
    }
  }
  if (take(".f", 'f', kTrimmed)) {
    return true;
  }
  for (size_t digits = 1; digits <= kMostFraction; ++digits) {
    if (take("." + std::to_string(digits) + "f", 'f', digits)) {
      return true;
    }
  }
  return false;
}

// What is missing, or there twice.
const char* DatePattern::wrong_parts() {
  size_t bytes = 0;
  for (const Part& part : parts_) {
    bytes += part.letter == '\0' ? 1 : kMostFraction + 1;
    const auto twice = std::ranges::count(parts_, part.letter, &Part::letter) > 1;
    if (part.letter != '\0' && twice) {
      return "has a conversion twice";
    }
  }
  const bool year = has('Y') != has('y');
  const bool month = has('m') != has('b');
  const bool day = has('d');
  const bool any_of_date = has('Y') || has('y') || has('m') || has('b') || day || has('a');
  const bool hour = has('H') != has('I') && has('I') == has('p');
  const bool any_of_time = has('H') || has('I') || has('p') || has('M') || has('S') || has('f');
  if (any_of_date && !(year && month && day)) {
    return "needs a year (%Y or %y), a month (%m or %b) and a day (%d), each once";
  }
  if (any_of_time && (!hour || !has('M') || (has('f') && !has('S')))) {
    return "needs an hour (%H, or %I and %p) and minutes (%M) for its time";
  }
  if (!any_of_date && !any_of_time) {
    return "has neither a date nor a time";
  }
  has_date_ = any_of_date;
  has_time_ = any_of_time;
  return bytes > kMaxDateText ? "is too long" : nullptr;
}

std::optional<DatePattern> DatePattern::parse(std::string_view text, std::string* error) {
  const auto fail = [&](const std::string& reason) {
    if (error != nullptr) {
      *error = reason;
    }
    return std::nullopt;
  };
  const std::string plain = without_aliases(text);
  DatePattern pattern;
  for (std::string_view rest = plain; !rest.empty();) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '%' && !rest.starts_with('%')) {
      const std::string_view conversion = rest.substr(0, 2);
      if (!take_conversion(rest, pattern.parts_)) {
        return fail("has an unknown conversion, %" + std::string(conversion));
      }
      continue;
    }
    rest.remove_prefix(c == '%' ? 1 : 0);
    // A digit would be read as part of the number before it, and spellings are separated by semicolons.
    const bool after_number = !pattern.parts_.empty() && pattern.parts_.back().letter != '\0';
    if ((is_digit(c) && after_number) || c == ';' || static_cast<uint8_t>(c) < ' ') {
      return fail("must not have a digit after a conversion, a semicolon or a control character");
    }
    pattern.parts_.push_back({.literal = c});
  }
  // Seconds may have a fraction, if the pattern does not say how many digits it has: none is written.
  if (const char* const wrong = pattern.wrong_parts(); wrong != nullptr) {
    return fail(wrong);
  }
  return pattern;
}

std::string DatePattern::text() const {
  std::string text;
  for (const Part& part : parts_) {
    text += part.letter == '\0' ? (part.literal == '%' ? "%%" : std::string(1, part.literal))
                                : way_text(part.letter, part.way);
  }
  return text;
}

std::string DatePattern::order() const {
  std::string letters;
  for (const Part& part : parts_) {
    const bool is_day = part.letter == 'd' || part.letter == 'm' || part.letter == 'b';
    letters += is_day || part.letter == 'Y' || part.letter == 'y' ? std::string(1, part.letter) : "";
  }
  return letters;
}

bool DatePattern::take_part(const Part& part, std::string_view& text, Reading& reading, uint16_t& ways) {
  uint32_t number = 0;
  ways = 1;
  switch (part.letter) {
    case '\0': {
      const bool same = text.starts_with(part.literal);
      text.remove_prefix(same ? 1 : 0);
      return same;
    }
    case 'Y':
      return take_digits(text, 4, number) && ((reading.date.year = number), true);
    case 'y': {
      const bool fine = take_digits(text, 2, number);
      reading.date.year = int64_t{number} + (number < kPivot ? 2000 : 1900);
      return fine;
    }
    case 'm':
      return take_number(text, reading.date.month, ways) && reading.date.month > 0;
    case 'd':
      return take_number(text, reading.date.day, ways);
    case 'H':
      return take_number(text, reading.hour, ways);
    case 'I':
      return take_number(text, reading.hour, ways);
    case 'M':
      return take_digits(text, 2, reading.minute);
    case 'S':
      return take_digits(text, 2, reading.second);
    case 'f':
      return take_fraction_of_second(text, reading.nanoseconds, ways);
    case 'b':
      if (!take_name(text, kMonths, number, ways)) {
        return false;
      }
      reading.date.month = number + 1;
      return true;
    case 'a':
      reading.has_weekday = take_name(text, kWeekdays, reading.weekday, ways);
      return reading.has_weekday;
    default:
      break;
  }
  reading.half_days = true;
  for (size_t way = 0; way < kHalfDays.size(); ++way) {
    for (const bool afternoon : {false, true}) {
      if (const std::string_view word = kHalfDays[way][afternoon ? 1 : 0]; text.starts_with(word)) {
        reading.afternoon = afternoon;
        ways = static_cast<uint16_t>(1U << way);
        text.remove_prefix(word.size());
        return true;
      }
    }
  }
  return false;
}

size_t DatePattern::read_prefix(std::string_view text, Moment& moment, Ways* ways) const {
  const size_t size = text.size();
  Reading reading;
  std::array<uint16_t, kMaxDateText> found;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!take_part(parts_[i], text, reading, found[i])) {
      return 0;
    }
  }
  moment = {};
  if (!reading.moment(moment)) {
    return 0;
  }
  for (size_t i = 0; ways != nullptr && i < parts_.size(); ++i) {
    (*ways)[i] = static_cast<uint16_t>((*ways)[i] & found[i]);
  }
  return size - text.size();
}

bool DatePattern::read(std::string_view text, Moment& moment, Ways* ways) const {
  if (ways == nullptr) {
    return !text.empty() && read_prefix(text, moment) == text.size();
  }
  Ways kept = *ways;
  if (text.empty() || read_prefix(text, moment, &kept) != text.size()) {
    return false;
  }
  *ways = std::move(kept);
  return true;
}

char* DatePattern::write(const Moment& moment, char* out) const {
  const CivilDate date = date_of(moment.days);
  const uint32_t hour = moment.second_of_day / 3600;
  const uint32_t second = moment.second_of_day % 60;
  const bool needs_seconds = second != 0 && !has('S');
  const bool needs_fraction = moment.nanoseconds != 0 && !has('f');
  if (has_date_ && (date.year < 1 || date.year > 9999)) {
    return nullptr;
  }
  if (has_time_ ? needs_seconds || needs_fraction : moment.second_of_day != 0) {
    return nullptr;
  }
  for (const Part& part : parts_) {
    switch (part.letter) {
      case '\0':
        *out++ = part.literal;
        break;
      case 'Y':
        out = put_digits(out, static_cast<uint64_t>(date.year), 4);
        break;
      case 'y':
        if (date.year < 1900 + kPivot || date.year >= 2000 + kPivot) {
          return nullptr;
        }
        out = put_digits(out, static_cast<uint64_t>(date.year % 100), 2);
        break;
      case 'm':
        out = put_number(out, date.month, part.way);
        break;
      case 'd':
        out = put_number(out, date.day, part.way);
        break;
      case 'b':
        out = put_name(out, kMonths[date.month - 1], part.way);
        break;
      case 'a':
        out = put_name(out, kWeekdays[weekday_of(moment.days)], part.way);
        break;
      case 'H':
        out = put_number(out, hour, part.way);
        break;
      case 'I':
        out = put_number(out, hour % 12 == 0 ? 12 : hour % 12, part.way);
        break;
      case 'M':
        out = put_digits(out, moment.second_of_day / 60 % 60, 2);
        break;
      case 'S':
        out = put_digits(out, second, 2);
        break;
      case 'f':
        out = put_fraction_of_second(out, moment.nanoseconds, part.way);
        if (out == nullptr) {
          return nullptr;
        }
        break;
      default:
        out = std::ranges::copy(kHalfDays[part.way][hour < 12 ? 0 : 1], out).out;
        break;
    }
  }
  return out;
}

DatePattern::Ways DatePattern::all_ways() const {
  Ways ways;
  for (const Part& part : parts_) {
    ways.push_back(static_cast<uint16_t>((1U << count_ways(part.letter)) - 1));
  }
  return ways;
}

void DatePattern::set_ways(const Ways& ways) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const auto first = static_cast<uint8_t>(std::countr_zero(ways[i]));
    // Numbers of which some are padded and some are not are written as they are read in fewest ways.
    const uint8_t other = has_padding(parts_[i].letter) ? 1 : 0;
    parts_[i].way = ways[i] == 0 ? other : first;
  }
}

}  // namespace bobbin::csv
