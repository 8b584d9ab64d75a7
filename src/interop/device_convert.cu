// SPDX-License-Identifier: Apache-2.0
// Conversion to Arrow's layout, for the GPU and for the emulator.
#include "interop/device_convert.hpp"
#include "simt/executor.cuh"

namespace bobbin::interop {

template <Backend kBackend>
Status convert_on(const DeviceConversion& conversion, StreamView stream) {
  return run_convert(simt::Executor(stream), conversion);
}
template Status convert_on<simt::kBackend>(const DeviceConversion&, StreamView);

}  // namespace bobbin::interop
