// SPDX-License-Identifier: Apache-2.0
// Inputs for integer codecs, which treat floats as bit patterns.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Values from a function of their index, truncated to the type.
template <class F>
[[nodiscard]] Input make_input(std::string name, DType type, uint64_t length, F&& value) {
  Input input{std::string(to_string(type)) + " " + std::move(name), type, {}};
  input.bytes.resize(length * size_bytes(type));
  for (uint64_t i = 0; i < length; ++i) {
    const uint64_t bits = value(i);
    std::memcpy(input.bytes.data() + i * size_bytes(type), &bits, size_bytes(type));
  }
  return input;
}

// Every type; lengths around lanes and vectors; every width; the type's extremes; constant, sorted, mixed
// signs; for floats also zeros, denormals, infinities and NaN.
[[nodiscard]] std::vector<Input> integer_edges();
[[nodiscard]] Input any_integers(Random& random);

}  // namespace bobbin::testing
