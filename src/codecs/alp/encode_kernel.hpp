// SPDX-License-Identifier: Apache-2.0
// Kernels that produce the same bytes as encode.cpp: the first gathers samples, from which the host chooses
// scales; the second converts values to integers and marks patches; the third writes the patches. ffor then
// packs the integers.
//
// Shape: one warp per vector, value i in lane i % 32, so each lane holds one of encode.cpp's groups.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "codecs/alp/alp.hpp"
#include "codecs/patched/patched.hpp"
#include "core/bit_scan.hpp"
#include "simt/cta.hpp"
#include "simt/look_back.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::alp {

using simt::Global;
using simt::kWarpSize;

// Values of vector v: 1024, fewer in the last one, none past it.
BOBBIN_HD uint32_t count_of(uint64_t values, uint64_t v) {
  const uint64_t first = v * kVectorLength;
  const uint64_t left = first < values ? values - first : 0;
  return left < kVectorLength ? static_cast<uint32_t>(left) : kVectorLength;
}

template <class Float>
struct SampleKernel {
  static constexpr uint32_t kPitch = Sample::kMost + 1;
  static constexpr uint32_t kThreads = kPitch;
  using Shared = simt::NoShared;

  Global<const Float> values;
  Global<Float> samples;  // kPitch per sampled vector

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t v = sampled_vector(cta.block(), cta.num_blocks(), num_vectors(values.size));
    const Sample shape = Sample::of(count_of(values.size, v));
    if (cta.thread() < shape.count) {
      const uint64_t at = v * kVectorLength + uint64_t{cta.thread()} * shape.stride;
      cta.store(samples, uint64_t{cta.block()} * kPitch + cta.thread(), cta.load(values, at));
    }
  }
};

template <class V, class Cta>
BOBBIN_HD V warp_min(Cta& cta, V value) {
  BOBBIN_UNROLL
  for (uint32_t distance = kWarpSize / 2; distance != 0; distance /= 2) {
    const V other = cta.shfl_xor(value, distance);
    value = other < value ? other : value;
  }
  return value;
}

// Returns the warp's value of rank `rank`.
template <class V, class Cta>
BOBBIN_HD V warp_ranked(Cta& cta, V value, uint32_t rank) {
  uint32_t before = 0;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const V other = cta.shfl(value, lane);
    before += static_cast<uint32_t>(other < value || (other == value && lane < cta.lane()));
  }
  return cta.shfl(value, trailing_zeros(cta.ballot(before == rank)));
}

template <class Float>
struct EncodeKernel {
  using Bits = BitsOf<Float>;
  using Integer = IntegerOf<Float>;
  static constexpr uint32_t kVectors = 4;  // per tile
  static constexpr uint32_t kThreads = kVectors * kWarpSize;
  static constexpr uint32_t kSteps = kVectorLength / kWarpSize;
  static constexpr uint32_t kAhead = 8;  // values that a lane loads at once
  static constexpr uint32_t kWidths = kBits<Bits> + 1;
  static_assert(kWarpSize == kGroups);

  struct Shared {
    simt::Shared<Integer, kVectors * kVectorLength> integers;
    simt::Shared<uint32_t, kVectors * kWidths> of_width;
    simt::Shared<uint32_t, kVectors> patches;
    simt::Shared<uint64_t, 1> tile;
  };

