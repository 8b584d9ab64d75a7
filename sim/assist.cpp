// SPDX-License-Identifier: Apache-2.0
#include "sim/assist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/sm.hpp"

namespace bobbin::sim {
namespace {

constexpr uint32_t kRoutineRegisters = 64;  // of the scoreboard; what is allocated is smaller

[[nodiscard]] uint32_t warp_registers(const Config& config, const RoutineNeeds& needs) {
  return kLanes * (config.caba_registers != 0 ? config.caba_registers : needs.registers);
}

}  // namespace

AssistController::AssistController(Machine& machine, Sm& sm, uint32_t number)
    : machine_(machine),
      sm_(sm),
      number_(number),
      entries_(machine.config.caba_awt_entries),
      stalling_(kMaxSlots),
      registers_{warp_registers(machine.config, decompress_needs(machine.traits.algorithm)),
                 warp_registers(machine.config, compress_needs(machine.traits.algorithm)),
                 kLanes * prefetch_needs().registers},
      window_(machine.config.caba_throttle_window, machine.config.sm_schedulers,
              machine.config.caba_throttle_percent),
      random_(machine.options.seed * 7919 + number) {
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    entries_[i].warp = std::make_unique<Warp>(WarpPlace{}, kRoutineRegisters);
    entries_[i].warp->assisting = true;
    free_.set(i);
  }
}

void AssistController::log(const Entry& entry, uint32_t id, AssistEventKind kind) {
  EventLog* log = machine_.options.log;
  if (machine_.logs(machine_.now) && log->assists.size() < log->limit) {
    log->assists.push_back(
        {machine_.now, number_, entry.trigger.parent.slot, id, kind, entry.trigger.is_low()});
  }
}

void AssistController::trigger(const Trigger& trigger) {
  if (machine_.config.caba_free != 0) {
    run_for_free(trigger);
    return;
  }
  Trigger noted = trigger;
  noted.when = machine_.now;
  noted.order = triggers_++;
  waiting(noted.routine()).push(noted);
  ++pending_;
}

void AssistController::stage(Entry& entry, const Trigger& trigger) {
  entry.trigger = trigger;
  if (trigger.kind == Trigger::Kind::store) {
    std::memcpy(entry.line.raw.data(), sm_.stores().entry(trigger.tag).payload.bytes.data(), kLineBytes);
    entry.line.code = kRawCode;
  } else if (trigger.kind != Trigger::Kind::prefetch) {
    const Payload& payload = machine_.payloads[trigger.payload];
    entry.line.image = payload.image.words;
    entry.line.code = payload.image.code;
    entry.version = payload.version;
    machine_.payloads.give_back(trigger.payload);
  }
}

void AssistController::emit(Entry& entry) {
  Warp& warp = *entry.warp;
  const Config& config = machine_.config;
  const Trigger& trigger = entry.trigger;
  if (trigger.kind == Trigger::Kind::store) {
    emit_compress(warp, entry.line, machine_.traits.algorithm, hint_, config.caba_one_encoding != 0,
                  config.caba_first_base != 0);
  } else if (trigger.kind == Trigger::Kind::prefetch) {
    emit_prefetch_routine(warp, Memory::kFirst + trigger.line * kLineBytes, trigger.stride,
                          config.prefetch_distance);
  } else {
    const LineImage image{entry.line.code, image_size(entry.line.code), entry.line.image};
    emit_decompress(warp, entry.line);
    const LineBytes expected = expand_line(image);
    if (std::memcmp(expected.data(), entry.line.raw.data(), kLineBytes) != 0) {
      warp.fail(fmt::format("the decompression routine of code {:#04x} made another line than the codec",
                            image.code));
    }
  }
  if (!warp.fault().empty()) {
    machine_.fail({StatusCode::corrupt, warp.fault()});
  }
}

// For the limit of assist warps that cost nothing: the result is there at once.
void AssistController::run_for_free(const Trigger& trigger) {
  Entry& entry = entries_[0];
  stage(entry, trigger);
  emit(entry);
  entry.warp->flush();
  ++machine_.counters.assist_triggers;
  ++machine_.counters.assist_completed;
  complete(entry);
}

// The table must have room, and the register file. Low priority leaves registers and, in a table of several,
// an entry for one expansion.
bool AssistController::has_room_for(Routine routine) const {
  const bool is_low = routine != Routine::expansion;
  const bool takes_last = free_.is_single() && entries_.size() > 1;
  if (is_low && (takes_last || low_running_ >= machine_.config.caba_low_warps)) {
    return false;
  }
  const uint32_t registers = registers_of(routine) + (is_low ? registers_of(Routine::expansion) : 0);
  return free_.any() && (machine_.config.caba_register_policy == 1 || registers <= free_registers_);
}

// The oldest trigger of a routine that may start: one instance per parent. Null if there is none.
const Trigger* AssistController::next_of(Routine routine) {
  if (waiting(routine).empty() || !has_room_for(routine)) {
    return nullptr;
  }
  const Trigger* oldest = waiting(routine).oldest(running(routine));
  const bool is_here = oldest != nullptr && machine_.now >= oldest->when + machine_.config.caba_aws_latency;
  return is_here ? oldest : nullptr;
}

