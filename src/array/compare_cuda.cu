// SPDX-License-Identifier: Apache-2.0
// The comparison of plain values on the GPU.
#include "array/compare_plain.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::array {

Status compare_plain_on_cuda(const Array& array, const void* values, const ValueRange& range,
                             uint32_t* bitmap, StreamView stream) {
  return run_compare_plain(simt::CudaExecutor(stream), array, values, range, bitmap);
}

}  // namespace bobbin::array
