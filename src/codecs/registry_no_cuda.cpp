// SPDX-License-Identifier: Apache-2.0
// The GPU's column of the table, in builds without CUDA.
#include "codecs/registry.hpp"

namespace bobbin {

const DeviceOps* cuda_ops(CodecId /*id*/) {
  return nullptr;
}

}  // namespace bobbin
