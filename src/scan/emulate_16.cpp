// SPDX-License-Identifier: Apache-2.0
// Scans of 16-bit values in the emulator.
#include "scan/plans.hpp"
#include "simt/emulator.hpp"

namespace bobbin::scan {

template Status run_values<uint16_t>(const simt::EmulatorExecutor&, const Request&);

}  // namespace bobbin::scan