// High priority first, then the older one.
const Trigger* AssistController::next_trigger() {
  if (const Trigger* high = next_of(Routine::expansion); high != nullptr) {
    return high;
  }
  const Trigger* store = next_of(Routine::compression);
  const Trigger* prefetch = next_of(Routine::prefetch);
  return prefetch == nullptr || (store != nullptr && store->order < prefetch->order) ? store : prefetch;
}

void AssistController::start(const Trigger& trigger) {
  const uint32_t id = free_.first();
  Entry& entry = entries_[id];
  free_.clear(id);
  active_.set(id);
  deployable_.set(id);
  running(trigger.routine()).set(trigger.parent.slot);
  free_registers_ -= registers_of(trigger.routine());
  low_running_ += trigger.is_low() ? 1 : 0;
  // A store's warp may have ended before its line is expanded.
  entry.stalls = !trigger.is_low() && sm_.is_running(trigger.parent);
  if (entry.stalls) {
    ++stalling_[trigger.parent.slot];
    stalled_.set(trigger.parent.slot);
  }
  stage(entry, trigger);
  entry.busy = 0;
  entry.outstanding = 0;
  entry.deployed = 0;
  entry.killed = false;
  entry.kill_after = kNone;
  if (trigger.kind == Trigger::Kind::store) {
    sm_.stores().entry(trigger.tag).state = StoreBuffer::State::compressing;
    const bool is_killed = random_() % 1000 < machine_.options.kill_per_thousand;
    entry.kill_after = is_killed ? static_cast<uint32_t>(random_() % 24) : kNone;
  }
  emit(entry);
  ++machine_.counters.assist_triggers;
  ++machine_.progress;
  log(entry, id, AssistEventKind::trigger);
}

void AssistController::work() {
  // One entry of the table per cycle.
  if (const Trigger* next = pending_ == 0 ? nullptr : next_trigger(); next != nullptr) {
    --pending_;
    start(waiting(next->routine()).take(next->parent.slot));
  }
  machine_.counters.assist_table_full += pending_ != 0 && !free_.any() ? 1 : 0;
  // Low priority waits while parents use most of the issue slots.
  const bool held = machine_.config.caba_throttle != 0 && window_.is_busy(machine_.now);
  SlotSet candidates = deployable_;
  for (uint32_t width = machine_.config.caba_deploy_width; width > 0 && candidates.any();) {
    const uint32_t id = candidates.next(next_);
    candidates.clear(id);
    Entry& entry = entries_[id];
    const bool is_low = entry.trigger.is_low();
    machine_.counters.assist_throttled += is_low && held ? 1 : 0;
    const bool fits = is_low ? !held && low_.size() < machine_.config.caba_low_entries
                             : entry.staged.size() < machine_.config.sm_ibuffer;
    if (fits) {
      deploy(id);
      next_ = id + 1;
      --width;
    }
  }
}

void AssistController::deploy(uint32_t id) {
  Entry& entry = entries_[id];
  if (entry.deployed++ >= entry.kill_after) {
    kill(id);
    return;
  }
  const Instruction taken = entry.warp->take();
  // What follows a branch is known when it has been issued.
  if (entry.warp->queued() == 0 || taken.op == Op::branch) {
    deployable_.clear(id);
  }
  log(entry, id, AssistEventKind::deploy);
  if (machine_.config.caba_direct_load != 0 && taken.op == Op::line_store && !entry.trigger.is_low()) {
    end_if_done(id);  // the coalescer takes the values: the line is not stored back
    return;
  }
  if (entry.trigger.is_low()) {
    low_.push_back({id, taken});
  } else {
    entry.staged.push(taken);
    staged_high_.set(id);
    ready_high_.set(id);
  }
}

Outcome AssistController::issue(uint32_t id, const Instruction& instruction, uint32_t scheduler,
                                bool is_low) {
  Entry& entry = entries_[id];
  uint64_t needs = instruction.destination == kNoRegister ? 0 : uint64_t{1} << instruction.destination;
  for (uint32_t i = 0; i < instruction.num_sources; ++i) {
    needs |= uint64_t{1} << instruction.sources[i];
  }
  if ((needs & entry.busy) != 0) {
    return Outcome::dependence;
  }
  const Outcome outcome =
      sm_.issue_assist(id, entry.trigger.parent, *entry.warp, instruction, scheduler, is_low);
  if (outcome != Outcome::issued) {
    return outcome;
  }
  entry.busy |= instruction.destination == kNoRegister ? 0 : uint64_t{1} << instruction.destination;
  ++entry.outstanding;
  if (instruction.op == Op::branch && entry.warp->queued() != 0) {
    deployable_.set(id);
  }
  return Outcome::issued;
}

