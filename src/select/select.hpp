// SPDX-License-Identifier: Apache-2.0
// Chooses a cascade for a column chunk: all possible ones are tried on a sample, and the sizes are
// extrapolated to all values. Deterministic: the same values give the same choice on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "select/cascade.hpp"

namespace bobbin::select {

// Strings that a codec split, and the strings it split them into, encoded.
struct SplitStrings {
  StringSplit split;
  Array last;
};

// A possible cascade with its estimates.
struct Candidate {
  ResolvedCascade cascade;
  uint64_t bytes = 0;  // of all values, including padding of segments in a file
  double cost = 0;     // to decode a value on a GPU, relative to copying one value
  // If all values were tried, not only a sample: what encoding them with this cascade starts with, or gives.
  std::shared_ptr<const SplitStrings> parts{};
  std::shared_ptr<const Array> whole{};
};

struct Choice {
  uint64_t rows = 0;
  uint64_t sampled = 0;               // number of rows in the sample
  uint64_t runs = 0;                  // of equal values; only for numbers
  std::vector<Candidate> candidates;  // best first
};

[[nodiscard]] Choice choose(const Values& values, const Goal& goal);
[[nodiscard]] Choice choose_strings(const StringsView& strings, const Goal& goal);

// Encodes with a candidate's cascade. Cascades for the parts that codecs split values into are chosen again
// from the actual parts, so the array's cascade may differ.
[[nodiscard]] Result<Array> encode_as(const ResolvedCascade& candidate, const Values& values,
                                      const Goal& goal, Backend backend);
[[nodiscard]] Result<Array> encode_strings_as(const ResolvedCascade& candidate, const StringsView& strings,
                                              const Array* previous, const Goal& goal, Backend backend);

// Encodes with the best candidate, and tries the next if the result is much larger than estimated. The result
// exceeds the values' own size by at most a thousandth and a few bytes.
[[nodiscard]] Result<Array> encode(const Values& values, const Goal& goal, Backend backend);
[[nodiscard]] Result<Array> encode_strings(const StringsView& strings, const Array* previous,
                                           const Goal& goal, Backend backend);

}  // namespace bobbin::select
