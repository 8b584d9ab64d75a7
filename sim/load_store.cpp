// SPDX-License-Identifier: Apache-2.0
#include "sim/load_store.hpp"

#include <algorithm>

#include "sim/sm.hpp"

namespace bobbin::sim {
namespace {

// Lines that wait to be compressed may take sets of the L1.
[[nodiscard]] uint32_t l1_lines(const Machine& machine) {
  const Config& config = machine.config;
  const bool shares = machine.traits.assists && config.store_in_l1 != 0 && config.caba_free == 0;
  return config.l1_bytes / kLineBytes - (shares ? config.store_lines : 0);
}

[[nodiscard]] uint32_t l1_tags(const Machine& machine) {
  return machine.traits.assists ? machine.config.caba_l1_tags : 1;
}

}  // namespace

LoadStore::LoadStore(Machine& machine, Sm& sm, uint32_t number, Crossbar& requests)
    : machine_(machine),
      sm_(sm),
      number_(number),
      requests_(requests),
      l1_(l1_lines(machine), machine.config.l1_ways, l1_tags(machine)),
      mshrs_(machine.config.l1_mshrs) {
  buckets_.fill(kNone);
  for (uint32_t id = machine.config.l1_mshrs; id > 0; --id) {
    free_mshrs_.push_back(id - 1);
  }
}

LoadStore::Mshr* LoadStore::find_mshr(uint64_t line) {
  for (uint32_t id = bucket_of(line); id != kNone; id = mshrs_[id].next) {
    if (mshrs_[id].line == line) {
      return &mshrs_[id];
    }
  }
  return nullptr;
}

// Lines that are being expanded keep their entry without counting as an MSHR: there can be more of them.
uint32_t LoadStore::new_mshr(uint64_t line) {
  if (free_mshrs_.empty()) {
    free_mshrs_.push_back(static_cast<uint32_t>(mshrs_.size()));
    mshrs_.emplace_back();
  }
  const uint32_t id = free_mshrs_.back();
  free_mshrs_.pop_back();
  mshrs_[id].line = line;
  mshrs_[id].next = std::exchange(bucket_of(line), id);
  ++mshrs_used_;
  return id;
}

void LoadStore::free_mshr(uint32_t id) {
  uint32_t* at = &bucket_of(mshrs_[id].line);
  while (*at != id) {
    at = &mshrs_[*at].next;
  }
  *at = mshrs_[id].next;
  (mshrs_[id].expanding ? expanding_ : mshrs_used_) -= 1;
  free_mshrs_.push_back(id);
}

void LoadStore::add(const Instruction& instruction, const MemoryOperands* operands, const Owner& owner,
                    const ParentWarp& parent) {
  Access access;
  access.op = instruction.op;
  access.owner = owner;
  access.parent = parent;
  const bool is_shared = instruction.op == Op::shared_load || instruction.op == Op::shared_store;
  if (is_shared) {
    // Instructions of routines have no addresses: they touch each bank once.
    access.cycles =
        operands == nullptr ? 1 : bank_conflicts(instruction, *operands, machine_.config.sm_shared_banks);
  } else if (operands != nullptr) {
    access.lines = coalesce(instruction, *operands);
  }
  if (instruction.op == Op::load || instruction.op == Op::atomic) {
    access.load = loads_.take();
    loads_[access.load] = {owner, parent, access.lines.count};
  }
  if (instruction.op == Op::store || instruction.op == Op::atomic) {
    for (uint32_t i = 0; i < access.lines.count; ++i) {
      access.payloads[i] = machine_.payloads.take();
      machine_.payloads[access.payloads[i]].clear();
      collect_bytes(instruction, *operands, access.lines.lanes[i], machine_.payloads[access.payloads[i]]);
    }
  }
  (owner.is_low ? low_queue_ : owner.is_assist ? assist_queue_ : queue_).push(access);
}

void LoadStore::tick() {
  if (!serve(assist_queue_) && (blocked_ || !serve(queue_))) {
    serve(low_queue_);
  }
  // It would be found in the next cycle: now the SM can sleep.
  if (mshrs_used_ == machine_.config.l1_mshrs && !blocked_ && !queue_.empty()) {
    blocked_ = must_wait(queue_.front());
  }
}

// Whether a load needs an MSHR, or room in one, while there is none.
bool LoadStore::must_wait(const Access& access) {
  if (access.op != Op::load || access.lines.count == 0) {
    return false;
  }
  const uint64_t line = access.lines.line[access.next];
  if (l1_.find(line, false) != nullptr) {
    return false;
  }
  const Mshr* mshr = find_mshr(line);
  return mshr == nullptr || mshr->loads.size() >= machine_.config.l1_merges;
}

bool LoadStore::serve(Fifo<Access>& queue) {
  if (queue.empty()) {
    return false;
  }
  Access& access = queue.front();
  const uint32_t next = access.next;
  const uint32_t cycles = access.cycles;
  const bool ended = step(access);
  const bool moved = ended || access.next != next || access.cycles != cycles;
  if (ended) {
    queue.pop();
    sm_.load_store_freed();
  }
  return moved;
}

// One cycle of the instruction at the head: one line, or one access to the banks of shared memory. True at
// its end.
bool LoadStore::step(Access& access) {
  const Config& config = machine_.config;
  switch (access.op) {
    case Op::shared_load:
    case Op::shared_store:
      if (--access.cycles != 0) {
        return false;
      }
      sm_.write_back_after(access.owner, config.sm_shared_latency);
      return true;
    case Op::line_load:
      ++machine_.counters.l1_routine_accesses;
      sm_.write_back_after(access.owner, config.l1_latency);
      return true;
    case Op::line_store:
      ++machine_.counters.l1_routine_accesses;
      sm_.write_back_after(access.owner, 1);
      return true;
    default:
      break;
  }
  if (access.lines.count == 0) {  // no active lane
    if (access.load != kNone) {
      loads_.give_back(access.load);
      sm_.write_back_after(access.owner, 1);
    }
    return true;
  }
  const uint64_t line = access.lines.line[access.next];
  bool done = false;
  if (access.op == Op::load) {
    done = load_line(line, access.load, access.parent);
  } else if (access.op == Op::prefetch) {
    done = prefetch_line(line, access.parent);
  } else if (access.op == Op::atomic) {
    done = atomic_line(access);
  } else {
    done = sm_.stores().store(line, access.parent, machine_.payloads[access.payloads[access.next]]);
    if (done) {
      machine_.payloads.give_back(access.payloads[access.next]);
      ++machine_.counters.l1_stores;
      if (CacheLine* tag = l1_.find(line, false); tag != nullptr) {
        l1_.drop(*tag);  // written through, not kept
      }
    }
  }
  machine_.progress += done ? 1 : 0;
  access.next += done ? 1 : 0;
  const bool is_last = access.next == access.lines.count;
  if (is_last && access.op == Op::prefetch) {
    sm_.write_back_after(access.owner, 1);
  }
  return is_last;
}

bool LoadStore::load_line(uint64_t line, uint32_t load, const ParentWarp& parent) {
  CacheLine* tag = l1_.find(line);
  if (tag != nullptr) {
    return hit(*tag, line, load, parent);
  }
  if (Mshr* mshr = find_mshr(line); mshr != nullptr) {
    if (mshr->loads.size() >= machine_.config.l1_merges) {
      blocked_ = true;
      return false;
    }
    mshr->loads.push_back(load);
    machine_.counters.prefetch_hits += mshr->is_prefetch ? 1 : 0;
    mshr->is_prefetch = false;
    ++machine_.counters.l1_loads;
    ++machine_.counters.l1_load_merges;
    return true;
  }
  if (!request_line(line, load, parent, false)) {
    blocked_ = mshrs_used_ == machine_.config.l1_mshrs;
    return false;
  }
  ++machine_.counters.l1_loads;
  return true;
}

bool LoadStore::hit(CacheLine& tag, uint64_t line, uint32_t load, const ParentWarp& parent) {
  ++machine_.counters.l1_loads;
  ++machine_.counters.l1_load_hits;
  machine_.counters.prefetch_hits += tag.prefetched ? 1 : 0;
  tag.prefetched = false;
  if (!tag.compressed || !machine_.stored.is_compressed(line)) {
    sm_.line_after(load, machine_.config.l1_latency);
    return true;
  }
  if (extracts()) {
    ++machine_.counters.decompressions;
    sm_.line_after(load, machine_.config.l1_latency + machine_.config.hw_decompress);
    return true;
  }
  const uint32_t payload = machine_.payloads.take();
  machine_.payloads[payload].image = machine_.stored.image(line);
  sm_.trigger({.kind = Trigger::Kind::hit, .parent = parent, .tag = load, .payload = payload, .line = line});
  return true;
}

void LoadStore::send(PacketKind kind, uint64_t line, uint32_t flits, uint32_t payload, uint32_t tag) {
  Packet packet;
  packet.kind = kind;
  packet.sm = static_cast<uint16_t>(number_);
  packet.flits = static_cast<uint16_t>(flits);
  packet.payload = payload;
  packet.tag = tag;
  packet.line = line;
  requests_.send(number_, machine_.channel_of(line), packet);
  machine_.counters.request_flits += flits;
  ++machine_.counters.request_packets;
}

bool LoadStore::request_line(uint64_t line, uint32_t load, const ParentWarp& parent, bool is_prefetch) {
  if (mshrs_used_ == machine_.config.l1_mshrs || !requests_.can_send(number_)) {
    return false;
  }
  const uint32_t id = new_mshr(line);
  Mshr& mshr = mshrs_[id];
  mshr.expanding = false;
  mshr.parent = parent;
  mshr.is_prefetch = is_prefetch;
  mshr.compressed_segments = 0;
  if (!is_prefetch) {
    mshr.loads.push_back(load);
  }
  send(PacketKind::read, line, 1, kNone, id);
  return true;
}

// A prefetch that finds no room is dropped.
bool LoadStore::prefetch_line(uint64_t line, const ParentWarp& parent) {
  const bool wanted =
      line < machine_.memory.num_lines() && l1_.find(line, false) == nullptr && find_mshr(line) == nullptr;
  if (wanted && mshrs_used_ + machine_.config.prefetch_mshrs < machine_.config.l1_mshrs &&
      request_line(line, kNone, parent, true)) {
    ++machine_.counters.prefetches;
  }
  return true;
}

bool LoadStore::atomic_line(Access& access) {
  if (!requests_.can_send(number_)) {
    return false;
  }
  const uint32_t payload = access.payloads[access.next];
  const auto bytes = static_cast<uint32_t>(machine_.payloads[payload].mask.count());
  send(PacketKind::atomic, access.lines.line[access.next], machine_.flits(bytes), payload, access.load);
  ++machine_.counters.atomics;
  return true;
}

void LoadStore::line_arrived(uint32_t load) {
  if (--loads_[load].left == 0) {
    const Owner owner = loads_[load].owner;
    loads_.give_back(load);
    sm_.write_back(owner);
  }
}

void LoadStore::received(const Packet& reply) {
  ++machine_.progress;
  if (reply.kind == PacketKind::fill) {
    filled(reply);
  } else if (reply.kind == PacketKind::atomic_done) {
    line_arrived(reply.tag);
  } else {
    sm_.stores().answered(reply);
  }
}

void LoadStore::filled(const Packet& reply) {
  Mshr& mshr = mshrs_[reply.tag];
  ++machine_.counters.l1_fills;
  blocked_ = false;
  if (!reply.compressed) {
    finish_fill(reply.tag);
    return;
  }
  mshr.compressed_segments = keeps_compressed() && machine_.traits.assists
                                 ? bursts_of(machine_.payloads[reply.payload].image.size)
                                 : 0;
  if (machine_.traits.assists && !extracts()) {
    mshr.expanding = true;
    --mshrs_used_;
    ++expanding_;
    sm_.trigger({.kind = Trigger::Kind::fill,
                 .parent = mshr.parent,
                 .tag = reply.tag,
                 .payload = reply.payload,
                 .line = reply.line});
    return;
  }
  machine_.payloads.give_back(reply.payload);
  ++machine_.counters.decompressions;
  const uint32_t cycles = extracts() ? machine_.config.hw_decompress : machine_.traits.decompress;
  if (cycles == 0) {
    fill_expanded(reply.tag);
  } else {
    sm_.fill_after(reply.tag, cycles);
  }
}

void LoadStore::fill_expanded(uint32_t mshr) {
  if (machine_.config.caba_raw_l2 != 0 && requests_.can_send(number_)) {
    send(PacketKind::keep_raw, mshrs_[mshr].line, machine_.line_flits(kLineBytes), kNone, 0);
  }
  finish_fill(mshr);
}

void LoadStore::insert(uint64_t line, uint32_t compressed_segments, bool prefetched) {
  // Only more tags make a compressed line take less room.
  const bool packs = compressed_segments != 0 && machine_.config.caba_l1_tags > 1;
  const uint32_t segments = packs ? compressed_segments : kLineBursts;
  const Cache::Place place = l1_.place_for(line, segments);
  for (CacheLine* victim : *place.victims) {
    l1_.drop(*victim);
    ++machine_.counters.l1_evictions;
  }
  l1_.fill(*place.tag, line, segments);
  place.tag->compressed = compressed_segments != 0;
  place.tag->prefetched = prefetched;
}

void LoadStore::finish_fill(uint32_t id) {
  Mshr& mshr = mshrs_[id];
  insert(mshr.line, mshr.compressed_segments, mshr.is_prefetch);
  free_mshr(id);
  blocked_ = false;
  for (const uint32_t load : mshr.loads) {
    line_arrived(load);
  }
  mshr.loads.clear();
}

}  // namespace bobbin::sim
