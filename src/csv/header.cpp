// SPDX-License-Identifier: Apache-2.0
#include "csv/header.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/digits.hpp"
#include "csv/guess.hpp"

namespace bobbin::csv {
namespace {

// Points of one column. A table is taken to have names if the sum is positive.
constexpr int kBefore = 1;     // most tables have names
constexpr int kOtherType = 4;  // a text above numbers, dates or booleans, or a date above numbers
constexpr int kYear = 3;       // a year above numbers that are not years
constexpr int kOtherForm = 2;  // a text unlike all texts below it
constexpr int kSlight = 1;
constexpr int kClose = 3;  // sums below it are reported

// From this many values on, what they have in common is not by chance.
constexpr size_t kEnoughValues = 3;

// Words for missing values say nothing about the first record.
constexpr std::array<std::string_view, 15> kMissing{"-",   "--", ".",    "..",   "...",  "?",   "NA", "N/A",
                                                    "n/a", "na", "NULL", "null", "None", "NaN", "nan"};

enum class Kind : uint8_t { nothing, integer, number, time, boolean, text };

Kind kind_of(const ColumnType& type) {
  switch (type.logical.kind) {
    case Logical::Kind::boolean:
      return Kind::boolean;
    case Logical::Kind::plain:
      return is_string(type.type) ? Kind::text : type.type == DType::f64 ? Kind::number : Kind::integer;
    case Logical::Kind::decimal:
      return Kind::number;
    default:
      return Kind::time;
  }
}

bool is_numeric(Kind kind) {
  return kind == Kind::integer || kind == Kind::number;
}

Kind kind_of(std::string_view text) {
  Guess guess;
  (void)guess.add(text);
  return kind_of(guess.type());
}

bool is_year(std::string_view text) {
  return text.size() == 4 && text >= "1500" && text <= "2100" &&
         std::ranges::all_of(text, [](char c) { return is_digit(c); });
}

// A year, perhaps with a fraction: 1949.083 is a month.
bool is_in_years(std::string_view text) {
  return is_year(text.substr(0, text.find('.')));
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// What texts may have in common.
struct Form {
  size_t length = 0;
  bool has_digit = false;
  bool has_lower = false;
  bool has_upper = false;
  bool begins_upper = false;
  bool begins_lower = false;
  bool has_underline = false;
  bool has_blank = false;
};

Form form_of(std::string_view text) {
  Form form{.length = text.size()};
  for (const char c : text) {
    form.has_digit = form.has_digit || is_digit(c);
    form.has_lower = form.has_lower || is_lower(c);
    form.has_upper = form.has_upper || is_upper(c);
    form.has_underline = form.has_underline || c == '_';
    form.has_blank = form.has_blank || c == ' ';
  }
  form.begins_upper = !text.empty() && is_upper(text.front());
  form.begins_lower = !text.empty() && is_lower(text.front());
  return form;
}

// The values below a first field.
class Below {
 public:
  void add(std::string_view text, std::string_view first) {
    (void)guess_.add(text);
    years_ += is_in_years(text) ? 1 : 0;
    has_point_ += text.find('.') != std::string_view::npos ? 1 : 0;
    repeats_first_ = repeats_first_ || text == first;
    see_step(text, first);
    const Form form = form_of(text);
    shortest_ = std::min(count_ == 0 ? form.length : shortest_, form.length);
    longest_ = std::max(longest_, form.length);
    with_digit_ += form.has_digit ? 1 : 0;
    with_lower_ += form.has_lower ? 1 : 0;
    begin_upper_ += form.begins_upper ? 1 : 0;
    begin_lower_ += form.begins_lower ? 1 : 0;
    with_underline_ += form.has_underline ? 1 : 0;
    ++count_;
  }

  [[nodiscard]] Kind kind() const {
    if (count_ == 0) {
      return Kind::nothing;
    }
    return !all_have_type() && guess_.is_text_by_misfits() ? kind_of(guess_.regular_type()) : kind_of_all();
  }
  // Without exceptions.
  [[nodiscard]] bool all_have_type() const { return count_ > 0 && kind_of_all() != Kind::text; }
  [[nodiscard]] bool has_type() const { return kind() != Kind::nothing && kind() != Kind::text; }
  [[nodiscard]] bool are_years() const { return years_ > 0 && 2 * years_ >= count_; }
  [[nodiscard]] bool has_years() const { return years_ > 0; }
  [[nodiscard]] bool all_have_points() const { return count_ >= kEnoughValues && has_point_ == count_; }
  [[nodiscard]] bool repeats_first() const { return repeats_first_; }
  // Whether the first field and the values below it are 1, 2, 3 or similar.
  [[nodiscard]] bool continues_first() const {
    return count_ >= 2 && steps_ == std::min(count_, kEnoughValues);
  }
  [[nodiscard]] size_t count() const { return count_; }

  // Whether all texts below have something in common: positive if the first differs in it, negative if not.
  [[nodiscard]] int compare(std::string_view first) const {
    if (count_ < kEnoughValues) {
      return 0;
    }
    const Form form = form_of(first);
    const bool other =
        (shortest_ == longest_ && form.length != longest_) || (with_digit_ == count_ && !form.has_digit) ||
        (with_lower_ == 0 && form.has_lower) || (begin_upper_ == count_ && form.begins_lower) ||
        (begin_lower_ == count_ && form.begins_upper) || (with_underline_ == 0 && form.has_underline);
    const bool same = shortest_ == longest_ || with_digit_ == count_;
    return other ? kOtherForm : same ? -kSlight : 0;
  }

 private:
  [[nodiscard]] Kind kind_of_all() const { return guess_.settled() ? kind_of(guess_.type()) : Kind::text; }
  // Whether the first few values go on from the first field by one.
  void see_step(std::string_view text, std::string_view first) {
    int64_t here = 0;
    int64_t start = 0;
    if (count_ < kEnoughValues && read_long_signed(text, here) && read_long_signed(first, start) &&
        here - static_cast<int64_t>(count_) - 1 == start) {
      ++steps_;
    }
  }

  Guess guess_;
  size_t count_ = 0;
  size_t years_ = 0;
  size_t steps_ = 0;
  size_t has_point_ = 0;
  size_t shortest_ = 0;
  size_t longest_ = 0;
  size_t with_digit_ = 0;
  size_t with_lower_ = 0;
  size_t begin_upper_ = 0;
  size_t begin_lower_ = 0;
  size_t with_underline_ = 0;
  bool repeats_first_ = false;
};

// What the first record is as a whole.
struct FirstRecord {
  bool is_alone = false;
  bool years = false;   // its years are distinct and in order
  bool steps = false;   // its integers are evenly spaced, and those of the next record are not
  bool places = false;  // its integers are 0, 1, 2, ...
};

// 1990, 2000, 2010.
bool are_steps(const std::vector<int64_t>& numbers) {
  for (size_t i = 2; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) {
      return false;
    }
  }
  return numbers.size() >= 3 && numbers[1] != numbers[0];
}

std::vector<int64_t> integers_of(const Record& record) {
  std::vector<int64_t> numbers;
  for (const std::string_view text : record) {
    if (int64_t number = 0; read_long_signed(text, number)) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

FirstRecord look_at_first(std::span<const Record> records) {
  std::vector<int64_t> years;
  for (const std::string_view text : records[0]) {
    if (is_year(text)) {
      years.push_back(0);
      (void)read_long_signed(text, years.back());
    }
  }
  const auto later = [](int64_t a, int64_t b) { return a >= b; };
  const auto earlier = [](int64_t a, int64_t b) { return a <= b; };
  FirstRecord first{.is_alone = records.size() == 1};
  first.years = std::ranges::adjacent_find(years, later) == years.end() ||
                std::ranges::adjacent_find(years, earlier) == years.end();
  const std::vector<int64_t> numbers = integers_of(records[0]);
  first.steps = are_steps(numbers) && !(records.size() > 1 && are_steps(integers_of(records[1])));
  first.places = !numbers.empty();
  for (size_t i = 0; i < numbers.size(); ++i) {
    first.places = first.places && numbers[i] == static_cast<int64_t>(i);
  }
  return first;
}

// Whether fewer of the years than not are above other years.
bool names_are_years(const Record& first, const std::vector<Below>& below) {
  int others = 0;
  for (size_t c = 0; c < below.size(); ++c) {
    if (is_year(first[c]) && below[c].count() > 0) {
      others += below[c].are_years() ? -1 : 1;
    }
  }
  return others > 0;
}

bool is_word(Kind kind) {
  return kind == Kind::text || kind == Kind::boolean;
}

int points_above_text(std::string_view first, Kind kind, const Below& below, const FirstRecord& whole) {
  if (below.repeats_first()) {
    return below.count() < kEnoughValues ? -kSlight : -kOtherForm;
  }
  if (is_word(kind)) {
    return below.compare(first);
  }
  const bool may_be_name = (is_year(first) && whole.years && !below.has_years()) ||
                           (kind == Kind::integer && (whole.places || whole.steps));
  return may_be_name ? kSlight : -kOtherForm;
}

int points_above_numbers(std::string_view first, Kind kind, const Below& below, const FirstRecord& whole) {
  if (is_word(kind) || kind == Kind::time) {
    return below.repeats_first() ? 0 : kOtherType;
  }
  if (below.continues_first()) {
    return -kYear;
  }
  if (is_year(first) && whole.years && !below.are_years()) {
    return kYear;
  }
  if (kind == Kind::integer && whole.steps && !below.are_years()) {
    return kSlight;
  }
  const bool other_form = kind == Kind::integer ? below.all_have_points() : below.kind() == Kind::integer;
  return !other_form ? -kOtherForm : kind == Kind::integer && whole.places ? kSlight : 0;
}

int points_of(std::string_view first, const Below& below, const FirstRecord& whole) {
  const Kind kind = kind_of(first);
  if (below.count() > 0 && std::ranges::find(kMissing, first) != kMissing.end()) {
    return 0;
  }
  switch (below.kind()) {
    case Kind::nothing:
      return is_word(kind) || (is_year(first) && (whole.is_alone ? whole.steps : whole.years)) ? 0
             : whole.is_alone                                                                  ? -kOtherForm
                                                                                               : -kSlight;
    case Kind::text:
      return points_above_text(first, kind, below, whole);
    case Kind::integer:
    case Kind::number:
      return points_above_numbers(first, kind, below, whole);
    case Kind::time:
      return !is_word(kind) ? -kOtherForm : below.repeats_first() ? 0 : kOtherType;
    case Kind::boolean:
      break;
  }
  const bool is_same = kind == Kind::boolean || below.repeats_first();
  return is_numeric(kind) ? 0 : is_same ? -kOtherForm : kOtherType;
}

}  // namespace

HeaderVerdict judge_header(std::span<const Record> records, size_t fields, const NullTest& is_null) {
  HeaderVerdict verdict{.is_close = true};
  const auto is_missing = [&](std::string_view text) { return is_null(RawField{text.data(), text.size()}); };
  if (records.empty() || std::ranges::all_of(records[0], is_missing)) {
    return verdict;
  }
  const Record& first = records[0];
  std::vector<Below> below(std::min(fields, first.size()));
  for (const Record& record : records.subspan(1)) {
    for (size_t c = 0; c < std::min(below.size(), record.size()) && record != first; ++c) {
      if (!is_missing(record[c])) {
        below[c].add(record[c], first[c]);
      }
    }
  }
  FirstRecord whole = look_at_first(records);
  whole.years = whole.years && names_are_years(first, below);
  int points = kBefore;
  for (size_t c = 0; c < below.size(); ++c) {
    // Only the first column is often without a name.
    const bool unnamed = c > 0 && below[c].has_type();
    const int own = !is_missing(first[c]) ? points_of(first[c], below[c], whole) : unnamed ? -kSlight : 0;
    verdict.by_types = verdict.by_types || (own == kOtherType && below[c].all_have_type());
    points += own;
  }
  verdict.is_header = points >= 0;
  verdict.is_close = points < kClose && points > -kClose;
  return verdict;
}

}  // namespace bobbin::csv
