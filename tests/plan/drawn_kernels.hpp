// SPDX-License-Identifier: Apache-2.0
// Kernels that draw_kernels.cpp has written for drawn queries, for the emulator.
#pragma once

#include <cstdint>
#include <span>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "plan/query_input.hpp"

namespace bobbin::testing {

inline constexpr uint64_t kDrawnQueries = 60;
inline constexpr uint64_t kDrawnGroups = 30;
inline constexpr uint64_t kDrawnFew = 30;
inline constexpr uint64_t kDrawnRuns = 40;
// Seeds for each kind, with and without a second column.
inline constexpr uint64_t kDrawnOfKind = 4;
inline constexpr uint64_t kDrawnMarks = 16;
inline constexpr uint64_t kDrawnHeld = 32;
inline constexpr uint64_t kDrawnAlike = 18;
inline constexpr uint32_t kDrawnFiles = 4;

struct DrawnKernel {
  const char* declarations;  // Composed::declarations
  Status (*run)(const plan::QueryInput& query, StreamView stream);
};
// Those of each file.
template <uint32_t kFile>
[[nodiscard]] std::span<const DrawnKernel> drawn_kernels();

}  // namespace bobbin::testing
