// SPDX-License-Identifier: Apache-2.0
#include "csv/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text.hpp"
#include "core/value_text.hpp"
#include "csv/blocks.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kFlushBytes = size_t{1} << 18;
// The characters of numbers, times and booleans.
constexpr std::string_view kNumberCharacters = "0123456789+-.: einfatrulsTRUEFALSyoNOYZI";
// What a reader takes for a byte order mark, or for compressed data, at the start of a text.
constexpr std::array<std::string_view, 5> kFirstBytes{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff", "\x1f\x8b",
                                                      "\x28\xb5\x2f\xfd"};

constexpr size_t kMostFirstBytes = 4;

bool begins_unlike_text(std::string_view text) {
  return std::ranges::any_of(kFirstBytes, [&](std::string_view bytes) { return text.starts_with(bytes); });
}

bool has_number_character(std::string_view text) {
  return text.find_first_of(kNumberCharacters) != std::string_view::npos;
}

bool is_null(const uint8_t* validity, uint64_t row) {
  return validity != nullptr && (validity[row / 8] >> (row % 8) & 1) == 0;
}

std::string_view string_at(const StringsView& strings, uint64_t row) {
  const std::span<const uint8_t> bytes = strings.string(row);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool column_has_special(const ColumnData& column, uint64_t rows, const Marks& marks) {
  if (!is_string(column.type.type) || rows == 0) {
    return false;
  }
  const char* const bytes = reinterpret_cast<const char*>(column.strings.bytes);
  return has_special(bytes + column.strings.offset(0), bytes + column.strings.offset(rows), marks);
}

}  // namespace

Writer::Writer(file::Output& output, const std::vector<Column>& columns, const Options& options,
               std::vector<Spelling> spellings)
    : output_(output),
      spellings_(std::move(spellings)),
      options_(options),
      marks_(marks_of(options)),
      numbers_need_care_(
          has_number_character({&options.delimiter, 1}) || has_number_character({&options.quote, 1}) ||
          has_number_character({&options.escape, 1}) || has_number_character({&options.comment, 1}) ||
          std::ranges::any_of(options.nulls, &has_number_character)) {
  std::ranges::transform(columns, std::back_inserter(names_), &Column::name);
  spellings_.resize(columns.size());
}

bool Writer::is_null_text(std::string_view text) const {
  return std::ranges::find(options_.nulls, text) != options_.nulls.end();
}

bool Writer::misleads(std::string_view text) const {
  if (!at_start_) {
    return false;
  }
  const std::string begin = std::string(buffer_.data(), used_).append(text.substr(0, kMostFirstBytes));
  return begins_unlike_text(begin) || (in_first_line_ && used_ == 0 && text == "sep=");
}

// Looks at the first line, which has no line end yet.
void Writer::check_first_line() {
  const std::string_view line(buffer_.data(), used_);
  if (!unwritable_.empty()) {
    return;
  }
  if (begins_unlike_text(line)) {
    unwritable_ =
        "with this delimiter, quote or null, the text would begin like compressed data or a byte order mark";
  } else if (stated_delimiter(line)) {
    unwritable_ = fmt::format("{} cannot be the first line: it would state the delimiter", quoted_text(line));
  }
}

void Writer::put_text(std::string_view text) {
  reserve(text.size());
  std::copy(text.begin(), text.end(), buffer_.data() + used_);
  used_ += text.size();
}

void Writer::put_quoted(std::string_view text) {
  reserve(2 * text.size() + 2);
  char* out = buffer_.data() + used_;
  *out++ = options_.quote;
  for (const char c : text) {
    if (c == options_.quote || (marks_.has_escape() && c == marks_.escape)) {
      *out++ = marks_.has_escape() ? marks_.escape : options_.quote;
    }
    *out++ = c;
  }
  *out++ = options_.quote;
  used_ = static_cast<size_t>(out - buffer_.data());
}

