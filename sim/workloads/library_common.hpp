// SPDX-License-Identifier: Apache-2.0
// What the recorders of the library's kernels share. Only for builds with the emulator.
#pragma once

#include <fmt/format.h>

#include "codecs/registry.hpp"
#include "sim/recorded_cta.hpp"
#include "sim/workloads/common.hpp"
#include "sim/workloads/library.hpp"

namespace bobbin::sim {

using Executor = RecordingExecutor;
using Encoded = bobbin::Array;  // not an array of the simulated memory

inline const StreamView kStream(Backend::emulator, nullptr);

[[nodiscard]] inline uint64_t num_values(bool quick) {
  return quick ? uint64_t{1} << 18 : uint64_t{1} << 21;
}

// All buffers of an encoding tree.
inline void add_inputs(Recording& recording, const Encoded& array) {
  const std::string_view name = find_codec(array.codec)->name;
  for (size_t i = 0; i < array.buffers.size(); ++i) {
    recording.add_input(fmt::format("{} {}", name, i), array.buffers[i].bytes);
  }
  for (const Encoded& child : array.children) {
    add_inputs(recording, child);
  }
}

}  // namespace bobbin::sim
