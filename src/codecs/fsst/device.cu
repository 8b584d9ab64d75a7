// SPDX-License-Identifier: Apache-2.0
// The codec's kernels, for the GPU and for the emulator.
#include "codecs/fsst/kernels.hpp"
#include "simt/executor.cuh"

namespace bobbin::codec::fsst {

template <Backend kBackend>
const DeviceOps& ops_on() {
  static constexpr StringDeviceOps kStrings = Plans<simt::Executor>::string_ops();
  static constexpr DeviceOps kOps{.strings = &kStrings};
  return kOps;
}
template const DeviceOps& ops_on<simt::kBackend>();

}  // namespace bobbin::codec::fsst
