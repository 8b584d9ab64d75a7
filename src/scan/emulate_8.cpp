// SPDX-License-Identifier: Apache-2.0
// Scans of 8-bit values in the emulator.
#include "scan/plans.hpp"
#include "simt/emulator.hpp"

namespace bobbin::scan {

template Status run_values<uint8_t>(const simt::EmulatorExecutor&, const Request&);

}  // namespace bobbin::scan
