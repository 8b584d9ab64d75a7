// SPDX-License-Identifier: Apache-2.0
// Scans of 64-bit values in the emulator.
#include "scan/plans.hpp"
#include "simt/emulator.hpp"

namespace bobbin::scan {

template Status run_values<uint64_t>(const simt::EmulatorExecutor&, const Request&);
template Status run_values<double>(const simt::EmulatorExecutor&, const Request&);

}  // namespace bobbin::scan
