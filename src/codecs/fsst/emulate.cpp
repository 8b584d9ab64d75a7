// SPDX-License-Identifier: Apache-2.0
// The codec's kernels in the emulator.
#include "codecs/fsst/kernels.hpp"
#include "simt/emulator.hpp"

namespace bobbin::codec::fsst {
namespace {

constexpr StringDeviceOps kStringOps = Plans<simt::EmulatorExecutor>::string_ops();

}  // namespace

const DeviceOps kEmulator{.strings = &kStringOps};

}  // namespace bobbin::codec::fsst
