// SPDX-License-Identifier: Apache-2.0
// The kernels for frames, for the GPU and for the emulator.
#include "codecs/zstd/frame_kernels.hpp"
#include "simt/executor.cuh"

namespace bobbin::zstd {

template <Backend kBackend>
Status decode_batch_on(const BatchFrame* frames, uint64_t count, FrameResult* results,
                       const BatchOptions& options, StreamView stream) {
  return Plans<simt::Executor>::decode(frames, count, results, options, stream);
}
template Status decode_batch_on<simt::kBackend>(const BatchFrame* frames, uint64_t count,
                                                FrameResult* results, const BatchOptions& options,
                                                StreamView stream);

}  // namespace bobbin::zstd
