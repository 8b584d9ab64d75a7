// SPDX-License-Identifier: Apache-2.0
// The codec's kernels in the emulator.
#include "codecs/alprd/kernels.hpp"
#include "simt/emulator.hpp"

namespace bobbin::codec::alprd {

const DeviceOps kEmulator = Plans<simt::EmulatorExecutor>::ops();

}  // namespace bobbin::codec::alprd
