// SPDX-License-Identifier: Apache-2.0
#include "sim/store_buffer.hpp"

#include <algorithm>

#include "sim/byte_mask.hpp"
#include "sim/sm.hpp"

namespace bobbin::sim {
namespace {

// A partial write carries the bursts that it touches.
[[nodiscard]] uint32_t bytes_sent(const Payload& payload) {
  static_assert(kBurstBytes == 32);
  uint32_t bytes = 0;
  for (const uint64_t word : words_of(payload.mask)) {
    bytes += (word & 0xffff'ffff) != 0 ? kBurstBytes : 0;
    bytes += word >> 32 != 0 ? kBurstBytes : 0;
  }
  return bytes;
}

}  // namespace

StoreBuffer::StoreBuffer(Machine& machine, Sm& sm, uint32_t number, Crossbar& requests)
    : machine_(machine),
      sm_(sm),
      number_(number),
      requests_(requests),
      entries_(machine.config.store_lines + machine.config.store_copies),
      lines_(machine.config.store_lines),
      random_(machine.options.seed * 1000 + number) {}

uint32_t StoreBuffer::begin_launch(uint32_t spare_bytes) {
  flushing_ = false;
  const Config& config = machine_.config;
  // Dedicated logic has a buffer of its own.
  if (!machine_.traits.assists || config.store_in_l1 != 0 || config.caba_free != 0) {
    return 0;
  }
  lines_ = std::min(config.store_lines, spare_bytes / kLineBytes);
  return lines_ * kLineBytes;
}

uint32_t StoreBuffer::find(uint64_t line) const {
  for (uint32_t i = 0; used_ != 0 && i < entries_.size(); ++i) {
    if (entries_[i].used && entries_[i].line == line) {
      return i;
    }
  }
  return kNone;
}

bool StoreBuffer::overflows() {
  const uint32_t rate = machine_.options.overflow_per_thousand;
  return rate != 0 && random_() % 1000 < rate;
}

void StoreBuffer::transmit(uint64_t line, const Payload& payload, uint32_t tag) {
  Packet packet;
  packet.kind = PacketKind::write;
  packet.sm = static_cast<uint16_t>(number_);
  packet.payload = machine_.payloads.take();
  packet.tag = tag;
  packet.line = line;
  machine_.payloads[packet.payload] = payload;
  const bool whole = payload.expands || payload.mask.all();
  packet.flits = static_cast<uint16_t>(payload.has_image ? machine_.line_flits(payload.image.size)
                                       : whole           ? machine_.line_flits(kLineBytes)
                                                         : machine_.flits(bytes_sent(payload)));
  requests_.send(number_, machine_.channel_of(line), packet);
  machine_.counters.request_flits += packet.flits;
  ++machine_.counters.request_packets;
  ++machine_.progress;
}

bool StoreBuffer::send_directly(uint64_t line, const Payload& payload) {
  if (!requests_.can_send(number_)) {
    return false;
  }
  transmit(line, payload, kNone);
  return true;
}

void StoreBuffer::set_state(uint32_t id, State state) {
  Entry& entry = entries_[id];
  ready_ -= entry.state == State::ready ? 1 : 0;
  ready_ += state == State::ready ? 1 : 0;
  entry.state = state;
}

void StoreBuffer::release(uint32_t id) {
  set_state(id, State::pending);
  entries_[id].used = false;
  --used_;
  whole_ -= entries_[id].whole ? 1 : 0;
}

bool StoreBuffer::store(uint64_t line, const ParentWarp& parent, Payload& payload) {
  const Traits& traits = machine_.traits;
  if (!traits.compressed_l2 || !machine_.stored.is_compressible(line)) {
    return send_directly(line, payload);
  }
  const bool whole = payload.mask.all();
  if (traits.absorbs) {
    if (whole && !payload.has_image) {
      payload.image = compress_line(payload.bytes, traits.algorithm, machine_.config.caba_first_base != 0);
      payload.has_image = true;
    }
    return send_directly(line, payload);
  }
  if (const uint32_t id = find(line); id != kNone) {
    return merge(id, payload);
  }
  if (whole && traits.assists && overflows()) {
    machine_.counters.store_overflows += requests_.can_send(number_) ? 1 : 0;
    return send_directly(line, payload);
  }
  const uint32_t id = free_entry(whole);
  if (id == kNone) {
    machine_.counters.store_overflows += whole && requests_.can_send(number_) ? 1 : 0;
    return whole && send_directly(line, payload);
  }
  Entry& entry = entries_[id];
  entry = {};
  entry.line = line;
  entry.used = true;
  entry.whole = whole;
  whole_ += whole ? 1 : 0;
  entry.parent = parent;
  entry.payload = payload;
  ++used_;
  settle(id);
  return true;
}

// A free entry. If lines to be compressed have none left, the first one that waits is sent raw.
uint32_t StoreBuffer::free_entry(bool whole) {
  const Config& config = machine_.config;
  const bool has_room = whole ? whole_ < lines_ : used_ - whole_ < config.store_copies;
  for (uint32_t i = 0; has_room && i < entries_.size(); ++i) {
    if (!entries_[i].used) {
      return i;
    }
  }
  for (uint32_t i = 0; whole && i < entries_.size() && requests_.can_send(number_); ++i) {
    Entry& entry = entries_[i];
    const bool waits = entry.used && entry.whole && entry.state == State::pending;
    if (waits && sm_.withdraw_compression(i)) {
      ++machine_.counters.store_overflows;
      transmit(entry.line, entry.payload, kNone);
      release(i);
      return i;
    }
  }
  return kNone;
}

// What happens next to an entry with new contents.
void StoreBuffer::settle(uint32_t id) {
  Entry& entry = entries_[id];
  const bool whole = entry.payload.expands || entry.payload.mask.all();
  entry.payload.has_image = false;
  // A line that a partial write met compressed goes back raw: the next one finds what it expects.
  const bool stays_raw = flushing_ || (entry.payload.expands && machine_.config.store_recompress == 0);
  if (!whole || stays_raw) {
    entry.ready_at = machine_.now + machine_.config.store_wait;
    set_state(id, State::ready);
  } else if (machine_.traits.assists) {
    set_state(id, State::pending);
    sm_.want_compression(id, entry.parent);
  } else {
    compress_by_logic(id);
  }
}

void StoreBuffer::compress_by_logic(uint32_t id) {
  Entry& entry = entries_[id];
  entry.payload.image =
      compress_line(entry.payload.bytes, machine_.traits.algorithm, machine_.config.caba_first_base != 0);
  entry.payload.has_image = true;
  entry.ready_at = machine_.now + machine_.traits.compress;
  ++machine_.counters.compressions;
  machine_.counters.compressions_failed += entry.payload.image.code == kRawCode ? 1 : 0;
  set_state(id, State::ready);
}

// More bytes for a line that is here. If it is on its way they follow it; L2 takes them in order.
bool StoreBuffer::merge(uint32_t id, const Payload& payload) {
  Entry& entry = entries_[id];
  const bool follows = entry.state == State::waiting;
  if (follows && !requests_.can_send(number_)) {
    return false;
  }
  overlay(entry.payload.bytes.data(), payload.bytes.data(), payload.mask);
  entry.payload.mask |= payload.mask;
  if (follows) {
    transmit(entry.line, payload, payload.mask.all() ? kNone : id);
    entry.unanswered += payload.mask.all() ? 0 : 1;
  } else if (entry.state == State::compressing) {
    sm_.kill_compression(id);  // which gives up, and the line is settled again
  } else if (entry.state == State::ready) {
    settle(id);
  }
  return true;
}

void StoreBuffer::give_up(uint32_t id) {
  settle(id);
}

void StoreBuffer::compressed(uint32_t id, const LineImage& image) {
  Entry& entry = entries_[id];
  entry.payload.image = image;
  entry.payload.has_image = image.code != kRawCode;
  ++machine_.counters.compressions;
  machine_.counters.compressions_failed += image.code == kRawCode ? 1 : 0;
  set_state(id, State::ready);
}

void StoreBuffer::answered(const Packet& reply) {
  const uint32_t id = reply.tag;
  Entry& entry = entries_[id];
  if (reply.kind == PacketKind::write_fail) {
    if (entry.failed != kNone) {
      machine_.payloads.give_back(entry.failed);
    }
    entry.failed = reply.payload;
  }
  if (--entry.unanswered != 0) {
    return;
  }
  if (entry.failed == kNone) {
    release(id);
    return;
  }
  set_state(id, State::expanding);
  sm_.expand(id, entry.parent, std::exchange(entry.failed, kNone));
}

void StoreBuffer::expanded(uint32_t id, const LineBytes& line, uint32_t version) {
  Entry& entry = entries_[id];
  LineBytes merged = line;
  overlay(merged.data(), entry.payload.bytes.data(), entry.payload.mask);
  entry.payload.bytes = merged;
  entry.payload.expands = true;
  entry.payload.version = version;
  settle(id);
}

void StoreBuffer::flush() {
  flushing_ = true;
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.used && entry.state == State::pending && sm_.withdraw_compression(i)) {
      settle(i);
    } else if (entry.used && entry.state == State::compressing) {
      sm_.kill_compression(i);
    }
  }
}

void StoreBuffer::tick() {
  if (ready_ == 0 || !requests_.can_send(number_)) {
    return;
  }
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    const auto id = static_cast<uint32_t>((next_ + i) % entries_.size());
    Entry& entry = entries_[id];
    if (!entry.used || entry.state != State::ready || entry.ready_at > machine_.now) {
      continue;
    }
    const bool is_answered = entry.payload.expands || !entry.payload.mask.all();
    transmit(entry.line, entry.payload, is_answered ? id : kNone);
    if (is_answered) {
      set_state(id, State::waiting);
      entry.unanswered = 1;
    } else {
      release(id);
    }
    next_ = id + 1;
    return;
  }
}

}  // namespace bobbin::sim
