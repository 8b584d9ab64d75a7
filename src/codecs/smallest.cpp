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
    const uint64_t bytes = codec->takes(values.type) ? codec->estimate(values) : kNoEncoding;
    if (bytes < best.bytes) {
      best = {codec, bytes};
    }
  }
  return best;
}

std::span<const CodecId> candidates_for(const Split& split, size_t child) {
  return find_codec(split.node.codec)->shape.children[child].candidates;
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
  for (size_t i = 0; i < split.children.size(); ++i) {
    bytes += smallest_estimate(split.children[i].view(), candidates_for(split, i));
  }
  return bytes;
}

Result<Array> encode_split(Split split) {
  for (size_t i = 0; i < split.children.size(); ++i) {
    BOBBIN_ASSIGN(Array encoded, encode_smallest(split.children[i].view(), candidates_for(split, i)));
    split.node.children.push_back(std::move(encoded));
  }
  return std::move(split.node);
}

}  // namespace bobbin
