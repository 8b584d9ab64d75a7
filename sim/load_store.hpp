// SPDX-License-Identifier: Apache-2.0
// The load/store unit of an SM: queue of memory instructions, L1 with MSHRs, and what waits for them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/cache.hpp"
#include "sim/coalescer.hpp"
#include "sim/crossbar.hpp"
#include "sim/machine.hpp"
#include "sim/store_buffer.hpp"

namespace bobbin::sim {

// Who gets the result of an instruction: a warp slot or an entry of the assist warp table.
struct Owner {
  uint32_t id = 0;
  bool is_assist = false;
  uint16_t reg = kNoRegister;
  bool is_low = false;  // of low priority
};

class LoadStore {
 public:
  LoadStore(Machine& machine, Sm& sm, uint32_t number, Crossbar& requests);

  [[nodiscard]] bool has_room(const Owner& owner) const {
    return (owner.is_low      ? low_queue_
            : owner.is_assist ? assist_queue_
                              : queue_)
               .size() < machine_.config.sm_lsu_queue;
  }
  [[nodiscard]] bool is_idle() const {
    return !has_work() && loads_.in_use() == 0 && mshrs_used_ == 0 && expanding_ == 0;
  }
  [[nodiscard]] bool has_work() const {
    return !queue_.empty() || !assist_queue_.empty() || !low_queue_.empty();
  }

  // Whether it does nothing until a line comes.
  [[nodiscard]] bool waits() const {
    return (blocked_ || queue_.empty()) && assist_queue_.empty() && low_queue_.empty();
  }

  // An issued memory instruction, whose effect on memory has taken place.
  void add(const Instruction& instruction, const MemoryOperands* operands, const Owner& owner,
           const ParentWarp& parent);
  void tick();
  void received(const Packet& reply);
  // A line of a load is there; the last one writes the register.
  void line_arrived(uint32_t load);
  // The compressed line of an MSHR has been expanded.
  void fill_expanded(uint32_t mshr);
  void invalidate() { l1_.clear(); }

 private:
  struct Access {
    Op op = Op::load;
    Owner owner;
    ParentWarp parent;
    uint32_t load = kNone;
    uint32_t next = 0;    // line that is handled next
    uint32_t cycles = 0;  // of shared memory
    Coalesced lines;
    std::array<uint32_t, kLanes> payloads{};
  };
  struct Load {
    Owner owner;
    ParentWarp parent;
    uint32_t left = 0;  // lines
  };
  struct Mshr {
    uint64_t line = 0;
    bool expanding = false;  // the line is there, compressed: no longer an MSHR
    bool is_prefetch = false;
    ParentWarp parent;
    uint32_t compressed_segments = 0;  // how L1 keeps it; 0: raw
    std::vector<uint32_t> loads;
    uint32_t next = kNone;  // with the same hash
  };
  static constexpr uint32_t kHashBits = 8;

  // Whether the queue used this cycle.
  bool serve(Fifo<Access>& queue);
  [[nodiscard]] bool step(Access& access);
  [[nodiscard]] bool must_wait(const Access& access);
  [[nodiscard]] bool load_line(uint64_t line, uint32_t load, const ParentWarp& parent);
  [[nodiscard]] uint32_t& bucket_of(uint64_t line) {
    return buckets_[line * 0x9e37'79b9'7f4a'7c15ULL >> (64 - kHashBits)];
  }
  [[nodiscard]] Mshr* find_mshr(uint64_t line);
  [[nodiscard]] uint32_t new_mshr(uint64_t line);
  void free_mshr(uint32_t id);
  [[nodiscard]] bool hit(CacheLine& tag, uint64_t line, uint32_t load, const ParentWarp& parent);
  [[nodiscard]] bool request_line(uint64_t line, uint32_t load, const ParentWarp& parent, bool is_prefetch);
  [[nodiscard]] bool prefetch_line(uint64_t line, const ParentWarp& parent);
  [[nodiscard]] bool atomic_line(Access& access);
  void send(PacketKind kind, uint64_t line, uint32_t flits, uint32_t payload, uint32_t tag);
  void filled(const Packet& reply);
  void insert(uint64_t line, uint32_t compressed_segments, bool prefetched);
  void finish_fill(uint32_t mshr);
  // The coalescer extracts values from compressed lines without instructions.
  [[nodiscard]] bool extracts() const {
    return machine_.config.caba_direct_load == 2 && machine_.traits.assists;
  }
  [[nodiscard]] bool keeps_compressed() const {
    return machine_.config.caba_direct_load != 0 || machine_.config.caba_l1_tags > 1;
  }

  Machine& machine_;
  Sm& sm_;
  uint32_t number_;
  Crossbar& requests_;
  Cache l1_;
  Fifo<Access> queue_;
  // Assist warps must not wait for a store that waits for them.
  Fifo<Access> assist_queue_;
  Fifo<Access> low_queue_;  // gets the cycles that the others leave
  Pool<Load> loads_;
  std::vector<Mshr> mshrs_;
  std::vector<uint32_t> free_mshrs_;
  std::array<uint32_t, 1U << kHashBits> buckets_;  // first MSHR of each hash of a line
  bool blocked_ = false;                           // the next load finds no room in MSHRs until a line comes
  uint32_t mshrs_used_ = 0;
  uint32_t expanding_ = 0;
};

}  // namespace bobbin::sim
