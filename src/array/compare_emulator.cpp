// SPDX-License-Identifier: Apache-2.0
// The comparison of plain values in the emulator.
#include "array/compare_plain.hpp"
#include "simt/emulator.hpp"

namespace bobbin::array {

Status compare_plain_on_emulator(const Array& array, const void* values, const ValueRange& range,
                                 uint32_t* bitmap, StreamView stream) {
  return run_compare_plain(simt::EmulatorExecutor(stream), array, values, range, bitmap);
}

}  // namespace bobbin::array
