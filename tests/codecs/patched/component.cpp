// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"

#include <cstring>

#include "core/bits.hpp"
#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

// Values of three bits, except those that `is_wide` picks.
template <class IsWide>
Input with_outliers(std::string name, DType type, uint64_t length, IsWide&& is_wide) {
  Input input{std::string(to_string(type)) + " " + std::move(name), type, {}};
  input.bytes.resize(length * size_bytes(type));
  Random random(length);
  for (uint64_t i = 0; i < length; ++i) {
    const uint64_t bits = is_wide(i) ? random.next() : random.below(8);
    std::memcpy(input.bytes.data() + i * size_bytes(type), &bits, size_bytes(type));
  }
  return input;
}

std::vector<Input> patched_edges() {
  std::vector<Input> inputs = integer_edges();
  for (const DType type : {DType::u8, DType::i16, DType::u32, DType::i64, DType::f64}) {
    const uint64_t row = 1024 / size_bits(type);
    const uint64_t piece = row / 8;
    inputs.push_back(with_outliers("one outlier", type, 3000, [](uint64_t i) { return i == 1500; }));
    inputs.push_back(with_outliers("one in twenty", type, 5000, [](uint64_t i) { return i % 20 == 7; }));
    inputs.push_back(
        with_outliers("a full lane", type, 3100, [&](uint64_t i) { return i % row / piece == 5; }));
    inputs.push_back(with_outliers("the last value", type, 2049, [](uint64_t i) { return i == 2048; }));
    inputs.push_back(with_outliers("a chunk in four", type, 9000,
                                   [](uint64_t i) { return i / 1024 % 4 == 2 && i % 9 == 0; }));
  }
  return inputs;
}

Input any_with_outliers(Random& random) {
  if (random.below(4) == 0) {
    return any_integers(random);
  }
  const DType type = kAllTypes[random.below(std::size(kAllTypes))];
  const uint64_t every = 1 + random.below(200);
  const uint64_t run = 1 + random.below(every);
  return with_outliers("drawn", type, random.below(6000),
                       [&](uint64_t i) { return i % every < run / 8 + 1; });
}

const RegisterComponent kPatchedComponent({.codec = CodecId::patched,
                                           .edges = &patched_edges,
                                           .generate = &any_with_outliers});

}  // namespace
}  // namespace bobbin::testing
