// SPDX-License-Identifier: Apache-2.0
#include "sim/simulate.hpp"

namespace bobbin::sim {
namespace {
constexpr std::string_view kDesignNames[kNumDesigns] = {"base",     "hw-bdi-mem", "hw-bdi",    "caba-bdi",
                                                        "caba-fpc", "caba-cpack", "caba-best", "ideal-bdi"};
}

std::string_view to_string(Design design) {
  return kDesignNames[static_cast<size_t>(design)];
}

std::optional<Design> find_design(std::string_view name) {
  for (uint32_t i = 0; i < kNumDesigns; ++i) {
    if (kDesignNames[i] == name) {
      return static_cast<Design>(i);
    }
  }
  return std::nullopt;
}

}  // namespace bobbin::sim
