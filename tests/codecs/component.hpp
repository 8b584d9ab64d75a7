// SPDX-License-Identifier: Apache-2.0
// A codec's entry in the tests: its inputs. With this one file it gets every check in checks.hpp, on every
// backend, in the tests and in the fuzzers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codecs/codec.hpp"

namespace bobbin::testing {

// The source of randomness for generators: a seeded generator in tests, a fuzzer's bytes in fuzz targets.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // Uses the bytes while they last, then zeros.
  explicit Random(std::span<const uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  uint64_t next();
  // 0 .. bound-1.
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_ = 0;
  std::span<const uint8_t> bytes_;
  bool from_bytes_ = false;
};

struct Input {
  std::string name;
  DType type{};
  std::vector<std::byte> bytes;

  [[nodiscard]] Values values() const { return {type, bytes.data(), bytes.size() / size_bytes(type)}; }
};

struct Component {
  CodecId codec{};
  // The cases a person would think of.
  std::function<std::vector<Input>()> edges;
  // An arbitrary input.
  std::function<Input(Random&)> generate;
};

// Every component that is linked in, by codec id.
[[nodiscard]] std::vector<Component> components();

// Registers a component when constructed: a namespace-scope constant of this type in a component.cpp is
// enough.
struct RegisterComponent {
  explicit RegisterComponent(Component component);
};

}  // namespace bobbin::testing
