// SPDX-License-Identifier: Apache-2.0
// Tile functions of ALP: convert 16 bytes of unpacked integers to floats. bitpack unpacks, patched applies
// patches.
//
// Formula: value = float(integer * 10^f) * 10^-e (f32: / 10^e), with two roundings. Cost per value: an
// integer multiplication, a conversion and a multiplication (f32: three, two of them fused with an addition);
// 2 bytes read per vector.
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/alp/alp.hpp"
#include "codecs/bitpack/tile.hpp"
#include "codecs/patched/tile.hpp"

namespace bobbin::codec::alp {

using simt::Global;
using simt::Quad;

template <class Float>
struct ToFloats {
  using Bits = BitsOf<Float>;

  DeviceScaling<Float> scaling;

  [[nodiscard]] BOBBIN_HD Quad operator()(const Quad& quad) const {
    auto words = bitpack::PackedWords<Bits>::of(quad);
    BOBBIN_UNROLL
    for (Bits& word : words.word) {
      word = std::bit_cast<Bits>(scaling.value_of(word));
    }
    return words.quad();
  }
};

// Packed integers, their scales, and patches over the values: a source for bitpack's decoding kernel.
template <class Float>
struct ScaledFrames : patched::AnyFrames<BitsOf<Float>> {
  using Finish = ToFloats<Float>;
  static constexpr bitpack::DecodeShape kShape =
      sizeof(Float) == 8 ? bitpack::DecodeShape{1024, 4, 12} : bitpack::DecodeShape{512, 4, 20};

  // 32 threads share a vector, so each has few patches.
  using Patches = patched::PatchSource<BitsOf<Float>, 2>;

  Patches patches;
  Global<const uint8_t> scales;
  Powers<Float> powers;

  template <class Cta>
  [[nodiscard]] BOBBIN_HD ToFloats<Float> finish(Cta& cta, uint64_t v) const {
    return {DeviceScaling<Float>::of(powers, cta.load(scales, 2 * v), cta.load(scales, 2 * v + 1))};
  }
};

}  // namespace bobbin::codec::alp
