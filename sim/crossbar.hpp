// SPDX-License-Identifier: Apache-2.0
// One direction of the crossbar: packets of flits from sources to destinations, one flit per port and cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine.hpp"

namespace bobbin::sim {

class Crossbar {
 public:
  Crossbar(uint32_t sources, uint32_t destinations, uint32_t queue, uint32_t latency);

  [[nodiscard]] bool can_send(uint32_t source) const { return queued_[source] < queue_; }
  void send(uint32_t source, uint32_t destination, const Packet& packet);
  // One cycle: each free output takes the next packet in turn from a free input.
  void tick();
  [[nodiscard]] bool has_arrived(uint32_t destination) const { return next_arrival_[destination] <= cycle_; }
  [[nodiscard]] Packet receive(uint32_t destination) {
    Fifo<Arrival>& arrivals = arrivals_[destination];
    const Packet packet = arrivals.front().packet;
    arrivals.pop();
    next_arrival_[destination] = arrivals.empty() ? kNever : arrivals.front().when;
    --in_flight_;
    return packet;
  }
  [[nodiscard]] uint64_t in_flight() const { return in_flight_; }
  [[nodiscard]] uint64_t flits() const { return flits_; }
  [[nodiscard]] uint64_t packets() const { return packets_; }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  struct Arrival {
    uint64_t when = 0;
    Packet packet;
  };
  void serve(uint32_t destination);
  [[nodiscard]] Fifo<Packet>& waiting(uint32_t source, uint32_t destination) {
    return waiting_[destination * queued_.size() + source];
  }

  uint32_t queue_;
  uint32_t latency_;
  uint64_t cycle_ = 0;
  uint64_t in_flight_ = 0;
  uint64_t flits_ = 0;
  uint64_t packets_ = 0;
  std::vector<Fifo<Packet>> waiting_;    // by destination, then source
  std::vector<uint32_t> queued_;         // packets of a source
  std::vector<uint32_t> waiting_count_;  // packets for a destination
  std::vector<uint32_t> next_;           // source that is served next
  std::vector<uint64_t> source_free_;
  std::vector<uint64_t> destination_free_;
  std::vector<uint64_t> ready_;  // by destination: before, no packet can be sent to it
  std::vector<Fifo<Arrival>> arrivals_;
  std::vector<uint64_t> next_arrival_;  // of each destination; kNever: none is on its way
};

}  // namespace bobbin::sim
