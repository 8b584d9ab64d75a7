// SPDX-License-Identifier: Apache-2.0
// The scan of each backend. Arguments have been checked by scan::run.
#pragma once

#include <cstdint>

#include "bobbin/scan.hpp"

namespace bobbin::scan {

struct Request {
  DType type{};
  Kind kind{};
  const void* in = nullptr;
  void* out = nullptr;
  uint64_t length = 0;
  Options options;
};

void run_on_cpu(const Request& request);
// On a device, asynchronously. In device.cu.
template <Backend kBackend>
Status run_on(const Request& request, StreamView stream);

// Scans `length` values in place, from the state its s scans had before them, and leaves the state after
// them: the tile function of the CPU's decoders. `states` holds k words for each of the s scans, that of
// order 1 first: the sums a scan of order 1, 2 .. k has reached. Value 0 belongs to scan 0. T is an unsigned
// integer.
template <class T>
void scan_tile_on_cpu(T* values, uint64_t length, uint32_t order, uint32_t tuple, T* states);

}  // namespace bobbin::scan
