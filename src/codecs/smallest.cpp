// SPDX-License-Identifier: Apache-2.0
#include "codecs/smallest.hpp"

#include <utility>

#include "codecs/registry.hpp"

namespace bobbin {
namespace {

struct Choice {
  const Codec* codec;
  uint64_t bytes;
};

Choice choose(const Values& values, std::span<const CodecId> candidates) {
  Choice best{nullptr, kNoEncoding};
  for (const CodecId id : candidates) {
    const Codec* codec = find_codec(id);
    if (const uint64_t bytes = codec->estimate(values); bytes < best.bytes) {
      best = {codec, bytes};
    }
  }
  return best;
}

}  // namespace

uint64_t smallest_estimate(const Values& values, std::span<const CodecId> candidates) {
  return choose(values, candidates).bytes;
}

Result<Array> encode_smallest(const Values& values, std::span<const CodecId> candidates) {
  return choose(values, candidates).codec->encode(values);
}

uint64_t split_estimate(const Split& split) {
  uint64_t bytes = split.node.metadata.size();
  for (const OwnedValues& child : split.children) {
    bytes += smallest_estimate(child.view());
  }
  return bytes;
}

Result<Array> encode_split(Split split) {
  for (const OwnedValues& child : split.children) {
    BOBBIN_ASSIGN(Array encoded, encode_smallest(child.view()));
    split.node.children.push_back(std::move(encoded));
  }
  return std::move(split.node);
}

}  // namespace bobbin
