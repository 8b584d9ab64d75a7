// SPDX-License-Identifier: Apache-2.0
#include "sim/crossbar.hpp"

#include <algorithm>

namespace bobbin::sim {

Crossbar::Crossbar(uint32_t sources, uint32_t destinations, uint32_t queue, uint32_t latency)
    : queue_(queue),
      latency_(latency),
      waiting_(static_cast<size_t>(sources) * destinations),
      queued_(sources),
      waiting_count_(destinations),
      next_(destinations),
      source_free_(sources),
      destination_free_(destinations),
      ready_(destinations, kNever),
      arrivals_(destinations),
      next_arrival_(destinations, kNever) {}

void Crossbar::send(uint32_t source, uint32_t destination, const Packet& packet) {
  waiting(source, destination).push(packet);
  ++queued_[source];
  ++waiting_count_[destination];
  ++in_flight_;
  ready_[destination] = destination_free_[destination];
}

void Crossbar::tick() {
  ++cycle_;
  if (in_flight_ == 0) {
    return;
  }
  for (uint32_t destination = 0; destination < ready_.size(); ++destination) {
    // Arrived packets that nobody takes hold up the rest.
    if (ready_[destination] <= cycle_ && arrivals_[destination].size() < queue_ + latency_) {
      serve(destination);
    }
  }
}

void Crossbar::serve(uint32_t destination) {
  const auto sources = static_cast<uint32_t>(queued_.size());
  uint64_t ready = kNever;
  for (uint32_t i = 0; i < sources; ++i) {
    const uint32_t source =
        next_[destination] + i < sources ? next_[destination] + i : next_[destination] + i - sources;
    Fifo<Packet>& packets = waiting(source, destination);
    if (packets.empty() || source_free_[source] > cycle_) {
      ready = packets.empty() ? ready : std::min(ready, source_free_[source]);
      continue;
    }
    const Packet packet = packets.front();
    packets.pop();
    --queued_[source];
    --waiting_count_[destination];
    source_free_[source] = cycle_ + packet.flits;
    destination_free_[destination] = cycle_ + packet.flits;
    ready_[destination] = waiting_count_[destination] == 0 ? kNever : destination_free_[destination];
    const uint64_t when = cycle_ + packet.flits - 1 + latency_;
    next_arrival_[destination] = std::min(next_arrival_[destination], when);
    arrivals_[destination].push({when, packet});
    flits_ += packet.flits;
    ++packets_;
    next_[destination] = source + 1 < sources ? source + 1 : 0;
    return;
  }
  ready_[destination] = ready;
}

}  // namespace bobbin::sim
