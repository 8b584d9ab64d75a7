// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/integers.hpp"

#include "core/bits.hpp"
#include "core/scalar.hpp"

namespace bobbin::testing {
namespace {

void add_lengths(std::vector<Input>& inputs, DType type) {
  const uint64_t lanes = 1024 / size_bits(type);
  for (const uint64_t length : {uint64_t{0}, uint64_t{1}, lanes - 1, lanes, lanes + 1, uint64_t{1023},
                                uint64_t{1024}, uint64_t{1025}, uint64_t{2048}, uint64_t{5000}}) {
    inputs.push_back(make_input(std::to_string(length) + " values", type, length,
                                [](uint64_t i) { return i * 37 % 101; }));
  }
}

void add_widths(std::vector<Input>& inputs, DType type) {
  for (uint32_t width = 0; width <= size_bits(type); ++width) {
    Random random(width + 1);
    inputs.push_back(make_input("width " + std::to_string(width), type, 1024 + 300, [&](uint64_t i) {
      return i == 700 ? low_mask<uint64_t>(width) : random.next() & low_mask<uint64_t>(width);
    }));
  }
}

void add_shapes(std::vector<Input>& inputs, DType type) {
  const uint64_t top = uint64_t{1} << (size_bits(type) - 1);
  inputs.push_back(
      make_input("extremes", type, 2500, [&](uint64_t i) { return i % 3 == 0 ? top : top - 1; }));
  inputs.push_back(make_input("all ones", type, 1500, [](uint64_t) { return ~uint64_t{0}; }));
  inputs.push_back(make_input("constant", type, 3000, [](uint64_t) { return uint64_t{42}; }));
  inputs.push_back(make_input("around zero", type, 2100, [](uint64_t i) { return i % 7 - 3; }));
  inputs.push_back(make_input("ascending", type, 4100, [](uint64_t i) { return i / 11; }));
  inputs.push_back(make_input("widths that change", type, 7000, [](uint64_t i) {
    Random random(i);
    return random.next() & low_mask<uint64_t>(static_cast<uint32_t>(i / 1024 * 3));
  }));
}

// Both zeros, the smallest and largest denormal, one, infinity, quiet and signalling NaN with payloads; each
// with both signs.
std::vector<uint64_t> special_floats(DType type) {
  const uint32_t mantissa = type == DType::f32 ? 23 : 52;
  const uint64_t infinity = low_mask<uint64_t>(size_bits(type) - 1 - mantissa) << mantissa;
  const uint64_t one = infinity >> 1 & infinity;
  const uint64_t quiet = uint64_t{1} << (mantissa - 1);
  std::vector<uint64_t> bits{0,
                             1,
                             low_mask<uint64_t>(mantissa),
                             one,
                             infinity,
                             infinity | quiet,
                             infinity | quiet | 0x1234,
                             infinity | 1,
                             low_mask<uint64_t>(size_bits(type) - 1)};
  for (size_t i = 0, positive = bits.size(); i < positive; ++i) {
    bits.push_back(bits[i] | uint64_t{1} << (size_bits(type) - 1));
  }
  return bits;
}

void add_floats(std::vector<Input>& inputs, DType type) {
  const auto special = special_floats(type);
  inputs.push_back(
      make_input("special values", type, 3000, [&](uint64_t i) { return special[i * 7 % special.size()]; }));
  inputs.push_back(make_input("both zeros", type, 1500, [&](uint64_t i) {
    return i % 3 == 0 ? uint64_t{1} << (size_bits(type) - 1) : 0;
  }));
  inputs.push_back(make_input("prices", type, 2500, [&](uint64_t i) {
    const double price = static_cast<double>(i % 977) / 100 - 3;
    return type == DType::f32 ? scalar_of(static_cast<float>(price)).bits : scalar_of(price).bits;
  }));
}

}  // namespace

std::vector<Input> integer_edges() {
  std::vector<Input> inputs;
  for (const DType type : kAllTypes) {
    add_lengths(inputs, type);
    add_widths(inputs, type);
    add_shapes(inputs, type);
    if (is_float(type)) {
      add_floats(inputs, type);
    }
  }
  return inputs;
}

Input any_integers(Random& random) {
  const DType type = kAllTypes[random.below(std::size(kAllTypes))];
  const uint64_t length = random.below(5000);
  const uint64_t base = random.next();
  const auto width = static_cast<uint32_t>(random.below(size_bits(type) + 1));
  const uint64_t rare = random.below(2000) + 1;
  return make_input("drawn", type, length, [&](uint64_t i) {
    return i % rare == 0 ? random.next() : base + (random.next() & low_mask<uint64_t>(width));
  });
}

}  // namespace bobbin::testing
