// SPDX-License-Identifier: Apache-2.0
#include "csv/guess.hpp"

#include <algorithm>
#include <bit>

#include "core/calendar.hpp"
#include "core/text.hpp"
#include "csv/form_guess.hpp"
#include "csv/number_text.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kMostMisfits = 3;  // that are words for null, and as many that are not
constexpr size_t kLongestMisfit = 256;
// Spellings of kBooleanWords that may occur in one column: those of the same words.
constexpr std::array<uint8_t, 10> kFamilies{0, 0, 0, 1, 1, 1, 2, 2, 3, 3};

// A leading "0" does not count: a decimal of scale 18 may be 0.123456789012345678.
size_t whole_digits(std::string_view whole) {
  return whole == "0" ? 0 : whole.size();
}

// Four digits, and not the year 0.
bool is_plain_date(std::string_view text) {
  return text.size() >= 10 && (text[4] == '-' || text[4] == '/') && is_digit(text[0]) &&
         text.substr(0, 4) != "0000";
}

template <size_t N>
size_t index_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return static_cast<size_t>(std::ranges::find(words, word) - words.begin());
}

std::string_view without_sign(std::string_view text) {
  return text.substr(text.starts_with('-') ? 1 : 0);
}

bool is_single(uint32_t bits) {
  return (bits & (bits - 1)) == 0;
}

// Whether the fractional digits match the spelling.
bool fits_fraction(const TimeParts& parts, const TimeForm& form, Logical::Unit unit) {
  if (form.trimmed) {
    return parts.fraction.empty() || parts.fraction.back() != '0';
  }
  const size_t digits = form.digits < 0 ? fraction_digits(unit) : static_cast<size_t>(form.digits);
  return !form.seconds || parts.fraction.size() == digits;
}

bool fits_spelling(const TimeParts& parts, const Spelling& spelling, Logical::Unit unit) {
  const TimeForm& form = spelling.time;
  if (parts.zone != form.zone_text()) {
    return false;
  }
  const bool same_marks = parts.separator == form.separator && parts.day_mark == form.day_mark;
  return spelling.mixed || ((!parts.has_date || same_marks) && parts.has_seconds == form.seconds &&
                            fits_fraction(parts, form, unit));
}

}  // namespace

bool read_long_signed(std::string_view text, int64_t& value) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || (digits.front() == '0' && (digits.size() > 1 || negative)) || digits.front() == '+') {
    return false;
  }
  return parse_signed(text, value) == TextError::none;
}

bool read_unsigned(std::string_view text, uint64_t& value) {
  if (text.empty() || !is_digit(text.front()) || (text.front() == '0' && text.size() > 1)) {
    return false;
  }
  return parse_unsigned(text, value) == TextError::none;
}

bool read_decimal(std::string_view text, uint8_t scale, int64_t& value) {
  const bool negative = text.starts_with('-');
  std::string_view whole = text.substr(negative ? 1 : 0);
  const size_t point = whole.find('.');
  const size_t fraction = point == std::string_view::npos ? 0 : whole.size() - point - 1;
  whole = whole.substr(0, point);
  if (whole.empty() || fraction > scale || (whole.front() == '0' && whole.size() > 1) ||
      whole.front() == '+' || whole_digits(whole) + scale > kDecimalDigits) {
    return false;
  }
  return parse_decimal(text, scale, value) == TextError::none && !(negative && value == 0);
}

bool read_double(std::string_view text, const Spelling& spelling, double& value) {
  const NumberText number = take_number_apart(text);
  if (!number.valid) {
    const std::string_view word = without_sign(text);
    const size_t nan = index_of(kNanWords, text);
    const size_t infinity = index_of(kInfinityWords, word);
    const bool known = spelling.mixed ? nan < kNanWords.size() || infinity < kInfinityWords.size()
                                      : nan == spelling.nan || infinity == spelling.infinity;
    return known && parse_double(text, value) == TextError::none;
  }
  if (text == "-0") {
    return false;
  }
  if (spelling.number >= Spelling::Number::digits16) {
    return parse_double(text, value) == TextError::none &&
           long_forms(number, text, bit_of(spelling.number)) != 0;
  }
  if (!read_few_digits(number, value) && !(parse_double(text, value) == TextError::none &&
                                           (has_few_digits(number) || comes_back(number, value) ||
                                            (spelling.mixed && has_long_digits(number, text))))) {
    return false;
  }
  return spelling.mixed || (float_forms(number, text) & bit_of(spelling.number)) != 0;
}

