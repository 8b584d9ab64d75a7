// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/floats.hpp"

#include <cmath>
#include <cstring>

#include "core/scalar.hpp"
#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

template <class Value>
Input make_floats(std::string name, DType type, uint64_t length, Value&& value) {
  return make_input(std::move(name), type, length, [&](uint64_t i) {
    const double x = value(i);
    return type == DType::f32 ? scalar_of(static_cast<float>(x)).bits : scalar_of(x).bits;
  });
}

}  // namespace

std::vector<Input> float_edges() {
  std::vector<Input> inputs;
  for (Input& input : integer_edges()) {
    if (is_float(input.type)) {
      inputs.push_back(std::move(input));
    }
  }
  for (const DType type : {DType::f32, DType::f64}) {
    for (const int digits : {0, 1, 2, 3, 5, 8, 14}) {
      const double scale = std::pow(10.0, digits);
      inputs.push_back(make_floats(std::to_string(digits) + " digits", type, 2600, [&](uint64_t i) {
        return std::floor(static_cast<double>(i * 7919 % 100003)) / scale;
      }));
    }
    inputs.push_back(make_floats("some irrational", type, 3000, [](uint64_t i) {
      return i % 50 == 3 ? std::sqrt(static_cast<double>(i)) : static_cast<double>(i % 1000) / 10;
    }));
    inputs.push_back(make_floats("all irrational", type, 2100,
                                 [](uint64_t i) { return std::sqrt(static_cast<double>(i) + 0.1); }));
    inputs.push_back(make_floats("digits that change", type, 6000, [](uint64_t i) {
      return static_cast<double>(i % 999) / std::pow(10.0, static_cast<double>(i / 1024));
    }));
    inputs.push_back(make_floats("a few far below", type, 3000, [](uint64_t i) {
      return i % 200 == 7 ? 0.0 : 5000 + static_cast<double>(i * 7919 % 4096) / 100;
    }));
    inputs.push_back(
        make_floats("large", type, 2000, [](uint64_t i) { return static_cast<double>(i) * 1e15; }));
    inputs.push_back(
        make_floats("negative", type, 2000, [](uint64_t i) { return -static_cast<double>(i) / 100; }));
  }
  return inputs;
}

Input any_floats(Random& random) {
  const DType type = random.below(2) == 0 ? DType::f32 : DType::f64;
  const double scale = std::pow(10.0, static_cast<double>(random.below(12)));
  const uint64_t range = 1 + random.below(1'000'000);
  const uint64_t rare = 1 + random.below(500);
  return make_floats("drawn", type, random.below(5000), [&](uint64_t i) {
    double x = (static_cast<double>(random.below(range)) - static_cast<double>(range / 3)) / scale;
    if (i % rare == 0) {
      const uint64_t bits = random.next();
      std::memcpy(&x, &bits, sizeof x);
    }
    return x;
  });
}

}  // namespace bobbin::testing
