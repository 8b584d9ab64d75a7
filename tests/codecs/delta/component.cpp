// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"

#include <cstring>

#include "tests/codecs/delta/series.hpp"
#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

std::vector<Input> delta_edges() {
  std::vector<Input> inputs = integer_edges();
  for (const DType type : {DType::u8, DType::i16, DType::u32, DType::i64, DType::f64}) {
    for (const Series& series : all_series()) {
      for (const uint64_t length : {uint64_t{7}, uint64_t{3099}}) {
        inputs.push_back(make_series(series, type, length));
      }
    }
  }
  return inputs;
}

// Integers, or sums of some, or sums of sums.
Input any_series(Random& random) {
  Input input = any_integers(random);
  const uint64_t size = size_bytes(input.type);
  const uint64_t stride = 1 + random.below(4);
  for (uint64_t order = random.below(4); order > 0; --order) {
    for (uint64_t i = stride; i < input.bytes.size() / size; ++i) {
      uint64_t a = 0;
      uint64_t b = 0;
      std::memcpy(&a, input.bytes.data() + (i - stride) * size, size);
      std::memcpy(&b, input.bytes.data() + i * size, size);
      b += a;
      std::memcpy(input.bytes.data() + i * size, &b, size);
    }
  }
  return input;
}

const RegisterComponent kDeltaComponent({.codec = CodecId::delta,
                                         .edges = &delta_edges,
                                         .generate = &any_series});

}  // namespace
}  // namespace bobbin::testing
