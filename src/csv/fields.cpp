// SPDX-License-Identifier: Apache-2.0
#include "csv/fields.hpp"

#include <algorithm>
#include <array>

#include "core/bits.hpp"

namespace bobbin::csv {
namespace {

// The characters of numbers, times and booleans.
constexpr std::string_view kNumberCharacters = "0123456789+-.: einfatrulsTRUEFALSyoNOYZI";
constexpr size_t kMostNullTexts = 16;  // that are counted

bool has_number_character(std::string_view text) {
  return text.find_first_of(kNumberCharacters) != std::string_view::npos;
}

}  // namespace

QuoteRule::QuoteRule(const Options& options)
    : options_(options),
      marks_(marks_of(options)),
      concerns_numbers_(
          has_number_character({&options.delimiter, 1}) || has_number_character({&options.quote, 1}) ||
          has_number_character({&options.escape, 1}) || has_number_character({&options.comment, 1}) ||
          std::ranges::any_of(options.nulls, &has_number_character)) {}

bool QuoteRule::is_null_text(std::string_view text) const {
  return std::ranges::find(options_.nulls, text) != options_.nulls.end();
}

char* put_in_quotes(std::string_view text, const Marks& marks, char* out) {
  *out++ = marks.quote;
  for (const char c : text) {
    if (c == marks.quote || (marks.has_escape() && c == marks.escape)) {
      *out++ = marks.has_escape() ? marks.escape : marks.quote;
    }
    *out++ = c;
  }
  *out++ = marks.quote;
  return out;
}

void KeptTexts::begin(size_t rows) {
  rows_ = rows;
  validity_.assign(ceil_div<size_t>(rows, 64), 0);
  offsets_.clear();
  bytes_.clear();
}

void KeptTexts::add(size_t row, std::string_view text) {
  offsets_.resize(row + 1, static_cast<uint32_t>(bytes_.size()));
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  validity_[row / 64] |= uint64_t{1} << (row % 64);
}

ColumnData KeptTexts::data() {
  offsets_.resize(rows_ + 1, static_cast<uint32_t>(bytes_.size()));
  return {.type = {DType::binary},
          .numbers = {},
          .strings = {.type = DType::binary,
                      .length = rows_,
                      .offsets = offsets_.data(),
                      .wide = false,
                      .bytes = bytes_.data(),
                      .validity = reinterpret_cast<const uint8_t*>(validity_.data())}};
}

ColumnFields::Class ColumnFields::class_of(const RawField& field, std::string_view text, bool begins_record,
                                           const QuoteRule& rule, std::string& scratch) {
  const bool needs_quotes = rule(text, begins_record, true);
  const std::string_view raw = raw_text(field);
  if (raw == text) {
    return needs_quotes ? Class::odd : Class::as_needed;
  }
  if (!rule.marks().has_quote()) {
    return Class::odd;
  }
  scratch.resize(2 * text.size() + 2);
  const char* const end = put_in_quotes(text, rule.marks(), scratch.data());
  if (raw != std::string_view(scratch.data(), static_cast<size_t>(end - scratch.data()))) {
    return Class::odd;
  }
  return needs_quotes ? Class::as_needed_or_quoted : Class::quoted;
}

// The same for a field whose value is written as the text that was read.
ColumnFields::Class ColumnFields::class_of(const RawField& field, bool begins_record, const QuoteRule& rule,
                                           std::string& value, std::string& scratch) {
  const Marks& marks = rule.marks();
  if (!field.escaped) {
    const bool needs_quotes =
        rule(field.text(), begins_record, false) || has_special_in_buffer(field.data, field.size, marks);
    return field.quoted ? (needs_quotes ? Class::as_needed_or_quoted : Class::quoted)
                        : (needs_quotes ? Class::odd : Class::as_needed);
  }
  if (field.quoted && !marks.has_escape()) {
    return Class::as_needed_or_quoted;  // quotes within it are doubled
  }
  return class_of(field, value_of(field, marks, value), begins_record, rule, scratch);
}

template <class SeeNull, class SeeValue>
void ColumnFields::visit(const Rows& rows, size_t column, const ColumnBuilder& builder, const QuoteRule& rule,
                         bool all_quoted, const SeeNull& see_null, const SeeValue& see_value) {
  const ColumnData data = builder.data();
  const Scanner::FieldColumn fields = rows.scanner.column(column, rows.fields);
  // Numbers that are written as they were read, and need no quotes: only whether they are quoted matters.
  const bool is_simple = builder.is_exact() && !is_string(data.type.type) && !rule.concerns_numbers() &&
                         !builder.spelling().has_form();
  std::string scratch;
  std::string quoted;
  std::array<char, kMaxSpelledText> written;
  for (size_t r = 0; r < rows.count; ++r) {
    const RawField field = fields[r];
    if (data.is_null(r)) {
      see_null(r, raw_text(field));
    } else if (!field.escaped && (is_simple || (all_quoted && field.quoted && builder.is_exact()))) {
      see_value(r, field, field.quoted ? Class::quoted : Class::as_needed);
    } else if (builder.is_exact()) {
      see_value(r, field, class_of(field, column == 0, rule, scratch, quoted));
    } else {
      const char* const end = format_spelled(data.type, builder.spelling(), data.number(r), written.data());
      const std::string_view text(written.data(), static_cast<size_t>(end - written.data()));
      see_value(r, field, class_of(field, text, column == 0, rule, quoted));
    }
  }
}

void ColumnFields::count(const Rows& rows, size_t column, const ColumnBuilder& builder,
                         const NullTest& is_null, const QuoteRule& rule) {
  if (is_plain(rows, builder, is_null)) {
    as_needed_ += rows.count;
    nulls_[""] += builder.data().has_nulls() ? 1 : 0;
    return;
  }
  const auto see_null = [&](size_t /*row*/, std::string_view text) {
    const auto found = nulls_.find(text);
    if (found != nulls_.end()) {
      ++found->second;
    } else if (nulls_.size() < kMostNullTexts) {
      nulls_.emplace(text, 1);
    }
  };
  const auto see_value = [&](size_t /*row*/, const RawField& /*field*/, Class found) {
    as_needed_ += found == Class::as_needed ? 1 : 0;
    quoted_ += found == Class::quoted ? 1 : 0;
    odd_ = odd_ || found == Class::odd;
  };
  visit(rows, column, builder, rule, false, see_null, see_value);
}

void ColumnFields::choose_form() {
  std::erase_if(nulls_, [](const auto& null) { return null.second == 0; });
  const auto most = std::ranges::max_element(nulls_, {}, [](const auto& null) { return null.second; });
  form_.null = most == nulls_.end() ? std::nullopt : std::optional(most->first);
  form_.quoted = quoted_ > as_needed_;
  keeps_ = odd_ || std::min(quoted_, as_needed_) > 0 || nulls_.size() > 1;
}

std::optional<size_t> ColumnFields::keep(const Rows& rows, size_t column, const ColumnBuilder& builder,
                                         const NullTest& is_null, const QuoteRule& rule) {
  kept_.begin(rows.count);
  std::optional<size_t> first;
  const auto see = [&](size_t row, std::string_view text, bool fine) {
    if (!fine) {
      first = first.value_or(row);
      if (keeps_) {
        kept_.add(row, text);
      }
    }
  };
  const bool is_usual = !form_.quoted && form_.null.value_or("").empty();
  if (!is_usual || !is_plain(rows, builder, is_null)) {
    const auto see_null = [&](size_t row, std::string_view text) {
      form_.null = form_.null ? *form_.null : std::string(text);
      see(row, text, text == *form_.null);
    };
    const auto see_value = [&](size_t row, const RawField& field, Class found) {
      see(row, raw_text(field), is_fine(found));
    };
    visit(rows, column, builder, rule, form_.quoted, see_null, see_value);
  }
  return first;
}

}  // namespace bobbin::csv
