// SPDX-License-Identifier: Apache-2.0
#include "csv/number_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/digits.hpp"

namespace bobbin::csv {
namespace {

constexpr std::string_view kNoBreakSpace = "\xc2\xa0";
constexpr std::string_view kNarrowSpace = "\xe2\x80\xaf";
constexpr std::string_view kThinSpace = "\xe2\x80\x89";
constexpr size_t kGroupDigits = 3;
constexpr size_t kMostDigits = 18;  // any number of 18 digits fits 64 bits

struct MarkPair {
  std::string_view group;
  char point;
};
// In the order of preference: the first one that fits a column is its form.
constexpr std::array<MarkPair, 14> kMarkPairs{{{"", '.'},
                                               {"", ','},
                                               {",", '.'},
                                               {".", ','},
                                               {" ", '.'},
                                               {" ", ','},
                                               {"'", '.'},
                                               {"\xe2\x80\x99", '.'},
                                               {kNoBreakSpace, '.'},
                                               {kNoBreakSpace, ','},
                                               {kNarrowSpace, '.'},
                                               {kNarrowSpace, ','},
                                               {kThinSpace, '.'},
                                               {kThinSpace, ','}}};

// What may come before or after a number, perhaps with a blank between: currencies and shares.
constexpr auto kUnits = std::to_array<std::string_view>(
    {"%",   "‰",   "$",   "€",   "£",   "¥",   "₹",   "₩",   "₽",   "₺",   "₪",   "₫",
     "₴",   "₦",   "฿",   "₱",   "₡",   "₵",   "R$",  "US$", "A$",  "AU$", "C$",  "CA$",
     "NZ$", "HK$", "S$",  "NT$", "MX$", "Rs",  "Rs.", "kr",  "kr.", "zł",  "Kč",  "Ft",
     "Fr.", "CHF", "USD", "EUR", "GBP", "JPY", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK",
     "PLN", "CZK", "HUF", "INR", "CNY", "RMB", "BRL", "MXN", "ZAR", "TRY", "RUB", "KRW"});

bool cut_prefix(std::string_view& text, std::string_view part) {
  const bool there = text.starts_with(part);
  text.remove_prefix(there ? part.size() : 0);
  return there;
}

std::string_view cut_blank(std::string_view text) {
  for (const std::string_view blank : {std::string_view(" "), kNoBreakSpace, kNarrowSpace}) {
    if (text.starts_with(blank)) {
      return text.substr(0, blank.size());
    }
  }
  return {};
}

bool is_unit_before(std::string_view text) {
  return std::ranges::any_of(kUnits, [&](std::string_view unit) {
    std::string_view rest = text;
    return cut_prefix(rest, unit) && rest == cut_blank(rest);
  });
}

bool is_unit_after(std::string_view text) {
  text.remove_prefix(cut_blank(text).size());
  return std::ranges::find(kUnits, text) != kUnits.end();
}

bool is_all_blank(std::string_view text) {
  return text.find_first_not_of(' ') == std::string_view::npos;
}

// '-', '+' or NUL.
char cut_sign(std::string_view& text) {
  const char sign = text.starts_with('-') || text.starts_with('+') ? text.front() : '\0';
  text.remove_prefix(sign == '\0' ? 0 : 1);
  return sign;
}

// The parts of a plain number.
struct PlainParts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  bool has_point = false;
};

bool split_number(std::string_view text, PlainParts& parts) {
  parts.negative = cut_prefix(text, "-");
  const size_t point = std::min(text.find('.'), text.size());
  parts.whole = text.substr(0, point);
  parts.has_point = point < text.size();
  parts.fraction = text.substr(std::min(point + 1, text.size()));
  return std::ranges::all_of(parts.whole, &is_digit) && std::ranges::all_of(parts.fraction, &is_digit) &&
         parts.whole.size() + parts.fraction.size() > 0;
}

bool is_zero_number(const PlainParts& parts) {
  const auto zero = [](char c) { return c == '0'; };
  return std::ranges::all_of(parts.whole, zero) && std::ranges::all_of(parts.fraction, zero);
}

char* put_part(char* out, std::string_view text) {
  return std::ranges::copy(text, out).out;
}

char* put_grouped(char* out, std::string_view digits, std::string_view mark) {
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % kGroupDigits == 0) {
      out = put_part(out, mark);
    }
    *out++ = digits[i];
  }
  return out;
}

// Appends to a plain number; false if it is too long.
class Digits {
 public:
  explicit Digits(PlainNumber& plain) : plain_(plain) { plain_.size = 0; }

  bool add(char c) {
    if (plain_.size == PlainNumber::kMost) {
      return false;
    }
    plain_.bytes[plain_.size++] = c;
    return true;
  }

 private:
  PlainNumber& plain_;
};

