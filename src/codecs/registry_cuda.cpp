// SPDX-License-Identifier: Apache-2.0
// The GPU's column of the table, in builds with CUDA.
#include "codecs/alp/alp.hpp"
#include "codecs/alprd/alprd.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/constant/constant.hpp"
#include "codecs/delta/delta.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/patched/patched.hpp"
#include "codecs/registry.hpp"
#include "codecs/rle/rle.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/zigzag/zigzag.hpp"

namespace bobbin {

const DeviceOps* cuda_ops(CodecId id) {
  switch (id) {
    case CodecId::bitpack:
      return &codec::bitpack::kCuda;
    case CodecId::ffor:
      return &codec::ffor::kCuda;
    case CodecId::delta:
      return &codec::delta::kCuda;
    case CodecId::fsst:
      return &codec::fsst::kCuda;
    case CodecId::patched:
      return &codec::patched::kCuda;
    case CodecId::alp:
      return &codec::alp::kCuda;
    case CodecId::alprd:
      return &codec::alprd::kCuda;
    case CodecId::masked:
      return &codec::masked::kCuda;
    case CodecId::constant:
      return &codec::constant::kCuda;
    case CodecId::rle:
      return &codec::rle::kCuda;
    case CodecId::sparse:
      return &codec::sparse::kCuda;
    case CodecId::zigzag:
      return &codec::zigzag::kCuda;
    case CodecId::dict:
      return &codec::dict::kCuda;
  }
  return nullptr;
}

}  // namespace bobbin
