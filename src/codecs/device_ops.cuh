// SPDX-License-Identifier: Apache-2.0
// A codec's device functions, for the backend that this file is compiled for.
#pragma once

#include "codecs/codec.hpp"
#include "simt/executor.cuh"

// Defines ops_on() for a codec of numbers with Plans in its kernels.hpp. Use outside of namespaces.
#define BOBBIN_DEFINE_DEVICE_OPS(name)                              \
  namespace bobbin::codec::name {                                   \
  template <Backend kBackend>                                       \
  const DeviceOps& ops_on() {                                       \
    static constexpr DeviceOps kOps = Plans<simt::Executor>::ops(); \
    return kOps;                                                    \
  }                                                                 \
  template const DeviceOps& ops_on<simt::kBackend>();               \
  }  // namespace bobbin::codec::name
