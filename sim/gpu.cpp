// SPDX-License-Identifier: Apache-2.0
#include "sim/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bobbin::sim {

namespace {

[[nodiscard]] Traits assisted(Algorithm algorithm) {
  return {.algorithm = algorithm, .compressed_l2 = true, .assists = true, .metadata = true};
}

}  // namespace

Traits traits_of(Design design, const Config& config) {
  switch (design) {
    case Design::base:
      return {};
    case Design::hw_bdi_mem:
      return {.algorithm = Algorithm::bdi,
              .absorbs = true,
              .at_controller = true,
              .metadata = true,
              .decompress = config.hw_decompress,
              .compress = config.hw_compress};
    case Design::hw_bdi:
      return {.algorithm = Algorithm::bdi,
              .compressed_l2 = true,
              .metadata = true,
              .decompress = config.hw_decompress,
              .compress = config.hw_compress};
    case Design::ideal_bdi:
      return {.algorithm = Algorithm::bdi,
              .compressed_l2 = true,
              .absorbs = config.ideal_merges != 0,
              .metadata = config.ideal_metadata != 0};
    case Design::caba_bdi:
      return assisted(Algorithm::bdi);
    case Design::caba_fpc:
      return assisted(Algorithm::fpc);
    case Design::caba_cpack:
      return assisted(Algorithm::cpack);
    case Design::caba_best:
      return assisted(Algorithm::best);
  }
  return {};
}

RoutineNeeds assist_needs(const Config& config, const Traits& traits) {
  RoutineNeeds sum;
  const auto add = [&](const RoutineNeeds& needs) {
    sum.instructions += needs.instructions;
    sum.registers += needs.registers;
  };
  if (traits.assists) {
    add(decompress_needs(traits.algorithm));
    add(compress_needs(traits.algorithm));
  }
  if (config.prefetch_enable != 0) {
    add(prefetch_needs());
  }
  if (config.memo_enable != 0) {
    add(memo_needs());
  }
  if (config.caba_registers != 0 && sum.registers != 0) {
    sum.registers = config.caba_registers;
  }
  sum.registers = config.caba_free != 0 ? 0 : sum.registers;
  return sum;
}

Occupancy occupancy_of(const Config& config, const Launch& launch, uint32_t needs) {
  const auto blocks_with = [&](uint32_t registers, uint32_t taken) {
    const uint32_t by_warps = config.sm_warps / (launch.block_threads / kLanes);
    const uint32_t by_registers = (config.sm_registers - taken) / (launch.block_threads * registers);
    const uint32_t by_shared =
        launch.shared_bytes == 0 ? config.sm_blocks : config.sm_shared_bytes / launch.shared_bytes;
    return std::min({config.sm_blocks, by_warps, by_registers, by_shared});
  };
  Occupancy out;
  const uint32_t parents = blocks_with(launch.registers, 0);
  out.unallocated_registers = config.sm_registers - parents * launch.block_threads * launch.registers;
  out.unallocated_shared_bytes = config.sm_shared_bytes - parents * launch.shared_bytes;
  if (config.caba_register_policy == 1) {
    out.blocks = blocks_with(launch.registers + needs, 0);
    out.assist_registers = config.sm_registers;  // each thread has its own
    return out;
  }
  out.blocks =
      blocks_with(launch.registers, std::min(config.sm_registers, config.caba_min_warps * kLanes * needs));
  out.assist_registers = config.sm_registers - out.blocks * launch.block_threads * launch.registers;
  return out;
}

Gpu::Gpu(Machine& machine)
    : machine_(machine),
      requests_(machine.config.gpu_sms, machine.config.dram_channels, machine.config.icnt_queue,
                machine.config.icnt_latency, machine.flits(kLineBytes)),
      replies_(machine.config.dram_channels, machine.config.gpu_sms, machine.config.icnt_queue,
               machine.config.icnt_latency, machine.flits(kLineBytes)) {
  const Config& config = machine.config;
  icnt_.rate = config.clock_icnt;
  l2_.rate = config.clock_l2;
  dram_.rate = config.clock_dram * config.dram_bandwidth_percent / 100;
  for (uint32_t channel = 0; channel < config.dram_channels; ++channel) {
    drams_.push_back(std::make_unique<Dram>(machine, channel));
    slices_.push_back(std::make_unique<L2Slice>(machine, channel, *drams_.back(), requests_, replies_));
  }
  for (uint32_t sm = 0; sm < config.gpu_sms; ++sm) {
    sms_.push_back(std::make_unique<Sm>(machine, sm, requests_, replies_));
    awake_.set(sm);
  }
  alarms_.resize(sms_.front()->wheel_size());
}

void Gpu::cycle() {
  ++machine_.now;
  const uint32_t core = machine_.config.clock_core;
  for (uint32_t ticks = dram_.ticks(core); ticks > 0; --ticks) {
    ++machine_.counters.dram_cycles;
    for (const auto& dram : drams_) {
      dram->tick();
    }
  }
  for (uint32_t ticks = l2_.ticks(core); ticks > 0; --ticks) {
    for (const auto& slice : slices_) {
      slice->tick();
    }
  }
  for (uint32_t ticks = icnt_.ticks(core); ticks > 0; --ticks) {
    requests_.tick();
    replies_.tick();
  }
  tick_sms();
}

