// SPDX-License-Identifier: Apache-2.0
#include "cli/format.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace bobbin::cli {
namespace {

// For a float: the double nearest to its shortest decimal. JSON's writer then prints that decimal again; the
// float itself, as a double, would have seventeen digits.
template <class T>
T read_back(const std::string& text) {
  T value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Counts characters, not bytes: continuation bytes of UTF-8 take no room.
bool begins_character(char c) {
  return (static_cast<uint8_t>(c) & 0xc0) != 0x80;
}

}  // namespace

std::string to_text(const ColumnType& type, Scalar scalar) {
  if (type.logical.kind == Logical::Kind::plain && is_float(type.type)) {
    // value_text() has an exponent wherever that is shorter: 1e+05.
    return type.type == DType::f32 ? fmt::format("{}", value_of<float>(scalar))
                                   : fmt::format("{}", value_of<double>(scalar));
  }
  return value_text(type, scalar);
}

Json to_json(const ColumnType& type, Scalar scalar) {
  const std::string text = to_text(type, scalar);
  if (type.logical.kind != Logical::Kind::plain) {
    return type.logical.kind == Logical::Kind::boolean ? Json(scalar.bits != 0) : Json(text);
  }
  if (is_float(type.type)) {
    return std::isfinite(to_double(type.type, scalar)) ? Json(read_back<double>(text)) : Json(text);
  }
  return is_signed(type.type) ? Json(read_back<int64_t>(text)) : Json(read_back<uint64_t>(text));
}

std::string count(uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

double ratio(uint64_t raw_bytes, uint64_t stored_bytes) {
  if (stored_bytes == 0) {
    return 0;
  }
  // Two digits, so that the text and the JSON agree.
  return std::round(100 * static_cast<double>(raw_bytes) / static_cast<double>(stored_bytes)) / 100;
}

std::string ratio_text(uint64_t raw_bytes, uint64_t stored_bytes) {
  return raw_bytes == 0 || stored_bytes == 0 ? "-" : fmt::format("{:.2f}", ratio(raw_bytes, stored_bytes));
}

int for_each_file(size_t files, bool as_json, const std::function<Status(size_t index, Json& json)>& each) {
  int code = kOk;
  Json json = Json::array();
  for (size_t i = 0; i < files; ++i) {
    const Status status = each(i, json);
    code = status.ok() ? code : report(status);
  }
  if (as_json && (files > 1 || !json.empty())) {
    print(bench::dump(files == 1 ? json.front() : json) + "\n");
  }
  return code;
}

std::string clipped(std::string_view text, size_t most) {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    characters += begins_character(text[i]) ? 1 : 0;
    if (characters > most) {
      return std::string(text.substr(0, i)) + "...";
    }
  }
  return std::string(text);
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& lines,
                 std::string_view right) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < heads.size(); ++c) {
    widths.push_back(display_width(heads[c]));
    for (const auto& line : lines) {
      widths[c] = std::max(widths[c], display_width(line[c]));
    }
  }
  print_table(heads, lines, right, widths);
}

void print_table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& lines,
                 std::string_view right, std::span<const size_t> widths) {
  const auto print_line = [&](const std::vector<std::string>& line, bool bold) {
    std::string text;
    for (size_t c = 0; c < widths.size(); ++c) {
      const std::string cell = fitted(line[c], widths[c]);
      const std::string blanks(widths[c] - display_width(cell), ' ');
      const bool flush = c < right.size() && right[c] == 'r';
      const bool last = c + 1 == widths.size();
      text += flush ? blanks + cell : cell + (last ? "" : blanks);
      text += last ? "" : "  ";
    }
    print((bold ? styled(text, Style::bold, STDOUT_FILENO) : text) + "\n");
  };
  print_line(heads, true);
  for (const auto& line : lines) {
    print_line(line, false);
  }
}

}  // namespace bobbin::cli
