// SPDX-License-Identifier: Apache-2.0
#include "sim/program.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bobbin::sim {

Register::Register(const Register& other) : warp_(other.warp_), id_(other.id_) {
  if (id_ != kNoRegister) {
    ++warp_->references_[id_];
  }
}

Register::~Register() {
  if (id_ == kNoRegister || --warp_->references_[id_] != 0) {
    return;
  }
  const size_t size = warp_->free_registers_.size();
  warp_->free_registers_[(warp_->first_free_ + warp_->num_free_) % size] = id_;
  ++warp_->num_free_;
}

namespace detail {
Register emit_binary(Op op, const Register& a, const Register& b) {
  Warp* warp = a.warp() != nullptr ? a.warp() : b.warp();
  return warp != nullptr ? warp->emit(op, a.id(), b.id()) : Register();
}
}  // namespace detail

void InstructionQueue::grow() {
  std::vector<Instruction> larger(2 * ring_.size());
  for (size_t i = first_; i < last_; ++i) {
    larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
  }
  ring_ = std::move(larger);
}

void Warp::reset_registers(uint32_t count) {
  references_.assign(count, 0);
  free_registers_.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    free_registers_[i] = static_cast<uint16_t>(i);
  }
  num_free_ = count;
}

Register Warp::new_register() {
  if (num_free_ == 0) {
    fail(fmt::format("the kernel holds more than {} values at once; raise its number of registers",
                     references_.size()));
    return {};
  }
  const uint16_t id = free_registers_[first_free_];
  first_free_ = (first_free_ + 1) % free_registers_.size();
  --num_free_;
  references_[id] = 1;
  registers_used_ = std::max(registers_used_, static_cast<uint32_t>(references_.size() - num_free_));
  return {this, id};
}

void Warp::emit_plain(Op op, uint16_t a, uint16_t b, uint16_t c) {
  if (queue_.size() >= kMostQueued) {
    fail(fmt::format("block {}, warp {}: more than {} instructions without a load, branch() or barrier()",
                     place_.block, place_.warp, kMostQueued));
    throw EndlessProgram();
  }
  Instruction& added = queue_.push();
  added.op = op;
  added.mask = active_;
  added.assist = assisting;
  for (const uint16_t source : {a, b, c}) {
    if (source != kNoRegister) {
      added.sources[added.num_sources++] = source;
    }
  }
}

Register Warp::emit(Op op, uint16_t a, uint16_t b, uint16_t c) {
  emit_plain(op, a, b, c);
  Register made = new_register();
  queue_.back().destination = made.id();
  return made;
}

Instruction& Warp::emit_memory(Op op, uint32_t width, uint32_t slot, uint16_t destination, uint16_t a,
                               uint16_t b) {
  emit_plain(op, a, b);
  Instruction& added = queue_.back();
  added.width = static_cast<uint8_t>(width);
  added.operands = slot;
  added.destination = destination;
  return added;
}

void Warp::emit_prefetch(Address address, const Register& source) {
  const uint32_t slot = new_operands();
  operands_[slot].address.fill(address);
  emit_memory(Op::prefetch, 4, slot, kNoRegister, source.id(), kNoRegister).mask = 1;
}

Lanes<uint32_t> Warp::lane() {
  Lanes<uint32_t> out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    out.value[i] = i;
  }
  out.reg = emit(Op::move);
  return out;
}

Lanes<uint32_t> Warp::thread() {
  Lanes<uint32_t> out = lane();
  for (uint32_t& thread : out.value) {
    thread += place_.warp * kLanes;
  }
  return out;
}

Lanes<uint32_t> Warp::global_thread() {
  Lanes<uint32_t> out = thread();
  for (uint32_t& thread : out.value) {
    thread += place_.block * place_.block_warps * kLanes;
  }
  out.reg = emit(Op::alu, out.reg.id());
  return out;
}

uint32_t Warp::new_operands() {
  if (free_operands_.empty()) {
    operands_.emplace_back();
    return static_cast<uint32_t>(operands_.size() - 1);
  }
  const uint32_t slot = free_operands_.back();
  free_operands_.pop_back();
  return slot;
}

void Warp::free_operands(const Instruction& instruction) {
  if (instruction.operands != kNoOperands) {
    free_operands_.push_back(instruction.operands);
  }
}

uint32_t Warp::offsets_of(const Lanes<uint32_t>& offset) {
  const uint32_t slot = new_operands();
  for (uint32_t i = 0; i < kLanes; ++i) {
    operands_[slot].address[i] = offset.value[i];
  }
  return slot;
}

