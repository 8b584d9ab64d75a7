// SPDX-License-Identifier: Apache-2.0
// Filters from Python: text, or the nested tuples that bobbin.expressions makes.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "bobbin/query.hpp"

namespace bobbin::python {

// None: no filter.
[[nodiscard]] std::optional<query::Predicate> predicate_from(nanobind::handle filter);

}  // namespace bobbin::python
