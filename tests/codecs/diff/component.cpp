// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"

#include <cstring>
#include <utility>

#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

Input restarting(DType type, uint64_t length, uint64_t period, uint64_t step) {
  Input input{"sequences of " + std::to_string(period), type, {}};
  input.bytes.resize(length * size_bytes(type));
  for (uint64_t i = 0; i < length; ++i) {
    const uint64_t value = i % period * step;
    std::memcpy(input.bytes.data() + i * size_bytes(type), &value, size_bytes(type));
  }
  return input;
}

std::vector<Input> diff_edges() {
  std::vector<Input> inputs;
  for (Input& input : integer_edges()) {
    if (!is_float(input.type)) {
      inputs.push_back(std::move(input));
    }
  }
  for (const DType type : kIntegerTypes) {
    inputs.push_back(restarting(type, 5000, 24, 1));
    inputs.push_back(restarting(type, 2049, 1024, 3));
  }
  return inputs;
}

// Integers of any type, with floats treated as signed integers of their size; or sequences that restart.
Input any_diff_input(Random& random) {
  if (random.below(3) == 0) {
    const DType type = kIntegerTypes[random.below(std::size(kIntegerTypes))];
    return restarting(type, random.below(5000), 1 + random.below(2000), random.next());
  }
  Input input = any_integers(random);
  if (is_float(input.type)) {
    input.type = input.type == DType::f32 ? DType::i32 : DType::i64;
  }
  return input;
}

const RegisterComponent kDiffComponent({.codec = CodecId::diff,
                                        .edges = &diff_edges,
                                        .generate = &any_diff_input});

}  // namespace
}  // namespace bobbin::testing