bool read_boolean(std::string_view text, const Spelling& spelling, uint8_t& value) {
  const BooleanWords& words = kBooleanWords[spelling.words];
  value = text == words.yes ? 1 : 0;
  if (value == 1 || text == words.no) {
    return true;
  }
  const auto* const found = std::ranges::find_if(
      kBooleanWords, [&](const BooleanWords& other) { return text == other.yes || text == other.no; });
  if (!spelling.mixed || found == kBooleanWords.end()) {
    return false;
  }
  value = text == found->yes ? 1 : 0;
  return kFamilies[static_cast<size_t>(found - kBooleanWords.begin())] == kFamilies[spelling.words];
}

bool read_date(std::string_view text, const Spelling& spelling, int32_t& days) {
  return is_plain_date(text) && (spelling.mixed || text[4] == spelling.time.day_mark) &&
         parse_date(text, days) == TextError::none;
}

bool read_timestamp(std::string_view text, Logical::Unit unit, const Spelling& spelling, int64_t& value) {
  TimeParts parts;
  return is_plain_date(text) && take_time_apart(text, parts) && parts.has_time &&
         fits_spelling(parts, spelling, unit) && timestamp_of(parts, unit, value) == TextError::none;
}

bool read_time(std::string_view text, Logical::Unit unit, const Spelling& spelling, int64_t& value) {
  TimeParts parts;
  return take_time_apart(text, parts) && !parts.has_date && fits_spelling(parts, spelling, unit) &&
         time_of_day(parts, unit, value) == TextError::none;
}

Guess::Guess() = default;
Guess::Guess(Guess&&) noexcept = default;
Guess& Guess::operator=(Guess&&) noexcept = default;
Guess::~Guess() = default;

bool Guess::look_for_forms(const FormRules& rules) {
  if (!seen_ || !utf8_ || has_long_text_) {
    return false;
  }
  const ColumnType plain = type();
  const bool is_real = plain.type == DType::f64 || plain.logical.kind == Logical::Kind::decimal;
  if (misfits_.empty() && rules.date.empty() && !(is_real && rules.has_marks())) {
    return false;
  }
  const auto other = std::ranges::find_if(misfits_, [](const Misfit& m) { return !is_null_word(m.text); });
  const std::string_view example =
      other == misfits_.end() ? std::string_view() : std::string_view(other->text);
  FormGuess probe(example, rules);
  for (const Misfit& misfit : misfits_) {
    probe.add(misfit.text);
  }
  comma_is_point_ = is_real && rules.marks.point == ',';
  if (!probe.is_done()) {
    forms_ = std::make_unique<FormGuess>(example, rules);
  }
  return forms_ != nullptr;
}

std::vector<std::string> Guess::null_words() const {
  return has_form() ? forms_->words() : std::vector<std::string>();
}

std::string Guess::ambiguous_options() const {
  return forms_ && forms_->is_ambiguous() ? forms_->options() : "";
}

bool Guess::has_form() const {
  return forms_ && forms_->is_found();
}

bool Guess::settled() const {
  return forms_ && !forms_->is_done() ? has_form() : seen_ && !waits_for_other_word();
}

bool Guess::is_text() const {
  return forms_ ? forms_->is_done() : given_up_;
}

void Guess::see_fraction(std::string_view fraction) {
  const auto digits = static_cast<uint8_t>(fraction.size());
  scale_ = std::max(scale_, digits);
  least_fraction_ = std::min(least_fraction_, digits);
  const bool zero = digits > 0 && fraction.back() == '0';
  trimmed_ = trimmed_ && !zero;
  point_ = point_ && digits > 0 && !(zero && digits > 1);
}

// kDecimal if a decimal has room for the most digits before and after the point so far.
uint32_t Guess::see_whole(size_t digits) {
  whole_digits_ = std::max(whole_digits_, static_cast<uint8_t>(digits));
  return whole_digits_ + scale_ <= static_cast<int>(kDecimalDigits) ? uint32_t{kDecimal} : 0;
}

