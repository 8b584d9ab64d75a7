// SPDX-License-Identifier: Apache-2.0
// Constants and formulas from Python, as bobbin.expressions makes them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "bobbin/query.hpp"

namespace bobbin::python {

namespace nb = nanobind;

inline constexpr int kMaxNesting = 100;

// str or bytes.
[[nodiscard]] std::string text_from(nb::handle value);
// bool, int, float, str, bytes, or ("digits", "12.50").
[[nodiscard]] query::Literal literal_from(nb::handle value);
// ("column", name), ("constant", value), or an operation and a tuple of operands.
[[nodiscard]] query::Expression expression_from(nb::handle node);

}  // namespace bobbin::python
