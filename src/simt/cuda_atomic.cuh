// SPDX-License-Identifier: Apache-2.0
// Atomic operations of the GPU on integers of 32 and 64 bits, each of one instruction. CUDA's <cuda/atomic>
// has the same, but takes most of a second to compile, and kernels compiled at run time cannot include it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt/cta.hpp"

namespace bobbin::simt::cuda_atomic {

// The threads between which an operation is atomic, as PTX writes it.
struct Device {
  static constexpr char kText[] = ".gpu";
};
struct Block {
  static constexpr char kText[] = ".cta";
};

template <Order order>
struct OrderText {
  static constexpr char kText[] = ".relaxed";
};
template <>
struct OrderText<Order::acquire> {
  static constexpr char kText[] = ".acquire";
};
template <>
struct OrderText<Order::release> {
  static constexpr char kText[] = ".release";
};
template <>
struct OrderText<Order::acq_rel> {
  static constexpr char kText[] = ".acq_rel";
};

// A type as PTX writes it: ".u32", ".s64", ".b32".
template <char kind, class T>
struct TypeText {
  static constexpr char kText[] = {'.', kind, sizeof(T) == 4 ? '3' : '6', sizeof(T) == 4 ? '2' : '4', '\0'};
};
template <class T>
constexpr char kSign = std::is_signed_v<T> ? 's' : 'u';

template <class T>
constexpr bool kSupported = sizeof(T) == 4 || sizeof(T) == 8;

template <Order order, class Scope, class T>
__device__ __forceinline__ T load(const T* from) {
  static_assert(kSupported<T>);
  T value;
  if constexpr (sizeof(T) == 4) {
    asm volatile("ld%1%2.b32 %0, [%3];"
                 : "=r"(value)
                 : "C"(OrderText<order>::kText), "C"(Scope::kText), "l"(from)
                 : "memory");
  } else {
    asm volatile("ld%1%2.b64 %0, [%3];"
                 : "=l"(value)
                 : "C"(OrderText<order>::kText), "C"(Scope::kText), "l"(from)
                 : "memory");
  }
  return value;
}

template <Order order, class Scope, class T>
__device__ __forceinline__ void store(T* to, std::type_identity_t<T> value) {
  static_assert(kSupported<T>);
  if constexpr (sizeof(T) == 4) {
    asm volatile("st%0%1.b32 [%2], %3;" ::"C"(OrderText<order>::kText), "C"(Scope::kText), "l"(to), "r"(value)
                 : "memory");
  } else {
    asm volatile("st%0%1.b64 [%2], %3;" ::"C"(OrderText<order>::kText), "C"(Scope::kText), "l"(to), "l"(value)
                 : "memory");
  }
}

// What atom.NAME does to the value at an address; the previous value is returned.
#define BOBBIN_ATOM(function, name, kind)                                                            \
  template <Order order, class Scope, class T>                                                       \
  __device__ __forceinline__ T function(T* at, std::type_identity_t<T> value) {                      \
    static_assert(kSupported<T>);                                                                    \
    T old;                                                                                           \
    if constexpr (sizeof(T) == 4) {                                                                  \
      asm volatile("atom." name "%1%2%3 %0, [%4], %5;"                                               \
                   : "=r"(old)                                                                       \
                   : "C"(OrderText<order>::kText), "C"(Scope::kText), "C"(TypeText<kind, T>::kText), \
                     "l"(at), "r"(value)                                                             \
                   : "memory");                                                                      \
    } else {                                                                                         \
      asm volatile("atom." name "%1%2%3 %0, [%4], %5;"                                               \
                   : "=l"(old)                                                                       \
                   : "C"(OrderText<order>::kText), "C"(Scope::kText), "C"(TypeText<kind, T>::kText), \
                     "l"(at), "l"(value)                                                             \
                   : "memory");                                                                      \
    }                                                                                                \
    return old;                                                                                      \
  }
BOBBIN_ATOM(add, "add", 'u')
BOBBIN_ATOM(max, "max", kSign<T>)
BOBBIN_ATOM(min, "min", kSign<T>)
BOBBIN_ATOM(bit_or, "or", 'b')
BOBBIN_ATOM(exchange, "exch", 'b')
#undef BOBBIN_ATOM

// Returns the previous value; the exchange happened if that equals `expected`.
template <Order order, class Scope, class T>
__device__ __forceinline__ T compare_exchange(T* at, std::type_identity_t<T> expected,
                                              std::type_identity_t<T> desired) {
  static_assert(kSupported<T>);
  T old;
  if constexpr (sizeof(T) == 4) {
    asm volatile("atom.cas%1%2.b32 %0, [%3], %4, %5;"
                 : "=r"(old)
                 : "C"(OrderText<order>::kText), "C"(Scope::kText), "l"(at), "r"(expected), "r"(desired)
                 : "memory");
  } else {
    asm volatile("atom.cas%1%2.b64 %0, [%3], %4, %5;"
                 : "=l"(old)
                 : "C"(OrderText<order>::kText), "C"(Scope::kText), "l"(at), "l"(expected), "l"(desired)
                 : "memory");
  }
  return old;
}

// For 16 bits there is no such instruction: the word around them is exchanged until nobody else changed it.
template <Order order, class Scope>
__device__ __forceinline__ uint16_t max_16(uint16_t* at, uint16_t value) {
  const auto address = reinterpret_cast<uintptr_t>(at);
  auto* const word = reinterpret_cast<uint32_t*>(address & ~uintptr_t{3});
  const uint32_t shift = static_cast<uint32_t>(address) * 8 & 24;
  const uint32_t mask = uint32_t{0xffff} << shift;
  uint32_t old = load<Order::relaxed, Scope>(word);
  while (true) {
    const auto half = static_cast<uint16_t>(old >> shift);
    const uint32_t larger = value > half ? value : half;
    const uint32_t seen = compare_exchange<order, Scope>(word, old, (larger << shift) | (old & ~mask));
    if (seen == old) {
      return half;
    }
    old = seen;
  }
}

}  // namespace bobbin::simt::cuda_atomic
