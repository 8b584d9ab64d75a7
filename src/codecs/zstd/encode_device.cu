// SPDX-License-Identifier: Apache-2.0
// The encoder's kernels, for the GPU and for the emulator.
#include "codecs/zstd/encode_launch.hpp"
#include "simt/executor.cuh"

namespace bobbin::zstd {

template <Backend kBackend>
Status encode_batch_on(const std::byte* in, uint64_t in_bytes, std::byte* out, uint64_t* frame_ends,
                       const EncodeBatchOptions& options, StreamView stream) {
  return EncodePlans<simt::Executor>::encode(in, in_bytes, out, frame_ends, options, stream);
}
template Status encode_batch_on<simt::kBackend>(const std::byte* in, uint64_t in_bytes, std::byte* out,
                                                uint64_t* frame_ends, const EncodeBatchOptions& options,
                                                StreamView stream);

}  // namespace bobbin::zstd
