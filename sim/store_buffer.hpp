// SPDX-License-Identifier: Apache-2.0
// Pending stores of an SM, a line each: whole lines wait for compression, partial ones for L2's answer. A
// buffer that overflows releases lines raw.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sim/crossbar.hpp"
#include "sim/machine.hpp"

namespace bobbin::sim {

class Sm;

class StoreBuffer {
 public:
  enum class State : uint8_t {
    pending,      // whole: wants to be compressed
    compressing,  // an assist warp works on it
    ready,        // to be sent as it is
    waiting,      // a partial write that L2 has not answered
    expanding,    // L2 has it compressed: it is being expanded, then merged
  };
  struct Entry {
    uint64_t line = 0;
    uint64_t ready_at = 0;
    State state = State::pending;
    bool used = false;
    bool whole = false;       // counts against store.lines, others against store.copies
    uint32_t unanswered = 0;  // packets that L2 has not answered
    uint32_t failed = kNone;  // payload of the last answer that found the line compressed
    ParentWarp parent;
    Payload payload;
  };

  StoreBuffer(Machine& machine, Sm& sm, uint32_t number, Crossbar& requests);

  // The bytes that a warp stores to one line. False if there is no room now.
  [[nodiscard]] bool store(uint64_t line, const ParentWarp& parent, Payload& payload);
  void answered(const Packet& reply);
  // `spare_bytes` of shared memory are left by blocks: room for lines that wait, if they are not in the L1.
  // Returns what they take of it.
  [[nodiscard]] uint32_t begin_launch(uint32_t spare_bytes);
  // At the end of a launch, lines that are not compressed yet go out raw: nobody is to wait for them.
  void flush();
  // Sends at most one line.
  void tick();

  [[nodiscard]] Entry& entry(uint32_t id) { return entries_[id]; }
  // What assist warps or dedicated logic have made of an entry.
  void compressed(uint32_t id, const LineImage& image);
  void expanded(uint32_t id, const LineBytes& line, uint32_t version);
  // The assist warp was killed.
  void give_up(uint32_t id);
  [[nodiscard]] bool is_empty() const { return used_ == 0; }
  [[nodiscard]] bool has_work() const { return ready_ != 0; }

 private:
  [[nodiscard]] bool send_directly(uint64_t line, const Payload& payload);
  void transmit(uint64_t line, const Payload& payload, uint32_t tag);
  [[nodiscard]] bool merge(uint32_t id, const Payload& payload);
  void settle(uint32_t id);
  void set_state(uint32_t id, State state);
  void compress_by_logic(uint32_t id);
  [[nodiscard]] uint32_t find(uint64_t line) const;
  [[nodiscard]] uint32_t free_entry(bool whole);
  void release(uint32_t id);
  [[nodiscard]] bool overflows();

  Machine& machine_;
  Sm& sm_;
  uint32_t number_;
  Crossbar& requests_;
  std::vector<Entry> entries_;
  uint32_t lines_;  // that may wait to be compressed
  uint32_t used_ = 0;
  uint32_t whole_ = 0;  // of those, lines to be compressed
  uint32_t ready_ = 0;
  uint32_t next_ = 0;
  bool flushing_ = false;
  std::mt19937_64 random_;
};

}  // namespace bobbin::sim
