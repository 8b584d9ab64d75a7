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

  [[nodiscard]] bool can_send(uint32_t source) const { return sources_[source].queued < queue_; }
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
    if (next_free_ <= cycle_) {
      release_sources();
    }
    if (idle_.any()) {
      serve();
    }
  }
  // Destinations that have a packet to receive.
  [[nodiscard]] const PortSet& arrived() const { return arrived_; }
  [[nodiscard]] bool has_arrived(uint32_t destination) const { return arrived_.has(destination); }
  [[nodiscard]] Packet receive(uint32_t destination);
  [[nodiscard]] uint64_t in_flight() const { return in_flight_; }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  // A packet that waits to be sent or received. Until it is sent, `next` is the one after it from the same
  // source to the same destination; then, to the same destination.
  struct Waiting {
    Packet packet;
    uint32_t next = kNone;
    uint64_t arrives = 0;
  };
  struct Queue {
    uint32_t first = kNone;
    uint32_t last = kNone;
  };
  struct Source {
    uint64_t free_at = 0;
    uint32_t queued = 0;
    PortSet wanted;  // destinations of its packets
  };
  struct Destination {
    uint64_t free_at = 0;
    uint32_t next = 0;      // source that is served next
    uint32_t arrivals = 0;  // packets on their way or arrived
    Queue coming;
    PortSet wanting;  // sources of packets for it
  };
  void append(Queue& queue, uint32_t id);
  void serve();
  void release_sources();
  void transfer(uint32_t source, uint32_t destination);
  [[nodiscard]] uint32_t new_packet();

  uint32_t queue_;
  uint32_t latency_;
  uint64_t cycle_ = 0;
  uint64_t in_flight_ = 0;
  std::vector<Source> sources_;
  std::vector<Destination> destinations_;
  std::vector<Queue> queues_;  // by destination, then source
  std::vector<Waiting> packets_;
  uint32_t free_ = kNone;          // the first of those that are not in use
  PortSet idle_;                   // sources with packets that do not send
  PortSet busy_;                   // sources that send
  uint64_t next_free_ = kNever;    // when the first of them has sent its packet
  std::vector<PortSet> arriving_;  // destinations, by cycle
  PortSet arrived_;
};

}  // namespace bobbin::sim
