// SPDX-License-Identifier: Apache-2.0
// A streaming multiprocessor: fetch, instruction buffers, scoreboard, schedulers, operand collectors and
// pipelines.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/assist.hpp"
#include "sim/load_store.hpp"
#include "sim/machine.hpp"
#include "sim/slot_set.hpp"
#include "sim/store_buffer.hpp"
#include "sim/workload.hpp"

namespace bobbin::sim {

struct Occupancy;

class Sm {
 public:
  Sm(Machine& machine, uint32_t number, Crossbar& requests, Crossbar& replies);

  // ---- for the block scheduler
  // ----------------------------------------------------------------------------------
  void begin_launch(const Launch& launch, uint32_t launch_number, const Occupancy& occupancy);
  [[nodiscard]] bool has_room() const { return resident_blocks_ < max_blocks_; }
  [[nodiscard]] bool has_blocks() const { return resident_blocks_ != 0; }
  void add_block(uint32_t block);
  [[nodiscard]] uint32_t take_ended_blocks() { return std::exchange(ended_blocks_, 0); }
  // One core cycle. Those in which it sleeps may be left out.
  void tick() {
    if (asleep_ != nullptr) {
      if (!replies_.has_arrived(number_) && !has_events_in(0)) {
        return;
      }
      wake(machine_.now - 1);
    }
    work();
  }
  // Whether nothing happens before a packet or the next event comes.
  [[nodiscard]] bool is_asleep() const { return asleep_ != nullptr; }
  // Cycles until the next event; 0 if there is none.
  [[nodiscard]] uint32_t next_event() const;
  // The most cycles until an event, rounded up to a power of two.
  [[nodiscard]] uint64_t wheel_size() const { return wheel_.size(); }
  // Ends the sleep, if any, after this cycle.
  void wake(uint64_t last) {
    if (asleep_ != nullptr) {
      *asleep_ += last - slept_from_;
      asleep_ = nullptr;
    }
  }
  void flush_stores() {
    wake(machine_.now);
    stores_.flush();
  }
  [[nodiscard]] bool is_idle() const;
  // Who waits for what, for the error of a run that does not end.
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] MemoTable& memo() { return memo_; }

  // ---- for the parts of this SM
  // --------------------------------------------------------------------------------
  [[nodiscard]] StoreBuffer& stores() { return stores_; }
  [[nodiscard]] LoadStore& load_store() { return load_store_; }
  void trigger(const Trigger& trigger) { assists_.trigger(trigger); }
  void want_compression(uint32_t tag, const ParentWarp& parent) {
    assists_.trigger({.kind = Trigger::Kind::store, .parent = parent, .tag = tag});
  }
  [[nodiscard]] bool withdraw_compression(uint32_t tag) { return assists_.withdraw_store(tag); }
  void kill_compression(uint32_t tag) { assists_.kill_store(tag); }
  void expand(uint32_t tag, const ParentWarp& parent, uint32_t payload);
  void write_back(const Owner& owner);
  void write_back_after(const Owner& owner, uint32_t cycles) {
    after(cycles, {EventKind::write_back, owner, 0});
  }
  void line_after(uint32_t load, uint32_t cycles) { after(cycles, {EventKind::line, {}, load}); }
  void fill_after(uint32_t mshr, uint32_t cycles) { after(cycles, {EventKind::fill, {}, mshr}); }
  void load_store_freed();
  void parent_continues(uint32_t slot);
  // Whether the warp has not ended; its slot may have another one by now.
  [[nodiscard]] bool is_running(const ParentWarp& parent) const {
    return slots_[parent.slot].warp != nullptr && ages_[parent.slot] == parent.age;
  }
  [[nodiscard]] Outcome issue_assist(uint32_t entry, const ParentWarp& parent, Warp& warp,
                                     const Instruction& instruction, uint32_t scheduler, bool is_low);

