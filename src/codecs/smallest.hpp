// SPDX-License-Identifier: Apache-2.0
// Which codecs can encode some values, and a simple choice among them for children without a chosen encoding:
// the smallest.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin {

[[nodiscard]] inline bool can_encode(const Codec& codec, const Values& values) {
  return codec.takes(values.type) && codec.estimate(values) != kNoEncoding;
}

// Among the candidates that support the values' type, the first of the smallest is used.
[[nodiscard]] uint64_t smallest_estimate(const Values& values,
                                         std::span<const CodecId> candidates = kSimpleCodecs);
[[nodiscard]] Result<Array> encode_smallest(const Values& values,
                                            std::span<const CodecId> candidates = kSimpleCodecs);

// Encodes a codec's split with that choice: each child has its candidates in the codec's shape.
[[nodiscard]] uint64_t split_estimate(const Split& split);
[[nodiscard]] Result<Array> encode_split(Split split);

// Codec::estimate and Codec::encode of a codec that splits.
using SplitFunction = Result<Split> (*)(const Values& values);
template <SplitFunction kSplit>
[[nodiscard]] uint64_t estimate_by(const Values& values) {
  const Result<Split> parts = kSplit(values);
  return parts.has_value() ? split_estimate(*parts) : kNoEncoding;
}
template <SplitFunction kSplit>
[[nodiscard]] Result<Array> encode_by(const Values& values) {
  BOBBIN_ASSIGN(Split parts, kSplit(values));
  return encode_split(std::move(parts));
}

}  // namespace bobbin
