// SPDX-License-Identifier: Apache-2.0
// Every number of the simulated machine, by name. Defaults are the paper's Table 1; what the paper leaves
// open has a default with a stated source and is meant to be varied.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bobbin/status.hpp"

namespace bobbin::sim {

inline constexpr uint32_t kLanes = 32;
inline constexpr uint32_t kLineBytes = 128;
inline constexpr uint32_t kBurstBytes = 32;
inline constexpr uint32_t kLineBursts = kLineBytes / kBurstBytes;

// The groups follow the prefixes of the names: `sm.warps` is sm_warps.
struct Config {
  uint32_t gpu_sms = 15;

  uint32_t clock_core = 1400;  // MHz
  uint32_t clock_icnt = 1400;
  uint32_t clock_l2 = 1400;
  uint32_t clock_dram = 924;

  uint32_t sm_schedulers = 2;
  uint32_t sm_policy = 0;  // 0: greedy then oldest, 1: round robin
  uint32_t sm_warps = 48;
  uint32_t sm_blocks = 8;
  uint32_t sm_registers = 32768;
  uint32_t sm_shared_bytes = 32768;
  uint32_t sm_fetch_width = 2;
  uint32_t sm_ibuffer = 2;
  uint32_t sm_collectors = 8;
  uint32_t sm_register_banks = 16;
  uint32_t sm_alu_pipes = 2;
  uint32_t sm_alu_latency = 8;
  uint32_t sm_sfu_pipes = 1;
  uint32_t sm_sfu_interval = 8;
  uint32_t sm_sfu_latency = 39;
  uint32_t sm_lsu_queue = 8;
  uint32_t sm_shared_latency = 7;
  uint32_t sm_shared_banks = 32;
  uint32_t sm_branch_cycles = 4;

  uint32_t l1_bytes = 16384;
  uint32_t l1_ways = 4;
  uint32_t l1_latency = 5;
  uint32_t l1_mshrs = 32;
  uint32_t l1_merges = 8;

  uint32_t store_lines = 16;
  uint32_t store_copies = 64;
  uint32_t store_wait = 0;
  uint32_t store_in_l1 = 1;
  uint32_t store_recompress = 0;

  uint32_t icnt_flit_bytes = 32;
  uint32_t icnt_header_bytes = 8;
  uint32_t icnt_latency = 8;
  uint32_t icnt_queue = 8;

  uint32_t l2_bytes = 786432;
  uint32_t l2_ways = 16;
  uint32_t l2_latency = 120;
  uint32_t l2_mshrs = 64;
  uint32_t l2_merges = 4;
  uint32_t l2_queue = 8;

  uint32_t dram_channels = 6;
  uint32_t dram_chips = 2;
  uint32_t dram_banks = 16;
  uint32_t dram_groups = 4;
  uint32_t dram_row_bytes = 2048;
  uint32_t dram_commands = 0;  // 0: one per cycle and channel, 1: one per cycle and chip
  uint32_t dram_queue = 16;
  uint32_t dram_outstanding = 66;
  uint32_t dram_latency = 100;
  uint32_t dram_bandwidth_percent = 100;
  uint32_t dram_burst_cycles = 2;
  uint32_t dram_cl = 12;
  uint32_t dram_wl = 4;
  uint32_t dram_rp = 12;
  uint32_t dram_rc = 40;
  uint32_t dram_ras = 28;
  uint32_t dram_rcd = 12;
  uint32_t dram_rrd = 6;
  uint32_t dram_cdlr = 5;
  uint32_t dram_wr = 12;
  uint32_t dram_ccd = 2;
  uint32_t dram_ccdl = 3;
  uint32_t dram_rtp = 2;
  uint32_t dram_turnaround = 2;
  uint32_t dram_write_buffer = 16;
  uint32_t dram_write_high = 14;
  uint32_t dram_write_low = 8;

  uint32_t md_bytes = 8192;
  uint32_t md_ways = 4;
  uint32_t md_line_bytes = 32;
  uint32_t md_shared = 0;

  uint32_t caba_awt_entries = 48;
  uint32_t caba_aws_entries = 1024;
  uint32_t caba_aws_latency = 1;
  uint32_t caba_deploy_width = 1;
  uint32_t caba_low_entries = 2;
  uint32_t caba_low_warps = 8;
  uint32_t caba_throttle = 1;
  uint32_t caba_throttle_window = 512;
  uint32_t caba_throttle_percent = 90;
  uint32_t caba_free = 0;
  uint32_t caba_registers = 0;
  uint32_t caba_register_policy = 0;
  uint32_t caba_min_warps = 4;
  uint32_t caba_raw_l2 = 0;
  uint32_t caba_direct_load = 0;
  uint32_t caba_l1_tags = 1;
  uint32_t caba_l2_tags = 1;
  uint32_t caba_profile = 0;
  uint32_t caba_profile_ratio = 110;
  uint32_t caba_profile_use = 30;
  uint32_t caba_one_encoding = 1;
  uint32_t caba_first_base = 0;

  uint32_t hw_decompress = 1;
  uint32_t hw_compress = 5;
  uint32_t ideal_merges = 1;
  uint32_t ideal_metadata = 0;

  uint32_t record_alu = 4;
  uint32_t memo_enable = 0;
  uint32_t memo_entries = 512;
  uint32_t prefetch_enable = 0;
  uint32_t prefetch_distance = 2;
  uint32_t prefetch_percent = 50;
  uint32_t prefetch_mshrs = 4;

  uint32_t run_max_cycles = 20'000'000;
  uint32_t run_stall_cycles = 200'000;
  uint32_t run_quiet_cycles = 4'000'000;
};

struct Parameter {
  std::string_view name;
  uint32_t Config::*field;
  uint32_t least;
  uint32_t most;
  bool power_of_two;
  std::string_view words;   // names of the values 0, 1, …, separated by '|'; empty for a number
  std::string_view source;  // where the default comes from, and what the number means
};

[[nodiscard]] std::span<const Parameter> parameters();

// One parameter, from text. The error names the parameter and what was expected.
[[nodiscard]] Status set_parameter(Config& config, std::string_view name, std::string_view value);
// "name=value", as after --set.
[[nodiscard]] Status set_parameter(Config& config, std::string_view assignment);

// Lines `name = value`; `#` begins a comment. Parameters that are not named keep what they have.
[[nodiscard]] Status read_config(Config& config, std::string_view text, std::string_view file);

// The text of a file of sim/configs: "paper" or "hopper". Empty if there is no such file.
[[nodiscard]] std::string_view preset_text(std::string_view name);
// A preset by name, or a file by path.
[[nodiscard]] bobbin::Result<Config> load_config(const std::string& name_or_path);

// What single ranges cannot say: caches whose sets are not a power of two, registers that no warp fits in.
[[nodiscard]] Status check(const Config& config);

// All parameters in the format that read_config() takes.
[[nodiscard]] std::string to_text(const Config& config);

}  // namespace bobbin::sim
