// SPDX-License-Identifier: Apache-2.0
// How many cases are drawn: compute-sanitizer makes kernels so slow that a few must do there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace bobbin::testing {

// As many as usual, or BOBBIN_SEEDS where that is less.
inline uint64_t num_seeds(uint64_t usual) {
  const char* const most = std::getenv("BOBBIN_SEEDS");
  return most == nullptr ? usual : std::min<uint64_t>(usual, std::stoull(most));
}

}  // namespace bobbin::testing