uint32_t Guess::look_at_number(std::string_view text) {
  const NumberText number = take_number_apart(text);
  if (!number.valid || text == "-0") {
    return 0;
  }
  uint32_t fits = 0;
  const bool plain =
      number.exponent_text.empty() && !number.whole.empty() && number.has_point == !number.fraction.empty();
  if (plain && !number.has_point) {
    int64_t small = 0;
    uint64_t large = 0;
    fits |= read_signed(text, small) ? uint32_t{kSigned} : 0;
    fits |= read_unsigned(text, large) ? uint32_t{kUnsigned} : 0;
  }
  if (plain && !(number.negative && number.is_zero()) && number.fraction.size() <= kDecimalDigits &&
      number.whole.size() <= kDecimalDigits) {
    see_fraction(number.fraction);
    fits |= see_whole(whole_digits(number.whole));
  }
  return fits | look_at_float(number, text);
}

// As comes_back(), and keeps the double.
bool Guess::reads_back(const NumberText& number, std::string_view text) {
  if (has_few_digits(number)) {
    return true;
  }
  double value = 0;
  if (parse_double(text, value) != TextError::none || !comes_back(number, value)) {
    return false;
  }
  number_ = value;
  return true;
}

// The forms in which a double is written as this text, if any.
uint32_t Guess::look_at_float(const NumberText& number, std::string_view text) {
  uint32_t fits = 0;
  uint8_t forms = 0;
  if ((fits_ & (kFloat | kAnyFloat)) != 0 && reads_back(number, text)) {
    // Once values have had different forms, no form is common to all.
    forms |= (float_forms_ & ~kLongForms) != 0 ? float_forms(number, text) : uint8_t{0};
    fits |= kFloat | kAnyFloat;
  }
  if ((fits_ & kLongFloat) != 0) {
    forms |= long_forms(number, text, float_forms_);
  }
  if ((fits_ & kAnyFloat) != 0 && fits == 0) {
    fits |= (forms & kLongForms) != 0 || has_long_digits(number, text) ? uint32_t{kAnyFloat} : 0;
  }
  float_forms_ &= forms;
  return fits | ((float_forms_ & kLongForms) != 0 ? uint32_t{kLongFloat} : 0);
}

uint32_t Guess::look_at_boolean(std::string_view text) {
  for (size_t i = 0; i < kBooleanWords.size(); ++i) {
    const bool yes = text == kBooleanWords[i].yes;
    if (!yes && text != kBooleanWords[i].no) {
      continue;
    }
    const auto first = static_cast<size_t>(std::countr_zero(boolean_words_));
    if (boolean_words_ != 0 && kFamilies[first] != kFamilies[i]) {
      return 0;
    }
    boolean_words_ = static_cast<uint16_t>(boolean_words_ | 1U << i);
    (yes ? seen_yes_ : seen_no_) = true;
    return kBoolean;
  }
  return 0;
}

uint32_t Guess::look_at_words(std::string_view text) {
  if (text.size() < 3) {
    return 0;
  }
  if (const size_t nan = index_of(kNanWords, text); nan < kNanWords.size()) {
    nan_words_ = static_cast<uint8_t>(nan_words_ | 1U << nan);
    return kFloats;
  }
  if (const size_t word = index_of(kInfinityWords, without_sign(text)); word < kInfinityWords.size()) {
    infinity_words_ = static_cast<uint8_t>(infinity_words_ | 1U << word);
    return kFloats;
  }
  return 0;
}

// All timestamps of a column have the same zone, or none.
bool Guess::see_zone(const TimeParts& parts) {
  if (!seen_zone_) {
    set_zone(zone_, parts.zone, parts.offset_minutes);
    seen_zone_ = true;
  }
  return zone_.zone_text() == parts.zone;
}

void Guess::see_time_form(const TimeParts& parts) {
  const auto digits = static_cast<uint8_t>(parts.fraction.size());
  (parts.separator == 'T' ? letter_ : blank_) = true;
  (parts.has_seconds ? with_seconds_ : without_seconds_) = true;
  trimmed_seconds_ = trimmed_seconds_ && (digits == 0 || parts.fraction.back() != '0');
  fraction_digits_ = std::max(fraction_digits_, digits);
  least_digits_ = std::min(least_digits_, digits);
}

