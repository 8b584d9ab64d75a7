// SPDX-License-Identifier: Apache-2.0
// Which codecs can encode some values, and a simple choice among them, for children whose encoding nobody has
// chosen: the one that takes fewest bytes.
#pragma once

#include <cstdint>
#include <span>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin {

[[nodiscard]] inline bool can_encode(const Codec& codec, const Values& values) {
  return codec.takes(values.type) && codec.estimate(values) != kNoEncoding;
}

// All of these take any values of one size; of the smallest, the first is taken.
inline constexpr CodecId kSimpleCodecs[] = {CodecId::constant, CodecId::bitpack, CodecId::ffor,
                                            CodecId::patched};

[[nodiscard]] uint64_t smallest_estimate(const Values& values,
                                         std::span<const CodecId> candidates = kSimpleCodecs);
[[nodiscard]] Result<Array> encode_smallest(const Values& values,
                                            std::span<const CodecId> candidates = kSimpleCodecs);

// What becomes of a codec's split by that choice.
[[nodiscard]] uint64_t split_estimate(const Split& split);
[[nodiscard]] Result<Array> encode_split(Split split);

}  // namespace bobbin
