// SPDX-License-Identifier: Apache-2.0
// What one run counted. Derived numbers (IPC, ratios) are functions of the counters, so that they can be
// checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bobbin::sim {

// Counts of events. The names in JSON are those of the members.
struct Counters {
  // Time.
  uint64_t core_cycles = 0;
  uint64_t dram_cycles = 0;

  // Instructions of warps. Parents' and assist warps' are counted apart.
  uint64_t instructions = 0;
  uint64_t assist_instructions = 0;
  uint64_t thread_instructions = 0;  // active lanes of parents' instructions
  uint64_t alu_instructions = 0;     // by unit, parents and assist warps together
  uint64_t sfu_instructions = 0;
  uint64_t memory_instructions = 0;
  uint64_t shared_instructions = 0;
  uint64_t branches = 0;
  uint64_t divergent_branches = 0;  // fewer lanes than the warp has
  uint64_t register_reads = 0;
  uint64_t register_writes = 0;

  // Issue cycles: each cycle of each SM is in one of these classes. The paper has the first five; the last is
  // an SM without a block.
  uint64_t active_cycles = 0;
  uint64_t compute_stalls = 0;
  uint64_t memory_stalls = 0;
  uint64_t dependence_stalls = 0;
  uint64_t idle_cycles = 0;
  uint64_t empty_cycles = 0;

  // Occupancy.
  uint64_t launches = 0;
  uint64_t blocks = 0;
  uint64_t resident_warps = 0;         // of an SM, at most, over all launches
  uint64_t unallocated_registers = 0;  // of an SM with as many blocks as fit, first launch
  uint64_t unallocated_shared_bytes = 0;

  // L1: accesses are lines of coalesced instructions.
  uint64_t l1_loads = 0;
  uint64_t l1_load_hits = 0;
  uint64_t l1_load_merges = 0;  // misses that joined an outstanding one
  uint64_t l1_stores = 0;
  uint64_t l1_fills = 0;             // lines written into the L1 when they arrive
  uint64_t l1_routine_accesses = 0;  // lines that assist warps read and write
  uint64_t l1_evictions = 0;
  uint64_t atomics = 0;

  // Crossbar.
  uint64_t request_packets = 0;
  uint64_t request_flits = 0;
  uint64_t reply_packets = 0;
  uint64_t reply_flits = 0;

  // L2.
  uint64_t l2_accesses = 0;
  uint64_t l2_hits = 0;
  uint64_t l2_merges = 0;
  uint64_t l2_writebacks = 0;

  // DRAM and metadata.
  uint64_t dram_reads = 0;  // lines
  uint64_t dram_writes = 0;
  uint64_t dram_bursts = 0;      // moved, metadata included
  uint64_t dram_bursts_raw = 0;  // that the same lines would take uncompressed, without metadata
  uint64_t dram_read_bursts = 0;
  uint64_t dram_write_bursts = 0;
  uint64_t dram_activates = 0;
  uint64_t dram_precharges = 0;
  uint64_t dram_row_hits = 0;
  uint64_t dram_busy_cycles = 0;  // of the data buses, in cycles of one chip
  uint64_t md_lookups = 0;
  uint64_t md_hits = 0;
  uint64_t md_merges = 0;  // lookups that wait for a metadata line that is on its way
  uint64_t md_misses = 0;
  uint64_t md_writebacks = 0;

  // Assist warps.
  uint64_t decompressions = 0;  // by assist warps or by hardware
  uint64_t compressions = 0;
  uint64_t compressions_failed = 0;  // the line was stored raw
  uint64_t assist_triggers = 0;
  uint64_t assist_completed = 0;
  uint64_t assist_kills = 0;
  uint64_t assist_table_full = 0;  // cycles in which a trigger waited for the table
  uint64_t assist_throttled = 0;   // deployments of low priority that were held back
  uint64_t store_overflows = 0;    // lines released raw because the buffer was full
  uint64_t partial_writes = 0;
  uint64_t partial_writes_wrong = 0;  // to lines that turned out to be compressed
  uint64_t memo_lookups = 0;
  uint64_t memo_hits = 0;
  uint64_t prefetches = 0;
  uint64_t prefetch_hits = 0;

  // The stored image.
  uint64_t stored_bursts_first = 0;  // of all lines after the initial copy
  uint64_t stored_bursts_last = 0;   // at the end
  uint64_t stored_bursts_raw = 0;
};

struct CounterName {
  std::string_view name;
  uint64_t Counters::*field;
};
[[nodiscard]] std::span<const CounterName> counter_names();

struct RunResult {
  std::string workload;
  std::string design;
  uint64_t seed = 0;
  bool quick = false;
  bool compression_disabled = false;  // by the profile
  uint32_t sms = 0;
  uint32_t dram_buses = 0;  // data buses: channels times chips
  uint32_t clock_core = 0;
  uint32_t clock_dram = 0;
  Counters counters;

  // Parents' instructions per core cycle, all SMs together.
  [[nodiscard]] double ipc() const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double dram_utilisation() const;   // of the data buses' cycles
  [[nodiscard]] double compression_ratio() const;  // DRAM bursts uncompressed over moved, metadata left out
  [[nodiscard]] double l1_hit_rate() const;
  [[nodiscard]] double l2_hit_rate() const;
  // Hits over all lookups. A lookup that waits for a line which is on its way is not a hit.
  [[nodiscard]] double md_hit_rate() const;
};

// An object with the settings, all counters and the derived numbers. The same run gives the same bytes.
[[nodiscard]] std::string to_json(const RunResult& result);

}  // namespace bobbin::sim
