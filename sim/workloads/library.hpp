// SPDX-License-Identifier: Apache-2.0
// Each of these makes data, encodes it, and records the library's kernel that decodes or queries it. The
// output is compared with the data before it is simulated.
#pragma once

#include <functional>

#include "sim/recorded.hpp"

namespace bobbin::sim {

Status record_ffor_decode(Recording& recording, uint64_t seed, bool quick);
Status record_delta_decode(Recording& recording, uint64_t seed, bool quick);
Status record_dict_decode(Recording& recording, uint64_t seed, bool quick);
Status record_dict_strings(Recording& recording, uint64_t seed, bool quick);
Status record_patched_sum(Recording& recording, uint64_t seed, bool quick);

// A run of what `record` has recorded; an error becomes that of the run's check.
[[nodiscard]] WorkloadRun recorded_run(Memory& memory, const RecordingParameters& parameters,
                                       const std::function<Status(Recording&)>& record);

}  // namespace bobbin::sim
