// SPDX-License-Identifier: Apache-2.0
// The choice of a cascade for a column chunk: every one that could do is tried on a sample, the sizes are
// carried over to all values. Deterministic: the same values give the same choice, everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "select/cascade.hpp"

namespace bobbin::select {

// A cascade that could do, and what is expected of it.
struct Candidate {
  Cascade cascade;
  uint64_t bytes = 0;  // of all values, with what segments are filled up with in a file
  double cost = 0;     // to decode a value on a GPU, where a copy of one takes 1
};

struct Choice {
  uint64_t rows = 0;
  uint64_t sampled = 0;               // of them
  uint64_t runs = 0;                  // of equal values; of numbers only
  std::vector<Candidate> candidates;  // the best first
};

[[nodiscard]] Choice choose(const Values& values, const Goal& goal);
[[nodiscard]] Choice choose_strings(const StringsView& strings, const Goal& goal);

// Encodes by a candidate's cascade. What its codecs split values into is encoded as suits all of it, which a
// sample need not have shown: the cascade of what comes of it can be another one.
[[nodiscard]] Result<Array> encode_as(const Cascade& candidate, const Values& values, const Goal& goal,
                                      Backend backend);
[[nodiscard]] Result<Array> encode_strings_as(const Cascade& candidate, const StringsView& strings,
                                              const Array* previous, const Goal& goal, Backend backend);

// Encodes with the best candidate. Where that turns out much larger than expected, the next one gets its
// chance. Never larger than the values themselves by more than a thousandth, but for a few bytes.
[[nodiscard]] Result<Array> encode(const Values& values, const Goal& goal, Backend backend);
[[nodiscard]] Result<Array> encode_strings(const StringsView& strings, const Array* previous,
                                           const Goal& goal, Backend backend);

}  // namespace bobbin::select
