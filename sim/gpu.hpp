// SPDX-License-Identifier: Apache-2.0
// The whole machine: SMs, crossbars, L2 slices and memory controllers in four clock domains, and the block
// scheduler.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/crossbar.hpp"
#include "sim/dram.hpp"
#include "sim/l2.hpp"
#include "sim/machine.hpp"
#include "sim/sm.hpp"

namespace bobbin::sim {

// How many blocks of a launch an SM holds, and what that leaves.
struct Occupancy {
  uint32_t blocks = 0;
  uint32_t assist_registers = 0;  // of the SM: what assist warps share
  uint32_t unallocated_registers = 0;
  uint32_t unallocated_shared_bytes = 0;
};
// `needs` are the registers of all routines, per lane. With the policy `static` every thread gets them. With
// `pool` assist warps share the registers that blocks leave; a block goes only if fewer than caba.min_warps
// could run.
[[nodiscard]] Occupancy occupancy_of(const Config& config, const Launch& launch, uint32_t needs);

// Registers per thread and instructions in the store of all routines that are enabled.
[[nodiscard]] RoutineNeeds assist_needs(const Config& config, const Traits& traits);

class Gpu {
 public:
  explicit Gpu(Machine& machine);

  // Runs all blocks of a launch and waits until memory is quiet.
  [[nodiscard]] Status run(const Launch& launch, uint32_t number);
  void finish();  // counters that are kept elsewhere

 private:
  // Ticks of a domain per core cycle, as a fraction.
  struct Clock {
    uint32_t rate = 1;  // MHz
    uint32_t left = 0;
    [[nodiscard]] uint32_t ticks(uint32_t core) {
      left += rate;
      const uint32_t count = left / core;
      left -= count * core;
      return count;
    }
  };

  void cycle();
  void tick_sms();
  void place_blocks(const Launch& launch);
  [[nodiscard]] bool is_quiet() const;
  [[nodiscard]] Status stuck(const std::string& what) const;
  [[nodiscard]] Status check_endless();

  Machine& machine_;
  Crossbar requests_;
  Crossbar replies_;
  std::vector<std::unique_ptr<Dram>> drams_;
  std::vector<std::unique_ptr<L2Slice>> slices_;
  std::vector<std::unique_ptr<Sm>> sms_;
  PortSet awake_;                // SMs that must be visited in each cycle
  std::vector<PortSet> alarms_;  // by core cycle: SMs that may sleep until then
  Clock icnt_;
  Clock l2_;
  Clock dram_;
  uint32_t next_block_ = 0;
  uint32_t num_blocks_ = 0;
  bool has_room_ = false;  // perhaps an SM has room for a block
  uint32_t blocks_left_ = 0;
  uint64_t last_progress_ = 0;  // the machine's, and since when it has not changed
  uint64_t moved_at_ = 0;
  uint64_t last_effects_ = 0;
  uint64_t changed_at_ = 0;
};

}  // namespace bobbin::sim
