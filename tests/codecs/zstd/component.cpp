// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"

#include "tests/codecs/floats.hpp"
#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

std::vector<Input> zstd_edges() {
  std::vector<Input> inputs = integer_edges();
  // Several frames, in both layouts: neighbours that resemble each other, and values that repeat.
  inputs.push_back(make_input("slow", DType::u32, 70'000, [](uint64_t i) { return i * i / 1000 + i % 3; }));
  inputs.push_back(
      make_input("repeated", DType::i16, 40'000, [](uint64_t i) { return i % 700 * i % 700 * 11 - 4000; }));
  return inputs;
}

Input any_zstd_input(Random& random) {
  return random.below(3) == 0 ? any_floats(random) : any_integers(random);
}

const RegisterComponent kZstdComponent({.codec = CodecId::zstd,
                                        .edges = &zstd_edges,
                                        .generate = &any_zstd_input});

}  // namespace
}  // namespace bobbin::testing