// Digits before the decimal mark: with marks everywhere between groups of three, or without any.
bool cut_whole(std::string_view& text, std::string_view mark, bool drops_zeros, Digits& digits) {
  size_t since_mark = 0;
  bool any_mark = false;
  bool any_digit = false;
  while (true) {
    if (!text.empty() && is_digit(text.front())) {
      const bool leading =
          drops_zeros && !any_digit && text.front() == '0' && text.size() > 1 && is_digit(text[1]);
      if (!leading && !digits.add(text.front())) {
        return false;
      }
      any_digit = any_digit || !leading;
      ++since_mark;
      text.remove_prefix(1);
    } else if (!mark.empty() && text.starts_with(mark)) {
      if (any_mark ? since_mark != kGroupDigits : since_mark == 0 || since_mark > kGroupDigits) {
        return false;
      }
      any_mark = true;
      since_mark = 0;
      text.remove_prefix(mark.size());
    } else {
      return !any_mark || since_mark == kGroupDigits;
    }
  }
}

// Blanks, semicolons, percent signs and the like as %20, since words are separated by blanks and spellings by
// semicolons.
std::string escaped_word(std::string_view text) {
  std::string all;
  for (const char c : text) {
    const bool special = c <= ' ' || c == ';' || c == '%' || c == '=' || c == '\x7f';
    all += special && c >= 0 ? fmt::format("%{:02x}", static_cast<uint32_t>(c)) : std::string(1, c);
  }
  return all;
}

std::optional<std::string> unescaped_word(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    if (text.front() != '%') {
      all += text.front();
      text.remove_prefix(1);
      continue;
    }
    uint32_t code = 0;
    const char* const end = text.data() + std::min<size_t>(text.size(), 3);
    const auto [stop, error] = std::from_chars(text.data() + 1, end, code, 16);
    if (error != std::errc{} || stop != text.data() + 3) {
      return std::nullopt;
    }
    all += static_cast<char>(code);
    text.remove_prefix(3);
  }
  // Nothing that would be read as part of the number.
  const bool fine = all.size() <= NumberForm::kMostAround && !all.empty() &&
                    std::ranges::none_of(all, [](char c) { return is_digit(c) || c == '\r' || c == '\n'; });
  return fine ? std::optional(all) : std::nullopt;
}

bool fits_marks(const NumberForm::Marks& marks, const MarkPair& pair) {
  const bool group = marks.group.empty() || pair.group.empty() || pair.group == marks.group;
  const bool other_point = marks.group.size() != 1 || marks.group[0] != pair.point;
  return group && other_point && (marks.point == '\0' || marks.point == pair.point);
}

// A number's text without what is around it.
struct Affixes {
  NumberForm form;
  std::string_view core;
  char sign = '\0';
};

std::optional<Affixes> look_around(std::string_view text) {
  Affixes found;
  const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  const std::string_view padding = text.substr(0, blanks);
  text.remove_prefix(blanks);
  found.sign = cut_sign(text);
  const auto starts = [](char c) { return is_digit(c) || c == '.' || c == ','; };
  const auto begin =
      static_cast<size_t>(std::ranges::find_if(text, [](char c) { return is_digit(c); }) - text.begin());
  if (begin == text.size()) {
    return std::nullopt;
  }
  std::string_view before = text.substr(0, begin);
  while (!before.empty() && starts(before.back())) {
    // ".5" begins with its decimal mark; "Rs.5" does not.
    if (is_unit_before(before)) {
      break;
    }
    before.remove_suffix(1);
  }
  text.remove_prefix(before.size());
  if (found.sign == '\0' && !before.empty() && (before.back() == '-' || before.back() == '+')) {
    found.sign = before.back();
    found.form.sign_inside = true;
    before.remove_suffix(1);
  }
  const auto last = std::find_if(text.rbegin(), text.rend(), [](char c) { return is_digit(c); });
  const auto size = static_cast<size_t>(text.rend() - last);
  const std::string_view after = text.substr(size);
  found.core = text.substr(0, size);
  const bool units = (before.empty() || is_unit_before(before)) &&
                     (after.empty() || is_all_blank(after) || is_unit_after(after));
  if (!units) {
    return std::nullopt;
  }
  found.form.before = std::string(padding) + std::string(before);
  found.form.after = after;
  return found;
}

// Texts of one width, filled up with zeros or blanks before the number.
void add_padded(std::vector<NumberForm>& forms, std::string_view text, const NumberForm& form) {
  if (text.size() > NumberForm::kMostWidth) {
    return;
  }
  const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  NumberForm padded = form;
  padded.width = static_cast<uint8_t>(text.size());
  if (blanks > 0) {
    padded.padding = ' ';
    padded.before = form.before.substr(blanks);
    forms.push_back(padded);
  } else if (form.before.empty() && form.after.empty() && form.group.empty() && form.point == '.' &&
             text.size() <= kMostDigits) {
    padded.padding = '0';
    forms.push_back(padded);
  }
}

}  // namespace

