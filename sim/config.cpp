// SPDX-License-Identifier: Apache-2.0
#include "sim/config.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <iterator>

#include "sim_presets.hpp"

namespace bobbin::sim {
namespace {

constexpr std::string_view kTable1 = "paper, Table 1";
constexpr std::string_view kFermi = "GPGPU-Sim 3.x, GTX 480 configuration";
constexpr std::string_view kOpen = "left open by the paper";

constexpr Parameter kParameters[] = {
    {"gpu.sms", &Config::gpu_sms, 1, 256, false, "", "paper, Table 1: streaming multiprocessors"},

    {"clock.core", &Config::clock_core, 1, 10000, false, "", "paper, Table 1: MHz (700 in GPGPU-Sim 3.x)"},
    {"clock.icnt", &Config::clock_icnt, 1, 10000, false, "", "paper, Table 1: MHz of the crossbar"},
    {"clock.l2", &Config::clock_l2, 1, 10000, false, "", "paper, Table 1: MHz"},
    {"clock.dram", &Config::clock_dram, 1, 10000, false, "",
     "177.4 GB/s over 48 bytes, 4 transfers per cycle"},

    {"sm.schedulers", &Config::sm_schedulers, 1, 8, false, "", kTable1},
    {"sm.policy", &Config::sm_policy, 0, 1, false, "gto|rr", "paper, Table 1: order of warps"},
    {"sm.warps", &Config::sm_warps, 1, 128, false, "", kTable1},
    {"sm.blocks", &Config::sm_blocks, 1, 64, false, "", "paper, section 3"},
    {"sm.registers", &Config::sm_registers, 1024, 1 << 20, false, "", "paper, Table 1: 32-bit registers"},
    {"sm.shared_bytes", &Config::sm_shared_bytes, 0, 1 << 20, false, "", kTable1},
    {"sm.fetch_width", &Config::sm_fetch_width, 1, 8, false, "", kFermi},
    {"sm.ibuffer", &Config::sm_ibuffer, 1, 16, false, "", "GPGPU-Sim: instruction buffer entries per warp"},
    {"sm.collectors", &Config::sm_collectors, 1, 64, false, "", "GPGPU-Sim 3.x: operand collectors"},
    {"sm.register_banks", &Config::sm_register_banks, 1, 64, true, "", "GPGPU-Sim 3.x"},
    {"sm.alu_pipes", &Config::sm_alu_pipes, 1, 8, false, "", kFermi},
    {"sm.alu_latency", &Config::sm_alu_latency, 1, 100, false, "",
     "GPGPU-Sim 3.x: 4 cycles and the stages around them"},
    {"sm.sfu_pipes", &Config::sm_sfu_pipes, 1, 8, false, "", kFermi},
    {"sm.sfu_interval", &Config::sm_sfu_interval, 1, 64, false, "", "Fermi: 4 lanes, 32 threads"},
    {"sm.sfu_latency", &Config::sm_sfu_latency, 1, 400, false, "", kFermi},
    {"sm.lsu_queue", &Config::sm_lsu_queue, 1, 64, false, "", kOpen},
    {"sm.shared_latency", &Config::sm_shared_latency, 1, 400, false, "",
     "GPGPU-Sim 3.x: 3 cycles and the 4 stages around them"},
    {"sm.shared_banks", &Config::sm_shared_banks, 1, 32, true, "", "Fermi"},
    {"sm.branch_cycles", &Config::sm_branch_cycles, 0, 64, false, "", "refill of the instruction buffer"},

    {"l1.bytes", &Config::l1_bytes, 1024, 1 << 20, false, "", kTable1},
    {"l1.ways", &Config::l1_ways, 1, 64, false, "", kTable1},
    {"l1.latency", &Config::l1_latency, 1, 400, false, "",
     "GPGPU-Sim 3.x: 1 cycle of a hit and the 4 stages around it"},
    {"l1.mshrs", &Config::l1_mshrs, 1, 1024, false, "", kFermi},
    {"l1.merges", &Config::l1_merges, 1, 256, false, "", kFermi},

    {"store.lines", &Config::store_lines, 1, 256, false, "",
     "left open by the paper: buffered lines (4 sets)"},
    {"store.copies", &Config::store_copies, 1, 1024, false, "",
     "left open by the paper: copies of partial writes that wait for L2"},
    {"store.wait", &Config::store_wait, 0, 100000, false, "",
     "left open by the paper: cycles a partial line waits"},
    {"store.in_l1", &Config::store_in_l1, 0, 1, false, "off|on",
     "paper, section 5.2.2: in sets of the L1, or in spare shared memory"},
    {"store.recompress", &Config::store_recompress, 0, 1, false, "off|on",
     "left open by the paper: lines that partial writes expanded"},

    {"icnt.flit_bytes", &Config::icnt_flit_bytes, 1, 1024, false, "", kFermi},
    {"icnt.header_bytes", &Config::icnt_header_bytes, 0, 128, false, "", kFermi},
    {"icnt.latency", &Config::icnt_latency, 1, 1000, false, "", kOpen},
    {"icnt.queue", &Config::icnt_queue, 1, 256, false, "", kFermi},

    {"l2.bytes", &Config::l2_bytes, 1024, 1U << 30, false, "", "paper, Table 1: all slices together"},
    {"l2.ways", &Config::l2_ways, 1, 64, false, "", kTable1},
    {"l2.latency", &Config::l2_latency, 1, 1000, false, "", "GPGPU-Sim 3.x: ROP latency"},
    {"l2.mshrs", &Config::l2_mshrs, 1, 1024, false, "", "GPGPU-Sim 3.x: 2 times 32 per controller"},
    {"l2.merges", &Config::l2_merges, 1, 256, false, "", kFermi},
    {"l2.queue", &Config::l2_queue, 1, 256, false, "", kFermi},

    {"dram.channels", &Config::dram_channels, 1, 256, false, "", kTable1},
    {"dram.chips", &Config::dram_chips, 1, 8, true, "",
     "32-bit chips per controller, each with its own data bus"},
    {"dram.banks", &Config::dram_banks, 1, 64, true, "", kTable1},
    {"dram.groups", &Config::dram_groups, 1, 16, true, "", kFermi},
    {"dram.row_bytes", &Config::dram_row_bytes, 128, 65536, true, "", "GDDR5, per chip"},
    {"dram.commands", &Config::dram_commands, 0, 1, false, "channel|chip",
     "left open by the paper: whose command bus carries one command per cycle"},
    {"dram.queue", &Config::dram_queue, 1, 1024, false, "",
     "GPGPU-Sim 3.x: reads that the scheduler of a chip can choose from"},
    {"dram.outstanding", &Config::dram_outstanding, 1, 4096, false, "",
     "GPGPU-Sim 3.x: requests per chip on their way, half of 132 per controller"},
    {"dram.latency", &Config::dram_latency, 0, 10000, false, "",
     "GPGPU-Sim 3.x: core cycles around the chip"},
    {"dram.bandwidth_percent", &Config::dram_bandwidth_percent, 10, 1000, false, "",
     "paper, section 7.4: 50, 100, 200"},
    {"dram.burst_cycles", &Config::dram_burst_cycles, 1, 16, false, "",
     "32 bytes over 32 bits, 4 transfers per cycle"},
    {"dram.cl", &Config::dram_cl, 1, 100, false, "", kTable1},
    {"dram.wl", &Config::dram_wl, 1, 100, false, "", kFermi},
    {"dram.rp", &Config::dram_rp, 1, 100, false, "", kTable1},
    {"dram.rc", &Config::dram_rc, 1, 200, false, "", kTable1},
    {"dram.ras", &Config::dram_ras, 1, 200, false, "", kTable1},
    {"dram.rcd", &Config::dram_rcd, 1, 100, false, "", kTable1},
    {"dram.rrd", &Config::dram_rrd, 1, 100, false, "", kTable1},
    {"dram.cdlr", &Config::dram_cdlr, 1, 100, false, "", "paper, Table 1 (tCLDR)"},
    {"dram.wr", &Config::dram_wr, 1, 100, false, "", kTable1},
    {"dram.ccd", &Config::dram_ccd, 1, 16, false, "", kFermi},
    {"dram.ccdl", &Config::dram_ccdl, 1, 16, false, "", "GDDR5: commands to one bank group"},
    {"dram.rtp", &Config::dram_rtp, 1, 16, false, "", kFermi},
    {"dram.turnaround", &Config::dram_turnaround, 0, 16, false, "",
     "GPGPU-Sim 3.x: idle cycles of the data bus between a read and a write"},
    {"dram.write_buffer", &Config::dram_write_buffer, 1, 1024, false, "",
     "GPGPU-Sim 4: lines that wait to be written per chip, half of 32 per controller"},
    {"dram.write_high", &Config::dram_write_high, 1, 1024, false, "",
     "GPGPU-Sim 4: waiting writes at which writes go first, half of 28"},
    {"dram.write_low", &Config::dram_write_low, 0, 1024, false, "",
     "GPGPU-Sim 4: waiting writes at which reads go first again, half of 16"},

    {"md.bytes", &Config::md_bytes, 64, 1 << 20, false, "", "paper, section 5.3.2"},
    {"md.ways", &Config::md_ways, 1, 64, false, "", "paper, section 5.3.2"},
    {"md.line_bytes", &Config::md_line_bytes, 32, 128, true, "", kOpen},
    {"md.shared", &Config::md_shared, 0, 1, false, "",
     "left open by the paper: 1 divides md.bytes by the channels"},

    {"caba.awt_entries", &Config::caba_awt_entries, 1, 128, false, "", kOpen},
    {"caba.aws_entries", &Config::caba_aws_entries, 1, 65536, false, "",
     "left open by the paper: instructions"},
    {"caba.aws_latency", &Config::caba_aws_latency, 0, 100, false, "",
     "left open by the paper: cycles from event to first instruction"},
    {"caba.deploy_width", &Config::caba_deploy_width, 1, 8, false, "",
     "paper, section 4.4: one assist warp per cycle"},
    {"caba.low_entries", &Config::caba_low_entries, 1, 16, false, "", "paper, section 4.3"},
    {"caba.low_warps", &Config::caba_low_warps, 1, 128, false, "",
     "left open by the paper: assist warps of low priority at once"},
    {"caba.throttle", &Config::caba_throttle, 0, 1, false, "off|on", "paper, section 4.4"},
    {"caba.throttle_window", &Config::caba_throttle_window, 16, 1 << 20, false, "",
     "left open by the paper: cycles"},
    {"caba.throttle_percent", &Config::caba_throttle_percent, 0, 100, false, "",
     "left open by the paper: issue slots in use"},
    {"caba.free", &Config::caba_free, 0, 1, false, "off|on",
     "for the limit: assist instructions cost nothing"},
    {"caba.registers", &Config::caba_registers, 0, 64, false, "",
     "registers per lane of an assist warp; 0: the routines' own"},
    {"caba.register_policy", &Config::caba_register_policy, 0, 1, false, "pool|static",
     "paper, section 4.2: unallocated registers, or added to every thread's"},
    {"caba.min_warps", &Config::caba_min_warps, 1, 48, false, "",
     "left open by the paper: assist warps whose registers blocks leave, with the policy pool"},
    {"caba.raw_l2", &Config::caba_raw_l2, 0, 1, false, "off|on", "paper, section 7.6: uncompressed L2"},
    {"caba.direct_load", &Config::caba_direct_load, 0, 2, false, "off|on|coalescer",
     "paper, section 7.6: the coalescer extracts values after an assist routine, or by itself"},
    {"caba.l1_tags", &Config::caba_l1_tags, 1, 4, true, "", "paper, section 7.5: 2 and 4 compress the L1"},
    {"caba.l2_tags", &Config::caba_l2_tags, 1, 4, true, "", "paper, section 7.5: 2 and 4 compress the L2"},
    {"caba.profile", &Config::caba_profile, 0, 1, false, "off|on",
     "paper, section 5.3.1: disable where it cannot help"},
    {"caba.profile_ratio", &Config::caba_profile_ratio, 100, 400, false, "",
     "paper, section 6: percent, at least 10 % fewer bursts"},
    {"caba.profile_use", &Config::caba_profile_use, 0, 100, false, "",
     "left open by the paper: percent of DRAM or crossbar in use"},
    {"caba.one_encoding", &Config::caba_one_encoding, 0, 1, false, "off|on",
     "paper, section 5.1.2: try the last encoding first"},
    {"caba.first_base", &Config::caba_first_base, 0, 1, false, "off|on",
     "paper, Algorithm 2: the first value is the base"},

    {"hw.decompress", &Config::hw_decompress, 0, 1000, false, "", "paper, section 6: cycles"},
    {"hw.compress", &Config::hw_compress, 0, 1000, false, "", "paper, section 6: cycles"},
    {"ideal.merges", &Config::ideal_merges, 0, 1, false, "off|on",
     "not stated by the paper: Ideal's L2 merges partial writes into compressed lines"},
    {"ideal.metadata", &Config::ideal_metadata, 0, 1, false, "off|on",
     "paper, section 7.2: Ideal has no overhead; on: it looks up metadata as others do"},

    {"record.alu", &Config::record_alu, 1, 64, false, "",
     "a guess: ALU instructions before each operation of a recorded kernel"},
    {"memo.enable", &Config::memo_enable, 0, 1, false, "off|on", "paper, section 8.1"},
    {"memo.entries", &Config::memo_entries, 1, 65536, true, "", kOpen},
    {"prefetch.enable", &Config::prefetch_enable, 0, 1, false, "off|on", "paper, section 8.2"},
    {"prefetch.distance", &Config::prefetch_distance, 1, 64, false, "",
     "left open by the paper: strides ahead"},
    {"prefetch.percent", &Config::prefetch_percent, 0, 100, false, "",
     "left open by the paper: memory pipe use that stops it"},
    {"prefetch.mshrs", &Config::prefetch_mshrs, 0, 1023, false, "",
     "left open by the paper: L1 MSHRs that prefetches leave free"},

    {"run.max_cycles", &Config::run_max_cycles, 1000, 4'000'000'000U, false, "",
     "core cycles before a run is given up"},
    {"run.stall_cycles", &Config::run_stall_cycles, 1000, 4'000'000'000U, false, "",
     "cycles without progress that count as deadlock"},
    {"run.quiet_cycles", &Config::run_quiet_cycles, 1000, 4'000'000'000U, false, "",
     "cycles without a store, barrier or end of a warp that count as an endless loop"},
};

[[nodiscard]] Status invalid(std::string message) {
  return {StatusCode::invalid_argument, std::move(message)};
}

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

[[nodiscard]] const Parameter* find(std::string_view name) {
  for (const Parameter& parameter : kParameters) {
    if (parameter.name == name) {
      return &parameter;
    }
  }
  return nullptr;
}

// The value of a word, or `most + 1`.
[[nodiscard]] uint32_t value_of_word(const Parameter& parameter, std::string_view word) {
  std::string_view words = parameter.words;
  for (uint32_t value = 0; !words.empty(); ++value) {
    const size_t end = std::min(words.find('|'), words.size());
    if (words.substr(0, end) == word) {
      return value;
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return parameter.most + 1;
}

[[nodiscard]] std::string expected_of(const Parameter& parameter) {
  if (!parameter.words.empty()) {
    return fmt::format("one of {}", parameter.words);
  }
  return fmt::format("a {} from {} to {}", parameter.power_of_two ? "power of two" : "number",
                     parameter.least, parameter.most);
}

[[nodiscard]] Status check_sets(std::string_view cache, uint32_t bytes, uint32_t line, uint32_t ways) {
  const uint32_t sets = bytes / line / ways;
  if (sets * line * ways != bytes || !std::has_single_bit(sets)) {
    return invalid(fmt::format("{}: {} bytes in {} ways make {:.6g} sets, expected a power of two", cache,
                               bytes, ways, static_cast<double>(bytes) / line / ways));
  }
  return {};
}

[[nodiscard]] std::string value_text(const Parameter& parameter, uint32_t value) {
  std::string_view words = parameter.words;
  for (uint32_t skipped = 0; skipped < value && !words.empty(); ++skipped) {
    words.remove_prefix(std::min(words.find('|') + 1, words.size()));
  }
  return words.empty() ? fmt::format("{}", value) : std::string(words.substr(0, words.find('|')));
}

}  // namespace

std::span<const Parameter> parameters() {
  return kParameters;
}

Status set_parameter(Config& config, std::string_view name, std::string_view text) {
  const Parameter* parameter = find(name);
  if (parameter == nullptr) {
    return invalid(fmt::format("unknown parameter {}", name));
  }
  uint32_t value = parameter->most + 1;
  if (!parameter->words.empty()) {
    value = value_of_word(*parameter, text);
  }
  if (value > parameter->most) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      return invalid(fmt::format("{}: expected {}, found '{}'", name, expected_of(*parameter), text));
    }
  }
  const bool in_range = value >= parameter->least && value <= parameter->most;
  if (!in_range || (parameter->power_of_two && !std::has_single_bit(value))) {
    return invalid(fmt::format("{}: expected {}, found {}", name, expected_of(*parameter), text));
  }
  config.*parameter->field = value;
  return {};
}

Status set_parameter(Config& config, std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return invalid(fmt::format("expected name=value, found '{}'", assignment));
  }
  return set_parameter(config, trimmed(assignment.substr(0, equals)), trimmed(assignment.substr(equals + 1)));
}

