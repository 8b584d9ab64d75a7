// SPDX-License-Identifier: Apache-2.0
// The codec's kernels, for the GPU and for the emulator.
#include "codecs/ffor/kernels.hpp"
#include "simt/executor.cuh"

namespace bobbin::codec::ffor {

template <Backend kBackend>
const DeviceOps& ops_on() {
  static constexpr DeviceOps kOps = Plans<simt::Executor>::ops();
  return kOps;
}
template const DeviceOps& ops_on<simt::kBackend>();

}  // namespace bobbin::codec::ffor
