// SPDX-License-Identifier: Apache-2.0
// One direction of the crossbar: packets of flits from sources to destinations, one flit per port and cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine.hpp"
#include "sim/slot_set.hpp"

namespace bobbin::sim {

class Crossbar {
 public:
  // `longest` is the most flits of a packet.
  Crossbar(uint32_t sources, uint32_t destinations, uint32_t queue, uint32_t latency, uint32_t longest);

  [[nodiscard]] bool can_send(uint32_t source) const { return queued_[source] < queue_; }
  void send(uint32_t source, uint32_t destination, const Packet& packet);
  // One cycle: each free output takes the next packet in turn from a free input.
  void tick() {
    ++cycle_;
    if (in_flight_ == 0) {
      return;
    }
    PortSet& now = arriving_[cycle_ & (arriving_.size() - 1)];
    arrived_ = arrived_ | now;
    now = {};
    if ((waits_ - busy_).any() || next_free_ <= cycle_) {
      serve();
    }
  }
  // Destinations that have a packet to receive.
  [[nodiscard]] const PortSet& arrived() const { return arrived_; }
  [[nodiscard]] bool has_arrived(uint32_t destination) const { return arrived_.has(destination); }
  [[nodiscard]] Packet receive(uint32_t destination) {
    Fifo<Arrival>& arrivals = arrivals_[destination];
    const Packet packet = arrivals.front().packet;
    arrivals.pop();
    if (arrivals.empty() || arrivals.front().when > cycle_) {
      arrived_.clear(destination);
    }
    --in_flight_;
    return packet;
  }
  [[nodiscard]] uint64_t in_flight() const { return in_flight_; }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  struct Arrival {
    uint64_t when = 0;
    Packet packet;
  };
  // A packet that waits, and the one after it from the same source to the same destination.
  struct Waiting {
    Packet packet;
    uint32_t next = kNone;
  };
  struct Queue {
    uint32_t first = kNone;
    uint32_t last = kNone;
  };
  void serve();
  void release_sources();
  [[nodiscard]] uint32_t new_packet();
  void transfer(uint32_t source, uint32_t destination);
  [[nodiscard]] Queue& queue(uint32_t source, uint32_t destination) {
    return queues_[destination * queued_.size() + source];
  }

  uint32_t queue_;
  uint32_t latency_;
  uint64_t cycle_ = 0;
  uint64_t in_flight_ = 0;
  std::vector<Queue> queues_;  // by destination, then source
  std::vector<Waiting> packets_;
  uint32_t free_ = kNone;         // the first of those that are not in use
  std::vector<uint32_t> queued_;  // packets of a source
  std::vector<PortSet> wanted_;   // by source: destinations of its packets
  std::vector<PortSet> wanting_;  // by destination: sources of packets for it
  PortSet waits_;                 // sources with packets
  PortSet busy_;                  // sources that were sending when last looked at
  uint64_t next_free_ = kNever;   // when the first of them may be free
  std::vector<uint32_t> next_;    // by destination: source that is served next
  std::vector<uint64_t> source_free_;
  std::vector<uint64_t> destination_free_;
  std::vector<Fifo<Arrival>> arrivals_;
  std::vector<PortSet> arriving_;  // destinations, by cycle
  PortSet arrived_;
};

}  // namespace bobbin::sim
