// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"

#include <utility>

#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

std::vector<Input> signed_edges() {
  std::vector<Input> inputs;
  for (Input& input : integer_edges()) {
    if (is_signed(input.type)) {
      inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

// Integers of any type, treated as signed ones of their size.
Input any_signed(Random& random) {
  Input input = any_integers(random);
  const DType types[] = {DType::i8, DType::i16, DType::i32, DType::i64};
  for (const DType type : types) {
    input.type = size_bytes(type) == size_bytes(input.type) ? type : input.type;
  }
  return input;
}

const RegisterComponent kZigzagComponent({.codec = CodecId::zigzag,
                                          .edges = &signed_edges,
                                          .generate = &any_signed});

}  // namespace
}  // namespace bobbin::testing