Status read_config(Config& config, std::string_view text, std::string_view file) {
  for (uint32_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, std::min(end, text.find('#'))));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      continue;
    }
    if (const Status status = set_parameter(config, line); !status.ok()) {
      return status.in(fmt::format("{}:{}", file, number));
    }
  }
  return {};
}

std::string_view preset_text(std::string_view name) {
  return name == "paper" ? kPaperPreset : name == "hopper" ? kHopperPreset : std::string_view();
}

bobbin::Result<Config> load_config(const std::string& name_or_path) {
  Config config;
  std::string text(preset_text(name_or_path));
  if (text.empty()) {
    std::ifstream file(name_or_path, std::ios::binary);
    if (!file) {
      return Status(StatusCode::io,
                    fmt::format("{}: cannot be opened; expected paper, hopper or a file", name_or_path));
    }
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (const Status status = read_config(config, text, name_or_path); !status.ok()) {
    return status;
  }
  return config;
}

Status check(const Config& config) {
  if (const Status status = check_sets("l1.bytes", config.l1_bytes, kLineBytes, config.l1_ways);
      !status.ok()) {
    return status;
  }
  if (config.l2_bytes % config.dram_channels != 0) {
    return invalid(fmt::format("l2.bytes: {} is not a multiple of dram.channels ({})", config.l2_bytes,
                               config.dram_channels));
  }
  if (const Status status =
          check_sets("l2.bytes", config.l2_bytes / config.dram_channels, kLineBytes, config.l2_ways);
      !status.ok()) {
    return status;
  }
  const uint32_t md_bytes = config.md_shared != 0 ? config.md_bytes / config.dram_channels : config.md_bytes;
  if (md_bytes < config.md_line_bytes * config.md_ways) {
    return invalid(
        fmt::format("md.bytes: {} bytes are less than one set of {} lines", md_bytes, config.md_ways));
  }
  if (config.dram_groups > config.dram_banks) {
    return invalid(fmt::format("dram.groups: {} groups of {} banks", config.dram_groups, config.dram_banks));
  }
  if (config.dram_write_high > config.dram_write_buffer || config.dram_write_low >= config.dram_write_high) {
    return invalid(
        fmt::format("dram.write_high: expected more than dram.write_low ({}) and at most dram.write_buffer "
                    "({}), found {}",
                    config.dram_write_low, config.dram_write_buffer, config.dram_write_high));
  }
  if (config.store_lines + config.l1_ways > config.l1_bytes / kLineBytes) {
    return invalid(fmt::format("store.lines: {} lines leave no set of an L1 of {} lines", config.store_lines,
                               config.l1_bytes / kLineBytes));
  }
  if (config.sm_warps < config.sm_schedulers) {
    return invalid(
        fmt::format("sm.warps: {} warps for {} schedulers", config.sm_warps, config.sm_schedulers));
  }
  return {};
}

std::string to_text(const Config& config) {
  std::string text;
  for (const Parameter& parameter : kParameters) {
    text += fmt::format("{} = {}\n", parameter.name, value_text(parameter, config.*parameter.field));
  }
  return text;
}

}  // namespace bobbin::sim