bool AssistController::issue_high(uint32_t scheduler) {
  SlotSet candidates = ready_high_;
  while (candidates.any()) {
    const uint32_t id = candidates.first();
    candidates.clear(id);
    Entry& entry = entries_[id];
    if (entry.trigger.parent.slot % machine_.config.sm_schedulers != scheduler) {
      continue;
    }
    const Outcome outcome = issue(id, entry.staged.front(), scheduler, false);
    if (outcome == Outcome::compute) {
      continue;  // a pipeline frees itself without telling anybody
    }
    if (outcome != Outcome::issued) {
      ready_high_.clear(id);  // until a result is written back or a memory instruction ends
      continue;
    }
    entry.staged.pop();
    if (entry.staged.empty()) {
      staged_high_.clear(id);
      ready_high_.clear(id);
    }
    return true;
  }
  return false;
}

bool AssistController::issue_low(uint32_t scheduler) {
  for (size_t i = 0; i < low_.size(); ++i) {
    // Instructions of one assist warp stay in order.
    const bool is_first =
        std::none_of(low_.begin(), low_.begin() + static_cast<ptrdiff_t>(i),
                     [&](const LowInstruction& other) { return other.entry == low_[i].entry; });
    if (is_first && issue(low_[i].entry, low_[i].instruction, scheduler, true) == Outcome::issued) {
      low_.erase(low_.begin() + static_cast<ptrdiff_t>(i));
      return true;
    }
  }
  return false;
}

void AssistController::write_back(uint32_t id, uint16_t reg) {
  Entry& entry = entries_[id];
  entry.busy &= reg == kNoRegister ? ~uint64_t{0} : ~(uint64_t{1} << reg);
  --entry.outstanding;
  if (staged_high_.has(id)) {
    ready_high_.set(id);
  }
  end_if_done(id);
}

void AssistController::end_if_done(uint32_t id) {
  Entry& entry = entries_[id];
  const bool in_low =
      entry.trigger.is_low() &&
      std::any_of(low_.begin(), low_.end(), [&](const LowInstruction& other) { return other.entry == id; });
  if (entry.outstanding != 0 || entry.warp->queued() != 0 || !entry.staged.empty() || in_low) {
    return;
  }
  if (!entry.killed) {
    ++machine_.counters.assist_completed;
    log(entry, id, AssistEventKind::complete);
    free(id);
    complete(entry);
  } else {
    free(id);
  }
}

void AssistController::free(uint32_t id) {
  Entry& entry = entries_[id];
  running(entry.trigger.routine()).clear(entry.trigger.parent.slot);
  free_registers_ += registers_of(entry.trigger.routine());
  low_running_ -= entry.trigger.is_low() ? 1 : 0;
  const uint32_t slot = entry.trigger.parent.slot;
  if (entry.stalls && --stalling_[slot] == 0) {
    stalled_.clear(slot);
    sm_.parent_continues(slot);
  }
  active_.clear(id);
  deployable_.clear(id);
  free_.set(id);
}

void AssistController::complete(Entry& entry) {
  const Trigger trigger = entry.trigger;
  LineBytes raw;
  std::memcpy(raw.data(), entry.line.raw.data(), kLineBytes);
  switch (trigger.kind) {
    case Trigger::Kind::fill:
      ++machine_.counters.decompressions;
      sm_.load_store().fill_expanded(trigger.tag);
      break;
    case Trigger::Kind::hit:
      ++machine_.counters.decompressions;
      sm_.load_store().line_arrived(trigger.tag);
      break;
    case Trigger::Kind::expand:
      ++machine_.counters.decompressions;
      sm_.stores().expanded(trigger.tag, raw, entry.version);
      break;
    case Trigger::Kind::store: {
      const LineImage image{entry.line.code, image_size(entry.line.code), entry.line.image};
      if (image.code != kRawCode && (!is_valid_image(image) || expand_line(image) != raw)) {
        machine_.fail(
            {StatusCode::corrupt,
             fmt::format("the compression routine made a wrong image with code {:#04x}", image.code)});
      }
      hint_ = image.code;
      sm_.stores().compressed(trigger.tag, image);
      break;
    }
    case Trigger::Kind::prefetch:
      break;
  }
}

// Entries of the table and the buffer are flushed; instructions in the pipelines end without effect.
void AssistController::kill(uint32_t id) {
  Entry& entry = entries_[id];
  const Trigger trigger = entry.trigger;
  entry.killed = true;
  entry.warp->flush();
  deployable_.clear(id);
  std::erase_if(low_, [&](const LowInstruction& other) { return other.entry == id; });
  ++machine_.counters.assist_kills;
  log(entry, id, AssistEventKind::kill);
  end_if_done(id);
  if (trigger.kind == Trigger::Kind::store) {
    sm_.stores().give_up(trigger.tag);
  }
}

void AssistController::kill_store(uint32_t tag) {
  for (SlotSet left = active_; left.any();) {
    const uint32_t id = left.first();
    left.clear(id);
    const Entry& entry = entries_[id];
    if (entry.trigger.kind == Trigger::Kind::store && entry.trigger.tag == tag && !entry.killed) {
      kill(id);
      return;
    }
  }
}

bool AssistController::withdraw_store(uint32_t tag) {
  const bool found = waiting(Routine::compression).withdraw(sm_.stores().entry(tag).parent.slot, tag);
  pending_ -= found ? 1 : 0;
  return found;
}

}  // namespace bobbin::sim
