// SPDX-License-Identifier: Apache-2.0
#include "scan/plans.hpp"
#include "simt/executor.cuh"

namespace bobbin::scan {

template Status run_values<uint32_t>(const simt::Executor&, const Request&);
template Status run_values<float>(const simt::Executor&, const Request&);

}  // namespace bobbin::scan
