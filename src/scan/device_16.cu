// SPDX-License-Identifier: Apache-2.0
#include "scan/plans.hpp"
#include "simt/executor.cuh"

namespace bobbin::scan {

template Status run_values<uint16_t>(const simt::Executor&, const Request&);

}  // namespace bobbin::scan
