// SPDX-License-Identifier: Apache-2.0
#include "csv/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/text.hpp"
#include "core/value_text.hpp"
#include "csv/blocks.hpp"
#include "csv/encoding.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kFlushBytes = size_t{1} << 18;
// What a reader takes for a byte order mark, or for compressed data, at the start of a text.
constexpr std::array<std::string_view, 5> kFirstBytes{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff", "\x1f\x8b",
                                                      "\x28\xb5\x2f\xfd"};

constexpr size_t kMostFirstBytes = 4;

bool begins_unlike_text(std::string_view text) {
  return std::ranges::any_of(kFirstBytes, [&](std::string_view bytes) { return text.starts_with(bytes); });
}

bool column_has_special(const ColumnData& column, uint64_t rows, const Marks& marks) {
  if (!is_string(column.type.type) || rows == 0) {
    return false;
  }
  const char* const bytes = reinterpret_cast<const char*>(column.strings.bytes);
  return has_special(bytes + column.strings.offset(0), bytes + column.strings.offset(rows), marks);
}

}  // namespace

Writer::Writer(file::Output& output, std::vector<WrittenColumn> columns, const Options& options,
               WrittenLines lines)
    : output_(output),
      columns_(std::move(columns)),
      lines_(std::move(lines)),
      options_(options),
      rule_(options),
      marks_(marks_of(options)),
      line_end_(line_end_text(options, false)) {
  lines_.row_end = lines_.row_end.empty() ? line_end_ : lines_.row_end;
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
  char* const end = put_in_quotes(text, marks_, buffer_.data() + used_);
  used_ = static_cast<size_t>(end - buffer_.data());
}

void Writer::put_string(const WrittenColumn& column, std::string_view text, bool may_be_special) {
  const bool quoted = column.form.quoted && marks_.has_quote();
  put_field(text, quoted || misleads(text) || rule_(text, at_record_, may_be_special));
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

void Writer::end_line(std::string_view text) {
  if (in_first_line_) {
    check_first_line();
    in_first_line_ = false;
  }
  put_text(text);
  at_record_ = true;
  at_start_ = false;
  has_line_ = false;
}

void Writer::put_number(const WrittenColumn& column, const ColumnData& data, uint64_t row) {
  const Scalar value = data.number(row);
  if (!rule_.concerns_numbers() && !column.form.quoted && !column.spelling.has_form()) {
    reserve(kMaxValueText);
    char* const out = buffer_.data() + used_;
    const bool plain = data.type == ColumnType{DType::i64};  // the most common type when types are inferred
    char* const end = plain ? std::to_chars(out, out + kMaxValueText, static_cast<int64_t>(value.bits)).ptr
                            : format_spelled(data.type, column.spelling, value, out);
    used_ += static_cast<size_t>(end - out);
    return;
  }
  char text[kMaxSpelledText];
  put_string(column, {text, format_spelled(data.type, column.spelling, value, text)}, true);
}

// The text of a field as it was, unless it would be read differently here.
bool Writer::put_kept(const WrittenColumn& column, const ColumnData& kept, uint64_t row) {
  if (kept.is_null(row)) {
    return false;
  }
  const std::string_view text = kept.string(row);
  const bool ends_line = !column.may_end_in_return && text.ends_with('\r');
  if (ends_line || misleads(text) || (at_record_ && begins_comment(text, options_))) {
    return false;
  }
  put_text(text);
  return true;
}

void Writer::put_value(const WrittenColumn& column, const ColumnData& data, uint64_t row,
                       bool may_be_special) {
  if (data.is_null(row)) {
    put_text(column.form.null ? *column.form.null : options_.nulls.front());
  } else if (is_string(data.type.type)) {
    put_string(column, data.string(row), may_be_special);
  } else {
    put_number(column, data, row);
  }
}

void Writer::put_row(const RecordBatch& batch, uint64_t row) {
  begin_row(batch, row);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const WrittenColumn& column = columns_[c];
    if (c > 0) {
      put_character(options_.delimiter);
    }
    if (!column.kept || !put_kept(column, batch.columns[*column.kept], row)) {
      put_value(column, batch.columns[c], row, may_be_special_[c]);
    }
    end_field();
  }
  has_line_ = true;
  ++num_rows_;
}

// Ends the line before a row.
void Writer::begin_row(const RecordBatch& batch, uint64_t row) {
  if (!has_line_) {
    return;
  }
  if (num_rows_ == 0) {
    end_line(lines_.text.after_header.value_or(line_end_));
  } else if (lines_.kept && !batch.columns[*lines_.kept].is_null(row)) {
    end_line(batch.columns[*lines_.kept].string(row));
  } else {
    end_line(lines_.row_end);
  }
}

void Writer::end_field() {
  at_record_ = false;
  at_start_ = at_start_ && used_ < kMostFirstBytes;
}

Status Writer::begin() {
  if (lines_.text.before) {
    put_text(*lines_.text.before);
    at_start_ = in_first_line_ = lines_.text.before->empty();
  }
  if (!options_.header || columns_.empty()) {
    return {};
  }
  if (lines_.text.header) {
    put_text(*lines_.text.header);
    at_start_ = in_first_line_ = false;
  }
  const size_t first = options_.row_names && columns_.size() > 1 ? 1 : 0;
  for (size_t i = first; i < columns_.size() && !lines_.text.header; ++i) {
    if (i > first) {
      put_character(options_.delimiter);
    }
    const std::string& name = columns_[i].name;
    if (columns_[i].raw_name) {
      put_text(*columns_[i].raw_name);
    } else {
      put_field(name, misleads(name) || rule_.concerns_name(name, at_record_));
    }
    end_field();
  }
  has_line_ = true;
  return {};
}

// A table without columns has no text, whatever its rows.
Status Writer::append(const RecordBatch& batch) {
  may_be_special_.clear();
  for (size_t c = 0; c < columns_.size(); ++c) {
    may_be_special_.push_back(column_has_special(batch.columns[c], batch.rows, marks_));
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
  if (lines_.text.end && num_rows_ == lines_.num_rows) {
    end_line(*lines_.text.end);
  } else if (has_line_) {
    end_line(num_rows_ > 0 ? lines_.row_end : line_end_);
  }
  return flush();
}

Status Writer::flush() {
  if (in_first_line_ && used_ > 0) {
    check_first_line();
    in_first_line_ = false;
  }
  BOBBIN_RETURN_IF(!unwritable_.empty(), StatusCode::invalid_argument, unwritable_);
  const std::span<const char> text = std::span(buffer_).first(std::exchange(used_, 0));
  if (options_.encoding == Encoding::utf8) {
    return output_.write(std::as_bytes(text));
  }
  std::string encoded;
  BOBBIN_TRY(encode({text.data(), text.size()}, options_.encoding, encoded));
  return output_.write(std::as_bytes(std::span(encoded)));
}

}  // namespace bobbin::csv
