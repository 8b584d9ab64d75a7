// SPDX-License-Identifier: Apache-2.0
// The plans that launch alprd's kernels. Where both parts are packed vectors, the left ones with patches or
// without, all is done in one launch; otherwise in three.
#pragma once

#include <cstdint>
#include <type_traits>

#include "bobbin/memory.hpp"
#include "codecs/alprd/alprd.hpp"
#include "codecs/alprd/decode_kernel.hpp"
#include "codecs/patched/kernels.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::alprd {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Array& left = array.children[0];
    const bool with_patches = left.codec == CodecId::patched;
    const Array& codes = with_patches ? left.children[0] : left;
    const Array& right = array.children[1];
    if (!is_packed(codes) || !is_packed(right)) {
      return decode_apart(array, out, stream);
    }
    return visit_size(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      using K = DecodeKernel<T>;
      const uint64_t end = array.offset + array.length;
      const K kernel{.left = Patched::template frames_of<uint16_t>(codes),
                     .patches = with_patches ? patched::PatchSource<uint16_t>::of(left)
                                             : patched::PatchSource<uint16_t>{},
                     .right = Patched::template frames_of<T>(right),
                     .joiner = Joiner::of(Cut::parse(array.metadata)),
                     .out = {static_cast<T*>(out), array.length},
                     .offset = array.offset,
                     .end = end};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(end, K::Tile::kValues));
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode}; }

 private:
  using Patched = patched::Plans<Executor>;

  // Calls f with the unsigned integer of a float's size.
  template <class F>
  static Status visit_size(DType type, F&& f) {
    return type == DType::f64 ? f(std::type_identity<uint64_t>{}) : f(std::type_identity<uint32_t>{});
  }

  static bool is_packed(const Array& array) {
    return array.codec == CodecId::bitpack || array.codec == CodecId::ffor;
  }

  // Takes memory for the left codes.
  static Status decode_apart(const Array& array, void* out, StreamView stream) {
    const Array& left = array.children[0];
    const Array& right = array.children[1];
    BOBBIN_ASSIGN(const DeviceBuffer codes, DeviceBuffer::create(array.length * sizeof(uint16_t), stream));
    BOBBIN_TRY(device_ops(stream.backend(), left.codec)->decode(left, codes.data(), stream));
    BOBBIN_TRY(device_ops(stream.backend(), right.codec)->decode(right, out, stream));
    return visit_size(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const JoinKernel<T> kernel{Cut::parse(array.metadata),
                                 {codes.template as<uint16_t>(), array.length},
                                 {static_cast<T*>(out), array.length}};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(array.length, JoinKernel<T>::kThreads));
    });
  }
};

}  // namespace bobbin::codec::alprd
