// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/runs.hpp"

#include "core/bits.hpp"
#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

// Runs of 1 to `longest`, of `kinds` values.
Input make_runs(std::string name, DType type, uint64_t length, uint64_t longest, uint64_t kinds,
                Random& random) {
  uint64_t left = 0;
  uint64_t bits = 0;
  return make_input(std::move(name), type, length, [&](uint64_t) {
    if (left == 0) {
      left = 1 + random.below(longest);
      bits = 0x9e37'79b9'7f4a'7c15 * random.below(kinds);
    }
    --left;
    return bits;
  });
}

}  // namespace

std::vector<Input> constant_edges() {
  std::vector<Input> inputs;
  for (const DType type : kAllTypes) {
    for (const uint64_t length : {0U, 1U, 15U, 16U, 17U, 1023U, 1025U, 5000U, 20'001U}) {
      for (const uint64_t bits : {uint64_t{42}, uint64_t{0x8123'4567'89ab'cdef}}) {
        inputs.push_back(
            make_input(std::to_string(length) + " values", type, length, [&](uint64_t) { return bits; }));
      }
    }
  }
  return inputs;
}

Input any_constant(Random& random) {
  const DType type = kAllTypes[random.below(std::size(kAllTypes))];
  const uint64_t bits = random.next();
  return make_input("drawn", type, random.below(9000), [&](uint64_t) { return bits; });
}

std::vector<Input> run_edges() {
  std::vector<Input> inputs;
  for (const DType type : kAllTypes) {
    for (const uint64_t length : {0U, 1U, 1023U, 1025U, 8192U, 8193U}) {
      inputs.push_back(make_input(std::to_string(length) + " in one run", type, length,
                                  [](uint64_t) { return uint64_t{7}; }));
      inputs.push_back(make_input(std::to_string(length) + " in runs of 5", type, length,
                                  [](uint64_t i) { return i / 5 % 100; }));
    }
    for (const uint64_t run : {1U, 31U, 32U, 1000U, 8192U}) {
      inputs.push_back(make_input("runs of " + std::to_string(run), type, 17'000,
                                  [&](uint64_t i) { return i / run % 3 * 0x8182'8384'8586'8788; }));
    }
    Random random(static_cast<uint64_t>(type));
    inputs.push_back(make_runs("runs of many lengths", type, 12'000, 300, 50, random));
    inputs.push_back(make_runs("two values", type, 5000, 40, 2, random));
    inputs.push_back(make_input("a value now and then", type, 18'000,
                                [](uint64_t i) { return i % 411 == 17 ? i : uint64_t{3}; }));
    inputs.push_back(make_input("only the last", type, 9000, [](uint64_t i) { return uint64_t{i == 8999}; }));
    inputs.push_back(make_input("only the first", type, 9000, [](uint64_t i) { return uint64_t{i == 0}; }));
    inputs.push_back(make_input("as many of each", type, 2000, [](uint64_t i) { return 9 - i % 4; }));
  }
  return inputs;
}

Input any_runs(Random& random) {
  const DType type = kAllTypes[random.below(std::size(kAllTypes))];
  const uint64_t length = random.below(12'000);
  const uint64_t longest = uint64_t{1} << random.below(14);
  const uint64_t kinds = uint64_t{1} << random.below(12);
  return make_runs("drawn", type, length, longest, kinds, random);
}

}  // namespace bobbin::testing
