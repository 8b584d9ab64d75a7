// SPDX-License-Identifier: Apache-2.0
#include "select/select.hpp"

#include "array/array.hpp"
#include "codecs/registry.hpp"

namespace bobbin::select {

namespace {

// Every buffer is filled up to a multiple of 128 bytes in a file, by half of it as a rule.
constexpr uint64_t kFilling = 64;

// Codecs that queries work on without decoding. The others are for those who ask for them by name.
bool is_candidate(const Codec& codec, DType type) {
  return codec.takes(type) && codec.split == nullptr && codec.id != CodecId::constant;
}

}  // namespace

const Codec& choose(const Values& values) {
  const Codec* best = nullptr;
  uint64_t best_bytes = 0;
  for (const Codec* codec : value_codecs()) {
    if (!is_candidate(*codec, values.type)) {
      continue;
    }
    const uint64_t bytes = codec->estimate(values) + codec->buffers * kFilling;
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
