// SPDX-License-Identifier: Apache-2.0
// What all parts of the simulated machine share: settings, memory, counters, and the packets between SMs and
// L2.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/config.hpp"
#include "sim/memory.hpp"
#include "sim/result.hpp"
#include "sim/simulate.hpp"

namespace bobbin::sim {

// How designs differ.
struct Traits {
  Algorithm algorithm = Algorithm::none;  // of lines in DRAM
  bool compressed_l2 = false;             // L2 and crossbar carry compressed lines; SMs expand them
  bool assists = false;                   // by assist warps, otherwise by dedicated logic
  bool absorbs = false;                   // L2 merges partial writes into compressed lines by itself
  bool at_controller = false;             // dedicated logic is between L2 and DRAM, not at the SMs
  bool metadata = false;                  // the controller looks up how many bursts a line takes
  uint32_t decompress = 0;                // cycles of dedicated logic
  uint32_t compress = 0;
};

[[nodiscard]] Traits traits_of(Design design, const Config& config);

// A FIFO that keeps its memory.
template <class T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] size_t size() const { return last_ - first_; }
  [[nodiscard]] T& front() { return ring_[first_ & mask_]; }
  void pop() { ++first_; }
  void push(const T& value) {
    if (size() > mask_) {
      grow();
    }
    ring_[last_++ & mask_] = value;
  }

 private:
  void grow() {
    std::vector<T> larger(2 * ring_.size());
    for (size_t i = first_; i < last_; ++i) {
      larger[i & (larger.size() - 1)] = ring_[i & mask_];
    }
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
  }

  std::vector<T> ring_ = std::vector<T>(16);
  size_t mask_ = 15;  // of the ring: the size of an object need not be a power of two
  size_t first_ = 0;
  size_t last_ = 0;
};

// Objects by number, which stay where they are; freed ones are used again, with what they had.
template <class T>
class Pool {
 public:
  [[nodiscard]] uint32_t take() {
    if (free_.empty()) {
      objects_.emplace_back();
      return static_cast<uint32_t>(objects_.size() - 1);
    }
    const uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  void give_back(uint32_t id) { free_.push_back(id); }
  [[nodiscard]] T& operator[](uint32_t id) { return objects_[id]; }
  [[nodiscard]] size_t in_use() const { return objects_.size() - free_.size(); }

 private:
  std::deque<T> objects_;
  std::vector<uint32_t> free_;
};

inline constexpr uint32_t kNone = 0xffff'ffff;

// A warp of an SM. Slots are used again: the age says whether it is still the same warp.
struct ParentWarp {
  uint32_t slot = 0;
  uint64_t age = 0;
};

// The bytes that a packet carries.
struct Payload {
  LineBytes bytes{};
  ByteMask mask;    // of a write: which bytes are written
  LineImage image;  // of a fill, or of a write that is compressed
  bool has_image = false;
  // The write was made from this version of the line: it replaces all of it if the line has not changed
  // since.
  bool expands = false;
  uint32_t version = 0;

  // Becomes a write without bytes.
  void clear() {
    mask.reset();
    has_image = false;
    expands = false;
  }
};

enum class PacketKind : uint8_t {
  read,        // to L2
  write,       // to L2: raw bytes or an image
  atomic,      // to L2: bytes that memory has by then
  keep_raw,    // to L2: the raw copy of a line that L2 holds compressed
  fill,        // to an SM
  write_ok,    // to an SM: a partial write has been done
  write_fail,  // to an SM: the line is compressed; the image comes with it
  atomic_done,
};

struct Packet {
  PacketKind kind = PacketKind::read;
  bool compressed = false;  // of a fill
  uint16_t sm = 0;
  uint16_t flits = 1;
  uint32_t payload = kNone;
  uint32_t tag = 0;  // of the sender: comes back with the reply
  uint64_t line = 0;
};

struct Machine {
  const Config& config;
  const Traits traits;
  const Options& options;
  Memory& memory;
  StoredImage& stored;
  Counters& counters;
  std::vector<uint32_t> versions;  // of stored lines: how often each was rewritten
  Pool<Payload> payloads = {};
  uint64_t now = 0;       // core cycles
  uint64_t progress = 0;  // counts everything that moves, to find deadlocks
  uint64_t effects = 0;   // counts what programs change: stores, barriers, ends of warps
  Status fault = {};      // the first error

  [[nodiscard]] uint32_t flits(uint32_t data_bytes) const {
    const uint32_t bytes = config.icnt_header_bytes + data_bytes;
    return bytes <= config.icnt_flit_bytes ? 1
                                           : (bytes + config.icnt_flit_bytes - 1) / config.icnt_flit_bytes;
  }
  // A line takes whole bursts on the crossbar too.
  [[nodiscard]] uint32_t line_flits(uint32_t size) const { return flits(bursts_of(size) * kBurstBytes); }
  [[nodiscard]] uint32_t channel_of(uint64_t line) const {
    return static_cast<uint32_t>(line / config.dram_chips % config.dram_channels);
  }
  [[nodiscard]] uint32_t chip_of(uint64_t line) const {
    return static_cast<uint32_t>(line % config.dram_chips);
  }
  // The line's number within its channel.
  [[nodiscard]] uint64_t local_of(uint64_t line) const {
    return line / config.dram_chips / config.dram_channels * config.dram_chips + chip_of(line);
  }
  [[nodiscard]] bool logs(uint64_t cycle) const {
    return options.log != nullptr && cycle >= options.log->first_cycle && cycle < options.log->end_cycle;
  }
  void fail(Status status) {
    if (fault.ok()) {
      fault = std::move(status);
    }
  }
};

}  // namespace bobbin::sim
