// SPDX-License-Identifier: Apache-2.0
#include "query/compare_columns.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "core/digits.hpp"
#include "core/scalar.hpp"
#include "core/value_text.hpp"
#include "query/place.hpp"

namespace bobbin::query {
namespace {

// Which of two values is below the other; empty if they are unordered, like NaN.
using Sign = std::optional<int>;

bool holds(Compare op, Sign sign) {
  if (!sign.has_value()) {
    return op == Compare::ne;
  }
  switch (op) {
    case Compare::eq:
      return *sign == 0;
    case Compare::ne:
      return *sign != 0;
    case Compare::lt:
      return *sign < 0;
    case Compare::le:
      return *sign <= 0;
    case Compare::gt:
      return *sign > 0;
    case Compare::ge:
      break;
  }
  return *sign >= 0;
}

template <class T>
Sign sign_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

Sign sign_of(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nullopt : sign_of<double>(a, b);
}

// Without rounding the integer, which has at most 64 bits and a sign.
Sign sign_of(double real, Int128 integer) {
  constexpr double kBeyond = 0x1p65;
  if (std::isnan(real)) {
    return std::nullopt;
  }
  if (std::abs(real) >= kBeyond) {
    return real < 0 ? -1 : 1;
  }
  const double floor = std::floor(real);
  const Sign sign = sign_of(static_cast<Int128>(floor), integer);
  return *sign == 0 && floor != real ? 1 : sign;
}

Int128 integer_at(const ColumnOperand& operand, uint64_t row) {
  return visit_integer(operand.values.type(),
                       [&]<class T>(std::type_identity<T>) { return Int128{operand.values.number<T>(row)}; });
}

double real_at(const ColumnOperand& operand, uint64_t row) {
  return operand.values.type() == DType::f32 ? double{operand.values.number<float>(row)}
                                             : operand.values.number<double>(row);
}

// A decimal as the nearest value of a float type.
double rounded_at(const ColumnOperand& decimal, DType type, uint64_t row) {
  char text[kMaxValueText];
  const ColumnType column{decimal.column.type, decimal.column.logical};
  const char* const end = format_value(column, decimal.values.scalar(row), text);
  const std::string_view digits(text, static_cast<size_t>(end - text));
  return type == DType::f32 ? double{nearest_to_digits<float>(digits)} : nearest_to_digits<double>(digits);
}

Sign reversed(Sign sign) {
  return sign.has_value() ? Sign(-*sign) : sign;
}

template <class F>
BitmapWords compare_rows(const ColumnOperand& left, Compare op, const ColumnOperand& right, bool negated,
                         F&& sign) {
  BitmapWords words((left.values.length() + 31) / 32);
  for (uint64_t row = 0; row < left.values.length(); ++row) {
    if (!left.values.is_null(row) && !right.values.is_null(row) && holds(op, sign(row)) != negated) {
      words[row / 32] |= 1U << (row % 32);
    }
  }
  return words;
}

// Compares a float with an integer or a decimal.
Sign mixed_sign(const ColumnOperand& real, const ColumnOperand& other, uint64_t row) {
  const double value = real_at(real, row);
  return other.column.logical.kind == Logical::Kind::decimal
             ? sign_of(value, rounded_at(other, real.column.type, row))
             : sign_of(value, integer_at(other, row));
}

// Pairs of dictionary entries that follow each other are compared once.
class StringSigns {
 public:
  StringSigns(const DecodedColumn& left, const DecodedColumn& right) : left_(left), right_(right) {}

  Sign operator()(uint64_t row) {
    if (left_.entries() == nullptr || right_.entries() == nullptr) {
      return sign_of(left_.text(row), right_.text(row));
    }
    const std::pair entries(left_.entry(row), right_.entry(row));
    if (last_ != entries) {
      last_ = entries;
      sign_ = sign_of(left_.text(row), right_.text(row));
    }
    return sign_;
  }

 private:
  const DecodedColumn& left_;
  const DecodedColumn& right_;
  std::optional<std::pair<uint32_t, uint32_t>> last_;
  Sign sign_;
};

}  // namespace

Int128 factor_of(const Column& column) {
  constexpr uint32_t kDigits = fraction_digits(Logical::Unit::nanoseconds);
  switch (column.logical.kind) {
    case Logical::Kind::date:
      return Int128{86'400} * static_cast<Int128>(kPowersOfTen[kDigits]);
    case Logical::Kind::timestamp:
    case Logical::Kind::time:
      return static_cast<Int128>(kPowersOfTen[kDigits - fraction_digits(column.logical.unit)]);
    case Logical::Kind::decimal:
      return static_cast<Int128>(kPowersOfTen[Logical::kMaxScale - column.logical.scale]);
    case Logical::Kind::plain:
    case Logical::Kind::boolean:
      break;
  }
  return static_cast<Int128>(kPowersOfTen[Logical::kMaxScale]);
}

BitmapWords compare_columns(const ColumnOperand& left, Compare op, const ColumnOperand& right, bool negated) {
  const auto compare = [&](auto&& sign) { return compare_rows(left, op, right, negated, sign); };
  if (is_string(left.column.type)) {
    return compare(StringSigns(left.values, right.values));
  }
  const bool left_is_real = is_float(left.column.type);
  const bool right_is_real = is_float(right.column.type);
  if (left_is_real && right_is_real) {
    return compare([&](uint64_t row) { return sign_of(real_at(left, row), real_at(right, row)); });
  }
  if (left_is_real) {
    return compare([&](uint64_t row) { return mixed_sign(left, right, row); });
  }
  if (right_is_real) {
    return compare([&](uint64_t row) { return reversed(mixed_sign(right, left, row)); });
  }
  const Int128 left_factor = factor_of(left.column);
  const Int128 right_factor = factor_of(right.column);
  return compare([&](uint64_t row) {
    return sign_of(integer_at(left, row) * left_factor, integer_at(right, row) * right_factor);
  });
}

}  // namespace bobbin::query
