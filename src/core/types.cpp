// SPDX-License-Identifier: Apache-2.0
#include "bobbin/types.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/scalar.hpp"

namespace bobbin {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 12> kTypeNames{{{DType::u8, "u8"},
                                                                         {DType::u16, "u16"},
                                                                         {DType::u32, "u32"},
                                                                         {DType::u64, "u64"},
                                                                         {DType::i8, "i8"},
                                                                         {DType::i16, "i16"},
                                                                         {DType::i32, "i32"},
                                                                         {DType::i64, "i64"},
                                                                         {DType::f32, "f32"},
                                                                         {DType::f64, "f64"},
                                                                         {DType::utf8, "utf8"},
                                                                         {DType::binary, "binary"}}};
constexpr std::array<std::pair<Logical::Unit, std::string_view>, 4> kUnitNames{
    {{Logical::Unit::seconds, "s"},
     {Logical::Unit::milliseconds, "ms"},
     {Logical::Unit::microseconds, "us"},
     {Logical::Unit::nanoseconds, "ns"}}};
constexpr std::array<std::pair<Backend, std::string_view>, 3> kBackendNames{
    {{Backend::cpu, "cpu"}, {Backend::cuda, "cuda"}, {Backend::emulator, "emulator"}}};

template <class Key, size_t N>
std::string_view name_of(const std::array<std::pair<Key, std::string_view>, N>& names, Key key) {
  for (const auto& [candidate, name] : names) {
    if (candidate == key) {
      return name;
    }
  }
  return "unknown";
}

template <class Key, size_t N>
std::optional<Key> key_of(const std::array<std::pair<Key, std::string_view>, N>& names,
                          std::string_view name) {
  for (const auto& [key, candidate] : names) {
    if (candidate == name) {
      return key;
    }
  }
  return std::nullopt;
}

// The text between `before` and `after`, if the text has both.
std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view after) {
  if (text.size() <= before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after)) {
    return std::nullopt;
  }
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

// "timestamp[ms]" or "time[ms]".
std::optional<ColumnType> parse_time_type(std::string_view text) {
  const bool stamp = text.starts_with("timestamp");
  const auto name = between(text, stamp ? "timestamp[" : "time[", "]");
  const auto unit = name.has_value() ? key_of(kUnitNames, *name) : std::nullopt;
  if (!unit.has_value()) {
    return std::nullopt;
  }
  const Logical::Kind kind = stamp ? Logical::Kind::timestamp : Logical::Kind::time;
  return ColumnType{DType::i64, {.kind = kind, .unit = *unit}};
}

// "decimal(2)" or "decimal(2) i32".
std::optional<ColumnType> parse_decimal(std::string_view text) {
  const size_t space = text.find(' ');
  const auto type = space == std::string_view::npos ? DType::i64 : parse_dtype(text.substr(space + 1));
  const auto digits = between(text.substr(0, space), "decimal(", ")");
  if (!type.has_value() || !digits.has_value() || digits->size() > 2 ||
      digits->find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  unsigned scale = 0;
  for (const char digit : *digits) {
    scale = 10 * scale + static_cast<unsigned>(digit - '0');
  }
  const ColumnType decimal{*type, {.kind = Logical::Kind::decimal, .scale = static_cast<uint8_t>(scale)}};
  return decimal.logical.fits(*type) ? std::optional(decimal) : std::nullopt;
}

}  // namespace

bool Logical::fits(DType type) const {
  switch (kind) {
    case Kind::plain:
      return unit == Unit::seconds && scale == 0;
    case Kind::boolean:
      return type == DType::u8 && unit == Unit::seconds && scale == 0;
    case Kind::date:
      return type == DType::i32 && unit == Unit::seconds && scale == 0;
    case Kind::timestamp:
    case Kind::time:
      return type == DType::i64 && unit <= Unit::nanoseconds && scale == 0;
    case Kind::decimal:
      return is_signed(type) && unit == Unit::seconds && scale <= kMaxScale;
  }
  return false;
}

std::string to_string(const ColumnType& type) {
  switch (type.logical.kind) {
    case Logical::Kind::plain:
      break;
    case Logical::Kind::boolean:
      return "bool";
    case Logical::Kind::date:
      return "date";
    case Logical::Kind::timestamp:
      return fmt::format("timestamp[{}]", name_of(kUnitNames, type.logical.unit));
    case Logical::Kind::time:
      return fmt::format("time[{}]", name_of(kUnitNames, type.logical.unit));
    case Logical::Kind::decimal:
      return fmt::format("decimal({}){}{}", type.logical.scale, type.type == DType::i64 ? "" : " ",
                         type.type == DType::i64 ? "" : to_string(type.type));
  }
  return std::string(to_string(type.type));
}

std::optional<ColumnType> parse_column_type(std::string_view text) {
  if (const auto type = parse_dtype(text); type.has_value()) {
    return ColumnType{*type};
  }
  if (text == "bool") {
    return ColumnType{DType::u8, {.kind = Logical::Kind::boolean}};
  }
  if (text == "date") {
    return ColumnType{DType::i32, {.kind = Logical::Kind::date}};
  }
  return text.starts_with("time") ? parse_time_type(text) : parse_decimal(text);
}

bool less(DType type, Scalar a, Scalar b) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    return order_key(value_of<T>(a)) < order_key(value_of<T>(b));
  });
}

double to_double(DType type, Scalar value) {
  return visit_type(type,
                    [&]<class T>(std::type_identity<T>) { return static_cast<double>(value_of<T>(value)); });
}

std::string_view to_string(DType type) {
  return name_of(kTypeNames, type);
}
std::optional<DType> parse_dtype(std::string_view name) {
  return key_of(kTypeNames, name);
}
std::string_view to_string(Backend backend) {
  return name_of(kBackendNames, backend);
}
std::optional<Backend> parse_backend(std::string_view name) {
  return key_of(kBackendNames, name);
}

}  // namespace bobbin
