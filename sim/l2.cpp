// SPDX-License-Identifier: Apache-2.0
#include "sim/l2.hpp"

#include <algorithm>

#include "sim/byte_mask.hpp"

namespace bobbin::sim {

L2Slice::L2Slice(Machine& machine, uint32_t channel, Dram& dram, Crossbar& requests, Crossbar& replies)
    : machine_(machine),
      channel_(channel),
      dram_(dram),
      requests_(requests),
      replies_(replies),
      cache_(machine.config.l2_bytes / machine.config.dram_channels / kLineBytes, machine.config.l2_ways,
             machine.traits.compressed_l2 ? machine.config.caba_l2_tags : 1),
      mshrs_(machine.config.l2_mshrs) {
  for (uint32_t id = machine.config.l2_mshrs; id > 0; --id) {
    free_mshrs_.push_back(id - 1);
  }
}

void L2Slice::accept() {
  const size_t room = machine_.config.l2_latency + machine_.config.l2_queue;
  if (pipeline_.size() < room) {
    pipeline_.push({cycle_ + machine_.config.l2_latency, requests_.receive(channel_)});
  }
}

void L2Slice::send_reply() {
  const Packet& packet = replies_waiting_.front();
  replies_.send(channel_, packet.sm, packet);
  machine_.counters.reply_flits += packet.flits;
  ++machine_.counters.reply_packets;
  ++machine_.progress;
  replies_waiting_.pop();
}

void L2Slice::take_fill() {
  ++fills_;
  const uint64_t line = dram_.take_data();
  CacheLine* tag = cache_.find(machine_.local_of(line), false);
  tag->pending = false;
  tag->compressed = machine_.traits.compressed_l2 && machine_.stored.is_compressed(line);
  const uint32_t id = tag->mshr;
  for (const Packet& packet : mshrs_[id]) {
    // A write may have moved the line to another tag.
    serve(packet, *cache_.find(machine_.local_of(line), false));
  }
  mshrs_[id].clear();
  free_mshrs_.push_back(id);
}

bool L2Slice::is_whole_write(const Packet& packet) {
  if (packet.kind != PacketKind::write) {
    return false;
  }
  const Payload& payload = machine_.payloads[packet.payload];
  return !payload.expands && payload.mask.all();
}

// The packet at the head. It is refused while there is no room for its reply, its line, or its request to
// DRAM.
void L2Slice::process() {
  const uint64_t state = fills_ + dram_.ended();
  if (replies_waiting_.size() >= machine_.config.l2_queue || refused_at_ == state) {
    return;
  }
  if (!process(pipeline_.front().packet)) {
    refused_at_ = state;
    return;
  }
  refused_at_ = kNever;
  pipeline_.pop();
  ++machine_.progress;
}

bool L2Slice::process(const Packet& packet) {
  Counters& counters = machine_.counters;
  CacheLine* tag = cache_.find(machine_.local_of(packet.line));
  if (packet.kind == PacketKind::keep_raw) {
    if (tag != nullptr && !tag->pending) {
      tag->compressed = false;
    }
    return true;
  }
  if (tag != nullptr && tag->pending) {
    return join(packet, *tag);
  }
  if (tag == nullptr && !miss(packet)) {
    return false;
  }
  ++counters.l2_accesses;
  if (tag != nullptr) {
    ++counters.l2_hits;
    serve(packet, *tag);
  }
  return true;
}

bool L2Slice::join(const Packet& packet, const CacheLine& tag) {
  std::vector<Packet>& waiting = mshrs_[tag.mshr];
  if (waiting.size() >= machine_.config.l2_merges) {
    return false;
  }
  waiting.push_back(packet);
  ++machine_.counters.l2_accesses;
  ++machine_.counters.l2_merges;
  return true;
}

uint32_t L2Slice::segments_of(uint64_t line) const {
  const bool packs = machine_.config.caba_l2_tags > 1 && machine_.traits.compressed_l2;
  return packs ? machine_.stored.bursts(line) : kLineBursts;
}

// Evicts what must go; false if the lines cannot go now.
bool L2Slice::make_room(uint64_t line, CacheLine*& tag) {
  const Cache::Place place = cache_.place_for(machine_.local_of(line), segments_of(line));
  if (place.tag == nullptr) {
    return false;
  }
  // Tags hold the line's number within the channel.
  const auto whole = [&](uint64_t local) {
    const uint64_t chips = machine_.config.dram_chips;
    return (local / chips * machine_.config.dram_channels + channel_) * chips + local % chips;
  };
  for (const CacheLine* victim : *place.victims) {
    if (victim->dirty && !dram_.can_take(whole(victim->line))) {
      return false;
    }
  }
  for (CacheLine* victim : *place.victims) {
    if (victim->dirty) {
      const uint64_t victim_line = whole(victim->line);
      dram_.write(victim_line, machine_.stored.bursts(victim_line));
      ++machine_.counters.l2_writebacks;
    }
    cache_.drop(*victim);
  }
  tag = place.tag;
  return true;
}

bool L2Slice::miss(const Packet& packet) {
  CacheLine* tag = nullptr;
  if (is_whole_write(packet)) {
    if (!make_room(packet.line, tag)) {
      return false;
    }
    cache_.fill(*tag, machine_.local_of(packet.line), segments_of(packet.line));
    serve(packet, *tag);
    return true;
  }
  if (free_mshrs_.empty() || !dram_.can_take(packet.line) || !make_room(packet.line, tag)) {
    return false;
  }
  cache_.fill(*tag, machine_.local_of(packet.line), segments_of(packet.line));
  tag->pending = true;
  tag->mshr = free_mshrs_.back();
  free_mshrs_.pop_back();
  mshrs_[tag->mshr].push_back(packet);
  dram_.read(packet.line, machine_.stored.bursts(packet.line));
  return true;
}

void L2Slice::serve(const Packet& packet, CacheLine& tag) {
  if (packet.kind == PacketKind::read) {
    serve_read(packet, tag);
  } else if (packet.kind == PacketKind::write) {
    serve_write(packet, tag);
  } else {
    serve_atomic(packet, tag);
  }
}

uint32_t L2Slice::payload_of(uint64_t line) {
  const uint32_t id = machine_.payloads.take();
  machine_.payloads[id].image = machine_.stored.image(line);
  machine_.payloads[id].has_image = true;
  machine_.payloads[id].version = machine_.versions[line];
  return id;
}

void L2Slice::reply(const Packet& to, PacketKind kind, uint32_t flits, uint32_t payload, bool compressed) {
  Packet packet;
  packet.kind = kind;
  packet.compressed = compressed;
  packet.sm = to.sm;
  packet.flits = static_cast<uint16_t>(flits);
  packet.payload = payload;
  packet.tag = to.tag;
  packet.line = to.line;
  replies_waiting_.push(packet);
}

void L2Slice::serve_read(const Packet& packet, const CacheLine& tag) {
  const uint32_t size = tag.compressed ? machine_.stored.size(packet.line) : kLineBytes;
  reply(packet, PacketKind::fill, machine_.line_flits(size), tag.compressed ? payload_of(packet.line) : kNone,
        tag.compressed);
}

// The line has new contents in the stored image.
void L2Slice::changed(uint64_t line, CacheLine& tag) {
  ++machine_.versions[line];
  tag.dirty = true;
  tag.compressed = machine_.traits.compressed_l2 && machine_.stored.is_compressed(line);
  const uint32_t segments = segments_of(line);
  if (segments <= tag.segments) {
    tag.segments = static_cast<uint8_t>(segments);
    return;
  }
  // It no longer fits where it was: others go. If none can, the set is over its capacity until one does.
  CacheLine* other = nullptr;
  const CacheLine copy = tag;
  cache_.drop(tag);
  if (!make_room(line, other)) {
    other = &tag;
  }
  cache_.fill(*other, copy.line, segments);
  other->dirty = true;
  other->compressed = copy.compressed;
}

bool L2Slice::write_part(uint64_t line, const Payload& payload, bool held_raw) {
  StoredImage& stored = machine_.stored;
  ++machine_.counters.partial_writes;
  if (machine_.traits.absorbs || held_raw) {
    LineBytes bytes = stored.decoded(line);
    overlay(bytes.data(), payload.bytes.data(), payload.mask);
    const bool compresses = machine_.traits.absorbs && stored.is_compressible(line);
    const Algorithm algorithm = compresses ? machine_.traits.algorithm : Algorithm::none;
    stored.write_image(line, compress_line(bytes, algorithm, machine_.config.caba_first_base != 0));
    return true;
  }
  if (stored.is_compressed(line)) {
    ++machine_.counters.partial_writes_wrong;
    return false;
  }
  stored.write_bytes(line, payload.bytes, payload.mask);
  return true;
}

void L2Slice::write_whole(uint64_t line, const Payload& payload) {
  StoredImage& stored = machine_.stored;
  if (payload.has_image) {
    stored.write_image(line, payload.image);
    return;
  }
  const bool compresses = machine_.traits.absorbs && stored.is_compressible(line);
  stored.write_image(line,
                     compress_line(payload.bytes, compresses ? machine_.traits.algorithm : Algorithm::none,
                                   machine_.config.caba_first_base != 0));
}

void L2Slice::serve_write(const Packet& packet, CacheLine& tag) {
  const uint32_t id = packet.payload;
  const bool answers = machine_.traits.compressed_l2 && !machine_.traits.absorbs &&
                       machine_.stored.is_compressible(packet.line);
  const bool whole = machine_.payloads[id].mask.all() || machine_.payloads[id].expands;
  const bool is_current =
      !machine_.payloads[id].expands || machine_.payloads[id].version == machine_.versions[packet.line];
  bool done = true;
  if (whole && is_current) {
    write_whole(packet.line, machine_.payloads[id]);
  } else {
    // The variant with a raw L2 has expanded the line already.
    const bool held_raw =
        machine_.stored.is_compressed(packet.line) && machine_.traits.compressed_l2 && !tag.compressed;
    done = write_part(packet.line, machine_.payloads[id], held_raw);
  }
  const bool asks = !machine_.payloads[id].mask.all() || machine_.payloads[id].expands;
  machine_.payloads.give_back(id);
  if (answers && asks) {
    const uint32_t size = machine_.stored.size(packet.line);
    reply(packet, done ? PacketKind::write_ok : PacketKind::write_fail, done ? 1 : machine_.line_flits(size),
          done ? kNone : payload_of(packet.line), false);
  }
  if (done) {
    changed(packet.line, tag);
  }
}

// Atomics work on raw lines. Memory already has the result, also of atomics that arrive later.
void L2Slice::serve_atomic(const Packet& packet, CacheLine& tag) {
  StoredImage& stored = machine_.stored;
  const ByteMask mask = machine_.payloads[packet.payload].mask;
  machine_.payloads.give_back(packet.payload);
  if (stored.is_compressed(packet.line)) {
    stored.write_image(packet.line, compress_line(stored.decoded(packet.line), Algorithm::none, false));
  }
  LineBytes bytes;
  std::ranges::copy(machine_.memory.line(packet.line), bytes.begin());
  stored.write_bytes(packet.line, bytes, mask);
  const auto data = static_cast<uint32_t>(mask.count());
  changed(packet.line, tag);
  reply(packet, PacketKind::atomic_done, machine_.flits(data), kNone, false);
}

}  // namespace bobbin::sim
