// SPDX-License-Identifier: Apache-2.0
// The data for a choice: counts over all values, and a fixed sample of vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/strings.hpp"
#include "codecs/codec.hpp"

namespace bobbin::select {

// Number of runs of equal values: 1 plus how often a value differs from the one before it.
[[nodiscard]] uint64_t count_runs(const Values& values);

// The same for differences of neighbours; the first counts as equal to the second.
[[nodiscard]] uint64_t count_step_runs(const Values& values);

// For signed integers: whether some are negative and others are not.
[[nodiscard]] bool has_both_signs(const Values& values);

// Whether one value occurs in more than half of the rows.
[[nodiscard]] bool has_majority(const Values& values);

// A lower bound on the number of different values, much faster than counting them.
[[nodiscard]] uint64_t least_distinct(const Values& values);

// The vectors of 1024 rows that form the sample: one from each of several equal parts, at a position
// determined by a fixed seed. All of them if there are few.
[[nodiscard]] std::vector<uint64_t> sampled_vectors(uint64_t rows);
[[nodiscard]] OwnedValues sample_of(const Values& values, std::span<const uint64_t> vectors);

// Whether a sample would have all strings, for which no copy is needed.
[[nodiscard]] bool samples_all(const StringsView& strings, std::span<const uint64_t> vectors);
// As many strings of each vector as fit its share of the limit on bytes.
[[nodiscard]] Strings sample_of(const StringsView& strings, std::span<const uint64_t> vectors);

// Estimates the number of different values among `rows`. `codes` are the sample's values, as numbers below
// `entries`. Chao's estimate, with vectors as individuals: neighbouring values are similar, so that single
// values would suggest that the sample has seen everything.
[[nodiscard]] uint64_t estimate_distinct(const Values& codes, uint64_t entries, uint64_t rows);

}  // namespace bobbin::select
