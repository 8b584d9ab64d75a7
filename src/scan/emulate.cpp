// SPDX-License-Identifier: Apache-2.0
// One file a size of values: they compile in parallel.
#include "scan/plans.hpp"
#include "simt/emulator.hpp"

namespace bobbin::scan {

extern template Status run_values<uint8_t>(const simt::EmulatorExecutor&, const Request&);
extern template Status run_values<uint16_t>(const simt::EmulatorExecutor&, const Request&);
extern template Status run_values<uint32_t>(const simt::EmulatorExecutor&, const Request&);
extern template Status run_values<uint64_t>(const simt::EmulatorExecutor&, const Request&);
extern template Status run_values<float>(const simt::EmulatorExecutor&, const Request&);
extern template Status run_values<double>(const simt::EmulatorExecutor&, const Request&);

Status run_on_emulator(const Request& request, StreamView stream) {
  return run_request(simt::EmulatorExecutor(stream), request);
}

}  // namespace bobbin::scan
