// SPDX-License-Identifier: Apache-2.0
// The number of random cases: compute-sanitizer slows kernels down so much that only a few can be run with
// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace bobbin::testing {

// The usual number, or BOBBIN_SEEDS if that is smaller.
inline uint64_t num_seeds(uint64_t usual) {
  const char* const most = std::getenv("BOBBIN_SEEDS");
  return most == nullptr ? usual : std::min<uint64_t>(usual, std::stoull(most));
}

}  // namespace bobbin::testing
