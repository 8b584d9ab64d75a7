// SPDX-License-Identifier: Apache-2.0
// The assist warp controller of an SM, with its table (AWT) and buffer (AWB). The assist warp store is the
// routines themselves: their instructions are taken one per deployment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "sim/machine.hpp"
#include "sim/pending_triggers.hpp"
#include "sim/program.hpp"
#include "sim/routines.hpp"
#include "sim/slot_set.hpp"
#include "sim/throttle.hpp"
#include "sim/trigger.hpp"

namespace bobbin::sim {

class Sm;

// What became of an attempt to issue an instruction.
enum class Outcome : uint8_t {
  issued,
  dependence,  // a register or an assist warp holds it back
  compute,     // no pipeline or collector is free in this cycle
  memory,      // the load/store queue is full
};

class AssistController {
 public:
  AssistController(Machine& machine, Sm& sm, uint32_t number);

  void begin_launch(uint32_t registers) { free_registers_ = registers; }
  void trigger(const Trigger& trigger);
  // One cycle: starts triggered assist warps, deploys instructions in turn.
  void tick() {
    if (!is_idle()) {
      work();
    }
  }
  // Parents' use of issue slots, for throttling.
  void note_issue(uint32_t slots_used) { window_.note(machine_.now, slots_used); }

  // ---- for the schedulers
  // -------------------------------------------------------------------------------------
  [[nodiscard]] bool has_high() const { return ready_high_.any(); }
  [[nodiscard]] bool has_low() const { return !low_.empty(); }
  // Issues one instruction of high priority whose parent belongs to the scheduler.
  [[nodiscard]] bool issue_high(uint32_t scheduler);
  [[nodiscard]] bool issue_low(uint32_t scheduler);
  [[nodiscard]] bool stalls(uint32_t slot) const { return stalled_.has(slot); }
  [[nodiscard]] const SlotSet& stalled() const { return stalled_; }
  // A result of an instruction is there (kNoRegister: a store is done).
  void write_back(uint32_t entry, uint16_t reg);
  // A structural obstacle may be gone.
  void retry() { ready_high_ = staged_high_; }

  // Drops the assist warp of an entry of the store buffer.
  void kill_store(uint32_t tag);
  // Drops a trigger that has not started; whether there was one.
  [[nodiscard]] bool withdraw_store(uint32_t tag);
  [[nodiscard]] bool is_idle() const { return !active_.any() && pending_ == 0; }

 private:
  struct Entry {
    Trigger trigger;
    std::unique_ptr<Warp> warp;
    StagedLine line;
    uint64_t start = 0;        // of the first deployment
    uint64_t busy = 0;         // registers that wait for a result
    uint32_t outstanding = 0;  // instructions in the pipelines
    uint32_t kill_after = kNone;
    uint32_t deployed = 0;
    uint32_t version = 0;
    bool killed = false;
    bool stalls = false;       // its parent
    Fifo<Instruction> staged;  // of high priority: in the parent's part of the instruction buffer
  };
  struct LowInstruction {
    uint32_t entry = 0;
    Instruction instruction;
  };

  void work();
  [[nodiscard]] bool has_room_for(Routine routine) const;
  [[nodiscard]] const Trigger* next_of(Routine routine);
  [[nodiscard]] const Trigger* next_trigger();
  void start(const Trigger& trigger);
  void run_for_free(const Trigger& trigger);
  void emit(Entry& entry);
  void stage(Entry& entry, const Trigger& trigger);
  void deploy(uint32_t id);
  void end_if_done(uint32_t id);
  void complete(Entry& entry);
  void kill(uint32_t id);
  void free(uint32_t id);
  [[nodiscard]] Outcome issue(uint32_t id, const Instruction& instruction, uint32_t scheduler, bool is_low);
  void log(const Entry& entry, uint32_t id, AssistEventKind kind);
  [[nodiscard]] PendingTriggers& waiting(Routine routine) { return waiting_[static_cast<size_t>(routine)]; }
  [[nodiscard]] SlotSet& running(Routine routine) { return running_[static_cast<size_t>(routine)]; }
  [[nodiscard]] uint32_t registers_of(Routine routine) const {
    return registers_[static_cast<size_t>(routine)];
  }

  Machine& machine_;
  Sm& sm_;
  uint32_t number_;
  std::vector<Entry> entries_;
  SlotSet active_;
  SlotSet free_;
  SlotSet deployable_;   // with instructions that are not in a buffer yet
  SlotSet staged_high_;  // with an instruction in the buffer
  SlotSet ready_high_;   // of those, the ones that may be issued
  std::vector<LowInstruction> low_;
  std::array<PendingTriggers, kRoutines> waiting_;
  std::array<SlotSet, kRoutines> running_;  // parents of active entries
  uint64_t pending_ = 0;                    // triggers that wait
  uint64_t triggers_ = 0;                   // that ever came
  uint32_t next_ = 0;
  std::vector<uint32_t> stalling_;  // by parent: assist warps of high priority
  SlotSet stalled_;                 // parents that have one
  // Registers of the SM that no block has: an assist warp takes its own while it runs.
  uint32_t free_registers_ = 0;
  std::array<uint32_t, kRoutines> registers_;
  uint32_t low_running_ = 0;
  uint32_t hint_ = kRawCode;
  ThrottleWindow window_;
  std::mt19937_64 random_;
};

}  // namespace bobbin::sim
