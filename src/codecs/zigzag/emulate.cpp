// SPDX-License-Identifier: Apache-2.0
// The codec's kernels in the emulator.
#include "codecs/zigzag/kernels.hpp"
#include "simt/emulator.hpp"

namespace bobbin::codec::zigzag {

const DeviceOps kEmulator = Plans<simt::EmulatorExecutor>::ops();

}  // namespace bobbin::codec::zigzag
