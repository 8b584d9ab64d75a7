// SPDX-License-Identifier: Apache-2.0
#include "sim/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sim/report.hpp"

namespace bobbin::sim {
namespace {

// A made-up run of a machine that is 1 millisecond busy.
[[nodiscard]] RunResult some_run(std::string design) {
  RunResult run;
  run.workload = "made-up";
  run.design = std::move(design);
  run.sms = 15;
  run.dram_buses = 12;
  run.clock_core = 1400;
  run.clock_dram = 924;
  Counters& c = run.counters;
  c.core_cycles = 1'400'000;
  c.dram_cycles = 924'000;
  c.instructions = 10'000'000;
  c.alu_instructions = 6'000'000;
  c.memory_instructions = 2'000'000;
  c.register_reads = 20'000'000;
  c.register_writes = 8'000'000;
  c.l1_loads = 2'000'000;
  c.l2_accesses = 1'000'000;
  c.request_flits = 1'000'000;
  c.reply_flits = 5'000'000;
  c.dram_bursts = 4'000'000;
  c.dram_activates = 400'000;
  c.dram_busy_cycles = 8'000'000;
  return run;
}

TEST(SimEnergy, EveryConstantAndEveryPartIsNamedOnceAndHasASource) {
  std::set<std::string_view> names;
  for (const EnergyConstant& constant : energy_constants()) {
    EXPECT_TRUE(names.insert(constant.name).second) << constant.name;
    EXPECT_FALSE(constant.source.empty()) << constant.name;
    EXPECT_GT(EnergyTable().*constant.field, 0) << constant.name;
  }
  EXPECT_EQ(names.size() * sizeof(double), sizeof(EnergyTable));
  EXPECT_EQ(energy_parts().size() * sizeof(double), sizeof(Energy));
}

TEST(SimEnergy, PartsAddUpToThePlausiblePowerOfACard) {
  const RunResult run = some_run("base");
  const Energy energy = energy_of(run);
  double sum = 0;
  for (const EnergyPart& part : energy_parts()) {
    sum += energy.*part.field;
  }
  EXPECT_DOUBLE_EQ(sum, energy.total());
  EXPECT_GT(power(run), 60);
  EXPECT_LT(power(run), 250);
  // 4 million bursts of 256 bits, with their activations: GDDR5's 14 pJ per bit.
  EXPECT_NEAR(energy.dram / (4e6 * 256), 14e-12, 2e-12);
}

TEST(SimEnergy, EachConstantChangesTheEnergyOfSomeRun) {
  RunResult run = some_run("hw-bdi");
  run.counters.sfu_instructions = run.counters.shared_instructions = 1000;
  run.counters.md_lookups = run.counters.decompressions = run.counters.compressions = 1000;
  run.counters.assist_instructions = 1000;
  const double before = energy_of(run).total();
  for (const EnergyConstant& constant : energy_constants()) {
    EnergyTable table;
    table.*constant.field *= 2;
    EXPECT_GT(energy_of(run, table).total(), before) << constant.name;
  }
}

TEST(SimEnergy, OnlyTheDesignThatCompressesPaysForIt) {
  RunResult run = some_run("base");
  EXPECT_EQ(energy_of(run).compression, 0);
  run.counters.md_lookups = run.counters.decompressions = run.counters.compressions = 100'000;
  run.design = "caba-bdi";
  const double assisted = energy_of(run).compression;  // the metadata cache
  run.design = "hw-bdi";
  EXPECT_GT(energy_of(run).compression, assisted);
  EXPECT_GT(assisted, 0);
}

TEST(SimEnergy, ALineThatFailsToCompressIsCountedOnce) {
  RunResult run = some_run("hw-bdi");
  run.counters.compressions = 1000;
  const double all_compress = energy_of(run).compression;
  run.counters.compressions_failed = 1000;
  EXPECT_DOUBLE_EQ(energy_of(run).compression, all_compress);
  EXPECT_DOUBLE_EQ(all_compress, 1000 * EnergyTable().hw_compress * 1e-12);
}

// An instruction of an assist warp comes from the assist warp store, not from the instruction cache too.
TEST(SimEnergy, AnAssistInstructionIsFetchedOnce) {
  const RunResult base = some_run("caba-bdi");
  RunResult run = base;
  run.counters.assist_instructions = 1000;
  const EnergyTable table;
  EXPECT_NEAR(energy_of(run).total() - energy_of(base).total(),
              1000 * (table.instruction + table.assist) * 1e-12, 1e-15);
}

TEST(SimEnergy, RoutinesAndFillsAccessTheL1) {
  const RunResult base = some_run("base");
  RunResult run = base;
  run.counters.l1_fills = 1000;
  run.counters.l1_routine_accesses = 500;
  EXPECT_NEAR(energy_of(run).caches - energy_of(base).caches, 1500 * EnergyTable().l1 * 1e-12, 1e-15);
}

TEST(SimEnergy, LessTimeAndFewerBurstsTakeLess) {
  const RunResult base = some_run("base");
  RunResult faster = base;
  faster.counters.core_cycles /= 2;
  EXPECT_DOUBLE_EQ(energy_of(faster).leakage, energy_of(base).leakage / 2);
  EXPECT_EQ(energy_of(faster).cores, energy_of(base).cores);
  RunResult smaller = base;
  smaller.counters.dram_bursts /= 2;
  EXPECT_LT(energy_of(smaller).dram, energy_of(base).dram);
}

TEST(SimEnergy, TheVariedTablesAreTheTableAndTwoPerUncertainConstant) {
  const std::vector<EnergyTable> tables = varied_energy_tables();
  EXPECT_EQ(tables.size(), 1 + 2 * energy_constants().size());
  EXPECT_DOUBLE_EQ(tables[1].fetch, EnergyTable().fetch / 2);
  EXPECT_DOUBLE_EQ(tables[2].fetch, EnergyTable().fetch * 1.5);
  EXPECT_DOUBLE_EQ(tables[3].fetch, EnergyTable().fetch);
}

// The identities that the paper's own averages satisfy hold exactly for each of our runs.
TEST(SimEnergy, NormalisedNumbersCompose) {
  const RunResult base = some_run("base");
  RunResult caba = some_run("caba-bdi");
  caba.counters.core_cycles = 1'000'000;
  caba.counters.dram_cycles = 660'000;
  caba.counters.dram_bursts = 1'900'000;
  caba.counters.dram_busy_cycles = 3'800'000;
  caba.counters.assist_instructions = 1'500'000;
  const double faster = speedup(caba, base);
  const double energy = energy_of(caba).total() / energy_of(base).total();
  EXPECT_NEAR(energy_delay(caba) / energy_delay(base), energy / faster, 1e-12);
  EXPECT_NEAR(power(caba) / power(base), energy * faster, 1e-12);
  const double traffic = base.dram_utilisation() / caba.dram_utilisation() * faster;
  EXPECT_NEAR(traffic,
              static_cast<double>(base.counters.dram_busy_cycles) /
                  static_cast<double>(caba.counters.dram_busy_cycles),
              1e-9);
}

}  // namespace
}  // namespace bobbin::sim
