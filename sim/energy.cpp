// SPDX-License-Identifier: Apache-2.0
#include "sim/energy.hpp"

namespace bobbin::sim {
namespace {

constexpr double kPico = 1e-12;
constexpr double kVariation = 0.5;

// "From memory": the publication was not at hand when the number was written down.
constexpr EnergyConstant kConstants[] = {
    {"fetch", &EnergyTable::fetch, "pJ", true, "estimate: 8 bytes of an SRAM of some KB, with its tags"},
    {"instruction", &EnergyTable::instruction, "pJ", true, "estimate: a small SRAM read and a few latches"},
    {"alu", &EnergyTable::alu, "pJ", true,
     "estimate: 10 pJ per lane, a fifth of a 64-bit multiply-add in 40 nm (Keckler et al., IEEE Micro 2011; "
     "from memory)"},
    {"sfu", &EnergyTable::sfu, "pJ", true, "estimate: 4 times alu"},
    {"memory", &EnergyTable::memory, "pJ", true, "estimate: 32 address adders and comparators"},
    {"shared", &EnergyTable::shared, "pJ", true, "estimate: 32 banks of 1 KB, 4 bytes each, and a crossbar"},
    {"register_read", &EnergyTable::register_read, "pJ", true,
     "8 pJ per 16 bytes and 1.9 pJ per word and mm (Gebhart et al., ISCA 2011; from memory)"},
    {"register_write", &EnergyTable::register_write, "pJ", true,
     "11 pJ per 16 bytes and the same wires (Gebhart et al., ISCA 2011; from memory)"},
    {"l1", &EnergyTable::l1, "pJ", true,
     "50 pJ per 32 bytes of an 8 KB SRAM in 28 nm (DOI 10.1186/s12859-018-2389-6, table 7), 4 times"},
    {"l2", &EnergyTable::l2, "pJ", true, "estimate: twice l1, for a 128 KB slice"},
    {"flit", &EnergyTable::flit, "pJ", true,
     "32 bytes over 10 mm in 40 nm (Keckler et al., IEEE Micro 2011; from memory)"},
    {"dram_activate", &EnergyTable::dram_activate, "pJ", true,
     "estimate: so that streams take about 14 pJ per bit in all"},
    {"dram_burst", &EnergyTable::dram_burst, "pJ", true,
     "GDDR5 takes about 14 pJ per bit with activation and pins (O'Connor et al., MICRO 2017; from memory); "
     "the division is an estimate"},
    {"dram_io", &EnergyTable::dram_io, "pJ", true, "see dram_burst"},
    {"md", &EnergyTable::md, "pJ", true, "estimate: 4 bytes of an 8 KB SRAM"},
    {"assist", &EnergyTable::assist, "pJ", true, "estimate: 8 bytes of a small SRAM"},
    {"hw_decompress", &EnergyTable::hw_decompress, "pJ", true,
     "estimate: 32 adders of 32 bits; the paper synthesised its own and gives no number"},
    {"hw_compress", &EnergyTable::hw_compress, "pJ", true, "estimate: 3 times hw_decompress"},
    {"sm_watts", &EnergyTable::sm_watts, "W", true,
     "estimate: 75 W of static power for a chip of 15 SMs (GPUSimPow, ISPASS 2013, finds about 80 W for 16; "
     "from memory), 3 W of it per SM"},
    {"uncore_watts", &EnergyTable::uncore_watts, "W", true, "estimate: the rest of the 75 W"},
    {"dram_watts", &EnergyTable::dram_watts, "W", true, "estimate: standby and refresh of one GDDR5 chip"},
};

constexpr EnergyPart kParts[] = {
    {"cores", &Energy::cores},
    {"caches", &Energy::caches},
    {"interconnect", &Energy::interconnect},
    {"dram", &Energy::dram},
    {"compression", &Energy::compression},
    {"leakage", &Energy::leakage},
    {"dram_static", &Energy::dram_static},
};

[[nodiscard]] double number(uint64_t count) {
  return static_cast<double>(count);
}

[[nodiscard]] double core_energy(const Counters& c, const EnergyTable& t) {
  return number(c.instructions) * t.fetch + number(c.instructions + c.assist_instructions) * t.instruction +
         number(c.alu_instructions) * t.alu + number(c.sfu_instructions) * t.sfu +
         number(c.memory_instructions) * t.memory + number(c.shared_instructions) * t.shared +
         number(c.register_reads) * t.register_read + number(c.register_writes) * t.register_write;
}

// Lines that fail to compress are among the compressions. Ideal compression costs nothing; assist warps do
// the work of the dedicated logic.
[[nodiscard]] double compression_energy(const RunResult& run, const EnergyTable& t) {
  const Counters& c = run.counters;
  const bool hardware = run.design.starts_with("hw-");
  const double logic =
      hardware ? number(c.decompressions) * t.hw_decompress + number(c.compressions) * t.hw_compress : 0;
  return logic + number(c.md_lookups) * t.md + number(c.assist_instructions) * t.assist;
}

}  // namespace

std::span<const EnergyConstant> energy_constants() {
  return kConstants;
}
std::span<const EnergyPart> energy_parts() {
  return kParts;
}

Energy energy_of(const RunResult& run, const EnergyTable& t) {
  const Counters& c = run.counters;
  return {
      .cores = kPico * core_energy(c, t),
      // An L2 line is written when it comes from DRAM and read when it goes there.
      .caches = kPico * (number(c.l1_loads + c.l1_stores + c.l1_fills + c.l1_routine_accesses) * t.l1 +
                         number(c.l2_accesses + c.dram_reads + c.dram_writes) * t.l2),
      .interconnect = kPico * number(c.request_flits + c.reply_flits) * t.flit,
      .dram = kPico * (number(c.dram_activates) * t.dram_activate +
                       number(c.dram_bursts) * (t.dram_burst + t.dram_io)),
      .compression = kPico * compression_energy(run, t),
      .leakage = run.seconds() * (run.sms * t.sm_watts + t.uncore_watts),
      .dram_static = run.seconds() * run.dram_buses * t.dram_watts,
  };
}

double energy_delay(const RunResult& run, const EnergyTable& table) {
  return energy_of(run, table).total() * run.seconds();
}

double power(const RunResult& run, const EnergyTable& table) {
  return run.seconds() == 0 ? 0 : energy_of(run, table).total() / run.seconds();
}

double dram_power(const RunResult& run, const EnergyTable& table) {
  const Energy energy = energy_of(run, table);
  return run.seconds() == 0 ? 0 : (energy.dram + energy.dram_static) / run.seconds();
}

std::vector<EnergyTable> varied_energy_tables() {
  std::vector<EnergyTable> tables(1);
  for (const EnergyConstant& constant : kConstants) {
    for (const double factor : {1 - kVariation, 1 + kVariation}) {
      if (constant.uncertain) {
        tables.emplace_back().*constant.field *= factor;
      }
    }
  }
  return tables;
}

}  // namespace bobbin::sim
