// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/codecs/component.hpp"
#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

// Bytes of which small ones are frequent, as in text or in codes.
uint64_t skewed(Random& random, uint64_t values) {
  return random.below(values) * random.below(values) / values;
}

std::vector<Input> ans_edges() {
  std::vector<Input> inputs = integer_edges();
  std::erase_if(inputs, [](const Input& input) { return size_bytes(input.type) != 1; });
  // Groups of 128 values and segments of 16384, whole and not.
  for (const uint64_t length : {127U, 128U, 129U, 256U, 257U, 16384U, 16385U, 16512U, 40'000U}) {
    Random random(length);
    inputs.push_back(make_input(std::to_string(length) + " skewed", DType::u8, length,
                                [&](uint64_t) { return skewed(random, 50); }));
  }
  Random random(1);
  // No value is frequent: as many words as there can be.
  inputs.push_back(make_input("all bytes alike", DType::u8, 20'000, [&](uint64_t) { return random.next(); }));
  inputs.push_back(make_input("one of each", DType::i8, 256, [](uint64_t i) { return i; }));
  // Rare values in a row take 22 bits per pair.
  inputs.push_back(make_input("rare values together", DType::u8, 17'000,
                              [](uint64_t i) { return i > 9000 && i < 9100 ? i - 8900 : 7; }));
  return inputs;
}

Input any_bytes(Random& random) {
  const DType type = random.below(2) == 0 ? DType::u8 : DType::i8;
  const uint64_t length = random.below(random.below(4) == 0 ? 40'000 : 3000);
  const uint64_t values = 1 + random.below(256);
  const uint64_t rare = random.below(2000) + 1;
  return make_input("drawn", type, length,
                    [&](uint64_t i) { return i % rare == 0 ? random.next() : skewed(random, values); });
}

const RegisterComponent kAnsComponent({.codec = CodecId::ans, .edges = &ans_edges, .generate = &any_bytes});

}  // namespace
}  // namespace bobbin::testing
