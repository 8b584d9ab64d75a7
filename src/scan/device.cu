// SPDX-License-Identifier: Apache-2.0
// Scans on the GPU and in the emulator.
#include "scan/plans.hpp"
#include "simt/executor.cuh"

namespace bobbin::scan {

// In device_32.cu and device_64.cu, so that they compile in parallel.
extern template Status run_values<uint32_t>(const simt::Executor&, const Request&);
extern template Status run_values<uint64_t>(const simt::Executor&, const Request&);
extern template Status run_values<float>(const simt::Executor&, const Request&);
extern template Status run_values<double>(const simt::Executor&, const Request&);

template <Backend kBackend>
Status run_on(const Request& request, StreamView stream) {
  return run_request(simt::Executor(stream), request);
}
template Status run_on<simt::kBackend>(const Request&, StreamView);

}  // namespace bobbin::scan