void Warp::fail_index(uint64_t index, uint64_t count, uint32_t lane) {
  fail(fmt::format("block {}, warp {}, lane {}: index {} of an array of {}", place_.block, place_.warp, lane,
                   index, count));
}

void Warp::wait_for_issue(std::coroutine_handle<> handle, void* destination) {
  resume_ = handle;
  destination_ = destination;
  waiting_ = true;
}

void Warp::start(Program program) {
  program_ = std::move(program);
  resume_ = program_.handle();
}

bool Warp::advance() {
  while (queue_.empty() && !waiting_ && !ended_) {
    resume_.resume();
    if (program_.handle().done()) {
      ended_ = true;
      if (fault_.empty()) {
        emit_plain(Op::exit);
      }
    }
  }
  return !queue_.empty();
}

void Warp::flush() {
  while (!queue_.empty()) {
    free_operands(queue_.front());
    queue_.pop();
  }
}

void Warp::run_load(const Instruction& instruction, const uint8_t* from, uint32_t lane) {
  auto* to = static_cast<uint8_t*>(destination_) + lane * instruction.width;
  // Constant sizes need no call.
  if (instruction.width == 4) {
    std::memcpy(to, from, 4);
  } else if (instruction.width == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, instruction.width);
  }
}

namespace {

template <class T>
[[nodiscard]] T result_of(Atomic kind, T old, T value, T compare) {
  switch (kind) {
    case Atomic::add:
      return static_cast<T>(detail::wrap(old) + detail::wrap(value));
    case Atomic::min:
      return std::min(old, value);
    case Atomic::max:
      return std::max(old, value);
    case Atomic::exchange:
      return value;
    case Atomic::compare_exchange:
      return old == compare ? value : old;
  }
  return old;
}

// Changes memory and returns the old bits.
template <class T>
[[nodiscard]] uint64_t apply(Atomic kind, uint8_t* at, uint64_t value, uint64_t compare) {
  T old{};
  std::memcpy(&old, at, sizeof(T));
  const T after = result_of(kind, old, static_cast<T>(value), static_cast<T>(compare));
  std::memcpy(at, &after, sizeof(T));
  return static_cast<std::make_unsigned_t<T>>(old);
}

[[nodiscard]] uint64_t apply(const Instruction& instruction, uint8_t* at, uint64_t value, uint64_t compare) {
  const Atomic kind = instruction.atomic;
  if (instruction.width == 4) {
    return instruction.is_signed ? apply<int32_t>(kind, at, value, compare)
                                 : apply<uint32_t>(kind, at, value, compare);
  }
  return instruction.is_signed ? apply<int64_t>(kind, at, value, compare)
                               : apply<uint64_t>(kind, at, value, compare);
}

}  // namespace

void Warp::run_atomic(const Instruction& instruction, Memory& memory) {
  const MemoryOperands& operands = operands_[instruction.operands];
  for (uint32_t i = 0; i < kLanes; ++i) {
    if ((instruction.mask >> i & 1) != 0) {
      const uint64_t old =
          apply(instruction, memory.at(operands.address[i]), operands.value[i], operands.compare[i]);
      std::memcpy(static_cast<uint8_t*>(destination_) + i * instruction.width, &old, instruction.width);
    }
  }
}

bool Warp::execute(const Instruction& instruction, Memory& memory, std::span<uint8_t> shared) {
  if (instruction.operands == kNoOperands || instruction.op == Op::prefetch || !fault_.empty()) {
    return fault_.empty();
  }
  const MemoryOperands& operands = operands_[instruction.operands];
  const bool in_shared = instruction.op == Op::shared_load || instruction.op == Op::shared_store;
  const bool is_store = instruction.op == Op::store || instruction.op == Op::shared_store;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if ((instruction.mask >> i & 1) == 0) {
      continue;
    }
    const Address address = operands.address[i];
    if (in_shared ? address + instruction.width > shared.size()
                  : !memory.contains(address, instruction.width)) {
      fail(fmt::format("block {}, warp {}, lane {}: {} address {:#x} is outside memory", place_.block,
                       place_.warp, i, in_shared ? "shared" : "global", address));
      return false;
    }
    uint8_t* at = in_shared ? shared.data() + address : memory.at(address);
    if (is_store) {
      std::memcpy(at, &operands.value[i], instruction.width);
    } else if (instruction.op != Op::atomic) {
      run_load(instruction, at, i);
    }
  }
  if (instruction.op == Op::atomic) {
    run_atomic(instruction, memory);
  }
  return true;
}

}  // namespace bobbin::sim
