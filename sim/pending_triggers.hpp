// SPDX-License-Identifier: Apache-2.0
// Triggers of one routine that have not started, as a queue per parent warp: a parent has one instance of a
// routine at a time, so that only the first of each queue can be next.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/slot_set.hpp"
#include "sim/trigger.hpp"

namespace bobbin::sim {

class PendingTriggers {
 public:
  PendingTriggers() { first_.fill(kNone), last_.fill(kNone); }

  [[nodiscard]] bool empty() const { return !waiting_.any(); }

  void push(const Trigger& trigger) {
    const uint32_t slot = trigger.parent.slot;
    const uint32_t id = nodes_.take();
    nodes_[id] = {trigger, kNone};
    (first_[slot] == kNone ? first_[slot] : nodes_[last_[slot]].next) = id;
    last_[slot] = id;
    waiting_.set(slot);
  }

  // The trigger that came first, of parents that are not in `running`. Null if there is none.
  [[nodiscard]] const Trigger* oldest(const SlotSet& running) {
    const Trigger* found = nullptr;
    for (SlotSet left = waiting_ - running; left.any();) {
      const uint32_t slot = left.first();
      left.clear(slot);
      const Trigger& trigger = nodes_[first_[slot]].trigger;
      found = found == nullptr || trigger.order < found->order ? &trigger : found;
    }
    return found;
  }

  // The first of a parent, which leaves the queue.
  Trigger take(uint32_t slot) {
    const Trigger taken = nodes_[first_[slot]].trigger;
    remove(slot, kNone, first_[slot]);
    return taken;
  }

  // Drops the trigger of a parent with this tag; whether there was one.
  bool withdraw(uint32_t slot, uint32_t tag) {
    uint32_t before = kNone;
    uint32_t id = first_[slot];
    while (id != kNone && nodes_[id].trigger.tag != tag) {
      before = id;
      id = nodes_[id].next;
    }
    if (id == kNone) {
      return false;
    }
    remove(slot, before, id);
    return true;
  }

 private:
  struct Node {
    Trigger trigger;
    uint32_t next = kNone;
  };

  void remove(uint32_t slot, uint32_t before, uint32_t id) {
    const uint32_t next = nodes_[id].next;
    (before == kNone ? first_[slot] : nodes_[before].next) = next;
    last_[slot] = next == kNone ? before : last_[slot];
    nodes_.give_back(id);
    if (first_[slot] == kNone) {
      waiting_.clear(slot);
    }
  }

  Pool<Node> nodes_;
  std::array<uint32_t, kMaxSlots> first_;  // of each parent
  std::array<uint32_t, kMaxSlots> last_;
  SlotSet waiting_;  // parents with a trigger
};

}  // namespace bobbin::sim
