// SPDX-License-Identifier: Apache-2.0
#include "select/select.hpp"

#include "array/array.hpp"
#include "codecs/registry.hpp"

namespace bobbin::select {

namespace {

// What a codec must save to be taken for one that stands before it: each more has a buffer or two more, and
// every buffer is filled up to 128 bytes in a file.
constexpr uint64_t kWorthwhile = 256;

}  // namespace

const Codec& choose(const Values& values) {
  const Codec* best = nullptr;
  uint64_t best_bytes = 0;
  for (const Codec* codec : value_codecs()) {
    if (!codec->takes(values.type)) {
      continue;
    }
    const uint64_t bytes = codec->estimate(values);
    if (best == nullptr || bytes + kWorthwhile < best_bytes) {
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