uint32_t Guess::look_at_time(std::string_view text) {
  TimeParts parts;
  if (text.size() < 5 || !is_digit(text[0]) || !take_time_apart(text, parts) || parts.fraction.size() > 9) {
    return 0;
  }
  if (!parts.has_date) {
    see_time_form(parts);
    return kTime;
  }
  if (!is_plain_date(text)) {
    return 0;
  }
  (parts.day_mark == '/' ? slash_ : dash_) = true;
  if (!parts.has_time) {
    return kDate;
  }
  // Checked to the second, so that the narrow range of nanoseconds is decided for the column as a whole.
  const std::string_view fraction = parts.fraction;
  int64_t value = 0;
  parts.fraction = {};
  (void)timestamp_of(parts, Logical::Unit::seconds, value);
  parts.fraction = fraction;
  if (!see_zone(parts)) {
    return 0;
  }
  outside_ns_ = outside_ns_ || value < -9'223'372'036 || value >= 9'223'372'036;
  see_time_form(parts);
  return fraction_digits_ > 6 && outside_ns_ ? 0 : uint32_t{kTimestamp};
}

// Whether all values so far are numbers, and some are not as %.16g prints them.
bool Guess::takes_usual() const {
  return (fits_ & kLongFloat) == 0 && (fits_ & (kFloat | kAnyFloat)) != 0 && misfits_.empty() && !given_up_ &&
         !forms_;
}

// A number of which only the digits before and after the point matter, and whether there are any before it.
void Guess::add_usual(const PlainDecimal& number) {
  seen_ = true;
  uint32_t fits = kFloat | kAnyFloat;
  if (!number.bare) {
    const auto fraction = static_cast<uint8_t>(number.fraction_digits);
    scale_ = std::max(scale_, fraction);
    least_fraction_ = std::min(least_fraction_, fraction);
    fits |= see_whole(number.whole_digits);
  }
  float_forms_ &= number.forms;
  fits_ &= fits;
  number_ = number.value;
  ++regular_;
}

uint32_t Guess::look_at_plain(const PlainDecimal& number, std::string_view text) {
  uint32_t fits = kFloat | kAnyFloat;
  if (float_forms_ != 0) {
    fits |= look_at_float(take_number_apart(text), text);
  }
  if (!number.bare) {
    see_fraction(text.substr(text.size() - number.fraction_digits));
    fits |= see_whole(number.whole_digits);
  }
  return fits;
}

// A short integer, if all values so far were numbers with few digits.
uint32_t Guess::look_at_short(std::string_view text) {
  constexpr size_t kShort = 5;  // characters; with an exponent there are at least as many
  constexpr uint8_t kForms = bit_of(Spelling::Number::canonical) | bit_of(Spelling::Number::trimmed) |
                             bit_of(Spelling::Number::bare) | kLongForms;
  int64_t value = 0;
  if ((fits_ & kDecimal) == 0 || text.size() > kFloatDigits || !read_signed(text, value)) {
    return 0;
  }
  see_fraction({});
  uint32_t fits = kFloat | kAnyFloat | kSigned | (value < 0 ? 0 : uint32_t{kUnsigned}) |
                  see_whole(whole_digits(without_sign(text)));
  if (text.size() <= kShort) {
    float_forms_ &= kForms;
    fits |= (float_forms_ & kLongForms) != 0 ? uint32_t{kLongFloat} : 0;
  } else if (float_forms_ != 0) {
    fits |= look_at_float(take_number_apart(text), text);
  }
  return fits;
}

bool Guess::is_known_misfit(std::string_view text) const {
  return std::ranges::any_of(misfits_, [&](const Misfit& misfit) { return misfit.text == text; });
}