  Global<const Float> values;
  Global<Integer> integers;
  Global<uint8_t> scales;
  Global<uint32_t> marks;  // one bit per value, 32 words per vector: set for patches
  Global<uint32_t> starts;
  Global<uint64_t> tickets;  // [0]: the next tile
  Global<uint64_t> states;   // one per tile
  uint32_t num_choices;
  Scale choices[kMostScales];
  Quantizer<Float> quantizers[kMostScales];

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      cta.store(shared.tile, 0, cta.template atomic_add<simt::Order::relaxed>(tickets, 0, uint64_t{1}));
    }
    cta.sync();
    const uint64_t tile = cta.load(shared.tile, 0);
    const uint64_t v = tile * kVectors + cta.warp();
    const uint32_t count = count_of(values.size, v);
    const uint32_t patches = count == 0 ? 0 : encode(cta, shared, v, count);
    if (cta.lane() == 0) {
      cta.store(shared.patches, cta.warp(), patches);
    }
    cta.sync();
    if (cta.warp() == 0) {
      number_patches(cta, shared, tile);
    }
  }

 private:
  // How a vector's integers are packed, as patched::Choice.
  struct Frame {
    Integer reference;
    uint32_t width;
    uint32_t bytes;

    [[nodiscard]] BOBBIN_HD bool is_patch(Integer integer) const {
      const auto difference = static_cast<Bits>(static_cast<Bits>(integer) - static_cast<Bits>(reference));
      return difference > low_mask<Bits>(width);
    }
  };

  // Called by one warp. Returns the number of patches.
  template <class Cta>
  BOBBIN_HD uint32_t encode(Cta& cta, Shared& shared, uint64_t v, uint32_t count) const {
    const uint32_t choice = choose_scale(cta, v * kVectorLength, count);
    if (cta.lane() == 0) {
      cta.store(scales, 2 * v, choices[choice].e);
      cta.store(scales, 2 * v + 1, choices[choice].f);
    }
    const uint32_t exact = find_integers(cta, shared, v * kVectorLength, count, quantizers[choice]);
    const Frame frame = choose_frame(cta, shared, count);
    return write(cta, shared, v, count, exact, frame);
  }

  // Returns the first choice with the lowest cost for the vector's sample.
  template <class Cta>
  BOBBIN_HD uint32_t choose_scale(Cta& cta, uint64_t first, uint32_t count) const {
    uint32_t best = 0;
    uint32_t least = UINT32_MAX;
    for (uint32_t choice = 0; choice < num_choices && num_choices > 1; ++choice) {
      const uint32_t bits = cost(cta, first, Sample::of(count), quantizers[choice]);
      best = bits < least ? choice : best;
      least = bits < least ? bits : least;
    }
    return best;
  }
  template <class Cta>
  BOBBIN_HD uint32_t cost(Cta& cta, uint64_t first, Sample sample, const Quantizer<Float>& quantizer) const {
    Integer low = std::numeric_limits<Integer>::max();
    Integer high = std::numeric_limits<Integer>::min();
    uint32_t exceptions = 0;
    for (uint32_t i = cta.lane(); i < sample.count; i += kWarpSize) {
      const Encoded<Float> encoded = quantizer.encode(cta.load(values, first + uint64_t{i} * sample.stride));
      low = encoded.exact && encoded.integer < low ? encoded.integer : low;
      high = encoded.exact && encoded.integer > high ? encoded.integer : high;
      exceptions += static_cast<uint32_t>(!encoded.exact);
    }
    cta.sync_warp();
    high = static_cast<Integer>(~warp_min(cta, static_cast<Integer>(~high)));
    return sample_cost<Float>(sample.count, cta.reduce_add(exceptions), warp_min(cta, low), high);
  }

  // Writes all integers to shared memory, replacing inexact ones by the first exact one. Bit s of the result:
  // the integer of step s is exact.
  template <class Cta>
  BOBBIN_HD uint32_t find_integers(Cta& cta, Shared& shared, uint64_t first, uint32_t count,
                                   const Quantizer<Float>& quantizer) const {
    const uint32_t base = cta.warp() * kVectorLength;
    uint32_t exact = 0;
    uint32_t filler_at = kVectorLength;
    for (uint32_t batch = 0; batch < kSteps; batch += kAhead) {
      Float loaded[kAhead] = {};
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kAhead; ++k) {
        const uint32_t i = (batch + k) * kWarpSize + cta.lane();
        loaded[k] = i < count ? cta.load(values, first + i) : Float{0};
      }
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kAhead; ++k) {
        const uint32_t i = (batch + k) * kWarpSize + cta.lane();
        const Encoded<Float> encoded = quantizer.encode(loaded[k]);
        const bool is_exact = encoded.exact && i < count;
        cta.store(shared.integers, base + i, encoded.integer);
        exact |= static_cast<uint32_t>(is_exact) << (batch + k);
        const uint32_t found = cta.ballot(is_exact);
        if (filler_at == kVectorLength && found != 0) {
          filler_at = (batch + k) * kWarpSize + trailing_zeros(found);
        }
      }
    }
    cta.sync_warp();
    const Integer filler =
        filler_at == kVectorLength ? Integer{0} : cta.load(shared.integers, base + filler_at);
    for (uint32_t step = 0; step < kSteps; ++step) {
      if ((exact >> step & 1) == 0) {
        cta.store(shared.integers, base + step * kWarpSize + cta.lane(), filler);
      }
    }
    return exact;
  }

  // Picks the cheaper of two references: the least integer, or one that leaves outliers below it.
  template <class Cta>
  BOBBIN_HD Frame choose_frame(Cta& cta, Shared& shared, uint32_t count) const {
    Integer own = std::numeric_limits<Integer>::max();
    for (uint32_t i = cta.lane(); i < count; i += kWarpSize) {
      const Integer integer = cta.load(shared.integers, cta.warp() * kVectorLength + i);
      own = integer < own ? integer : own;
    }
    cta.sync_warp();
    const Integer least = warp_min(cta, own);
    const Integer low = warp_ranked(cta, own, kLowRank);
    const Frame from_least = best_width(cta, shared, count, least);
    if (low == least) {
      return from_least;
    }
    const Frame from_low = best_width(cta, shared, count, low);
    return from_low.bytes < from_least.bytes ? from_low : from_least;
  }

  // As patched::choose_from: the width at which the vector with its patches is smallest; the largest such
  // width.
  template <class Cta>
  BOBBIN_HD Frame best_width(Cta& cta, Shared& shared, uint32_t count, Integer reference) const {
    count_widths(cta, shared, count, reference);
    uint32_t wider = 0;
    uint32_t best = UINT32_MAX;  // bytes above the low 8 bits, which hold 255 - width
    constexpr uint32_t kRounds = ceil_div(kWidths, kWarpSize);
    for (uint32_t round = kRounds; round-- > 0;) {
      const uint32_t width = round * kWarpSize + cta.lane();
      const uint32_t here =
          width < kWidths ? cta.load(shared.of_width, cta.warp() * kWidths + width) : uint32_t{0};
      const uint32_t through = simt::sum_through(cta, here);
      const uint32_t all = cta.shfl(through, kWarpSize - 1);
      const uint32_t bytes =
          num_registers(num_rows(count, kBits<Bits>), width, kBits<Bits>) * kRegisterBytes +
          (wider + all - through) * patched::patch_bytes(sizeof(Bits));
      const uint32_t key = bytes << 8 | (255 - width);
      best = (here != 0 || width == 0) && key < best ? key : best;
      wider += all;
    }
    best = cta.reduce_min(best);
    return {reference, 255 - (best & 255), best >> 8};
  }
  // bit_width_of in fewer instructions.
  BOBBIN_HD static uint32_t width_of(uint64_t value) {
    const auto upper = static_cast<uint32_t>(value >> 32);
    return upper != 0 ? 64 - leading_zeros(upper) : 32 - leading_zeros(static_cast<uint32_t>(value));
  }
  template <class Cta>
  BOBBIN_HD static void count_widths(Cta& cta, Shared& shared, uint32_t count, Integer reference) {
    const uint32_t base = cta.warp() * kWidths;
    cta.sync_warp();  // the previous reference's counts have been read
    for (uint32_t width = cta.lane(); width < kWidths; width += kWarpSize) {
      cta.store(shared.of_width, base + width, uint32_t{0});
    }
    cta.sync_warp();
    for (uint32_t i = cta.lane(); i < count; i += kWarpSize) {
      const Integer integer = cta.load(shared.integers, cta.warp() * kVectorLength + i);
      const auto difference = static_cast<Bits>(static_cast<Bits>(integer) - static_cast<Bits>(reference));
      const uint32_t width = integer < reference ? kBits<Bits> : width_of(difference);
      cta.template atomic_add<simt::Order::relaxed>(shared.of_width, base + width, uint32_t{1});
    }
    cta.sync_warp();
  }

  // Writes the integers for ffor to pack, with the reference in place of wide ones, and the patch marks.
  template <class Cta>
  BOBBIN_HD uint32_t write(Cta& cta, Shared& shared, uint64_t v, uint32_t count, uint32_t exact,
                           const Frame& frame) const {
    uint32_t marked = 0;  // word `lane` of the vector's marks
    for (uint32_t step = 0; step < kSteps; ++step) {
      const uint32_t i = step * kWarpSize + cta.lane();
      bool patch = false;
      if (i < count) {
        const Integer integer = cta.load(shared.integers, cta.warp() * kVectorLength + i);
        const bool too_wide = frame.is_patch(integer);
        patch = too_wide || (exact >> step & 1) == 0;
        cta.store(integers, v * kVectorLength + i, too_wide ? frame.reference : integer);
      }
      const uint32_t word = cta.ballot(patch);
      marked = cta.lane() == step ? word : marked;
    }
    cta.store(marks, v * kSteps + cta.lane(), marked);
    return cta.reduce_add(count_ones(marked));
  }

  // Called by one warp; lane i finds where the patches of the tile's vector i start.
  template <class Cta>
  BOBBIN_HD void number_patches(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint64_t vectors = num_vectors(values.size);
    const uint64_t v = tile * kVectors + cta.lane();
    const bool there = cta.lane() < kVectors && v < vectors;
    const uint32_t own = there ? cta.load(shared.patches, cta.lane()) : 0;
    const uint32_t through = simt::sum_through(cta, own);
    const uint64_t before = simt::look_back(cta, states, tile, cta.shfl(through, kWarpSize - 1));
    if (there) {
      cta.store(starts, v, static_cast<uint32_t>(before + through - own));
      if (v + 1 == vectors) {
        cta.store(starts, vectors, static_cast<uint32_t>(before + through));
      }
    }
  }
};

// Writes marked values as patches: one warp per vector, 32 values per lane.
template <class Bits>
struct CollectKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kVectors = kThreads / kWarpSize;  // per block
  using Shared = simt::NoShared;

  Global<const Bits> values;
  Global<const uint32_t> marks;
  Global<const uint32_t> starts;
  Global<uint16_t> indices;
  Global<Bits> patches;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t v = uint64_t{cta.block()} * kVectors + cta.warp();
    if (v >= num_vectors(values.size)) {
      return;
    }
    uint32_t marked = cta.load(marks, v * kWarpSize + cta.lane());
    const uint32_t own = count_ones(marked);
    uint64_t to = cta.load(starts, v) + simt::sum_through(cta, own) - own;
    for (; marked != 0; marked &= marked - 1, ++to) {
      const uint32_t i = cta.lane() * kWarpSize + trailing_zeros(marked);
      cta.store(indices, to, static_cast<uint16_t>(i));
      cta.store(patches, to, cta.load(values, v * kVectorLength + i));
    }
  }
};

}  // namespace bobbin::codec::alp
