// SPDX-License-Identifier: Apache-2.0
// Comparisons of expressions that are decided by what the values of columns lie between, before any is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "plan/expression.hpp"

namespace bobbin::plan {

// For which rows a test holds; `some` also means that it is not known.
enum class Truth : uint8_t { none, some, all };
[[nodiscard]] Truth negate(Truth truth);

// Inclusive bounds of numbers: of integers, or of reals, which are finite.
struct Limits {
  Bounds integers{};
  double least = 0;
  double greatest = 0;

  [[nodiscard]] static Limits of(Int128 least, Int128 greatest) { return {{least, greatest}}; }
  [[nodiscard]] static Limits of(double least, double greatest) { return {{}, least, greatest}; }
};

// For which rows without nulls the comparison holds. `columns[i]` has the bounds of column i, if known.
[[nodiscard]] Truth truth_of(const Comparison& comparison, std::span<const std::optional<Limits>> columns);
// The same for two numbers, which are both integers or both reals.
[[nodiscard]] Truth truth_of(Compare op, const Limits& left, const Limits& right, bool reals);

}  // namespace bobbin::plan
