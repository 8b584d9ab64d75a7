// SPDX-License-Identifier: Apache-2.0
// Whether an array should be compressed, and what its lines cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bobbin/assist.hpp"

namespace bobbin::assist {

// Groups of lines that a sample has, spread over the array.
inline constexpr uint64_t kSampleGroups = 64;

// What a sample says.
struct Profile {
  double ratio = 1;       // bytes of the values per byte that reading them moves
  double slow_share = 0;  // of groups whose lines have several codes, or one without a short expansion

  // `groups` has whole groups of 4 KiB; in tiles, images are packed, in slots they take sectors.
  static Profile of(std::span<const std::byte> groups, LineLayout layout);

  // Measured on an H200 (docs/benchmarks.md, Lines; docs/perf/assist.md): reading groups of one code of BDI
  // is faster than raw from a ratio of 1.5 on; groups of several codes are slower even at 2.4.
  static constexpr double kLeastRatio = 1.5;
  static constexpr double kMostSlow = 0.25;

  // Groups of several codes do not count where the kernel itself is timed.
  [[nodiscard]] bool pays(bool is_timed) const {
    return ratio >= kLeastRatio && (is_timed || slow_share <= kMostSlow);
  }
  // For people: "raw: the sample's ratio is 1.02, at least 1.50 is needed".
  [[nodiscard]] std::string reason(LineLayout layout, bool is_timed) const;
};

// How many times as fast a kernel must be on compressed values as on raw ones: less is not measured reliably.
inline constexpr double kLeastSpeedup = 1.02;

// By class, those that occur.
[[nodiscard]] std::vector<LineClass> count_classes(std::span<const uint8_t> codes);

}  // namespace bobbin::assist
