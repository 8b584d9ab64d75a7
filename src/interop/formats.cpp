// SPDX-License-Identifier: Apache-2.0
#include "interop/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bobbin/arrow.hpp"
#include "bobbin/text.hpp"

namespace bobbin::interop {
namespace {

constexpr std::string_view kUnits = "smun";
constexpr uint32_t kMaxDigits128 = 38;
constexpr uint32_t kMaxDigits256 = 76;
// For strings of one size: a null takes as many bytes, so that a few bytes of a file could become many.
constexpr uint32_t kMaxFixedBytes = 256;

struct Letter {
  char letter;
  DType type;
};
constexpr Letter kNumbers[] = {{'C', DType::u8},  {'S', DType::u16}, {'I', DType::u32}, {'L', DType::u64},
                               {'c', DType::i8},  {'s', DType::i16}, {'i', DType::i32}, {'l', DType::i64},
                               {'f', DType::f32}, {'g', DType::f64}};

std::optional<uint32_t> parse_count(std::string_view text) {
  uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(count) : std::nullopt;
}

Status not_a_type(std::string_view format) {
  return {StatusCode::invalid_argument, fmt::format("{} is not an Arrow type", quoted_text(format))};
}

ArrowType number(DType type, Logical logical = {}) {
  return {Layout::numbers, {type, logical}};
}

// "d:10,2" or "d:10,2,256", without the first two characters.
Result<ArrowType> parse_decimal(std::string_view format) {
  std::optional<uint32_t> numbers[3] = {{}, {}, 128};
  std::string_view left = format.substr(2);
  if (std::ranges::count(left, ',') > 2) {
    return not_a_type(format);
  }
  for (auto& number : numbers) {
    const size_t comma = left.find(',');
    number = parse_count(left.substr(0, comma));
    if (comma == std::string_view::npos) {
      break;
    }
    left.remove_prefix(comma + 1);
  }
  const auto [digits, scale, width] = numbers;
  if (format.find(",-") != std::string_view::npos || scale.value_or(0) > Logical::kMaxScale) {
    return Status(StatusCode::unsupported, fmt::format("decimals with a scale outside 0 to {} ({})",
                                                       Logical::kMaxScale, quoted_text(format)));
  }
  const bool known = width == 32U || width == 64U || width == 128U || width == 256U;
  if (!digits.has_value() || !scale.has_value() || !known || *digits == 0 || *digits > kMaxDigits256) {
    return not_a_type(format);
  }
  const Logical logical{.kind = Logical::Kind::decimal, .scale = static_cast<uint8_t>(*scale)};
  return ArrowType{Layout::decimal, {DType::i64, logical}, *width};
}

Result<ArrowType> parse_time(std::string_view format) {
  if (format == "tdD") {
    return number(DType::i32, {.kind = Logical::Kind::date});
  }
  if (format == "tdm") {
    return number(DType::i64, {.kind = Logical::Kind::timestamp, .unit = Logical::Unit::milliseconds});
  }
  if (format == "tiM" || format == "tiD" || format == "tin") {
    return Status(StatusCode::unsupported, fmt::format("intervals ({})", quoted_text(format)));
  }
  const auto unit = format.size() < 3 ? std::nullopt : parse_unit(format[2]);
  if (!unit.has_value()) {
    return not_a_type(format);
  }
  if (format.starts_with("ts") && format.size() >= 4 && format[3] == ':') {
    return number(DType::i64, {.kind = Logical::Kind::timestamp, .unit = *unit});
  }
  if (format.starts_with("tt") && format.size() == 3) {
    const bool is_short = *unit == Logical::Unit::seconds || *unit == Logical::Unit::milliseconds;
    return ArrowType{is_short ? Layout::time32 : Layout::numbers,
                     {DType::i64, {.kind = Logical::Kind::time, .unit = *unit}}};
  }
  if (format.starts_with("tD") && format.size() == 3) {
    return number(DType::i64);
  }
  return not_a_type(format);
}

Result<ArrowType> parse_letter(std::string_view format) {
  const auto found = std::ranges::find(kNumbers, format[0], &Letter::letter);
  if (found != std::end(kNumbers)) {
    return number(found->type);
  }
  switch (format[0]) {
    case 'n':
      return ArrowType{Layout::all_null, {DType::u8, {.kind = Logical::Kind::boolean}}};
    case 'b':
      return ArrowType{Layout::bits, {DType::u8, {.kind = Logical::Kind::boolean}}};
    case 'u':
      return ArrowType{Layout::strings, {DType::utf8}, 32};
    case 'U':
      return ArrowType{Layout::strings, {DType::utf8}, 64};
    case 'z':
      return ArrowType{Layout::strings, {DType::binary}, 32};
    case 'Z':
      return ArrowType{Layout::strings, {DType::binary}, 64};
    case 'e':
      return Status(StatusCode::unsupported, "half floats");
    default:
      return not_a_type(format);
  }
}

// Digits that any value of the integer type has room for.
uint32_t max_digits(DType type) {
  switch (size_bytes(type)) {
    case 1:
      return 3;
    case 2:
      return 5;
    case 4:
      return 10;
    default:
      return 19;
  }
}

}  // namespace

char unit_letter(Logical::Unit unit) {
  return kUnits[static_cast<size_t>(unit)];
}

std::optional<Logical::Unit> parse_unit(char letter) {
  const size_t found = kUnits.find(letter);
  return found == std::string_view::npos ? std::nullopt : std::optional(static_cast<Logical::Unit>(found));
}

Result<ArrowType> parse_format(std::string_view format) {
  if (format.size() == 1) {
    return parse_letter(format);
  }
  if (format == "vu" || format == "vz") {
    return ArrowType{Layout::views, {format == "vu" ? DType::utf8 : DType::binary}};
  }
  if (format.starts_with("w:")) {
    const auto width = parse_count(format.substr(2));
    return width.has_value() && *width <= INT32_MAX
               ? Result<ArrowType>(ArrowType{Layout::fixed, {DType::binary}, *width})
               : not_a_type(format);
  }
  if (format.starts_with("d:")) {
    return parse_decimal(format);
  }
  if (format.starts_with("t")) {
    return parse_time(format);
  }
  if (format.starts_with("+")) {
    return Status(StatusCode::unsupported,
                  fmt::format("nested and run-end encoded types ({})", quoted_text(format)));
  }
  return not_a_type(format);
}

}  // namespace bobbin::interop

