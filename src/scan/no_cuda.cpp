// SPDX-License-Identifier: Apache-2.0
// Builds without CUDA have no scan on a GPU.
#include "scan/scan.hpp"

namespace bobbin::scan {

Status run_on_cuda(const Request& /*request*/, StreamView /*stream*/) {
  return {StatusCode::unavailable, "scan: this build has no CUDA"};
}

}  // namespace bobbin::scan
