// SPDX-License-Identifier: Apache-2.0
// The comparison of plain values on the GPU.
#include "array/compare_plain.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::array {

Status compare_plain_on_cuda(const Array& array, const void* values, Compare op, Scalar constant,
                             uint32_t* bitmap, StreamView stream) {
  return run_compare_plain(simt::CudaExecutor(stream), array, values, op, constant, bitmap);
}

}  // namespace bobbin::array
