// SPDX-License-Identifier: Apache-2.0
#include "cli/json_rows.hpp"

#include <fmt/format.h>

#include "bobbin/text.hpp"

namespace bobbin::cli {
namespace {

constexpr size_t kFlushBytes = size_t{1} << 20;

void append_escaped(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<uint8_t>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

// RFC 4648, with padding.
void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view part = bytes.substr(i, 3);
    uint32_t group = 0;
    for (size_t b = 0; b < 3; ++b) {
      group = group << 8 | (b < part.size() ? static_cast<uint8_t>(part[b]) : 0U);
    }
    for (size_t d = 0; d < 4; ++d) {
      out += d <= part.size() ? kDigits[group >> (18 - 6 * d) & 63U] : '=';
    }
  }
}

// Floats that are not finite have no digits.
bool has_digits(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return is_digit(text[0]) || (text[0] == '-' && text.size() > 1 && is_digit(text[1]));
}

class JsonSink final : public RowSink {
 public:
  JsonSink(file::Output& output, const std::vector<Column>& columns, bool array)
      : output_(output), array_(array) {
    for (const Column& column : columns) {
      std::string key = keys_.empty() ? "{" : ",";
      append_escaped(key, column.name);
      keys_.push_back(key + ":");
    }
  }

  Status begin() override { return {}; }

  Status append(std::span<const HostColumn> columns, uint64_t rows) override {
    for (uint64_t row = 0; row < rows; ++row) {
      put_row(columns, row);
      if (buffer_.size() >= kFlushBytes) {
        BOBBIN_TRY(flush());
      }
    }
    return {};
  }

  Status finish() override {
    if (array_) {
      buffer_ += first_ ? "[]\n" : "\n]\n";
    }
    return flush();
  }

 private:
  void put_row(std::span<const HostColumn> columns, uint64_t row) {
    if (array_) {
      buffer_ += first_ ? "[\n" : ",\n";
    }
    first_ = false;
    buffer_ += keys_.empty() ? "{" : "";
    for (size_t c = 0; c < keys_.size(); ++c) {
      buffer_ += keys_[c];
      put_value(columns[c], row);
    }
    buffer_ += array_ ? "}" : "}\n";
  }

  void put_value(const HostColumn& column, uint64_t row) {
    if (column.is_null(row)) {
      buffer_ += "null";
    } else if (is_string(column.column.type)) {
      append_json_string(buffer_, column.string(row));
    } else {
      char text[kMaxValueText];
      const char* const end = format_value(column.type(), column.number(row), text);
      append_json_text(buffer_, column.type().logical.kind, {text, end});
    }
  }

  Status flush() {
    BOBBIN_TRY(output_.write(std::as_bytes(std::span(buffer_))));
    buffer_.clear();
    return {};
  }

  file::Output& output_;
  bool array_;
  bool first_ = true;
  std::vector<std::string> keys_;  // including punctuation
  std::string buffer_;
};

}  // namespace

void append_json_string(std::string& out, std::string_view bytes) {
  if (is_utf8(bytes)) {
    append_escaped(out, bytes);
    return;
  }
  out += "{\"base64\":\"";
  append_base64(out, bytes);
  out += "\"}";
}

// Numbers, decimals and booleans are printed as they are; dates, times and everything else as strings.
void append_json_text(std::string& out, Logical::Kind kind, std::string_view text) {
  const bool number = (kind == Logical::Kind::plain || kind == Logical::Kind::decimal) && has_digits(text);
  if (number || kind == Logical::Kind::boolean) {
    out += text;
  } else {
    append_escaped(out, text);
  }
}

std::unique_ptr<RowSink> make_json_sink(file::Output& output, const std::vector<Column>& columns,
                                        bool array) {
  return std::make_unique<JsonSink>(output, columns, array);
}

}  // namespace bobbin::cli
