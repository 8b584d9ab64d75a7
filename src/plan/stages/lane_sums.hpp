// SPDX-License-Identifier: Apache-2.0
// Sums of floats that wait in shared memory until those of several vectors are there.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plan/packed.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// Sums of floats of some vectors of each warp, as lanes have them: they are added up for all of these vectors
// at once, which takes a few instructions for each, instead of five exchanges. If kHalves, a lane's chains
// are those of one half of a vector.
template <uint32_t kWarps, bool kHalves>
struct LaneSums {
  static constexpr uint32_t kVectors = kHalves ? 4 : 8;
  static constexpr uint32_t kReaders = simt::kWarpSize / kVectors;  // lanes that add up a vector's chains
  static constexpr uint32_t kPitch = simt::kWarpSize + 4;           // so that they read different banks
  using Part = std::conditional_t<kHalves, Chains, double>;

  simt::Shared<Part, kWarps * kVectors * kPitch> parts;

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t at(Cta& cta, uint32_t vector, uint32_t lane) {
    return (cta.warp() * kVectors + vector) * kPitch + lane;
  }
  // A lane's sum of strided values.
  template <class Cta>
  BOBBIN_HD void put(Cta& cta, uint32_t place, double sum) {
    if constexpr (kHalves) {
      cta.store(parts, at(cta, place % kVectors, cta.lane()), Chains{sum, 0});
    } else {
      cta.store(parts, at(cta, place % kVectors, cta.lane()), sum);
    }
  }
  // Both of its chains.
  template <class Cta>
  BOBBIN_HD void put(Cta& cta, uint32_t place, const Chains& chains) {
    if constexpr (kHalves) {
      cta.store(parts, at(cta, place % kVectors, cta.lane()), chains);
    } else {
      put(cta, place, chains.first + chains.second);
    }
  }
  // The sum of vector lane / kReaders in RealSum's order, if it is there.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD double add_up(Cta& cta, bool there) const {
    double sum = there ? add_up_some(cta) : 0;
    BOBBIN_UNROLL
    for (uint32_t distance = kReaders / 2; distance != 0; distance /= 2) {
      sum += cta.shfl_xor(sum, distance);
    }
    return sum;
  }

 private:
  // Every chain whose number is the lane's modulo kReaders.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD double add_up_some(Cta& cta) const {
    const uint32_t first = at(cta, cta.lane() / kReaders, cta.lane() % kReaders);
    constexpr uint32_t kEach = 16 / kReaders;
    double sums[kEach];
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kEach; ++k) {
      const Part one = cta.load(parts, first + k * kReaders);
      const Part other = cta.load(parts, first + k * kReaders + 16);
      if constexpr (kHalves) {
        sums[k] = (one.first + other.first) + (one.second + other.second);
      } else {
        sums[k] = one + other;
      }
    }
    BOBBIN_UNROLL
    for (uint32_t left = kEach / 2; left != 0; left /= 2) {
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < left; ++k) {
        sums[k] += sums[k + left];
      }
    }
    return sums[0];
  }
};

}  // namespace bobbin::plan
