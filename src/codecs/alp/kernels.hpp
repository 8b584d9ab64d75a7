// SPDX-License-Identifier: Apache-2.0
// The plans that launch ALP's kernels. Over packed integers, with patches or without, all is done in one
// launch.
#pragma once

#include <cstdint>

#include "bobbin/memory.hpp"
#include "codecs/alp/alp.hpp"
#include "codecs/alp/tile.hpp"
#include "codecs/patched/kernels.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::alp {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    return visit_float(array.type, [&]<class Float>(std::type_identity<Float>) -> Status {
      return decode_with<Float>(array, {}, out, stream);
    });
  }

  static Status decode_patched(const Array& array, void* out, StreamView stream) {
    return visit_float(array.type, [&]<class Float>(std::type_identity<Float>) -> Status {
      return decode_with<Float>(array.children[0], patched::PatchSource<BitsOf<Float>>::of(array), out,
                                stream);
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .decode_patched = &decode_patched}; }

 private:
  using Patched = patched::Plans<Executor>;

  template <class Float>
  static Status decode_with(const Array& array, const patched::PatchSource<BitsOf<Float>>& patches, void* out,
                            StreamView stream) {
    using T = BitsOf<Float>;
    const Executor executor(stream);
    const Array& integers = array.children[0];
    const auto scale_bytes = array.buffers[0].bytes;
    const Global<const uint8_t> scales{reinterpret_cast<const uint8_t*>(scale_bytes.data()),
                                       scale_bytes.size()};
    if (integers.codec == CodecId::bitpack || integers.codec == CodecId::ffor) {
      const ScaledFrames<Float> source{
          {Patched::template frames_of<T>(integers)}, patches, scales, kPowers<Float>};
      return bitpack::run_decode<T>(executor, source, array, out);
    }
    BOBBIN_TRY(device_ops(stream.backend(), integers.codec)->decode(integers, out, stream));
    const Global<T> values{static_cast<T*>(out), array.length};
    const ConvertKernel<Float> convert{values, array.offset, scales, kPowers<Float>};
    BOBBIN_TRY(executor.run(convert, ceil_div<uint64_t>(array.length, ConvertKernel<Float>::kThreads)));
    return patches.starts.data == nullptr ? Status{}
                                          : Patched::template write_patches<T>(executor, patches, array, out);
  }
};

}  // namespace bobbin::codec::alp
