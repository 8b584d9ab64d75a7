// SPDX-License-Identifier: Apache-2.0
// Instructions, registers, and values of 32 lanes whose operators make instructions: what programs
// (program.hpp) are written with.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/config.hpp"
#include "sim/memory.hpp"

namespace bobbin::sim {

enum class Op : uint8_t {
  alu,
  sfu,
  move,
  vote,    // AND over lanes, ballots
  branch,  // flushes the instruction buffer
  load,
  store,
  atomic,
  prefetch,
  shared_load,
  shared_store,
  line_load,   // of an assist warp: from the line that was staged for it in L1
  line_store,  // of an assist warp: to that line
  barrier,
  exit,
};
inline constexpr uint32_t kNumOps = static_cast<uint32_t>(Op::exit) + 1;

inline constexpr uint16_t kNoRegister = 0xffff;
inline constexpr uint32_t kNoOperands = 0xffff'ffff;
inline constexpr uint32_t kMaxSources = 3;

enum class Atomic : uint8_t { add, min, max, exchange, compare_exchange };

struct Instruction {
  Op op = Op::alu;
  uint8_t width = 4;  // bytes per lane of a memory operation
  uint8_t num_sources = 0;
  bool assist = false;  // belongs to an assist warp
  Atomic atomic = Atomic::add;
  bool is_signed = false;  // of an atomic minimum or maximum
  uint16_t destination = kNoRegister;
  std::array<uint16_t, kMaxSources> sources{};
  uint32_t mask = 0;                // active lanes
  uint32_t operands = kNoOperands;  // index of the warp's MemoryOperands
};

// Addresses and, for stores and atomics, values of the lanes. Shared memory has offsets for addresses.
struct MemoryOperands {
  std::array<Address, kLanes> address{};
  std::array<uint64_t, kLanes> value{};
  std::array<uint64_t, kLanes> compare{};
};

class Warp;

// A counted reference to a register of a warp. The last one returns it.
class Register {
 public:
  Register() = default;
  Register(Warp* warp, uint16_t id) : warp_(warp), id_(id) {}
  Register(const Register& other);
  Register(Register&& other) noexcept
      : warp_(std::exchange(other.warp_, nullptr)), id_(std::exchange(other.id_, kNoRegister)) {}
  Register& operator=(Register other) noexcept {
    std::swap(warp_, other.warp_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~Register();

  [[nodiscard]] Warp* warp() const { return warp_; }
  [[nodiscard]] uint16_t id() const { return id_; }

 private:
  Warp* warp_ = nullptr;
  uint16_t id_ = kNoRegister;
};

// A predicate: one bit per lane.
struct Mask {
  uint32_t bits = 0;
  Register reg;
};

namespace detail {
[[nodiscard]] Register emit_binary(Op op, const Register& a, const Register& b);

// Two's complement arithmetic for every integer type; floating point as it is.
template <class T>
using Wrapped = std::conditional_t<std::is_floating_point_v<T>, T,
                                   std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;
template <class T>
[[nodiscard]] constexpr Wrapped<T> wrap(T x) {
  return static_cast<Wrapped<T>>(x);
}
}  // namespace detail

// 32 values in a register. Scalars convert to immediates, which take no register. Values of 8 bytes count as
// one register of the scoreboard.
template <class T>
class Lanes {
 public:
  Lanes() = default;
  Lanes(T scalar) { value.fill(scalar); }

  [[nodiscard]] T operator[](uint32_t lane) const { return value[lane]; }

#define BOBBIN_SIM_BINARY(symbol)                                                         \
  friend Lanes operator symbol(const Lanes& a, const Lanes& b) {                          \
    return binary(a, b, [](T x, T y) { return detail::wrap(x) symbol detail::wrap(y); }); \
  }
  BOBBIN_SIM_BINARY(+)
  BOBBIN_SIM_BINARY(-)
  BOBBIN_SIM_BINARY(*)
  BOBBIN_SIM_BINARY(&)
  BOBBIN_SIM_BINARY(|)
  BOBBIN_SIM_BINARY(^)
#undef BOBBIN_SIM_BINARY
#define BOBBIN_SIM_COMPARE(symbol)                              \
  friend Mask operator symbol(const Lanes& a, const Lanes& b) { \
    return compare(a, b, [](T x, T y) { return x symbol y; });  \
  }
  BOBBIN_SIM_COMPARE(<)
  BOBBIN_SIM_COMPARE(<=)
  BOBBIN_SIM_COMPARE(>)
  BOBBIN_SIM_COMPARE(>=)
  BOBBIN_SIM_COMPARE(==)
  BOBBIN_SIM_COMPARE(!=)
#undef BOBBIN_SIM_COMPARE
  // Shift counts are taken modulo the width.
  friend Lanes operator<<(const Lanes& a, const Lanes& b) {
    return binary(a, b, [](T x, T y) { return detail::wrap(x) << (detail::wrap(y) % (8 * sizeof(T))); });
  }
  friend Lanes operator>>(const Lanes& a, const Lanes& b) {
    return binary(a, b, [](T x, T y) { return x >> (detail::wrap(y) % (8 * sizeof(T))); });
  }
  // A reciprocal in the SFU and a product; integers take the steps that a compiler makes of them. Division by
  // zero gives 0 for integers.
  friend Lanes operator/(const Lanes& a, const Lanes& b) { return divide(a, b, false); }
  friend Lanes operator%(const Lanes& a, const Lanes& b) { return divide(a, b, true); }

  std::array<T, kLanes> value{};
  Register reg;

 private:
  template <class F>
  [[nodiscard]] static Lanes binary(const Lanes& a, const Lanes& b, F f) {
    Lanes out;
    for (uint32_t i = 0; i < kLanes; ++i) {
      out.value[i] = static_cast<T>(f(a.value[i], b.value[i]));
    }
    out.reg = detail::emit_binary(Op::alu, a.reg, b.reg);
    return out;
  }
  template <class F>
  [[nodiscard]] static Mask compare(const Lanes& a, const Lanes& b, F f) {
    Mask out;
    for (uint32_t i = 0; i < kLanes; ++i) {
      out.bits |= (f(a.value[i], b.value[i]) ? 1U : 0U) << i;
    }
    out.reg = detail::emit_binary(Op::alu, a.reg, b.reg);
    return out;
  }
  [[nodiscard]] static Lanes divide(const Lanes& a, const Lanes& b, bool remainder);
};

template <class T>
Lanes<T> Lanes<T>::divide(const Lanes& a, const Lanes& b, bool remainder) {
  constexpr uint32_t kIntegerSteps = 6;
  Lanes out;
  Register step = detail::emit_binary(Op::sfu, b.reg, {});
  step = detail::emit_binary(Op::alu, a.reg, step);
  for (uint32_t i = 0; i < kLanes; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      out.value[i] = a.value[i] / b.value[i];
    } else if (b.value[i] != 0 && (std::is_unsigned_v<T> || b.value[i] != static_cast<T>(-1))) {
      out.value[i] = static_cast<T>(remainder ? a.value[i] % b.value[i] : a.value[i] / b.value[i]);
    } else if (b.value[i] != 0) {
      out.value[i] = static_cast<T>(remainder ? 0 : 0 - detail::wrap(a.value[i]));
    }
  }
  if constexpr (!std::is_floating_point_v<T>) {
    for (uint32_t i = 0; i < kIntegerSteps; ++i) {
      step = detail::emit_binary(Op::alu, step, b.reg);
    }
  }
  out.reg = std::move(step);
  return out;
}

// Instructions that a program has made and the timing model has not taken: a ring that grows when it must.
class InstructionQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] const Instruction& front() const { return ring_[first_ & (ring_.size() - 1)]; }
  void pop() { ++first_; }
  [[nodiscard]] size_t size() const { return last_ - first_; }
  [[nodiscard]] Instruction& back() { return ring_[(last_ - 1) & (ring_.size() - 1)]; }
  Instruction& push() {
    if (size() == ring_.size()) {
      grow();
    }
    Instruction& added = ring_[last_++ & (ring_.size() - 1)];
    added = {};
    return added;
  }

 private:
  void grow();

  std::vector<Instruction> ring_ = std::vector<Instruction>(16);
  size_t first_ = 0;
  size_t last_ = 0;
};

}  // namespace bobbin::sim
