// SPDX-License-Identifier: Apache-2.0
// Issue: schedulers, scoreboard, operand collectors, pipelines, and the classes of cycles.
#include <algorithm>
#include <bit>

#include "sim/sm.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] bool is_memory(Op op) {
  return op >= Op::load && op <= Op::line_store;
}

[[nodiscard]] bool writes(Op op) {
  return op == Op::store || op == Op::atomic || op == Op::shared_store;
}

}  // namespace

bool Sm::is_blocked(const Slot& slot, const Instruction& instruction) const {
  const auto busy = [&](uint16_t reg) { return (slot.busy[reg / 64] >> reg % 64 & 1) != 0; };
  if (instruction.destination != kNoRegister && busy(instruction.destination)) {
    return true;
  }
  for (uint32_t i = 0; i < instruction.num_sources; ++i) {
    if (busy(instruction.sources[i])) {
      return true;
    }
  }
  // A warp ends, and a block's warps meet, when its own instructions are done.
  return instruction.op == Op::exit && (slot.busy[0] | slot.busy[1] | slot.busy[2] | slot.busy[3]) != 0;
}

// Whether there is a pipeline for the instruction now.
Outcome Sm::unit_for(const Instruction& instruction, const Owner& owner) const {
  if (is_memory(instruction.op)) {
    return load_store_.has_room(owner) ? Outcome::issued : Outcome::memory;
  }
  const bool collects = std::any_of(collector_free_.begin(), collector_free_.end(),
                                    [&](uint64_t when) { return when <= machine_.now; });
  if (!collects) {
    return Outcome::compute;
  }
  if (instruction.op == Op::sfu) {
    const bool is_free =
        std::any_of(sfu_free_.begin(), sfu_free_.end(), [&](uint64_t when) { return when <= machine_.now; });
    return is_free ? Outcome::issued : Outcome::compute;
  }
  const bool uses_alu = instruction.op != Op::barrier && instruction.op != Op::exit;
  return !uses_alu || alu_used_ < machine_.config.sm_alu_pipes ? Outcome::issued : Outcome::compute;
}

void Sm::count_issue(const Instruction& instruction, uint32_t warp, uint32_t scheduler, bool is_low) {
  Counters& counters = machine_.counters;
  const bool is_assist = instruction.assist;
  (is_assist ? counters.assist_instructions : counters.instructions) += 1;
  counters.thread_instructions += is_assist ? 0 : static_cast<uint64_t>(std::popcount(instruction.mask));
  const bool is_shared = instruction.op == Op::shared_load || instruction.op == Op::shared_store;
  counters.shared_instructions += is_shared ? 1 : 0;
  counters.memory_instructions += is_memory(instruction.op) && !is_shared ? 1 : 0;
  counters.sfu_instructions += instruction.op == Op::sfu ? 1 : 0;
  counters.alu_instructions += instruction.op <= Op::branch && instruction.op != Op::sfu ? 1 : 0;
  counters.branches += instruction.op == Op::branch ? 1 : 0;
  counters.divergent_branches += instruction.op == Op::branch && instruction.mask != 0xffff'ffff ? 1 : 0;
  counters.register_reads += instruction.num_sources;
  counters.register_writes += instruction.destination != kNoRegister ? 1 : 0;
  ++machine_.progress;
  EventLog* log = machine_.options.log;
  const bool wanted = log != nullptr && (log->sm == number_ || log->sm == EventLog::kAllSms);
  if (wanted && machine_.logs(machine_.now) && log->issues.size() < log->limit) {
    log->issues.push_back({machine_.now, number_, scheduler, warp, instruction.op, is_assist, is_low});
  }
}

// Reads operands in a free collector; registers of the same bank take a cycle each.
uint32_t Sm::collect(const Instruction& instruction, uint32_t warp) {
  uint32_t cycles = 1;
  const uint32_t banks = machine_.config.sm_register_banks;
  for (uint32_t i = 0; i < instruction.num_sources; ++i) {
    uint32_t same = 1;
    for (uint32_t j = 0; j < i; ++j) {
      same += (instruction.sources[i] + warp) % banks == (instruction.sources[j] + warp) % banks ? 1 : 0;
    }
    cycles = std::max(cycles, same);
  }
  const auto free = std::find_if(collector_free_.begin(), collector_free_.end(),
                                 [&](uint64_t when) { return when <= machine_.now; });
  if (free != collector_free_.end()) {
    *free = machine_.now + cycles;
  }
  return cycles;
}

