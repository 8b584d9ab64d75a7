// SPDX-License-Identifier: Apache-2.0
#include "select/select.hpp"

#include "array/array.hpp"
#include "codecs/registry.hpp"

namespace bobbin::select {

namespace {

// Every buffer is filled up to a multiple of 128 bytes in a file, by half of it as a rule.
constexpr uint64_t kFilling = 64;

}  // namespace

const Codec& choose(const Values& values) {
  const Codec* best = nullptr;
  uint64_t best_bytes = 0;
  for (const Codec* codec : value_codecs()) {
    if (!codec->takes(values.type)) {
      continue;
    }
    const uint64_t estimate = codec->estimate(values);
    if (estimate == kNoEncoding) {
      continue;
    }
    const uint64_t bytes = estimate + codec->buffers * kFilling;
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
