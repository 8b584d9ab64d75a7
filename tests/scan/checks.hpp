// SPDX-License-Identifier: Apache-2.0
// Compares a scan on any backend with the obvious implementation.
#pragma once

#include <cstdint>
#include <string>

#include "bobbin/scan.hpp"

namespace bobbin::testing {

struct ScanCase {
  DType type = DType::u32;
  scan::Kind kind = scan::Kind::inclusive;
  scan::Options options;
  uint64_t length = 0;
  uint32_t in_offset = 0;  // in values, from an address that is a multiple of 256
  uint32_t out_offset = 0;
  bool in_place = false;  // then out_offset is ignored
  uint64_t seed = 1;
};

[[nodiscard]] std::string describe(const ScanCase& c);

// Scans random values, with guards before and after the output; returns what is wrong, or an empty string.
[[nodiscard]] std::string check_scan(const ScanCase& c, StreamView stream);

}  // namespace bobbin::testing
