// SPDX-License-Identifier: Apache-2.0
// Packed differences of some order and stride, with restart points: see spec.md.
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

  // Restart words per vector.
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

// Where the samples for choose() are taken in an array of some length.
struct Range {
  uint64_t begin = 0;
  uint64_t length = 0;
};
[[nodiscard]] std::vector<Range> sample_ranges(uint64_t length);
// The parameters with the smallest encoding of the samples, which are contiguous in `samples`.
template <class T>
[[nodiscard]] Parameters choose(std::span<const Range> ranges, std::span<const T> samples);

// Whether differences of a few thousand values are not smaller than the values, which is quicker to find out
// than the best parameters. More values are never hopeless: samples of them do not show it.
template <class T>
[[nodiscard]] bool is_hopeless(std::span<const T> values);

// The words() values assumed before an array's first, derived from its first values.
template <class T>
[[nodiscard]] std::vector<T> history(std::span<const T> first, Parameters parameters);

// Builds an array from its parts. `residuals` is the child.
[[nodiscard]] Array assemble(DType type, Parameters parameters, Buffer restarts, Array residuals);

// With parameters chosen by the caller.
[[nodiscard]] Result<Array> encode_with(const Values& values, Parameters parameters);

// As DeviceOps::encode, with parameters chosen by the caller.
template <Backend kBackend>
[[nodiscard]] Result<Array> encode_on(DType type, const void* values, uint64_t length, Parameters parameters,
                                      StreamView stream);

// Bounds of an array's values, found without decoding, from restart points and frames. Values are in the
// array's own order (signed or unsigned); floats have none.
struct Bounds {
  Scalar min;
  Scalar max;
  bool sorted = false;  // values do not descend: min and max are the first and last
};
[[nodiscard]] std::optional<Bounds> bounds(const Array& array);

// All values of one of the array's vectors, including those before the array's first value.
void decode_vector(const Array& array, uint64_t vector, void* out);
// All values but the first, widened from unsigned 32 or 64 bits to 64, with `base` added.
void decode_ends(const Array& array, uint64_t base, uint64_t* out);

}  // namespace bobbin::codec::delta