void Sm::start(const Instruction& instruction, Warp& warp, const Owner& owner, const ParentWarp& parent) {
  const Config& config = machine_.config;
  if (is_memory(instruction.op)) {
    machine_.effects += !owner.is_assist && writes(instruction.op) ? 1 : 0;
    const MemoryOperands* operands =
        instruction.operands == kNoOperands ? nullptr : &warp.operands(instruction);
    load_store_.add(instruction, operands, owner, parent);
    warp.free_operands(instruction);
    ++window_memory_;
    return;
  }
  const uint32_t collected = collect(instruction, parent.slot);
  if (instruction.op == Op::sfu) {
    *std::min_element(sfu_free_.begin(), sfu_free_.end()) = machine_.now + config.sm_sfu_interval;
    write_back_after(owner, collected - 1 + config.sm_sfu_latency);
    return;
  }
  ++alu_used_;
  if (owner.is_assist || owner.reg != kNoRegister) {
    write_back_after(owner, collected - 1 + config.sm_alu_latency);
  }
}

Outcome Sm::issue_assist(uint32_t entry, const ParentWarp& parent, Warp& warp, const Instruction& instruction,
                         uint32_t scheduler, bool is_low) {
  const Owner owner{entry, true, instruction.destination, is_low};
  const Outcome unit = unit_for(instruction, owner);
  if (unit != Outcome::issued) {
    return unit;
  }
  count_issue(instruction, parent.slot, scheduler, is_low);
  start(instruction, warp, owner, parent);
  return Outcome::issued;
}

Outcome Sm::try_issue(uint32_t id, uint32_t scheduler) {
  Slot& slot = slots_[id];
  const Instruction instruction = slot.buffer[slot.first];
  if (assists_.stalls(id) || is_blocked(slot, instruction)) {
    return Outcome::dependence;
  }
  if (const Outcome unit = unit_for(instruction, {}); unit != Outcome::issued) {
    return unit;
  }
  slot.first = in_buffer(slot.first + 1);
  --slot.count;
  if (slot.count == 0) {
    ready_.clear(id);
  }
  count_issue(instruction, id, scheduler, false);
  issued(id, instruction);
  return Outcome::issued;
}

// The effects of a parent's instruction.
void Sm::issued(uint32_t id, const Instruction& instruction) {
  Slot& slot = slots_[id];
  Warp& warp = *slot.warp;
  if (instruction.op == Op::exit) {
    end_warp(id);
    return;
  }
  if (!warp.execute(instruction, machine_.memory, blocks_[slot.block].shared)) {
    machine_.fail({StatusCode::invalid_argument, warp.fault()});
    return;
  }
  if (instruction.op == Op::load && machine_.config.prefetch_enable != 0) {
    note_load(id, warp.operands(instruction), instruction);
  }
  if (instruction.destination != kNoRegister) {
    slot.busy[instruction.destination / 64] |= uint64_t{1} << instruction.destination % 64;
  }
  if (instruction.op == Op::barrier) {
    reach_barrier(id);
    return;
  }
  start(instruction, warp, {id, false, instruction.destination, false}, {id, ages_[id]});
  if (instruction.op == Op::branch) {
    slot.fetch_at = machine_.now + machine_.config.sm_branch_cycles;
  }
  if (slot.count == 0 && warp.queued() == 0 && warp.is_waiting()) {
    warp.release();
  }
  if (slot.count + machine_.config.sm_fetch_width <= machine_.config.sm_ibuffer || slot.count == 0) {
    wants_fetch_.set(id);
  }
}

