// SPDX-License-Identifier: Apache-2.0
// One memory controller: GDDR5 chips with their own data buses, FR-FCFS scheduling, all timings of the
// configuration, and the cache of the metadata that says how many bursts a line takes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine.hpp"
#include "sim/metadata.hpp"

namespace bobbin::sim {

// Timings in DRAM cycles. A wider or narrower bus changes the clock, not the nanoseconds of a chip's arrays.
struct DramTimings {
  explicit DramTimings(const Config& config);
  uint32_t cl, wl, rp, rc, ras, rcd, rrd, cdlr, wr, ccd, ccdl, rtp, burst, read_to_write;
};

class Dram {
 public:
  Dram(Machine& machine, uint32_t channel);

  [[nodiscard]] bool can_take(uint64_t line) const {
    return chips_[machine_.chip_of(line)].held < machine_.config.dram_outstanding;
  }
  // Bursts are counted when the request is made: a write carries them, a read finds them in the metadata.
  void read(uint64_t line, uint32_t bursts);
  void write(uint64_t line, uint32_t bursts);
  // Lines that were read, and expanded if that is done here.
  [[nodiscard]] bool has_data() { return !data_.empty() && data_.front().when <= machine_.now; }
  [[nodiscard]] uint64_t take_data();

  // How many requests have left the chips: each makes room for another one.
  [[nodiscard]] uint64_t ended() const { return ended_; }

  // One DRAM cycle.
  void tick() {
    ++cycle_;
    if (wake_ <= cycle_ || wake_at_ <= machine_.now) {
      work();
    }
  }
  [[nodiscard]] bool is_idle() const { return requests_ == 0; }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  enum class Kind : uint8_t { read, write, metadata_read, metadata_write };
  struct Request {
    uint64_t line = 0;  // or the metadata line
    uint32_t row = 0;
    uint16_t bank = 0;
    uint8_t left = 0;  // bursts
    Kind kind = Kind::read;
    bool is_open = false;  // its row
  };
  // What the scheduler of a chip sees of one direction, oldest first.
  struct Queue {
    std::vector<Request> requests;
    uint64_t open_banks = 0;            // a bit each: those whose open row a request wants
    std::vector<uint32_t> open_counts;  // requests for it, by bank
    uint64_t row_wake = 0;              // before, no request can open its row

    void add(const Request& request);
    void remove(size_t index);
    // The row of the bank is open now; none if it is negative.
    void set_row(uint32_t bank, int64_t row);
  };
  struct Bank {
    int64_t row = -1;
    uint64_t next_activate = 0;
    uint64_t next_precharge = 0;
    uint64_t next_column = 0;
  };
  // Requests on their way, in the order in which they arrive.
  struct Timed {
    uint64_t when = 0;
    uint64_t line = 0;
    uint8_t bursts = 0;
    Kind kind = Kind::read;
  };
  struct Chip {
    Fifo<Timed> coming_reads;
    Fifo<Timed> coming_writes;
    Fifo<Timed> known_reads;  // whose metadata has arrived
    Queue reads;
    Queue writes;
    std::vector<Bank> banks;
    uint32_t held = 0;  // requests, wherever they wait
    uint64_t next_activate = 0;
    uint64_t next_read = 0;
    uint64_t next_write = 0;
    std::vector<uint64_t> next_group;  // column command of a bank group
    bool drains = false;               // writes go first
    uint64_t wake = 0;                 // no command can be issued before
  };
  void accept(Chip& chip);
  void enqueue(Chip& chip, const Timed& request);
  void enqueue(Chip& chip, const Request& request);
  [[nodiscard]] Request place(uint64_t local, Kind kind, uint64_t line, uint32_t bursts) const;
  [[nodiscard]] bool look_up(const Timed& request);
  void enqueue_metadata(uint64_t md_line, Kind kind);
  void finish(Chip& chip, const Request& request, uint64_t when);
  void deliver();
  void finish_metadata(uint64_t md_line);
  [[nodiscard]] bool schedule(Chip& chip);
  [[nodiscard]] bool issue_column(Chip& chip, Queue& queue, bool is_write, uint64_t& wake);
  [[nodiscard]] bool issue_row(Chip& chip, Queue& queue, uint64_t& wake);
  void set_row(Chip& chip, uint32_t bank, int64_t row);
  void column(Chip& chip, Queue& queue, size_t index, bool is_write);
  void work();
  void note_next_arrival();
  void log(const Chip& chip, uint32_t bank, uint32_t row, DramCommand command);

  Machine& machine_;
  uint32_t channel_;
  DramTimings timings_;
  MetadataCache metadata_;
  std::vector<Chip> chips_;
  std::vector<Timed> waiting_;  // reads for which metadata is on its way
  Fifo<Timed> moving_;          // by the end of their last burst
  Fifo<Timed> data_;            // in core cycles
  uint64_t cycle_ = 0;
  uint64_t requests_ = 0;
  uint64_t ended_ = 0;
  // Nothing happens before this DRAM cycle or this core cycle, whichever comes first.
  uint64_t wake_ = kNever;
  uint64_t wake_at_ = kNever;
  bool has_known_ = false;  // there is room for a read whose metadata has arrived
};

}  // namespace bobbin::sim
