// SPDX-License-Identifier: Apache-2.0
#include "csv/form_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace bobbin::csv {
namespace {

// Orders and marks of dates. Numbers may be padded or not, years have four digits or two, and names of months
// and days are those of C's locale, in any case, long or short. The first ones are preferred.
constexpr auto kDates = std::to_array<std::string_view>({"%Y-%m-%d",
                                                         "%Y/%m/%d",
                                                         "%Y.%m.%d",
                                                         "%m/%d/%Y",
                                                         "%d/%m/%Y",
                                                         "%m-%d-%Y",
                                                         "%d-%m-%Y",
                                                         "%m.%d.%Y",
                                                         "%d.%m.%Y",
                                                         "%m/%d/%y",
                                                         "%d/%m/%y",
                                                         "%m-%d-%y",
                                                         "%d-%m-%y",
                                                         "%y-%m-%d",
                                                         "%m.%d.%y",
                                                         "%d.%m.%y",
                                                         "%d-%b-%Y",
                                                         "%d-%b-%y",
                                                         "%d %b %Y",
                                                         "%d %b %y",
                                                         "%d %b, %Y",
                                                         "%d/%b/%Y",
                                                         "%d/%b/%y",
                                                         "%d.%b.%Y",
                                                         "%d%b%Y",
                                                         "%d%b%y",
                                                         "%b %d, %Y",
                                                         "%b %d,%Y",
                                                         "%b %d %Y",
                                                         "%b-%d-%Y",
                                                         "%b. %d, %Y",
                                                         "%b/%d/%Y",
                                                         "%Y-%b-%d",
                                                         "%Y %b %d",
                                                         "%Y/%b/%d",
                                                         "%a %d %b %Y",
                                                         "%a, %d %b %Y",
                                                         "%a, %b %d, %Y",
                                                         "%a %b %d %Y",
                                                         "%a %b %d, %Y",
                                                         "%a, %m/%d/%Y",
                                                         "%a, %d/%m/%Y",
                                                         "%a %m/%d/%Y",
                                                         "%a %d/%m/%Y",
                                                         "%a %Y-%m-%d",
                                                         "%a %b %d %H:%M:%S %Y",
                                                         "%a %b %d %H:%M:%S UTC %Y",
                                                         "%a %b %d %H:%M:%S +0000 %Y"});
constexpr auto kBetween = std::to_array<std::string_view>({" ", "T", "  ", ", ", ":", "-", " - ", " at "});
constexpr auto kClocks = std::to_array<std::string_view>(
    {"%H:%M:%S%.f", "%H:%M", "%I:%M:%S%.f %p", "%I:%M %p", "%I:%M:%S%.f%p", "%I:%M%p", "%H.%M.%S", "%Hh%M"});
constexpr auto kZones = std::to_array<std::string_view>(
    {"", "Z", " Z", " UTC", " GMT", "UTC", " +0000", "+0000", " +00:00", "+00:00"});

// What programs and people write for a missing value. Not among them: words that say more, such as "unknown"
// or
// "(D)", and numbers such as -99.
constexpr auto kNullWords = std::to_array<std::string_view>(
    {"NA",    "N/A",     "n/a",    "na",    "N.A.",    "n.a.",    "NULL",   "null",   "Null",
     "None",  "none",    "NONE",   "nil",   "NIL",     "<NA>",    "<null>", "(null)", "\\N",
     "NaT",   "-",       "--",     "---",   "\u2013",  "\u2014",  "\u2212", ".",      "..",
     "...",   "\u2026",  ":",      "?",     "*",       "#N/A",    "#NA",    "#NULL!", "#VALUE!",
     "#REF!", "#DIV/0!", "#NAME?", "#NUM!", "missing", "Missing", "MISSING"});
constexpr size_t kMostWords = 2;  // that mean null in a column

bool is_nan(std::string_view text) {
  return std::ranges::find(kNanWords, text) != kNanWords.end();
}

DatePattern pattern_of(std::string_view text) {
  return DatePattern::parse(text).value_or(DatePattern());
}

template <size_t N>
std::vector<DatePattern> patterns_of(const std::array<std::string_view, N>& texts) {
  std::vector<DatePattern> patterns;
  std::ranges::transform(texts, std::back_inserter(patterns), &pattern_of);
  return patterns;
}

// All patterns of a date, a time or both that a text has.
std::vector<DatePattern> patterns_in(std::string_view text) {
  static const std::vector<DatePattern> kDatePatterns = patterns_of(kDates);
  static const std::vector<DatePattern> kClockPatterns = patterns_of(kClocks);
  std::vector<DatePattern> found;
  const auto add_clocks = [&](std::string_view rest, const std::string& before) {
    for (size_t i = 0; i < kClocks.size(); ++i) {
      Moment moment;
      const size_t size = kClockPatterns[i].read_prefix(rest, moment);
      const auto* const zone = std::ranges::find(kZones, rest.substr(size));
      // A time of day has no zone.
      if (size > 0 && zone != kZones.end() && (!before.empty() || zone->empty())) {
        DatePattern pattern = pattern_of(before + std::string(kClocks[i]) + std::string(*zone));
        if (!pattern.empty()) {  // unless the date has a time already
          found.push_back(std::move(pattern));
        }
      }
    }
  };
  for (size_t i = 0; i < kDates.size(); ++i) {
    Moment moment;
    const size_t size = kDatePatterns[i].read_prefix(text, moment);
    if (size == 0) {
      continue;
    }
    const std::string_view rest = text.substr(size);
    if (rest.empty()) {
      found.push_back(kDatePatterns[i]);
    }
    for (const std::string_view between : kBetween) {
      if (rest.starts_with(between)) {
        add_clocks(rest.substr(between.size()), std::string(kDates[i]) + std::string(between));
      }
    }
  }
  add_clocks(text, "");
  return found;
}

bool is_real(const ColumnType& type) {
  return type.type == DType::f64 || type.logical.kind == Logical::Kind::decimal;
}

}  // namespace