void Writer::put_string(std::string_view text, bool may_be_special) {
  const bool comment = at_record_ && begins_comment(text, options_);
  // Without quotes there is no other text for the empty string, and it does not mean null.
  const bool empty = text.empty() && marks_.has_quote();
  put_field(text, empty || is_null_text(text) || comment || misleads(text) ||
                      (may_be_special && has_special(text.data(), text.data() + text.size(), marks_)));
}

void Writer::put_field(std::string_view text, bool needs_quotes) {
  if (!needs_quotes) {
    put_text(text);
  } else if (marks_.has_quote()) {
    put_quoted(text);
  } else if (unwritable_.empty()) {
    unwritable_ = fmt::format("{} cannot be written without quotes", quoted_text(text));
  }
}

void Writer::put_line_end() {
  if (in_first_line_) {
    check_first_line();
    in_first_line_ = false;
  }
  put_text(options_.line_end == LineEnd::lf ? "\n" : options_.line_end == LineEnd::cr ? "\r" : "\r\n");
  at_record_ = true;
  at_start_ = false;
}

void Writer::put_number(const ColumnData& column, const Spelling& spelling, uint64_t row) {
  const Scalar value = column.number(row);
  if (!numbers_need_care_) {
    reserve(kMaxValueText);
    char* const out = buffer_.data() + used_;
    const bool plain = column.type == ColumnType{DType::i64};  // the most common type when types are inferred
    char* const end = plain ? std::to_chars(out, out + kMaxValueText, static_cast<int64_t>(value.bits)).ptr
                            : format_spelled(column.type, spelling, value, out);
    used_ += static_cast<size_t>(end - out);
    return;
  }
  char text[kMaxValueText];
  put_string({text, format_spelled(column.type, spelling, value, text)}, true);
}

void Writer::put_row(const RecordBatch& batch, uint64_t row) {
  for (size_t c = 0; c < batch.columns.size(); ++c) {
    const ColumnData& column = batch.columns[c];
    if (c > 0) {
      put_character(options_.delimiter);
    }
    if (is_string(column.type.type)) {
      if (column.strings.is_null(row)) {
        put_text(options_.nulls.front());
      } else {
        put_string(string_at(column.strings, row), may_be_special_[c]);
      }
    } else if (is_null(column.numbers.validity, row)) {
      put_text(options_.nulls.front());
    } else {
      put_number(column, spellings_[c], row);
    }
    end_field();
  }
  put_line_end();
}

void Writer::end_field() {
  at_record_ = false;
  at_start_ = at_start_ && used_ < kMostFirstBytes;
}

Status Writer::begin() {
  if (!options_.header || names_.empty()) {
    return {};
  }
  for (size_t i = 0; i < names_.size(); ++i) {
    if (i > 0) {
      put_character(options_.delimiter);
    }
    const std::string& name = names_[i];
    const bool mark = misleads(name);
    const bool comment = at_record_ && begins_comment(name, options_);
    const bool special = has_special(name.data(), name.data() + name.size(), marks_);
    put_field(name, (name.empty() && marks_.has_quote()) || mark || special || comment);
    end_field();
  }
  put_line_end();
  return flush();
}

// A table without columns has no text, whatever its rows.
Status Writer::append(const RecordBatch& batch) {
  may_be_special_.clear();
  for (const ColumnData& column : batch.columns) {
    may_be_special_.push_back(column_has_special(column, batch.rows, marks_));
  }
  for (uint64_t row = 0; row < batch.rows && !batch.columns.empty(); ++row) {
    put_row(batch, row);
    if (used_ >= kFlushBytes) {
      BOBBIN_TRY(flush());
    }
  }
  return {};
}

Status Writer::finish() {
  return flush();
}

Status Writer::flush() {
  BOBBIN_RETURN_IF(!unwritable_.empty(), StatusCode::invalid_argument, unwritable_);
  const size_t bytes = used_;
  used_ = 0;
  return output_.write(std::as_bytes(std::span(buffer_).first(bytes)));
}

}  // namespace bobbin::csv
