// SPDX-License-Identifier: Apache-2.0
// The embedded instruction set. A warp's program is a C++20 coroutine over values of 32 lanes. Each operation
// on such a value is one Instruction with registers and dependences:
//
//   Program add(Warp& w, Array<uint32_t> a, Array<uint32_t> b) {
//     const Lanes<uint32_t> i = w.global_thread();
//     const When inside(w, i < uint32_t(a.count));
//     const Lanes<uint32_t> x = co_await w.load(a, i);
//     w.store(b, i, x + 1U);
//   }
//
// Arithmetic is computed at once and queued for the timing model. Loads, atomics and barriers are awaited:
// they take effect when the timing model issues them, so a program runs ahead only as far as its own values
// allow. Loops `co_await w.branch()` at their end, which keeps the queue short.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/coroutine.hpp"
#include "sim/lanes.hpp"

namespace bobbin::sim {

// Where a warp is in its launch.
struct WarpPlace {
  uint32_t launch = 0;
  uint32_t block = 0;
  uint32_t num_blocks = 1;
  uint32_t warp = 0;  // within the block
  uint32_t block_warps = 1;
};

// What a memoization table remembers: results by the bits of their inputs. One per SM, in spare shared
// memory.
struct MemoTable {
  struct Entry {
    uint64_t key = 0;
    uint64_t value = 0;
    bool used = false;
  };
  std::vector<Entry> entries;
  uint64_t lookups = 0;
  uint64_t hits = 0;

  [[nodiscard]] Entry& at(uint64_t key) {
    return entries[(key * 0x9e37'79b9'7f4a'7c15ULL >> 32) % entries.size()];
  }
};

// One warp: registers, active lanes, the queue of instructions, and the coroutine that fills it.
class Warp {
 public:
  Warp(const WarpPlace& place, uint32_t num_registers) : place_(place) { reset_registers(num_registers); }
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // ---- for programs: who am I
  // -------------------------------------------------------------------------------
  [[nodiscard]] const WarpPlace& place() const { return place_; }
  [[nodiscard]] Lanes<uint32_t> lane();    // 0 to 31
  [[nodiscard]] Lanes<uint32_t> thread();  // within the block
  [[nodiscard]] Lanes<uint32_t> global_thread();
  [[nodiscard]] uint32_t active() const { return active_; }

  // ---- for programs: arithmetic beyond the operators of Lanes
  // -----------------------------------------------
  template <class To, class From>
  [[nodiscard]] Lanes<To> cast(const Lanes<From>& x) {
    return unary<To>(Op::alu, x, [](From v) { return static_cast<To>(v); });
  }
  template <class To, class From>
  [[nodiscard]] Lanes<To> bits_as(const Lanes<From>& x) {  // free: the same register
    static_assert(sizeof(To) == sizeof(From));
    Lanes<To> out;
    std::memcpy(out.value.data(), x.value.data(), sizeof(out.value));
    out.reg = x.reg;
    return out;
  }
  template <class T>
  [[nodiscard]] Lanes<T> move(const Lanes<T>& x) {
    return unary<T>(Op::move, x, [](T v) { return v; });
  }
  template <class T>
  [[nodiscard]] Lanes<T> select(const Mask& mask, const Lanes<T>& yes, const Lanes<T>& no) {
    Lanes<T> out;
    for (uint32_t i = 0; i < kLanes; ++i) {
      out.value[i] = (mask.bits >> i & 1) != 0 ? yes.value[i] : no.value[i];
    }
    out.reg = emit(Op::alu, mask.reg.id(), yes.reg.id(), no.reg.id());
    return out;
  }
  // Active lanes of `target` become those of `value`: free, as a masked write of the instruction that made
  // it.
  template <class T>
  void merge(Lanes<T>& target, const Lanes<T>& value) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      target.value[i] = (active_ >> i & 1) != 0 ? value.value[i] : target.value[i];
    }
    target.reg = value.reg.id() != kNoRegister ? value.reg : target.reg;
  }
  template <class T>
  [[nodiscard]] Lanes<T> min(const Lanes<T>& a, const Lanes<T>& b) {
    return binary(Op::alu, a, b, [](T x, T y) { return y < x ? y : x; });
  }
  template <class T>
  [[nodiscard]] Lanes<T> max(const Lanes<T>& a, const Lanes<T>& b) {
    return binary(Op::alu, a, b, [](T x, T y) { return x < y ? y : x; });
  }
  // a * b + c in one instruction, rounded twice.
  template <class T>
  [[nodiscard]] Lanes<T> fma(const Lanes<T>& a, const Lanes<T>& b, const Lanes<T>& c) {
    Lanes<T> out;
    for (uint32_t i = 0; i < kLanes; ++i) {
      const auto product = static_cast<T>(detail::wrap(a.value[i]) * detail::wrap(b.value[i]));
      out.value[i] = static_cast<T>(detail::wrap(product) + detail::wrap(c.value[i]));
    }
    out.reg = emit(Op::alu, a.reg.id(), b.reg.id(), c.reg.id());
    return out;
  }
  [[nodiscard]] Lanes<float> sqrt(const Lanes<float>& x) {
    return unary<float>(Op::sfu, x, [](float v) { return std::sqrt(v); });
  }
  [[nodiscard]] Lanes<float> reciprocal(const Lanes<float>& x) {
    return unary<float>(Op::sfu, x, [](float v) { return 1.0F / v; });
  }
  // Any function of one value that the SFU computes: exp2, log2, sine.
  template <class T, class F>
  [[nodiscard]] Lanes<T> special(const Lanes<T>& x, F f) {
    return unary<T>(Op::sfu, x, f);
  }
  // Any function of one or two values that one ALU instruction computes: population counts, byte
  // permutations.
  template <class To, class From, class F>
  [[nodiscard]] Lanes<To> alu(const Lanes<From>& x, F f) {
    return unary<To>(Op::alu, x, f);
  }
  template <class T, class F>
  [[nodiscard]] Lanes<T> alu(const Lanes<T>& a, const Lanes<T>& b, F f) {
    return binary(Op::alu, a, b, f);
  }
  [[nodiscard]] Mask logical_and(const Mask& a, const Mask& b) { return logical(a, b, a.bits & b.bits); }
  [[nodiscard]] Mask logical_or(const Mask& a, const Mask& b) { return logical(a, b, a.bits | b.bits); }
  [[nodiscard]] Mask logical_not(const Mask& a) { return logical(a, {}, ~a.bits); }
  // A constant predicate: no instruction.
  [[nodiscard]] static Mask lanes_of(uint32_t bits) { return {bits, {}}; }

