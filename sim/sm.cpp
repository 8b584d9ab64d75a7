// SPDX-License-Identifier: Apache-2.0
#include "sim/sm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/gpu.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] uint64_t cycles_of_wheel(const Config& config) {
  const uint32_t longest = std::max({config.sm_alu_latency, config.sm_sfu_latency, config.sm_shared_latency,
                                     config.l1_latency + config.hw_decompress});
  return std::bit_ceil(longest + config.sm_collectors + kMaxSources + 8U);
}

}  // namespace

Sm::Sm(Machine& machine, uint32_t number, Crossbar& requests, Crossbar& replies)
    : machine_(machine),
      number_(number),
      replies_(replies),
      stores_(machine, *this, number, requests),
      load_store_(machine, *this, number, requests),
      assists_(machine, *this, number),
      slots_(machine.config.sm_warps),
      blocks_(machine.config.sm_blocks),
      of_scheduler_(machine.config.sm_schedulers),
      last_issued_(machine.config.sm_schedulers),
      wheel_(cycles_of_wheel(machine.config)),
      has_events_((wheel_.size() + 63) / 64),
      collector_free_(machine.config.sm_collectors),
      sfu_free_(machine.config.sm_sfu_pipes) {
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    free_slots_.set(i);
    of_scheduler_[i % machine.config.sm_schedulers].set(i);
  }
}

// ---------------------------------------------------------------------------------------------------------
// Blocks

void Sm::begin_launch(const Launch& launch, uint32_t launch_number, const Occupancy& occupancy) {
  launch_ = &launch;
  launch_number_ = launch_number;
  max_blocks_ = occupancy.blocks;
  assists_.begin_launch(occupancy.assist_registers);
  const uint32_t taken = stores_.begin_launch(occupancy.unallocated_shared_bytes);
  // The table of results is in shared memory that no block uses: 16 bytes per entry.
  const uint32_t spare = (occupancy.unallocated_shared_bytes - taken) / 16;
  const uint32_t entries =
      machine_.config.memo_enable != 0 ? std::min(machine_.config.memo_entries, spare) : 0;
  memo_.entries.assign(entries, {});
  load_store_.invalidate();
}

void Sm::add_block(uint32_t number) {
  const auto place =
      std::find_if(blocks_.begin(), blocks_.end(), [](const Block& block) { return !block.used; });
  const uint32_t block_warps = launch_->block_threads / kLanes;
  *place = {.used = true, .number = number, .warps = block_warps, .shared = std::move(place->shared)};
  place->shared.assign(launch_->shared_bytes, 0);
  wake(machine_.now);
  ++resident_blocks_;
  for (uint32_t warp = 0; warp < block_warps; ++warp) {
    const uint32_t id = free_slots_.first();
    free_slots_.clear(id);
    Slot& slot = slots_[id];
    slot = {};
    slot.block = static_cast<uint32_t>(place - blocks_.begin());
    ages_[id] = next_age_++;
    slot.warp = std::make_unique<Warp>(WarpPlace{launch_number_, number, launch_->blocks, warp, block_warps},
                                       launch_->registers);
    slot.warp->record_alu = machine_.config.record_alu;
    slot.warp->memo = memo_.entries.empty() ? nullptr : &memo_;
    slot.warp->start(launch_->kernel(*slot.warp));
    wants_fetch_.set(id);
  }
}

void Sm::end_warp(uint32_t id) {
  ++machine_.effects;
  Slot& slot = slots_[id];
  slot.ended = true;
  Block& block = blocks_[slot.block];
  ready_.clear(id);
  wants_fetch_.clear(id);
  slot.warp.reset();
  free_slots_.set(id);
  if (--block.warps == 0) {
    block.used = false;
    --resident_blocks_;
    ++ended_blocks_;
  } else if (block.at_barrier == block.warps) {
    open_barrier(slot.block);
  }
}

void Sm::reach_barrier(uint32_t id) {
  Slot& slot = slots_[id];
  slot.at_barrier = true;
  ready_.clear(id);
  wants_fetch_.clear(id);
  if (++blocks_[slot.block].at_barrier == blocks_[slot.block].warps) {
    open_barrier(slot.block);
  }
}

void Sm::open_barrier(uint32_t block) {
  ++machine_.effects;
  blocks_[block].at_barrier = 0;
  for (uint32_t id = 0; id < slots_.size(); ++id) {
    Slot& slot = slots_[id];
    if (slot.warp != nullptr && slot.block == block && slot.at_barrier) {
      slot.at_barrier = false;
      slot.warp->release();
      wants_fetch_.set(id);
    }
  }
}

bool Sm::is_idle() const {
  return resident_blocks_ == 0 && events_ == 0 && load_store_.is_idle() && stores_.is_empty() &&
         assists_.is_idle();
}

std::string Sm::describe() const {
  for (const Slot& slot : slots_) {
    if (slot.warp == nullptr) {
      continue;
    }
    const std::string who =
        fmt::format("SM {}, block {}, warp {}", number_, slot.warp->place().block, slot.warp->place().warp);
    if (slot.at_barrier) {
      const Block& block = blocks_[slot.block];
      return fmt::format("{} waits at a barrier that {} of {} warps have reached", who, block.at_barrier,
                         block.warps);
    }
    const bool waits =
        std::any_of(slot.busy.begin(), slot.busy.end(), [](uint64_t bits) { return bits != 0; });
    return fmt::format("{} {}", who, waits ? "waits for a load or a result" : "still makes instructions");
  }
  return fmt::format("SM {} has no warps and waits for its stores to be written", number_);
}

