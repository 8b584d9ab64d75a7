// SPDX-License-Identifier: Apache-2.0
// The codec's kernels, for the GPU and for the emulator.
#include "codecs/zstd/kernels.hpp"
#include "simt/executor.cuh"

namespace bobbin::codec::zstd {

template <Backend kBackend>
const DeviceOps& ops_on() {
  static constexpr StringDeviceOps kStrings = ArrayPlans<simt::Executor>::string_ops();
  static constexpr DeviceOps kOps{.decode = &ArrayPlans<simt::Executor>::decode, .strings = &kStrings};
  return kOps;
}
template const DeviceOps& ops_on<simt::kBackend>();

}  // namespace bobbin::codec::zstd
