// SPDX-License-Identifier: Apache-2.0
// What a codec offers on a device, for the back end that this file is compiled for.
#pragma once

#include "codecs/codec.hpp"
#include "simt/executor.cuh"

// Defines ops_on() of a codec for numbers, whose kernels.hpp has Plans. Outside of any namespace.
#define BOBBIN_DEFINE_DEVICE_OPS(name)                              \
  namespace bobbin::codec::name {                                   \
  template <Backend kBackend>                                       \
  const DeviceOps& ops_on() {                                       \
    static constexpr DeviceOps kOps = Plans<simt::Executor>::ops(); \
    return kOps;                                                    \
  }                                                                 \
  template const DeviceOps& ops_on<simt::kBackend>();               \
  }  // namespace bobbin::codec::name