namespace bobbin::arrow {

using interop::kMaxDigits128;
using interop::parse_format;
using interop::unit_letter;

std::string default_format(const Column& column) {
  const char unit = unit_letter(column.logical.unit);
  switch (column.logical.kind) {
    case Logical::Kind::boolean:
      return "b";
    case Logical::Kind::date:
      return "tdD";
    case Logical::Kind::timestamp:
      return fmt::format("ts{}:", unit);
    case Logical::Kind::time:
      return fmt::format("tt{}", unit);
    case Logical::Kind::decimal:
      return fmt::format("d:{},{}",
                         std::max<uint32_t>(interop::max_digits(column.type), column.logical.scale),
                         column.logical.scale);
    case Logical::Kind::plain:
      break;
  }
  if (is_string(column.type)) {
    return column.type == DType::utf8 ? "U" : "Z";
  }
  return std::string(1, std::ranges::find(interop::kNumbers, column.type, &interop::Letter::type)->letter);
}

bool can_export_as(const Column& column, const std::string& format) {
  const auto parsed = parse_format(format);
  if (!parsed.has_value() || !is_utf8(format) || format.find('\0') != std::string::npos) {
    return false;
  }
  using interop::Layout;
  const bool is_long = parsed->layout == Layout::fixed && parsed->width > interop::kMaxFixedBytes;
  const bool can_write = parsed->layout != Layout::views && parsed->layout != Layout::all_null && !is_long;
  if (column.logical.kind == Logical::Kind::decimal) {
    if (parsed->layout != Layout::decimal || parsed->width != 128 || parsed->type.logical != column.logical) {
      return false;
    }
    const auto digits = interop::parse_count(std::string_view(format).substr(2, format.find(',') - 2));
    return *digits <= kMaxDigits128 && *digits >= column.logical.scale;
  }
  return can_write && parsed->type == ColumnType{column.type, column.logical};
}

}  // namespace bobbin::arrow