bool NumberForm::read(std::string_view text, PlainNumber& plain) const {
  Digits digits(plain);
  if (padding == ' ') {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  char sign = cut_sign(text);
  if (!cut_prefix(text, before)) {
    return false;
  }
  sign = sign == '\0' && !before.empty() ? cut_sign(text) : sign;
  if (!text.ends_with(after)) {
    return false;
  }
  text.remove_suffix(after.size());
  if ((sign == '-' && !digits.add('-')) || !cut_whole(text, group, padding == '0', digits)) {
    return false;
  }
  if (text.empty()) {
    return plain.size > (sign == '-' ? 1U : 0U);
  }
  if (text.front() != point || text.size() == 1 || !digits.add('.')) {
    return false;
  }
  return std::ranges::all_of(text.substr(1), [&](char c) { return is_digit(c) && digits.add(c); });
}

bool NumberForm::read_exactly(std::string_view text, PlainNumber& plain) const {
  std::array<char, kMaxNumberText> again;
  return read(text, plain) &&
         text == std::string_view(again.data(),
                                  static_cast<size_t>(write(plain.text(), again.data()) - again.data()));
}

char* NumberForm::write(std::string_view plain, char* out) const {
  PlainParts parts;
  if (!split_number(plain, parts)) {
    return put_part(out, plain);
  }
  char* const begin = out;
  const std::string_view sign = parts.negative ? "-" : plus && !is_zero_number(parts) ? "+" : "";
  out = put_part(out, sign_inside ? "" : sign);
  out = put_part(out, before);
  out = put_part(out, sign_inside ? sign : "");
  if (padding == '0') {
    const size_t point_and_fraction = parts.has_point ? 1 + parts.fraction.size() : 0;
    const size_t size = sign.size() + parts.whole.size() + point_and_fraction;
    out = std::fill_n(out, size < width ? width - size : 0, '0');
  }
  out = put_grouped(out, parts.whole, group);
  if (parts.has_point) {
    *out++ = point;
    out = put_part(out, parts.fraction);
  }
  out = put_part(out, after);
  const auto size = static_cast<size_t>(out - begin);
  if (padding == ' ' && size < width) {
    std::copy_backward(begin, out, begin + width);
    std::fill_n(begin, width - size, ' ');
    out = begin + width;
  }
  return out;
}

std::string NumberForm::text() const {
  std::string text;
  const auto add = [&](bool there, const std::string& word) {
    text += there ? (text.empty() ? "" : " ") + word : "";
  };
  add(!before.empty(), "before=" + escaped_word(before));
  add(!after.empty(), "after=" + escaped_word(after));
  add(!group.empty(), "group=" + escaped_word(group));
  add(point != '.', "point=" + escaped_word({&point, 1}));
  add(padding != '\0', fmt::format("{}={}", padding == '0' ? "width" : "right", width));
  add(plus, "plus");
  add(sign_inside, "sign_inside");
  return text;
}

bool NumberForm::parse_word(std::string_view word) {
  const size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(std::min(equals + 1, word.size()));
  if (equals == word.size()) {
    plus = plus || name == "plus";
    sign_inside = sign_inside || name == "sign_inside";
    return name == "plus" || name == "sign_inside";
  }
  if (name == "width" || name == "right") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), width);
    padding = name == "width" ? '0' : ' ';
    return error == std::errc{} && end == value.data() + value.size() && width <= kMostWidth;
  }
  const std::optional<std::string> mark = unescaped_word(value);
  if (!mark) {
    return false;
  }
  if (name == "point") {
    point = mark->front();
    return mark->size() == 1;
  }
  std::string* const part = name == "before"  ? &before
                            : name == "after" ? &after
                            : name == "group" ? &group
                                              : nullptr;
  if (part != nullptr) {
    *part = *mark;
  }
  return part != nullptr;
}

bool NumberForm::is_group_mark(std::string_view mark) {
  return std::ranges::find(kMarkPairs, mark, &MarkPair::group) != kMarkPairs.end();
}

std::vector<NumberForm> NumberForm::forms_of(std::string_view text, const Marks& marks) {
  std::vector<NumberForm> forms;
  const std::optional<Affixes> around = look_around(text);
  if (!around) {
    return forms;
  }
  const auto add = [&](const NumberForm& form) {
    PlainNumber plain;
    if (form.before.size() <= kMostAround && form.after.size() <= kMostAround &&
        form.read_exactly(text, plain)) {
      forms.push_back(form);
    }
  };
  // What a number below zero, or zero, does not show is tried both ways.
  const bool is_positive = around->sign != '-' && around->core.find_first_not_of("0.,") != std::string::npos;
  for (const MarkPair& pair : kMarkPairs) {
    if (!fits_marks(marks, pair)) {
      continue;
    }
    NumberForm form = around->form;
    form.group = pair.group;
    form.point = pair.point;
    std::vector<NumberForm> padded{form};
    add_padded(padded, text, form);
    for (NumberForm& one : padded) {
      for (const bool inside : {false, true}) {
        for (const bool with_plus : {false, true}) {
          one.sign_inside = inside;
          one.plus = with_plus;
          const bool sign_matters = !one.before.empty() || !inside;
          const bool plus_matters = !is_positive || with_plus == (around->sign == '+');
          if (sign_matters && plus_matters) {
            add(one);
          }
        }
      }
    }
  }
  return forms;
}

}  // namespace bobbin::csv