 private:
  static constexpr uint32_t kMaxBuffer = 16;
  struct Slot {
    std::unique_ptr<Warp> warp;
    uint32_t block = 0;  // slot of its block
    uint32_t first = 0;
    uint32_t count = 0;
    std::array<uint64_t, 4> busy{};  // registers that wait for a result
    uint64_t fetch_at = 0;
    bool at_barrier = false;
    bool ended = false;
    // For prefetching: the last line that a load touched first, and the stride between such lines.
    uint64_t last_line = 0;
    int64_t last_stride = 0;
    std::array<Instruction, kMaxBuffer> buffer;  // a ring of sm.ibuffer entries
  };
  struct Block {
    bool used = false;
    uint32_t number = 0;
    uint32_t warps = 0;
    uint32_t at_barrier = 0;
    std::vector<uint8_t> shared;
  };
  enum class EventKind : uint8_t { write_back, line, fill, expand };
  struct Event {
    EventKind kind = EventKind::write_back;
    Owner owner;
    uint32_t id = 0;
  };
  void after(uint32_t cycles, const Event& event);
  [[nodiscard]] bool has_events_in(uint32_t cycles) const {
    const uint64_t at = (machine_.now + cycles) & (wheel_.size() - 1);
    return (has_events_[at / 64] >> at % 64 & 1) != 0;
  }
  void run_events();
  void run_event(const Event& event);
  void receive();
  void fetch();
  void fill_buffer(uint32_t slot);
  void issue();
  [[nodiscard]] bool issue_parent(uint32_t scheduler);
  void wait_again(SlotSet& candidates);
  [[nodiscard]] Outcome try_issue(uint32_t slot, uint32_t scheduler);
  [[nodiscard]] bool is_blocked(const Slot& slot, const Instruction& instruction) const;
  [[nodiscard]] Outcome unit_for(const Instruction& instruction, const Owner& owner) const;
  void count_issue(const Instruction& instruction, uint32_t warp, uint32_t scheduler, bool is_low);
  [[nodiscard]] uint32_t collect(const Instruction& instruction, uint32_t warp);
  void start(const Instruction& instruction, Warp& warp, const Owner& owner, const ParentWarp& parent);
  void issued(uint32_t slot, const Instruction& instruction);
  void reach_barrier(uint32_t slot);
  void open_barrier(uint32_t block);
  void end_warp(uint32_t slot);
  void note_load(uint32_t slot, const MemoryOperands& operands, const Instruction& instruction);
  void work();
  [[nodiscard]] bool can_sleep() const;
  // The counter of a cycle's class.
  [[nodiscard]] uint64_t& class_of(bool any_issued);
  void set_ready(uint32_t slot);
  [[nodiscard]] uint32_t in_buffer(uint32_t i) const {
    return i < machine_.config.sm_ibuffer ? i : i - machine_.config.sm_ibuffer;
  }
  [[nodiscard]] uint32_t choose(const SlotSet& candidates, uint32_t scheduler) const;

  Machine& machine_;
  uint32_t number_;
  Crossbar& replies_;
  StoreBuffer stores_;
  LoadStore load_store_;
  AssistController assists_;
  MemoTable memo_;

  const Launch* launch_ = nullptr;
  uint32_t launch_number_ = 0;
  uint32_t max_blocks_ = 0;
  uint32_t resident_blocks_ = 0;
  uint32_t ended_blocks_ = 0;
  uint64_t next_age_ = 0;
  std::vector<Slot> slots_;
  std::array<uint64_t, kMaxSlots> ages_{};  // of the warps in the slots
  std::vector<Block> blocks_;
  SlotSet free_slots_;

  // While nothing changes until a packet or an event comes: the counter of such cycles.
  uint64_t* asleep_ = nullptr;
  uint64_t slept_from_ = 0;  // the last cycle before
  SlotSet wants_fetch_;
  SlotSet ready_;             // with an instruction that may be issued
  SlotSet waits_for_result_;  // with one that a scoreboard or an assist warp holds back
  SlotSet waits_for_unit_;    // with one that found the load/store queue full
  SlotSet tried_;             // of those that are ready, the ones that waited for that
  std::vector<SlotSet> of_scheduler_;
  std::vector<uint32_t> last_issued_;
  uint32_t next_fetch_ = 0;

  std::vector<std::vector<Event>> wheel_;  // by cycle
  std::vector<Event> due_;
  std::vector<uint64_t> has_events_;  // a bit per cycle of the wheel
  uint64_t events_ = 0;
  std::vector<uint64_t> collector_free_;
  uint32_t alu_used_ = 0;  // this cycle
  std::vector<uint64_t> sfu_free_;
  bool saw_compute_ = false;    // why nothing was issued
  uint64_t window_memory_ = 0;  // memory instructions, for the throttling of prefetches
  uint64_t window_end_ = 0;
  bool memory_is_busy_ = false;
};

}  // namespace bobbin::sim
