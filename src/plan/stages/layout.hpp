// SPDX-License-Identifier: Apache-2.0
// Which 32 of a vector's 1024 rows a thread has, and in which order. Stages leave values where unpacking puts
// them; only words with a bit for each row are converted between layouts.
#pragma once

#include <cstdint>

#include "core/lanes.hpp"
#include "plan/packed.hpp"
#include "plan/strided.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// The order in which packed words of type T hold values.
template <class T>
struct SpreadLayout {
  // A lane has chains of one half of the vector, even and odd rows, instead of one chain of each half
  // (RealSum).
  static constexpr bool kHalves = kBits<T> == 64;
  // Whether chains of sums of floats are inside lanes.
  static constexpr bool kChains = kBits<T> >= 32;

  [[nodiscard]] BOBBIN_HD static constexpr uint32_t index(uint32_t lane, uint32_t n) {
    return Spread<T>::index(lane, n);
  }
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t bit(uint32_t n) { return Spread<T>::bit(n); }
  // The inverse of index().
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t lane_of(uint32_t i) {
    if (kBits<T> == 64) {
      return i % 16 + i / 512 * 16;
    }
    if (kBits<T> == 32) {
      return i % 32;
    }
    const uint32_t word = i % kLanes<T> / Spread<T>::kPerWord;
    return kBits<T> == 16 ? (word & 15) << 1 | word >> 4 : (word & 7) << 2 | word >> 3;
  }
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t number_of(uint32_t i) {
    return kBits<T> == 64 ? i / 16 % 32 : i / kLanes<T> * Spread<T>::kPerWord + i % Spread<T>::kPerWord;
  }
  // Converts a thread's word of bits to a strided word, and back.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t exchange(Cta& cta, uint32_t bits) {
    return Spread<T>::exchange(cta, bits);
  }
};
using StridedLayout = SpreadLayout<uint32_t>;

// 32 adjacent rows per thread.
struct NeighbourLayout {
  static constexpr bool kHalves = false;
  static constexpr bool kChains = false;

  [[nodiscard]] BOBBIN_HD static constexpr uint32_t index(uint32_t lane, uint32_t n) { return lane * 32 + n; }
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t bit(uint32_t n) { return n; }
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t lane_of(uint32_t i) { return i / 32; }
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t number_of(uint32_t i) { return i % 32; }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t exchange(Cta& cta, uint32_t bits) {
    return transpose(cta, bits);
  }
};

// The same number, about whose bits a compiler then knows nothing. index(lane, n) is index(lane, 0) +
// index(0, n), with a constant offset in the address of a load; a compiler that knows that the bits of both
// differ makes an `or` of it, with an address in a register for every n.
[[nodiscard]] BOBBIN_HD uint32_t opaque(uint32_t number) {
#ifdef __CUDA_ARCH__
  asm("" : "+r"(number));
#endif
  return number;
}

// The same for an address: what is added to it is one operand of the address of a load.
template <class T>
[[nodiscard]] BOBBIN_HD const T* opaque(const T* address) {
#ifdef __CUDA_ARCH__
  asm("" : "+l"(address));
#endif
  return address;
}

// kCount elements of a shared array. Each has a constant offset in the address of a load.
template <uint32_t kCount, class T, uint32_t N>
[[nodiscard]] BOBBIN_HD const simt::SharedPart<T, kCount>& part_of(const simt::Shared<T, N>& shared,
                                                                   uint32_t first) {
  static_assert(kCount <= N);
  const void* from = reinterpret_cast<const char*>(shared.data) + opaque(first * sizeof(T));
  return *static_cast<const simt::SharedPart<T, kCount>*>(from);
}

// Counts a row that matches, in one instruction.
BOBBIN_HD void count_if(bool hit, uint32_t& count) {
#ifdef __CUDA_ARCH__
  asm("{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n @p add.u32 %0, %0, 1;\n}"
      : "+r"(count)
      : "r"(static_cast<uint32_t>(hit)));
#else
  count += hit ? 1 : 0;
#endif
}

// Adds a float if a row matches, in one instruction: compilers turn a conditional addition into an addition
// and two selects, but not one that is branched over.
BOBBIN_HD void add_if(bool hit, double value, double& sum) {
#ifdef __CUDA_ARCH__
  asm("{\n .reg .pred p;\n setp.ne.u32 p, %2, 0;\n @!p bra PAST;\n add.f64 %0, %0, %1;\n PAST:\n}"
      : "+d"(sum)
      : "d"(value), "r"(static_cast<uint32_t>(hit)));
#else
  sum += hit ? value : 0;
#endif
}

// Converts a thread's word of bits from one layout to another.
template <class From, class To, class Cta>
[[nodiscard]] BOBBIN_HD uint32_t convert(Cta& cta, uint32_t bits) {
  if constexpr (std::is_same_v<From, To>) {
    return bits;
  } else {
    return To::exchange(cta, From::exchange(cta, bits));
  }
}

}  // namespace bobbin::plan