bool is_null_word(std::string_view text) {
  return text.empty() || std::ranges::find(kNullWords, text) != kNullWords.end() || is_nan(text);
}

std::vector<std::string> null_words(bool with_nan) {
  std::vector<std::string> words(kNullWords.begin(), kNullWords.end());
  if (with_nan) {
    words.insert(words.end(), kNanWords.begin(), kNanWords.end());
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

bool trim(std::string_view text, PlainNumber& copy) {
  const std::string_view inner = trimmed(text);
  if (inner.size() > PlainNumber::kMost) {
    return false;
  }
  std::ranges::copy(inner, copy.bytes.begin());
  copy.size = inner.size();
  return true;
}

FormGuess::FormGuess(std::string_view example, const FormRules& rules) : rules_(rules) {
  if (!example.empty()) {
    begin(example);
  }
}

// All forms that one value has. A word for null may be the only value that is not plain.
void FormGuess::begin(std::string_view example) {
  begun_ = true;
  const auto add_date = [&](DatePattern pattern) {
    DatePattern::Ways ways = pattern.all_ways();
    dates_.push_back({.pattern = std::move(pattern), .ways = std::move(ways)});
  };
  const std::string_view inner = trimmed(example);
  Guess alone;
  PlainNumber copy;
  if (trim(example, copy)) {
    (void)alone.add(copy.text());
  }
  const bool is_plain = is_null_word(inner) || !is_string(alone.type().type);
  if (!rules_.date.empty()) {
    add_date(rules_.date);
  } else if (!is_plain) {
    std::ranges::for_each(patterns_in(inner), add_date);
  }
  if (rules_.marks.point != ',') {
    PlainForm& first = numbers_.emplace_back();
    first.takes_nan = true;
    for (const std::string& nan : nans_) {
      (void)takes(first, nan);
    }
    numbers_.push_back({.form = {}, .plain = {}});
  }
  if (is_plain && inner.size() == example.size() && !rules_.has_marks()) {
    return;
  }
  for (NumberForm& form : NumberForm::forms_of(example, rules_.marks)) {
    numbers_.push_back({.form = std::move(form), .plain = {}});
  }
}

bool FormGuess::takes(DateForm& date, std::string_view text) {
  constexpr int64_t kMostDays = 106'750;  // as nanoseconds, more do not fit 64 bits
  const std::string_view inner = trimmed(text);
  Moment moment;
  if (!date.pattern.read(inner, moment, &date.ways)) {
    return false;
  }
  date.mixed = date.mixed || inner.size() != text.size() ||
               std::ranges::find(date.ways, uint16_t{0}) != date.ways.end();
  uint32_t nanoseconds = moment.nanoseconds;
  uint32_t digits = nanoseconds == 0 ? 0 : 9;
  while (digits > 0 && nanoseconds % 10 == 0) {
    nanoseconds /= 10;
    --digits;
  }
  date.digits = std::max(date.digits, digits);
  date.outside_ns = date.outside_ns || moment.days < -kMostDays || moment.days > kMostDays;
  return date.digits <= 6 || !date.outside_ns;
}

bool FormGuess::takes(PlainForm& number, std::string_view text) {
  PlainNumber plain;
  const std::string_view inner = trimmed(text);
  if (number.form.is_plain()) {
    number.mixed = number.mixed || inner.size() != text.size();
    if (!trim(text, plain)) {
      return false;
    }
    (void)number.plain.add(plain.text());
    return number.plain.misfits().empty() && !number.plain.is_text();
  }
  if (!number.form.read_exactly(text, plain)) {
    // Numbers of another width may be something else.
    if (number.form.padding == '0' || !number.form.read(inner, plain)) {
      return false;
    }
    number.mixed = true;
  }
  (void)number.plain.add(plain.text());
  const ColumnType type = number.plain.type();
  return number.form.padding == '0' ? type == ColumnType{DType::i64} : !is_string(type.type);
}

void FormGuess::see_word(std::string_view word) {
  std::vector<std::string>& words = is_nan(word) ? nans_ : words_;
  if (!word.empty() && std::ranges::find(words, word) == words.end()) {
    words.emplace_back(word);
  }
  if (words_.size() > kMostWords) {
    begun_ = true;
    dates_.clear();
    numbers_.clear();
  } else if (words_.size() + nans_.size() > kMostWords) {
    dates_.clear();
    std::erase_if(numbers_, [](const PlainForm& number) { return !number.takes_nan; });
  }
}

void FormGuess::add(std::string_view text) {
  if (text.empty() || (rules_.words && is_null_word(text))) {
    see_word(text);
    std::erase_if(numbers_, [&](PlainForm& number) {
      return is_nan(text) && number.takes_nan && !takes(number, text);
    });
    return;
  }
  seen_ = true;
  if (!begun_) {
    begin(text);
  }
  std::erase_if(dates_, [&](DateForm& date) { return !takes(date, text); });
  std::erase_if(numbers_, [&](PlainForm& number) { return !takes(number, text); });
}

// Whether a mark is between groups of digits in one form, and before the fraction in the other. A plain 1.234
// has a fraction, as everywhere; with a currency it may be a thousand.
bool FormGuess::swaps_marks(const PlainForm& a, const PlainForm& b) {
  const bool has_unit = !trimmed(a.form.before).empty() || !trimmed(a.form.after).empty();
  if (!a.form.group.empty()) {
    return a.form.group == std::string(1, b.form.point);
  }
  return (a.form.point != '.' || (has_unit && is_real(a.plain.type()))) &&
         b.form.group == std::string(1, a.form.point);
}

// Forms in which all values are written are preferred.
const FormGuess::DateForm& FormGuess::date() const {
  const auto exact = std::ranges::find(dates_, false, &DateForm::mixed);
  return exact == dates_.end() ? dates_.front() : *exact;
}

const FormGuess::PlainForm& FormGuess::number() const {
  const auto exact = std::ranges::find_if(numbers_, [](const PlainForm& number) {
    return !number.mixed && !is_string(number.plain.type().type);
  });
  return exact == numbers_.end() ? numbers_.front() : *exact;
}

bool FormGuess::is_ambiguous() const {
  if (is_done() || !begun_ || (!rules_.date.empty() && !dates_.empty())) {
    return false;
  }
  if (dates_.empty()) {
    return std::ranges::any_of(numbers_,
                               [&](const PlainForm& other) { return swaps_marks(number(), other); });
  }
  return !numbers_.empty() || std::ranges::any_of(dates_, [&](const DateForm& other) {
    return other.pattern.order() != date().pattern.order();
  });
}

std::string FormGuess::options() const {
  std::string all;
  const auto add = [&](const std::string& option) {
    if (all.find(option) == std::string::npos) {
      all += (all.empty() ? "" : " or ") + option;
    }
  };
  for (const DateForm& date : dates_) {
    DatePattern pattern = date.pattern;
    pattern.set_ways(date.ways);
    add(fmt::format("--date-format '{}'", pattern.text()));
  }
  for (const PlainForm& other : numbers_) {
    if (swaps_marks(number(), other)) {
      const bool is_grouped = !number().form.group.empty();
      add("--thousands " + (is_grouped ? number() : other).form.group);
      add(fmt::format("--decimal {}", (is_grouped ? other : number()).form.point));
    }
  }
  return all;
}

bool FormGuess::is_found() const {
  if (!seen_ || is_done() || is_ambiguous() || is_string(type().type)) {
    return false;
  }
  // Doubles in several forms are written with exponents, which a form has no place for.
  return !dates_.empty() || number().form.is_plain() || type().type != DType::f64 ||
         !number().plain.spelling().mixed;
}

ColumnType FormGuess::type() const {
  if (dates_.empty()) {
    return number().plain.type();
  }
  const auto unit = static_cast<Logical::Unit>((date().digits + 2) / 3);
  if (!date().pattern.has_time()) {
    return {DType::i32, {.kind = Logical::Kind::date}};
  }
  return {DType::i64,
          {.kind = date().pattern.has_date() ? Logical::Kind::timestamp : Logical::Kind::time, .unit = unit}};
}

Spelling FormGuess::spelling() const {
  Spelling spelling;
  if (dates_.empty()) {
    spelling = number().plain.spelling();
    spelling.form = number().form;
    spelling.mixed = spelling.mixed || number().mixed;
    return spelling;
  }
  spelling.pattern = date().pattern;
  spelling.pattern.set_ways(date().ways);
  spelling.mixed = date().mixed;
  return spelling;
}

std::vector<std::string> FormGuess::words() const {
  std::vector<std::string> words = words_;
  if (!dates_.empty() || !number().takes_nan) {
    words.insert(words.end(), nans_.begin(), nans_.end());
  }
  return words;
}

}  // namespace bobbin::csv
