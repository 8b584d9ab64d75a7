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
      sources_(sources),
      destinations_(destinations),
      queues_(static_cast<size_t>(sources) * destinations),
      arriving_(std::bit_ceil(latency + longest)) {}

uint32_t Crossbar::new_packet() {
  if (free_ == kNone) {
    packets_.emplace_back();
    return static_cast<uint32_t>(packets_.size() - 1);
  }
  return std::exchange(free_, packets_[free_].next);
}

void Crossbar::append(Queue& queue, uint32_t id) {
  packets_[id].next = kNone;
  (queue.first == kNone ? queue.first : packets_[queue.last].next) = id;
  queue.last = id;
}

void Crossbar::send(uint32_t source, uint32_t destination, const Packet& packet) {
  const uint32_t id = new_packet();
  packets_[id].packet = packet;
  append(queues_[destination * sources_.size() + source], id);
  ++in_flight_;
  Source& from = sources_[source];
  ++from.queued;
  from.wanted.set(destination);
  destinations_[destination].wanting.set(source);
  if (!busy_.has(source)) {
    idle_.set(source);
  }
}

Packet Crossbar::receive(uint32_t destination) {
  Destination& to = destinations_[destination];
  const uint32_t id = to.coming.first;
  to.coming.first = packets_[id].next;
  packets_[id].next = std::exchange(free_, id);
  --to.arrivals;
  --in_flight_;
  if (to.coming.first == kNone || packets_[to.coming.first].arrives > cycle_) {
    arrived_.clear(destination);
  }
  return packets_[id].packet;
}

void Crossbar::release_sources() {
  next_free_ = kNever;
  busy_.for_each([&](uint32_t source) {
    const Source& from = sources_[source];
    if (from.free_at > cycle_) {
      next_free_ = std::min(next_free_, from.free_at);
      return;
    }
    busy_.clear(source);
    if (from.queued != 0) {
      idle_.set(source);
    }
  });
}

// Destinations are looked at in order, but only for sources that are free: one whose packets all come from
// busy sources costs nothing.
void Crossbar::serve() {
  PortSet left;
  idle_.for_each([&](uint32_t source) { left = left | sources_[source].wanted; });
  while (left.any()) {
    const uint32_t destination = left.first();
    left.clear(destination);
    const Destination& to = destinations_[destination];
    // Arrived packets that nobody takes hold up the rest.
    if (to.free_at > cycle_ || to.arrivals >= queue_ + latency_) {
      continue;
    }
    if (const PortSet sources = to.wanting & idle_; sources.any()) {
      transfer(sources.next(to.next), destination);
      if (!idle_.any()) {
        return;
      }
    }
  }
}

void Crossbar::transfer(uint32_t source, uint32_t destination) {
  Source& from = sources_[source];
  Destination& to = destinations_[destination];
  Queue& queue = queues_[destination * sources_.size() + source];
  const uint32_t id = queue.first;
  Waiting& sent = packets_[id];
  queue.first = sent.next;
  append(to.coming, id);
  if (queue.first == kNone) {
    from.wanted.clear(destination);
    to.wanting.clear(source);
  }
  --from.queued;
  idle_.clear(source);
  busy_.set(source);
  const uint64_t end = cycle_ + sent.packet.flits;
  from.free_at = end;
  to.free_at = end;
  next_free_ = std::min(next_free_, end);
  sent.arrives = end - 1 + latency_;
  arriving_[sent.arrives & (arriving_.size() - 1)].set(destination);
  ++to.arrivals;
  to.next = source + 1 < sources_.size() ? source + 1 : 0;
}

}  // namespace bobbin::sim
