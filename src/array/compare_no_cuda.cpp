// SPDX-License-Identifier: Apache-2.0
// In builds without CUDA.
#include "array/compare_plain.hpp"

namespace bobbin::array {

Status compare_plain_on_cuda(const Array& /*array*/, const void* /*values*/, const ValueRange& /*range*/,
                             uint32_t* /*bitmap*/, StreamView /*stream*/) {
  return {StatusCode::unavailable, "the cuda backend is not in this build"};
}

}  // namespace bobbin::array