// Texts that would make the column text are recorded, as long as they are few.
bool Guess::add_misfit(std::string_view text) {
  ++irregular_;
  utf8_ = utf8_ && is_utf8(text);
  const bool is_word = is_null_word(text);
  const auto alike = std::ranges::count_if(
      misfits_, [&](const Misfit& misfit) { return is_null_word(misfit.text) == is_word; });
  has_long_text_ = text.size() > kLongestMisfit;
  if (has_long_text_ || static_cast<size_t>(alike) == kMostMisfits) {
    given_up_ = true;
    return false;
  }
  misfits_.push_back({.text = std::string(text)});
  return true;
}

bool Guess::add(std::string_view text) {
  PlainDecimal plain;
  if (takes_usual() && read_plain(text, plain) && plain.forms != 0) {
    add_usual(plain);
    return false;
  }
  return add_any(text);
}

bool Guess::add_any(std::string_view text) {
  if (forms_) {
    forms_->add(text);
    return false;
  }
  seen_ = true;
  number_ = kNoNumber;
  if (given_up_) {
    utf8_ = utf8_ && is_utf8(text);
    return false;
  }
  if (is_known_misfit(text)) {  // types are only ruled out, so it still is
    ++irregular_;
    return false;
  }
  PlainDecimal plain;
  const bool is_plain = read_plain(text, plain);
  uint32_t fits = is_plain ? look_at_plain(plain, text) : look_at_short(text);
  if (fits == 0 && (fits_ & (kSigned | kUnsigned | kDecimal | kFloats)) != 0) {
    fits |= look_at_number(text);
  }
  if (fits == 0 && (fits_ & kFloats) != 0) {
    fits |= look_at_words(text);
  }
  if (fits == 0 && (fits_ & kBoolean) != 0) {
    fits |= look_at_boolean(text);
  }
  if (fits == 0 && (fits_ & (kDate | kTimestamp | kTime)) != 0) {
    fits |= look_at_time(text);
  }
  if ((fits_ & fits) == 0) {
    return add_misfit(text);
  }
  fits_ &= fits;
  number_ = is_plain ? plain.value : number_;
  ++regular_;
  return false;
}

// A column that contains only "no" or "F" may be anything, until "yes" or "T" appears.
bool Guess::waits_for_other_word() const {
  const bool true_or_false = (boolean_words_ & 7) != 0;
  return misfits_.empty() && !given_up_ && fits_ == kBoolean && !true_or_false && seen_yes_ != seen_no_;
}

bool Guess::decimals_are_mixed() const {
  return least_fraction_ != scale_ && !trimmed_ && !point_;
}

bool Guess::prefers_float() const {
  const bool by_long_form = (fits_ & kLongFloat) != 0;
  const bool by_shortest = (fits_ & kFloat) != 0 && float_forms_ != 0;
  // Floats in several forms stay floats when one of many digits follows.
  const bool by_any = (fits_ & kFloats) != 0 && decimals_are_mixed();
  return scale_ >= kLongFraction && (by_long_form || by_shortest || by_any);
}

bool Guess::is_text_by_misfits() const {
  // Among other letters, N is a code like them.
  const bool must_be_rare = given_up_ || (fits_ & kBoolean) != 0;
  const uint64_t some = must_be_rare ? 20 * irregular_ : irregular_;
  return !has_form() && regular_ > some && !misfits_.empty();
}

bool Guess::is_text_by_zones() const {
  return !misfits_.empty() && !has_form() && seen_zone_ &&
         regular_type().logical.kind == Logical::Kind::timestamp &&
         std::ranges::all_of(misfits_, [](const Misfit& misfit) {
           TimeParts parts;
           return take_time_apart(misfit.text, parts) && parts.has_date && parts.has_time;
         });
}

ColumnType Guess::type() const {
  if (!utf8_) {
    return {DType::binary};
  }
  if (has_form()) {
    return forms_->type();
  }
  return comma_is_point_ || !seen_ || given_up_ || !misfits_.empty() || waits_for_other_word()
             ? ColumnType{DType::utf8}
             : regular_type();
}

