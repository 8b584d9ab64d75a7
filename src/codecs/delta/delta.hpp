// SPDX-License-Identifier: Apache-2.0
// Differences of some order and stride, packed, with restart points: see spec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "bobbin/scan.hpp"
#include "codecs/codec.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::delta {

struct Parameters {
  uint32_t order = 1;
  uint32_t tuple = 1;

  // Restart words a vector.
  [[nodiscard]] constexpr uint32_t words() const { return order * tuple; }
  friend bool operator==(const Parameters&, const Parameters&) = default;
};
inline constexpr uint32_t kMaxWords = scan::kMaxOrder * scan::kMaxTuple;

[[nodiscard]] inline Parameters parameters_of(const Array& array) {
  return {array.metadata[0], array.metadata[1]};
}

// The type of residuals.
[[nodiscard]] constexpr DType signed_type(DType type) {
  switch (size_bytes(type)) {
    case 1:
      return DType::i8;
    case 2:
      return DType::i16;
    case 4:
      return DType::i32;
    default:
      return DType::i64;
  }
}

// Where samples lie in an array of some length: what choose() is to see.
struct Range {
  uint64_t begin = 0;
  uint64_t length = 0;
};
[[nodiscard]] std::vector<Range> sample_ranges(uint64_t length);
// The parameters that make samples smallest; they lie one behind the other in `samples`.
template <class T>
[[nodiscard]] Parameters choose(std::span<const Range> ranges, std::span<const T> samples);

// The values an array pretends to have had before its first, from its first ones: words() of them.
template <class T>
[[nodiscard]] std::vector<T> history(std::span<const T> first, Parameters parameters);

// An array of these parts. `residuals` is the child.
[[nodiscard]] Array assemble(DType type, Parameters parameters, Buffer restarts, Array residuals);

// With parameters of the caller's choice.
[[nodiscard]] Result<Array> encode_with(const Values& values, Parameters parameters);

// As DeviceOps::encode, with parameters of the caller's choice.
template <Backend kBackend>
[[nodiscard]] Result<Array> encode_on(DType type, const void* values, uint64_t length, Parameters parameters,
                                      StreamView stream);

// What an array's values are known to lie between without decoding them, from restart points and frames.
// Values are in the array's own order (signed, unsigned); floats have none.
struct Bounds {
  Scalar min;
  Scalar max;
  bool sorted = false;  // the values do not descend, so min and max are the first and the last
};
[[nodiscard]] std::optional<Bounds> bounds(const Array& array);

// All values but the first, unsigned ones of 32 or 64 bits, as ones of 64 with `base` added.
void decode_ends(const Array& array, uint64_t base, uint64_t* out);

}  // namespace bobbin::codec::delta
