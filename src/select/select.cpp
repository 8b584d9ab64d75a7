// SPDX-License-Identifier: Apache-2.0
#include "select/select.hpp"

#include "array/array.hpp"
#include "codecs/registry.hpp"

namespace bobbin::select {

const Codec& choose(const Values& values) {
  const Codec* best = nullptr;
  uint64_t best_bytes = 0;
  for (const Codec* codec : all_codecs()) {
    const uint64_t bytes = codec->estimate(values);
    if (best == nullptr || bytes < best_bytes) {
      best = codec;
      best_bytes = bytes;
    }
  }
  return *best;
}

Result<Array> encode(const Values& values, Backend backend) {
  return array::encode(choose(values).id, values, backend);
}

}  // namespace bobbin::select