// ---------------------------------------------------------------------------------------------------------
// Events

void Sm::after(uint32_t cycles, const Event& event) {
  const uint64_t at = (machine_.now + std::max(1U, cycles)) & (wheel_.size() - 1);
  wheel_[at].push_back(event);
  has_events_[at / 64] |= uint64_t{1} << at % 64;
  ++events_;
}

uint32_t Sm::next_event() const {
  for (uint32_t cycles = 1; events_ != 0;) {
    const uint64_t at = (machine_.now + cycles) & (wheel_.size() - 1);
    if (const uint64_t bits = has_events_[at / 64] >> at % 64; bits != 0) {
      return cycles + static_cast<uint32_t>(std::countr_zero(bits));
    }
    cycles += static_cast<uint32_t>(std::min<uint64_t>(64 - at % 64, wheel_.size() - at));
  }
  return 0;
}

void Sm::run_events() {
  due_.clear();
  const uint64_t at = machine_.now & (wheel_.size() - 1);
  std::swap(due_, wheel_[at]);
  has_events_[at / 64] &= ~(uint64_t{1} << at % 64);
  events_ -= due_.size();
  for (const Event& event : due_) {
    run_event(event);
  }
}

void Sm::run_event(const Event& event) {
  switch (event.kind) {
    case EventKind::write_back:
      write_back(event.owner);
      break;
    case EventKind::line:
      load_store_.line_arrived(event.id);
      break;
    case EventKind::fill:
      load_store_.fill_expanded(event.id);
      break;
    case EventKind::expand: {
      const uint32_t version = machine_.payloads[event.owner.id].version;
      const LineBytes line = expand_line(machine_.payloads[event.owner.id].image);
      machine_.payloads.give_back(event.owner.id);
      stores_.expanded(event.id, line, version);
      break;
    }
  }
}

void Sm::expand(uint32_t tag, const ParentWarp& parent, uint32_t payload) {
  if (machine_.traits.assists) {
    assists_.trigger({.kind = Trigger::Kind::expand, .parent = parent, .tag = tag, .payload = payload});
    return;
  }
  ++machine_.counters.decompressions;
  const Event event{EventKind::expand, {payload, false, kNoRegister, false}, tag};
  if (machine_.traits.decompress == 0) {
    run_event(event);
  } else {
    after(machine_.traits.decompress, event);
  }
}

void Sm::set_ready(uint32_t id) {
  waits_for_result_.clear(id);
  if (slots_[id].count != 0) {
    ready_.set(id);
  }
}

void Sm::write_back(const Owner& owner) {
  if (owner.is_assist) {
    assists_.write_back(owner.id, owner.reg);
    return;
  }
  if (owner.reg == kNoRegister) {
    return;
  }
  slots_[owner.id].busy[owner.reg / 64] &= ~(uint64_t{1} << owner.reg % 64);
  if (waits_for_result_.has(owner.id)) {
    set_ready(owner.id);
  }
}

void Sm::parent_continues(uint32_t id) {
  if (waits_for_result_.has(id)) {
    set_ready(id);
  }
}

void Sm::load_store_freed() {
  ready_ = ready_ | waits_for_unit_;
  tried_ = tried_ | waits_for_unit_;
  waits_for_unit_ = {};
  assists_.retry();
}

void Sm::receive() {
  if (replies_.has_arrived(number_)) {
    load_store_.received(replies_.receive(number_));
  }
}

// ---------------------------------------------------------------------------------------------------------
// Fetch

// One warp per cycle, in turn, gets instructions.
void Sm::fetch() {
  SlotSet candidates = wants_fetch_;
  while (candidates.any()) {
    const uint32_t id = candidates.next(next_fetch_);
    candidates.clear(id);
    if (slots_[id].fetch_at > machine_.now) {
      continue;
    }
    if (!slots_[id].warp->advance()) {
      wants_fetch_.clear(id);  // until its load is issued or its barrier opens
      continue;
    }
    fill_buffer(id);
    next_fetch_ = id + 1;
    return;
  }
}

void Sm::fill_buffer(uint32_t id) {
  Slot& slot = slots_[id];
  for (uint32_t i = 0; i < machine_.config.sm_fetch_width && slot.count < machine_.config.sm_ibuffer; ++i) {
    if (!slot.warp->advance()) {
      break;
    }
    slot.buffer[in_buffer(slot.first + slot.count++)] = slot.warp->take();
  }
  if (!slot.warp->fault().empty()) {
    machine_.fail({StatusCode::invalid_argument, slot.warp->fault()});
  }
  wants_fetch_.clear(id);
  if (!waits_for_result_.has(id) && !waits_for_unit_.has(id)) {
    ready_.set(id);
  }
}

// Nothing to issue, to fetch or to send; loads, if any, wait for lines.
bool Sm::can_sleep() const {
  return !ready_.any() && !wants_fetch_.any() && !stores_.has_work() && load_store_.waits() &&
         assists_.is_idle();
}

void Sm::work() {
  receive();
  if (has_events_in(0)) {
    run_events();
  }
  if (stores_.has_work()) {
    stores_.tick();
  }
  if (load_store_.has_work()) {
    load_store_.tick();
  }
  assists_.tick();
  if (ready_.any() || assists_.has_high() || assists_.has_low()) {
    issue();
  } else {
    saw_compute_ = false;
    ++class_of(false);
  }
  if (wants_fetch_.any()) {
    fetch();
  }
  saw_compute_ = false;
  if (can_sleep()) {
    asleep_ = &class_of(false);
    slept_from_ = machine_.now;
  }
}

}  // namespace bobbin::sim
