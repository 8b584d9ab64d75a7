// SPDX-License-Identifier: Apache-2.0
// Energy of a run: counts of events times constants, and static power times time. The constants are of
// published orders of magnitude for 40 to 28 nm, not of a measured chip: only energies relative to Base mean
// something, and each uncertain constant is varied by half to show how much.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/result.hpp"

namespace bobbin::sim {

// Picojoules per event; watts for static power.
struct EnergyTable {
  double fetch = 30;            // warp instruction from the instruction cache
  double instruction = 30;      // warp instruction: decode, scoreboard, scheduler
  double alu = 320;             // warp instruction: 32 lanes
  double sfu = 1280;            // warp instruction: 32 lanes
  double memory = 180;          // warp instruction: addresses and coalescing
  double shared = 600;          // warp instruction: 32 banks
  double register_read = 125;   // operand of 32 lanes
  double register_write = 150;  // operand of 32 lanes
  double l1 = 200;              // line
  double l2 = 400;              // line
  double flit = 310;            // 32 bytes over the crossbar
  double dram_activate = 2500;  // with its precharge
  double dram_burst = 1600;     // 32 bytes inside the chip
  double dram_io = 1500;        // 32 bytes over the pins
  double md = 20;               // lookup in the metadata cache
  double assist = 20;           // assist instruction instead of `fetch`: store and table entry
  double hw_decompress = 30;    // line, dedicated logic
  double hw_compress = 90;      // line, dedicated logic
  double sm_watts = 3.0;        // static, per SM with its L1
  double uncore_watts = 30.0;   // static: L2, crossbar, memory controllers
  double dram_watts = 0.5;      // static and refresh, per data bus
};

struct EnergyConstant {
  std::string_view name;
  double EnergyTable::*field;
  std::string_view unit;
  bool uncertain;           // varied by half in both directions
  std::string_view source;  // says where the number is an estimate
};
[[nodiscard]] std::span<const EnergyConstant> energy_constants();

// Joules.
struct Energy {
  double cores = 0;  // pipelines, registers, shared memory; assist warps' instructions too
  double caches = 0;
  double interconnect = 0;
  double dram = 0;         // dynamic
  double compression = 0;  // metadata cache, assist warp store, dedicated logic
  double leakage = 0;      // SMs, L2, crossbar, controllers
  double dram_static = 0;

  [[nodiscard]] double total() const {
    return cores + caches + interconnect + dram + compression + leakage + dram_static;
  }
};

struct EnergyPart {
  std::string_view name;
  double Energy::*field;
};
[[nodiscard]] std::span<const EnergyPart> energy_parts();

[[nodiscard]] Energy energy_of(const RunResult& run, const EnergyTable& table = {});
[[nodiscard]] double energy_delay(const RunResult& run, const EnergyTable& table = {});  // joule seconds
[[nodiscard]] double power(const RunResult& run, const EnergyTable& table = {});         // watts
[[nodiscard]] double dram_power(const RunResult& run, const EnergyTable& table = {});

// The table itself, then the table with each uncertain constant at half and at one and a half.
[[nodiscard]] std::vector<EnergyTable> varied_energy_tables();

}  // namespace bobbin::sim
