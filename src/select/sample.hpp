// SPDX-License-Identifier: Apache-2.0
// What a choice rests on: a count over all values, and a few vectors of them, the same ones every time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/strings.hpp"
#include "codecs/codec.hpp"

namespace bobbin::select {

// How often a value differs from the one before it, and 1 for the first.
[[nodiscard]] uint64_t count_runs(const Values& values);

// The same of the differences of neighbours; the first one counts as equal to the second.
[[nodiscard]] uint64_t count_step_runs(const Values& values);

// Of signed integers: whether some are negative and others are not.
[[nodiscard]] bool has_both_signs(const Values& values);

// Which vectors of 1024 rows make the sample: one out of each of as many equal parts, at a place in it that a
// fixed seed gives. All of them when there are few.
[[nodiscard]] std::vector<uint64_t> sampled_vectors(uint64_t rows);
[[nodiscard]] OwnedValues sample_of(const Values& values, std::span<const uint64_t> vectors);

// As many strings of each vector as fit its share of a bound on all bytes.
[[nodiscard]] Strings sample_of(const StringsView& strings, std::span<const uint64_t> vectors);

// How many different values there are among `rows`. `codes` are the sample's values, as numbers below
// `entries`. Chao's estimate, with vectors for individuals: neighbours resemble
// each other, and would make a sample look as if it had seen everything.
[[nodiscard]] uint64_t estimate_distinct(const Values& codes, uint64_t entries, uint64_t rows);

}  // namespace bobbin::select
