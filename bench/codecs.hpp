// SPDX-License-Identifier: Apache-2.0
// Bobbin's own figures for a column: one codec, or the choice a writer makes, on the CPU or on a device.
#pragma once

#include <cstdint>
#include <string>

#include "bobbin/status.hpp"
#include "bobbin/types.hpp"
#include "codecs/codec.hpp"
#include "measure/timing.hpp"

namespace bobbin::bench {

// Columns are split into chunks as a writer does by default.
inline constexpr uint64_t kRowsPerChunk = uint64_t{1} << 20;

struct CodecResult {
  uint64_t bytes = 0;    // encoded, without the container
  bool checked = false;  // decoded to the same bytes, in this run
  Sample encode;         // chunk by chunk, each freed before the next, as a writer does
  Sample decode;
  Sample compare;  // with a constant, to a bitmap; empty unless requested
};

// One core. A null codec: the smallest for each chunk, with the choice included in the encoding time.
[[nodiscard]] Result<CodecResult> measure_codec(const Codec* codec, const Values& values, const Plan& plan,
                                                bool with_compare = false);

struct DeviceResult {
  bool checked = false;
  Sample copy;    // the device's own copy of the same number of bytes
  Sample encode;  // values and encoded form in device memory
  Sample decode;
};

// The column as one array in the memory of `cuda` or `emulator`. A null codec: the smallest for the whole
// column.
[[nodiscard]] Result<DeviceResult> measure_on_device(Backend backend, const Codec* codec,
                                                     const Values& values, const Plan& plan);

}  // namespace bobbin::bench