// Only those that are awake, or get a packet or an event now.
void Gpu::tick_sms() {
  PortSet& due = alarms_[machine_.now & (alarms_.size() - 1)];
  const PortSet visited = awake_ | replies_.arrived() | due;
  due = {};
  visited.for_each([&](uint32_t number) {
    Sm& sm = *sms_[number];
    sm.tick();
    const uint32_t ended = sm.take_ended_blocks();
    blocks_left_ -= ended;
    has_room_ = has_room_ || ended != 0;
    if (ended != 0 && next_block_ == num_blocks_ && !sm.has_blocks()) {
      sm.flush_stores();
    }
    if (!sm.is_asleep()) {
      awake_.set(number);
      return;
    }
    awake_.clear(number);
    if (const uint32_t cycles = sm.next_event(); cycles != 0) {
      alarms_[(machine_.now + cycles) & (alarms_.size() - 1)].set(number);
    }
  });
}

// Each SM with room gets one block per cycle.
void Gpu::place_blocks(const Launch& launch) {
  has_room_ = false;
  for (uint32_t number = 0; number < sms_.size(); ++number) {
    const auto& sm = sms_[number];
    if (next_block_ < launch.blocks && sm->has_room()) {
      sm->add_block(next_block_++);
      awake_.set(number);
      has_room_ = true;
      ++machine_.counters.blocks;
      ++machine_.progress;
    }
  }
}

bool Gpu::is_quiet() const {
  return requests_.in_flight() == 0 && replies_.in_flight() == 0 &&
         std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->is_idle(); }) &&
         std::all_of(slices_.begin(), slices_.end(), [](const auto& slice) { return slice->is_idle(); }) &&
         std::all_of(drams_.begin(), drams_.end(), [](const auto& dram) { return dram->is_idle(); });
}

Status Gpu::stuck(const std::string& what) const {
  std::string who = "requests wait in L2 or DRAM";
  for (const auto& sm : sms_) {
    if (!sm->is_idle()) {
      who = sm->describe();
      break;
    }
  }
  return {StatusCode::invalid_argument, fmt::format("{}: {}", what, who)};
}

// Deadlocks, in which nothing moves; loops that do nothing but read and compute; runs that are too long.
Status Gpu::check_endless() {
  const Config& config = machine_.config;
  const uint64_t now = machine_.now;
  moved_at_ = machine_.progress == last_progress_ ? moved_at_ : now;
  last_progress_ = machine_.progress;
  changed_at_ = machine_.effects == last_effects_ ? changed_at_ : now;
  last_effects_ = machine_.effects;
  if (now - moved_at_ > config.run_stall_cycles) {
    return stuck(fmt::format("nothing moved for {} cycles", config.run_stall_cycles));
  }
  if (now - changed_at_ > config.run_quiet_cycles) {
    return stuck(fmt::format("no store, barrier or end of a warp for {} cycles (run.quiet_cycles)",
                             config.run_quiet_cycles));
  }
  if (now > config.run_max_cycles) {
    return stuck(fmt::format("not finished after {} cycles (run.max_cycles)", config.run_max_cycles));
  }
  return {};
}

Status Gpu::run(const Launch& launch, uint32_t number) {
  const Config& config = machine_.config;
  const RoutineNeeds needs = assist_needs(config, machine_.traits);
  const Occupancy occupancy = occupancy_of(config, launch, needs.registers);
  if (occupancy.blocks == 0) {
    return {
        StatusCode::invalid_argument,
        fmt::format(
            "a block of {} threads with {} registers (and {} of assist warps) and {} bytes of shared memory "
            "does not fit on an SM",
            launch.block_threads, launch.registers, needs.registers, launch.shared_bytes)};
  }
  Counters& counters = machine_.counters;
  if (counters.launches++ == 0) {
    counters.unallocated_registers = occupancy.unallocated_registers;
    counters.unallocated_shared_bytes = occupancy.unallocated_shared_bytes;
  }
  counters.resident_warps =
      std::max<uint64_t>(counters.resident_warps, uint64_t{occupancy.blocks} * launch.block_threads / kLanes);
  for (const auto& sm : sms_) {
    sm->begin_launch(launch, number, occupancy);
  }
  next_block_ = 0;
  has_room_ = true;
  num_blocks_ = launch.blocks;
  blocks_left_ = launch.blocks;
  moved_at_ = changed_at_ = machine_.now;
  while ((blocks_left_ != 0 || !is_quiet()) && machine_.fault.ok()) {
    if (has_room_ && next_block_ < launch.blocks) {
      place_blocks(launch);
    }
    cycle();
    BOBBIN_TRY(check_endless());
  }
  return machine_.fault;
}

void Gpu::finish() {
  Counters& counters = machine_.counters;
  counters.core_cycles = machine_.now;
  const uint64_t requests = counters.dram_reads + counters.dram_writes;
  counters.dram_row_hits = requests - std::min(requests, counters.dram_activates);
  for (const auto& sm : sms_) {
    sm->wake(machine_.now);
    counters.memo_lookups += sm->memo().lookups;
    counters.memo_hits += sm->memo().hits;
  }
}

}  // namespace bobbin::sim