// Greedy: the warp that issued last. Then the oldest; or, in turn, the next one.
uint32_t Sm::choose(const SlotSet& candidates, uint32_t scheduler) const {
  const uint32_t last = last_issued_[scheduler];
  if (machine_.config.sm_policy == 1) {
    return candidates.next(last + 1);
  }
  if (candidates.has(last)) {
    return last;
  }
  uint32_t oldest = kNone;
  for (SlotSet left = candidates; left.any();) {
    const uint32_t id = left.first();
    left.clear(id);
    oldest = oldest == kNone || ages_[id] < ages_[oldest] ? id : oldest;
  }
  return oldest;
}

// The load/store queue is full. Those that found it full before have the same instruction, which nothing but
// an assist warp can have blocked since: they need not be tried one by one.
void Sm::wait_again(SlotSet& candidates) {
  const SlotSet again = (candidates & tried_) - assists_.stalled();
  candidates = candidates - again;
  tried_ = tried_ - again;
  ready_ = ready_ - again;
  waits_for_unit_ = waits_for_unit_ | again;
}

bool Sm::issue_parent(uint32_t scheduler) {
  SlotSet candidates = ready_ & of_scheduler_[scheduler];
  while (candidates.any()) {
    const uint32_t id = choose(candidates, scheduler);
    candidates.clear(id);
    tried_.clear(id);
    switch (try_issue(id, scheduler)) {
      case Outcome::issued:
        last_issued_[scheduler] = id;
        return true;
      case Outcome::dependence:
        ready_.clear(id);
        waits_for_result_.set(id);
        break;
      case Outcome::memory:
        ready_.clear(id);
        waits_for_unit_.set(id);
        wait_again(candidates);
        break;
      case Outcome::compute:
        saw_compute_ = true;
        break;
    }
  }
  return false;
}

void Sm::issue() {
  alu_used_ = 0;
  saw_compute_ = false;
  uint32_t used = 0;
  uint32_t idle = 0;  // schedulers, a bit each
  for (uint32_t scheduler = 0; scheduler < of_scheduler_.size(); ++scheduler) {
    const bool issued = (assists_.has_high() && assists_.issue_high(scheduler)) ||
                        ((ready_ & of_scheduler_[scheduler]).any() && issue_parent(scheduler));
    used += issued ? 1 : 0;
    idle |= (issued ? 0U : 1U) << scheduler;
  }
  assists_.note_issue(used);
  // What is left goes to assist warps of low priority.
  for (uint32_t scheduler = 0; assists_.has_low() && scheduler < of_scheduler_.size(); ++scheduler) {
    used += (idle >> scheduler & 1) != 0 && assists_.issue_low(scheduler) ? 1 : 0;
  }
  ++class_of(used != 0);
}

uint64_t& Sm::class_of(bool any_issued) {
  Counters& counters = machine_.counters;
  if (any_issued) {
    return counters.active_cycles;
  }
  if (resident_blocks_ == 0) {
    return counters.empty_cycles;
  }
  if (waits_for_unit_.any()) {
    return counters.memory_stalls;
  }
  if (saw_compute_) {
    return counters.compute_stalls;
  }
  return waits_for_result_.any() ? counters.dependence_stalls : counters.idle_cycles;
}

// A stride that was seen twice triggers a prefetch, unless the memory pipelines are busy.
void Sm::note_load(uint32_t id, const MemoryOperands& operands, const Instruction& instruction) {
  Slot& slot = slots_[id];
  if (instruction.mask == 0) {
    return;
  }
  const uint64_t line =
      Memory::line_of(operands.address[static_cast<uint32_t>(std::countr_zero(instruction.mask))]);
  const int64_t stride = static_cast<int64_t>(line) - static_cast<int64_t>(slot.last_line);
  if (machine_.now >= window_end_) {
    memory_is_busy_ = window_memory_ * 100 >
                      uint64_t{machine_.config.caba_throttle_window} * machine_.config.prefetch_percent;
    window_memory_ = 0;
    window_end_ = machine_.now + machine_.config.caba_throttle_window;
  }
  if (stride != 0 && stride == slot.last_stride && !memory_is_busy_) {
    assists_.trigger({.kind = Trigger::Kind::prefetch,
                      .parent = {id, ages_[id]},
                      .line = line,
                      .stride = stride * static_cast<int64_t>(kLineBytes)});
  }
  slot.last_stride = stride;
  slot.last_line = line;
}

}  // namespace bobbin::sim
