// SPDX-License-Identifier: Apache-2.0
// The codec's kernels, for the GPU and for the emulator.
#include "codecs/delta/kernels.hpp"
#include "codecs/device_ops.cuh"

BOBBIN_DEFINE_DEVICE_OPS(delta)

namespace bobbin::codec::delta {

template <Backend kBackend>
Result<Array> encode_on(DType type, const void* values, uint64_t length, Parameters parameters,
                        StreamView stream) {
  return Plans<simt::Executor>::encode_as(type, values, length, parameters, stream);
}
template Result<Array> encode_on<simt::kBackend>(DType, const void*, uint64_t, Parameters, StreamView);

}  // namespace bobbin::codec::delta