ColumnType Guess::regular_type() const {
  if ((fits_ & kBoolean) != 0) {
    return {DType::u8, {.kind = Logical::Kind::boolean}};
  }
  if ((fits_ & kSigned) != 0) {
    return {DType::i64};
  }
  if ((fits_ & kUnsigned) != 0) {
    return {DType::u64};
  }
  if ((fits_ & kDecimal) != 0 && !prefers_float()) {
    return {DType::i64, {.kind = Logical::Kind::decimal, .scale = scale_}};
  }
  if ((fits_ & kFloats) != 0) {
    return {DType::f64};
  }
  if ((fits_ & kDate) != 0) {
    return {DType::i32, {.kind = Logical::Kind::date}};
  }
  const auto unit = static_cast<Logical::Unit>((fraction_digits_ + 2) / 3);
  return {DType::i64,
          {.kind = (fits_ & kTimestamp) != 0 ? Logical::Kind::timestamp : Logical::Kind::time, .unit = unit}};
}

Spelling Guess::boolean_spelling() const {
  const auto first = static_cast<uint8_t>(std::countr_zero(boolean_words_));
  const bool mixed = !is_single(boolean_words_);
  // Mixed ones are written with the first words of the family.
  const auto* const family = std::ranges::find(kFamilies, kFamilies[first]);
  return {.mixed = mixed, .words = mixed ? static_cast<uint8_t>(family - kFamilies.begin()) : first};
}

Spelling Guess::decimal_spelling() const {
  if (least_fraction_ == scale_ || decimals_are_mixed()) {
    return {.mixed = least_fraction_ != scale_};
  }
  return {.number = point_ ? Spelling::Number::point : Spelling::Number::trimmed};
}

Spelling Guess::float_spelling() const {
  const bool in_several_forms = (fits_ & (kFloat | kLongFloat)) == 0;
  if (in_several_forms || float_forms_ == 0 || !is_single(nan_words_) || !is_single(infinity_words_)) {
    return {.mixed = true};
  }
  Spelling spelling{
      .nan = static_cast<uint8_t>(nan_words_ == 0 ? 0 : std::countr_zero(nan_words_)),
      .infinity = static_cast<uint8_t>(infinity_words_ == 0 ? 0 : std::countr_zero(infinity_words_))};
  const bool shortest = (fits_ & kFloat) != 0;
  for (const Spelling::Number form :
       {Spelling::Number::digits18, Spelling::Number::digits17, Spelling::Number::digits16,
        Spelling::Number::bare, Spelling::Number::trimmed, Spelling::Number::point,
        Spelling::Number::canonical}) {
    const bool is_long = form >= Spelling::Number::digits16;
    if ((shortest || is_long) && (float_forms_ & bit_of(form)) != 0) {
      spelling.number = form;  // the last one that fits
    }
  }
  return spelling;
}

Spelling Guess::time_spelling(Logical::Unit unit) const {
  Spelling spelling;
  spelling.time = zone_;
  const bool digits_vary = least_digits_ != fraction_digits_;
  spelling.mixed = (blank_ && letter_) || (dash_ && slash_) || (with_seconds_ && without_seconds_) ||
                   (digits_vary && !trimmed_seconds_);
  if (spelling.mixed) {
    return spelling;
  }
  spelling.time.separator = letter_ ? 'T' : ' ';
  spelling.time.day_mark = slash_ ? '/' : '-';
  spelling.time.seconds = with_seconds_;
  spelling.time.trimmed = digits_vary;
  spelling.time.digits = digits_vary || fraction_digits_ == fraction_digits(unit)
                             ? int8_t{-1}
                             : static_cast<int8_t>(fraction_digits_);
  return spelling;
}

Spelling Guess::date_spelling() const {
  Spelling spelling{.mixed = dash_ && slash_};
  spelling.time.day_mark = slash_ && !dash_ ? '/' : '-';
  return spelling;
}

Spelling Guess::spelling() const {
  if (has_form()) {
    return forms_->spelling();
  }
  const ColumnType chosen = type();
  switch (chosen.logical.kind) {
    case Logical::Kind::boolean:
      return boolean_spelling();
    case Logical::Kind::decimal:
      return decimal_spelling();
    case Logical::Kind::timestamp:
    case Logical::Kind::time:
      return time_spelling(chosen.logical.unit);
    case Logical::Kind::plain:
      return chosen.type == DType::f64 ? float_spelling() : Spelling{};
    case Logical::Kind::date:
      return date_spelling();
  }
  return {};
}

}  // namespace bobbin::csv
