// SPDX-License-Identifier: Apache-2.0
// Comparison of plain values, for the GPU and for the emulator.
#include "array/compare_plain.hpp"
#include "simt/executor.cuh"

namespace bobbin::array {

template <Backend kBackend>
Status compare_plain_on(const Array& array, const void* values, const ValueRange& range, uint32_t* bitmap,
                        StreamView stream) {
  return run_compare_plain(simt::Executor(stream), array, values, range, bitmap);
}
template Status compare_plain_on<simt::kBackend>(const Array&, const void*, const ValueRange&, uint32_t*,
                                                 StreamView);

}  // namespace bobbin::array
