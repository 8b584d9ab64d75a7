// SPDX-License-Identifier: Apache-2.0
#include "sim/crossbar.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace bobbin::sim {

Crossbar::Crossbar(uint32_t sources, uint32_t destinations, uint32_t queue, uint32_t latency,
                   uint32_t longest)
    : queue_(queue),
      latency_(latency),
      queues_(static_cast<size_t>(sources) * destinations),
      queued_(sources),
      wanted_(sources),
      wanting_(destinations),
      next_(destinations),
      source_free_(sources),
      destination_free_(destinations),
      arrivals_(destinations),
      arriving_(std::bit_ceil(latency + longest)) {}

uint32_t Crossbar::new_packet() {
  if (free_ == kNone) {
    packets_.emplace_back();
    return static_cast<uint32_t>(packets_.size() - 1);
  }
  return std::exchange(free_, packets_[free_].next);
}

void Crossbar::send(uint32_t source, uint32_t destination, const Packet& packet) {
  const uint32_t id = new_packet();
  packets_[id] = {packet, kNone};
  Queue& to = queue(source, destination);
  (to.first == kNone ? to.first : packets_[to.last].next) = id;
  to.last = id;
  ++queued_[source];
  ++in_flight_;
  waits_.set(source);
  wanted_[source].set(destination);
  wanting_[destination].set(source);
}

void Crossbar::release_sources() {
  next_free_ = kNever;
  busy_.for_each([&](uint32_t source) {
    if (source_free_[source] <= cycle_) {
      busy_.clear(source);
    } else {
      next_free_ = std::min(next_free_, source_free_[source]);
    }
  });
}

// Only free sources are looked at: a destination whose packets all come from busy ones costs nothing.
void Crossbar::serve() {
  if (next_free_ <= cycle_) {
    release_sources();
  }
  PortSet free = waits_ - busy_;
  PortSet candidates;
  free.for_each([&](uint32_t source) { candidates = candidates | wanted_[source]; });
  candidates.for_each([&](uint32_t destination) {
    // Arrived packets that nobody takes hold up the rest.
    if (destination_free_[destination] > cycle_ || arrivals_[destination].size() >= queue_ + latency_) {
      return;
    }
    const PortSet sources = wanting_[destination] & free;
    if (sources.any()) {
      const uint32_t source = sources.next(next_[destination]);
      free.clear(source);
      transfer(source, destination);
    }
  });
}

void Crossbar::transfer(uint32_t source, uint32_t destination) {
  Queue& from = queue(source, destination);
  const uint32_t id = from.first;
  const Packet packet = packets_[id].packet;
  from.first = packets_[id].next;
  packets_[id].next = std::exchange(free_, id);
  if (from.first == kNone) {
    wanted_[source].clear(destination);
    wanting_[destination].clear(source);
  }
  if (--queued_[source] == 0) {
    waits_.clear(source);
  }
  const uint64_t end = cycle_ + packet.flits;
  source_free_[source] = end;
  destination_free_[destination] = end;
  busy_.set(source);
  next_free_ = std::min(next_free_, end);
  const uint64_t when = end - 1 + latency_;
  arrivals_[destination].push({when, packet});
  arriving_[when & (arriving_.size() - 1)].set(destination);
  next_[destination] = source + 1 < queued_.size() ? source + 1 : 0;
}

}  // namespace bobbin::sim
