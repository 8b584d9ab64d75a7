// SPDX-License-Identifier: Apache-2.0
// The codec's kernels in the emulator.
#include "codecs/dict/kernels.hpp"
#include "simt/emulator.hpp"

namespace bobbin::codec::dict {
namespace {

using DevicePlans = Plans<simt::EmulatorExecutor>;
constexpr StringDeviceOps kStringOps = DevicePlans::string_ops();

}  // namespace

const DeviceOps kEmulator = DevicePlans::ops(&kStringOps);

}  // namespace bobbin::codec::dict
