// SPDX-License-Identifier: Apache-2.0
// Series of values for which differences work well, and the expected choice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codecs/delta/delta.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

struct Series {
  std::string name;
  int64_t (*value)(uint64_t i);
  codec::delta::Parameters best;  // the expected choice, for 32 bits or more
};

[[nodiscard]] std::vector<Series> all_series();
[[nodiscard]] Input make_series(const Series& series, DType type, uint64_t length);

// Encodes with every order and some strides, and decodes on a backend; returns what is wrong, or an empty
// string.
[[nodiscard]] std::string check_every_parameter(Backend backend, uint64_t length);

}  // namespace bobbin::testing