  // ---- for programs: among lanes
  // ----------------------------------------------------------------------------- The global predicate:
  // whether all active lanes agree. One VOTE instruction.
  [[nodiscard]] bool all(const Mask& mask) { return (ballot(mask) & active_) == active_; }
  [[nodiscard]] bool any(const Mask& mask) { return (ballot(mask) & active_) != 0; }
  [[nodiscard]] uint32_t ballot(const Mask& mask) {
    emit(Op::vote, mask.reg.id());
    return mask.bits & active_;
  }
  // Lane i gets the value of lane source[i] % 32, through the crossbar of shared memory.
  template <class T>
  [[nodiscard]] Lanes<T> shuffle(const Lanes<T>& x, const Lanes<uint32_t>& source) {
    Lanes<T> out;
    for (uint32_t i = 0; i < kLanes; ++i) {
      out.value[i] = x.value[source.value[i] % kLanes];
    }
    out.reg = emit(Op::vote, x.reg.id(), source.reg.id());
    return out;
  }

  // ---- for programs: memory
  // ----------------------------------------------------------------------------------
  template <class T>
  struct [[nodiscard]] Loading {
    Warp* warp;
    Lanes<T> out;

    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) { warp->wait_for_issue(handle, out.value.data()); }
    Lanes<T> await_resume() { return std::move(out); }
  };
  struct [[nodiscard]] Waiting {
    Warp* warp;

    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) { warp->wait_for_issue(handle, nullptr); }
    void await_resume() {}
  };

  // The address takes one ALU instruction, the access one more. Lanes beyond the array end the run with an
  // error.
  template <class T>
  Loading<T> load(const Array<T>& array, const Lanes<uint32_t>& index) {
    const Register address = emit(Op::alu, index.reg.id());
    return start_load<T>(Op::load, addresses_of(array, index), address);
  }
  template <class T>
  void store(const Array<T>& array, const Lanes<uint32_t>& index, const Lanes<T>& value) {
    const Register address = emit(Op::alu, index.reg.id());
    const uint32_t slot = addresses_of(array, index);
    set_values(slot, value);
    emit_memory(Op::store, sizeof(T), slot, kNoRegister, address.id(), value.reg.id());
  }
  // Returns the old values. Lanes with equal addresses act one after another, lowest lane first. Memory that
  // atomics change should be allocated as not compressible.
  template <class T>
  Loading<T> atomic(Atomic kind, const Array<T>& array, const Lanes<uint32_t>& index, const Lanes<T>& value,
                    const Lanes<T>& compare = T{}) {
    static_assert(std::is_integral_v<T> && sizeof(T) >= 4);
    const Register address = emit(Op::alu, index.reg.id());
    const uint32_t slot = addresses_of(array, index);
    set_values(slot, value);
    for (uint32_t i = 0; i < kLanes; ++i) {
      operands_[slot].compare[i] = static_cast<std::make_unsigned_t<T>>(compare.value[i]);
    }
    Loading<T> loading{this, {}};
    loading.out.reg = new_register();
    Instruction& added =
        emit_memory(Op::atomic, sizeof(T), slot, loading.out.reg.id(), address.id(), value.reg.id());
    added.atomic = kind;
    added.is_signed = std::is_signed_v<T>;
    return loading;
  }
  template <class T>
  Loading<T> atomic_add(const Array<T>& array, const Lanes<uint32_t>& index, const Lanes<T>& value) {
    return atomic(Atomic::add, array, index, value);
  }
  template <class T>
  Loading<T> atomic_min(const Array<T>& array, const Lanes<uint32_t>& index, const Lanes<T>& value) {
    return atomic(Atomic::min, array, index, value);
  }

  // Shared memory of the block, by byte offset.
  template <class T>
  Loading<T> load_shared(const Lanes<uint32_t>& offset) {
    return start_load<T>(Op::shared_load, offsets_of(offset), offset.reg);
  }
  template <class T>
  void store_shared(const Lanes<uint32_t>& offset, const Lanes<T>& value) {
    const uint32_t slot = offsets_of(offset);
    set_values(slot, value);
    emit_memory(Op::shared_store, sizeof(T), slot, kNoRegister, offset.reg.id(), value.reg.id());
  }

  // Waits for all warps of the block. Stores before it are visible to the block after it.
  Waiting barrier() {
    emit_plain(Op::barrier);
    return {this};
  }
  // The end of a loop's body, or any jump.
  Waiting branch() {
    emit_plain(Op::branch);
    return {this};
  }
  Waiting branch(const Mask& condition) {
    emit_plain(Op::branch, condition.reg.id());
    return {this};
  }

  // ---- for assist routines: the line that is staged for them in L1. Its bytes do not change while the
  // routine runs, so nothing is awaited.
  template <class T>
  [[nodiscard]] Lanes<T> load_line(std::span<const uint32_t> words, const Lanes<uint32_t>& offset) {
    Lanes<T> out;
    const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
    for (uint32_t i = 0; i < kLanes; ++i) {
      if ((active_ >> i & 1) != 0 && offset.value[i] + sizeof(T) <= words.size_bytes()) {
        std::memcpy(&out.value[i], bytes + offset.value[i], sizeof(T));
      }
    }
    out.reg = emit(Op::line_load, offset.reg.id());
    return out;
  }
  template <class T>
  void store_line(std::span<uint32_t> words, const Lanes<uint32_t>& offset, const Lanes<T>& value) {
    auto* bytes = reinterpret_cast<uint8_t*>(words.data());
    for (uint32_t i = 0; i < kLanes; ++i) {
      if ((active_ >> i & 1) != 0 && offset.value[i] + sizeof(T) <= words.size_bytes()) {
        std::memcpy(bytes + offset.value[i], &value.value[i], sizeof(T));
      }
    }
    emit_plain(Op::line_store, offset.reg.id(), value.reg.id());
  }
  // One instruction without a value that matters to the program: the cost of a step done elsewhere.
  Register emit(Op op, uint16_t a = kNoRegister, uint16_t b = kNoRegister, uint16_t c = kNoRegister);
  void emit_plain(Op op, uint16_t a = kNoRegister, uint16_t b = kNoRegister, uint16_t c = kNoRegister);
  void emit_prefetch(Address address, const Register& source);

  // ---- for memoization: null where it is off
  // --------------------------------------------------------------------
  MemoTable* memo = nullptr;
  // For kernels of the library: ALU instructions before each recorded operation.
  uint32_t record_alu = Config().record_alu;
  // While set, emitted instructions count as those of an assist warp.
  bool assisting = false;

  // ---- for the executors
  // ---------------------------------------------------------------------------------------
  void start(Program program);
  // Lets the program make instructions if it can; whether there is one to take.
  bool advance();
  [[nodiscard]] const Instruction& next() const { return queue_.front(); }
  // The next instruction, which leaves the queue. Awaited ones must then be executed and, in time, released.
  [[nodiscard]] Instruction take() {
    const Instruction taken = queue_.front();
    queue_.pop();
    return taken;
  }
  [[nodiscard]] size_t queued() const { return queue_.size(); }
  // Drops what is queued: an assist warp that is killed.
  void flush();
  // Reads or writes memory as the instruction says. False after a fault, which fault() describes.
  [[nodiscard]] bool execute(const Instruction& instruction, Memory& memory, std::span<uint8_t> shared);
  [[nodiscard]] const MemoryOperands& operands(const Instruction& instruction) const {
    return operands_[instruction.operands];
  }
  void free_operands(const Instruction& instruction);
  // The awaited instruction has been issued (a barrier: passed), the program may go on.
  void release() { waiting_ = false; }
  [[nodiscard]] bool is_waiting() const { return waiting_; }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  void fail(std::string why) {
    if (fault_.empty()) {
      fault_ = std::move(why);
    }
  }
  // The largest number of registers in use at once.
  [[nodiscard]] uint32_t registers_used() const { return registers_used_; }
  [[nodiscard]] uint32_t num_registers() const { return static_cast<uint32_t>(references_.size()); }

 private:
  friend class Register;
  friend class When;
  friend class Masked;

  static constexpr size_t kMostQueued = size_t{1} << 20;

  template <class To, class From, class F>
  [[nodiscard]] Lanes<To> unary(Op op, const Lanes<From>& x, F f) {
    Lanes<To> out;
    for (uint32_t i = 0; i < kLanes; ++i) {
      out.value[i] = static_cast<To>(f(x.value[i]));
    }
    out.reg = emit(op, x.reg.id());
    return out;
  }
  template <class T, class F>
  [[nodiscard]] Lanes<T> binary(Op op, const Lanes<T>& a, const Lanes<T>& b, F f) {
    Lanes<T> out;
    for (uint32_t i = 0; i < kLanes; ++i) {
      out.value[i] = static_cast<T>(f(a.value[i], b.value[i]));
    }
    out.reg = emit(op, a.reg.id(), b.reg.id());
    return out;
  }
  [[nodiscard]] Mask logical(const Mask& a, const Mask& b, uint32_t bits) {
    return {bits, emit(Op::alu, a.reg.id(), b.reg.id())};
  }
  template <class T>
  Loading<T> start_load(Op op, uint32_t slot, const Register& address) {
    Loading<T> loading{this, {}};
    loading.out.reg = new_register();
    emit_memory(op, sizeof(T), slot, loading.out.reg.id(), address.id(), kNoRegister);
    return loading;
  }
  template <class T>
  [[nodiscard]] uint32_t addresses_of(const Array<T>& array, const Lanes<uint32_t>& index) {
    const uint32_t slot = new_operands();
    for (uint32_t i = 0; i < kLanes; ++i) {
      if ((active_ >> i & 1) != 0 && index.value[i] >= array.count) {
        fail_index(index.value[i], array.count, i);
      }
      operands_[slot].address[i] = array.base + Address{sizeof(T)} * index.value[i];
    }
    return slot;
  }
  template <class T>
  void set_values(uint32_t slot, const Lanes<T>& value) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, &value.value[i], sizeof(T));
      operands_[slot].value[i] = bits;
    }
  }
  [[nodiscard]] uint32_t offsets_of(const Lanes<uint32_t>& offset);
  [[nodiscard]] uint32_t new_operands();
  [[nodiscard]] Register new_register();
  Instruction& emit_memory(Op op, uint32_t width, uint32_t slot, uint16_t destination, uint16_t a,
                           uint16_t b);
  void wait_for_issue(std::coroutine_handle<> handle, void* destination);
  void fail_index(uint64_t index, uint64_t count, uint32_t lane);
  void reset_registers(uint32_t count);
  void run_atomic(const Instruction& instruction, Memory& memory);
  void run_load(const Instruction& instruction, const uint8_t* from, uint32_t lane);

  WarpPlace place_;
  uint32_t active_ = 0xffff'ffff;
  InstructionQueue queue_;
  std::vector<MemoryOperands> operands_;
  std::vector<uint32_t> free_operands_;
  std::vector<uint16_t> references_;
  std::vector<uint16_t> free_registers_;  // a ring: the register that was freed first is taken first
  size_t first_free_ = 0;
  size_t num_free_ = 0;
  uint32_t registers_used_ = 0;
  Program program_;
  std::coroutine_handle<> resume_;
  void* destination_ = nullptr;
  bool waiting_ = false;
  bool ended_ = false;
  std::string fault_;
};

// Lanes that do not pass are inactive until the end of the scope. One BRANCH instruction at its start.
class When {
 public:
  When(Warp& warp, const Mask& mask) : warp_(warp), before_(warp.active_) {
    warp.emit_plain(Op::branch, mask.reg.id());
    warp.active_ &= mask.bits;
  }
  When(const When&) = delete;
  When& operator=(const When&) = delete;
  ~When() { warp_.active_ = before_; }

  [[nodiscard]] bool any() const { return warp_.active_ != 0; }

 private:
  Warp& warp_;
  uint32_t before_;
};

// Only these lanes are active until the end of the scope, whichever were before: predicates of the
// instructions, which take none of their own.
class Masked {
 public:
  Masked(Warp& warp, uint32_t lanes) : warp_(warp), before_(std::exchange(warp.active_, lanes)) {}
  Masked(const Masked&) = delete;
  Masked& operator=(const Masked&) = delete;
  ~Masked() { warp_.active_ = before_; }

 private:
  Warp& warp_;
  uint32_t before_;
};

}  // namespace bobbin::sim
