// SPDX-License-Identifier: Apache-2.0
// Scans of 32-bit values in the emulator.
#include "scan/plans.hpp"
#include "simt/emulator.hpp"

namespace bobbin::scan {

template Status run_values<uint32_t>(const simt::EmulatorExecutor&, const Request&);
template Status run_values<float>(const simt::EmulatorExecutor&, const Request&);

}  // namespace bobbin::scan
