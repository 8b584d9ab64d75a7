// SPDX-License-Identifier: Apache-2.0
#include "sim/result.hpp"

#include <fmt/format.h>

namespace bobbin::sim {
namespace {

constexpr CounterName kCounterNames[] = {
    {"core_cycles", &Counters::core_cycles},
    {"dram_cycles", &Counters::dram_cycles},
    {"instructions", &Counters::instructions},
    {"assist_instructions", &Counters::assist_instructions},
    {"thread_instructions", &Counters::thread_instructions},
    {"alu_instructions", &Counters::alu_instructions},
    {"sfu_instructions", &Counters::sfu_instructions},
    {"memory_instructions", &Counters::memory_instructions},
    {"shared_instructions", &Counters::shared_instructions},
    {"branches", &Counters::branches},
    {"divergent_branches", &Counters::divergent_branches},
    {"register_reads", &Counters::register_reads},
    {"register_writes", &Counters::register_writes},
    {"active_cycles", &Counters::active_cycles},
    {"compute_stalls", &Counters::compute_stalls},
    {"memory_stalls", &Counters::memory_stalls},
    {"dependence_stalls", &Counters::dependence_stalls},
    {"idle_cycles", &Counters::idle_cycles},
    {"empty_cycles", &Counters::empty_cycles},
    {"launches", &Counters::launches},
    {"blocks", &Counters::blocks},
    {"resident_warps", &Counters::resident_warps},
    {"unallocated_registers", &Counters::unallocated_registers},
    {"unallocated_shared_bytes", &Counters::unallocated_shared_bytes},
    {"l1_loads", &Counters::l1_loads},
    {"l1_load_hits", &Counters::l1_load_hits},
    {"l1_load_merges", &Counters::l1_load_merges},
    {"l1_stores", &Counters::l1_stores},
    {"l1_fills", &Counters::l1_fills},
    {"l1_routine_accesses", &Counters::l1_routine_accesses},
    {"l1_evictions", &Counters::l1_evictions},
    {"atomics", &Counters::atomics},
    {"request_packets", &Counters::request_packets},
    {"request_flits", &Counters::request_flits},
    {"reply_packets", &Counters::reply_packets},
    {"reply_flits", &Counters::reply_flits},
    {"l2_accesses", &Counters::l2_accesses},
    {"l2_hits", &Counters::l2_hits},
    {"l2_merges", &Counters::l2_merges},
    {"l2_writebacks", &Counters::l2_writebacks},
    {"dram_reads", &Counters::dram_reads},
    {"dram_writes", &Counters::dram_writes},
    {"dram_bursts", &Counters::dram_bursts},
    {"dram_bursts_raw", &Counters::dram_bursts_raw},
    {"dram_read_bursts", &Counters::dram_read_bursts},
    {"dram_write_bursts", &Counters::dram_write_bursts},
    {"dram_activates", &Counters::dram_activates},
    {"dram_precharges", &Counters::dram_precharges},
    {"dram_row_hits", &Counters::dram_row_hits},
    {"dram_busy_cycles", &Counters::dram_busy_cycles},
    {"md_lookups", &Counters::md_lookups},
    {"md_hits", &Counters::md_hits},
    {"md_merges", &Counters::md_merges},
    {"md_misses", &Counters::md_misses},
    {"md_writebacks", &Counters::md_writebacks},
    {"decompressions", &Counters::decompressions},
    {"compressions", &Counters::compressions},
    {"compressions_failed", &Counters::compressions_failed},
    {"assist_triggers", &Counters::assist_triggers},
    {"assist_completed", &Counters::assist_completed},
    {"assist_kills", &Counters::assist_kills},
    {"assist_table_full", &Counters::assist_table_full},
    {"assist_throttled", &Counters::assist_throttled},
    {"store_overflows", &Counters::store_overflows},
    {"partial_writes", &Counters::partial_writes},
    {"partial_writes_wrong", &Counters::partial_writes_wrong},
    {"memo_lookups", &Counters::memo_lookups},
    {"memo_hits", &Counters::memo_hits},
    {"prefetches", &Counters::prefetches},
    {"prefetch_hits", &Counters::prefetch_hits},
    {"stored_bursts_first", &Counters::stored_bursts_first},
    {"stored_bursts_last", &Counters::stored_bursts_last},
    {"stored_bursts_raw", &Counters::stored_bursts_raw},
};

[[nodiscard]] double ratio(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

}  // namespace

std::span<const CounterName> counter_names() {
  return kCounterNames;
}

double RunResult::ipc() const {
  return ratio(counters.instructions, counters.core_cycles);
}
double RunResult::seconds() const {
  return ratio(counters.core_cycles, uint64_t{clock_core} * 1'000'000);
}
double RunResult::dram_utilisation() const {
  return ratio(counters.dram_busy_cycles, counters.dram_cycles * dram_buses);
}
double RunResult::compression_ratio() const {
  const uint64_t bursts = counters.dram_read_bursts + counters.dram_write_bursts;
  return bursts == 0 ? 1 : ratio(counters.dram_bursts_raw, bursts);
}
double RunResult::l1_hit_rate() const {
  return ratio(counters.l1_load_hits, counters.l1_loads);
}
double RunResult::l2_hit_rate() const {
  return ratio(counters.l2_hits, counters.l2_accesses);
}
double RunResult::md_hit_rate() const {
  return ratio(counters.md_hits, counters.md_lookups);
}

std::string to_json(const RunResult& result) {
  std::string text = fmt::format(
      "{{\"workload\": \"{}\", \"design\": \"{}\", \"seed\": {}, \"quick\": {}, \"compression_disabled\": "
      "{}, "
      "\"sms\": {}, \"dram_buses\": {}, \"clock_core\": {}, \"clock_dram\": {}",
      result.workload, result.design, result.seed, result.quick, result.compression_disabled, result.sms,
      result.dram_buses, result.clock_core, result.clock_dram);
  const std::pair<std::string_view, double> derived[] = {
      {"ipc", result.ipc()},
      {"seconds", result.seconds()},
      {"dram_utilisation", result.dram_utilisation()},
      {"compression_ratio", result.compression_ratio()},
      {"l1_hit_rate", result.l1_hit_rate()},
      {"l2_hit_rate", result.l2_hit_rate()},
      {"md_hit_rate", result.md_hit_rate()},
  };
  for (const auto& [name, value] : derived) {
    text += fmt::format(", \"{}\": {:.9g}", name, value);
  }
  text += ", \"counters\": {";
  for (const CounterName& counter : kCounterNames) {
    text += fmt::format("{}\"{}\": {}", &counter == kCounterNames ? "" : ", ", counter.name,
                        result.counters.*counter.field);
  }
  return text + "}}";
}

}  // namespace bobbin::sim
