// SPDX-License-Identifier: Apache-2.0
// The scan on each backend. scan::run has checked the arguments.
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

// Scans `length` values in place, starting from the states of its s series, and updates the states: the tile
// function of the CPU decoders. `states` holds k words for each of the s series, that of order 1 first: the
// sums that scans of order 1, 2 .. k have reached. Value 0 belongs to series 0. T is an unsigned integer.
template <class T>
void scan_tile_on_cpu(T* values, uint64_t length, uint32_t order, uint32_t tuple, T* states);

}  // namespace bobbin::scan
