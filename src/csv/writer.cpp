// SPDX-License-Identifier: Apache-2.0
#include "csv/writer.hpp"

#include <algorithm>
#include <charconv>

#include "core/value_text.hpp"
#include "csv/blocks.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kFlushBytes = size_t{1} << 18;
// What texts of numbers, times and booleans are made of.
constexpr std::string_view kNumberCharacters = "0123456789+-.: einfatrulsT";
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

bool has_number_character(std::string_view text) {
  return text.find_first_of(kNumberCharacters) != std::string_view::npos;
}

template <class T>
Scalar load(const void* values, uint64_t row) {
  return {static_cast<const T*>(values)[row]};
}

Scalar load(const void* values, uint64_t row, size_t size) {
  return size == 8   ? load<uint64_t>(values, row)
         : size == 4 ? load<uint32_t>(values, row)
         : size == 2 ? load<uint16_t>(values, row)
                     : load<uint8_t>(values, row);
}

bool is_null(const uint8_t* validity, uint64_t row) {
  return validity != nullptr && (validity[row / 8] >> (row % 8) & 1) == 0;
}

std::string_view string_at(const StringsView& strings, uint64_t row) {
  const std::span<const uint8_t> bytes = strings.string(row);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool column_has_special(const ColumnData& column, uint64_t rows, char delimiter) {
  if (!is_string(column.type.type) || rows == 0) {
    return false;
  }
  const char* const bytes = reinterpret_cast<const char*>(column.strings.bytes);
  return has_special(bytes + column.strings.offset(0), bytes + column.strings.offset(rows), delimiter);
}

}  // namespace

Writer::Writer(file::Output& output, const std::vector<Column>& columns, const Options& options)
    : output_(output),
      options_(options),
      numbers_need_care_(has_number_character({&options.delimiter, 1}) ||
                         std::ranges::any_of(options.nulls, &has_number_character)) {
  std::ranges::transform(columns, std::back_inserter(names_), &Column::name);
}

bool Writer::is_null_text(std::string_view text) const {
  return std::ranges::find(options_.nulls, text) != options_.nulls.end();
}

void Writer::put_text(std::string_view text) {
  reserve(text.size());
  std::copy(text.begin(), text.end(), buffer_.data() + used_);
  used_ += text.size();
}

void Writer::put_quoted(std::string_view text) {
  reserve(2 * text.size() + 2);
  char* out = buffer_.data() + used_;
  *out++ = '"';
  for (const char c : text) {
    *out++ = c;
    if (c == '"') {
      *out++ = c;
    }
  }
  *out++ = '"';
  used_ = static_cast<size_t>(out - buffer_.data());
}

// At the very start a mark of UTF-8 would be passed over by readers.
void Writer::put_string(std::string_view text, bool may_be_special) {
  if (text.empty() || is_null_text(text) || (at_start_ && text.starts_with(kUtf8Mark)) ||
      (may_be_special && has_special(text.data(), text.data() + text.size(), options_.delimiter))) {
    put_quoted(text);
  } else {
    put_text(text);
  }
}

void Writer::put_number(const ColumnData& column, uint64_t row) {
  const Scalar value = load(column.numbers.values, row, size_bytes(column.type.type));
  if (!numbers_need_care_) {
    reserve(kMaxValueText);
    char* const out = buffer_.data() + used_;
    const bool plain = column.type == ColumnType{DType::i64};  // what most are when types are guessed
    char* const end = plain ? std::to_chars(out, out + kMaxValueText, static_cast<int64_t>(value.bits)).ptr
                            : format_value(column.type, value, out);
    used_ += static_cast<size_t>(end - out);
    return;
  }
  char text[kMaxValueText];
  put_string({text, format_value(column.type, value, text)}, true);
}

void Writer::put_row(const Batch& batch, uint64_t row) {
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
      put_number(column, row);
    }
    at_start_ = false;
  }
  put_character('\n');
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
    const bool mark = at_start_ && name.starts_with(kUtf8Mark);
    const bool special = has_special(name.data(), name.data() + name.size(), options_.delimiter);
    if (name.empty() || mark || special) {
      put_quoted(name);
    } else {
      put_text(name);
    }
    at_start_ = false;
  }
  put_character('\n');
  return flush();
}

// A table without columns has no text, whatever its rows.
Status Writer::append(const Batch& batch) {
  may_be_special_.clear();
  for (const ColumnData& column : batch.columns) {
    may_be_special_.push_back(column_has_special(column, batch.rows, options_.delimiter));
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
  const size_t bytes = used_;
  used_ = 0;
  return output_.write(std::as_bytes(std::span(buffer_).first(bytes)));
}

}  // namespace bobbin::csv
