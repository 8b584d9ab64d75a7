// SPDX-License-Identifier: Apache-2.0
// One slice of the L2 with its MSHRs, in front of one memory controller. Write-back; a write of a whole line
// allocates without a fetch. Here writes change the stored image.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cache.hpp"
#include "sim/crossbar.hpp"
#include "sim/dram.hpp"
#include "sim/machine.hpp"

namespace bobbin::sim {

class L2Slice {
 public:
  L2Slice(Machine& machine, uint32_t channel, Dram& dram, Crossbar& requests, Crossbar& replies);

  // One L2 cycle.
  void tick() {
    ++cycle_;
    if (!replies_waiting_.empty() && replies_.can_send(channel_)) {
      send_reply();
    }
    // Replies that wait hold up fills, and with them DRAM.
    if (dram_.has_data() && can_reply()) {
      take_fill();
    }
    if (requests_.has_arrived(channel_)) {
      accept();
    }
    if (!pipeline_.empty() && pipeline_.front().when <= cycle_ && can_reply()) {
      process();
    }
  }
  [[nodiscard]] bool is_idle() const {
    return pipeline_.empty() && replies_waiting_.empty() && free_mshrs_.size() == mshrs_.size();
  }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  struct Arrived {
    uint64_t when = 0;
    Packet packet;
  };

  [[nodiscard]] bool can_reply() const { return replies_waiting_.size() < machine_.config.l2_queue; }
  void accept();
  void send_reply();
  void take_fill();
  void process();
  [[nodiscard]] bool process(const Packet& packet);
  [[nodiscard]] bool join(const Packet& packet, const CacheLine& tag);
  [[nodiscard]] bool miss(const Packet& packet);
  [[nodiscard]] bool make_room(uint64_t line, CacheLine*& tag);
  [[nodiscard]] bool is_whole_write(const Packet& packet);
  void serve(const Packet& packet, CacheLine& tag);
  void serve_read(const Packet& packet, const CacheLine& tag);
  void serve_write(const Packet& packet, CacheLine& tag);
  void serve_atomic(const Packet& packet, CacheLine& tag);
  // Whether the bytes were written; not if the line is compressed and the SM has to expand it.
  [[nodiscard]] bool write_part(uint64_t line, const Payload& payload, bool held_raw);
  void write_whole(uint64_t line, const Payload& payload);
  void changed(uint64_t line, CacheLine& tag);
  void reply(const Packet& to, PacketKind kind, uint32_t flits, uint32_t payload, bool compressed);
  [[nodiscard]] uint32_t payload_of(uint64_t line);
  [[nodiscard]] uint32_t segments_of(uint64_t line) const;

  Machine& machine_;
  uint32_t channel_;
  Dram& dram_;
  Crossbar& requests_;
  Crossbar& replies_;
  Cache cache_;
  Fifo<Arrived> pipeline_;
  Fifo<Packet> replies_waiting_;
  std::vector<std::vector<Packet>> mshrs_;  // packets that wait for a line of DRAM
  std::vector<uint32_t> free_mshrs_;
  uint64_t cycle_ = 0;
  uint64_t fills_ = 0;
  // Fills and ends of DRAM requests when the packet at the head was last refused: another attempt before the
  // next of them is in vain.
  uint64_t refused_at_ = kNever;
};

}  // namespace bobbin::sim
