// SPDX-License-Identifier: Apache-2.0
// Writes made-up results of all experiments, so that pages can be tested without minutes of simulation.
//
// usage: bobbin-report-sim-results OUT
#include <fstream>
#include <iostream>

#include "sim/experiments_file.hpp"

namespace bobbin::sim {
namespace {

// Numbers of plausible size that differ from run to run.
RunResult made_up(const Case& one, uint64_t number) {
  RunResult run;
  run.workload = one.workload;
  run.design = to_string(one.design);
  run.quick = true;
  run.seed = 1;
  run.sms = 15;
  run.dram_buses = 12;
  run.clock_core = 1400;
  run.clock_dram = 924;
  uint64_t value = 1000 + 37 * (number % 101);
  for (const CounterName& counter : counter_names()) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    run.counters.*counter.field = 100'000 + (value >> 33) % 100'000;
  }
  run.counters.core_cycles = one.design == Design::base ? 150'000 : 90'000 + (value >> 33) % 40'000;
  run.counters.instructions = 1'000'000;
  return run;
}

Timeline made_up_timeline() {
  Timeline timeline{{"<b>PVC</b>", Design::caba_bdi, ""}, 0, 3000, 3300, {}};
  for (uint64_t cycle = 3000; cycle < 3300; ++cycle) {
    timeline.issues.push_back({.cycle = cycle,
                               .warp = static_cast<uint32_t>(cycle * 7 % 48),
                               .op = cycle % 3 == 0 ? Op::load : Op::alu,
                               .assist = cycle % 5 == 0,
                               .low_priority = cycle % 10 == 0});
  }
  return timeline;
}

}  // namespace
}  // namespace bobbin::sim

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: bobbin-report-sim-results OUT\n";
    return 2;
  }
  bobbin::sim::ResultSet set;
  set.build = "<script>alert('build')</script>";
  set.quick = true;
  uint64_t number = 0;
  for (const bobbin::sim::Case& one : bobbin::sim::paper_cases(true)) {
    set.runs.emplace(one, bobbin::sim::made_up(one, ++number));
  }
  set.failures.emplace(bobbin::sim::Case{"<img src=x>", bobbin::sim::Design::base, "\" onclick=\"x"},
                       "<b>no</b>");
  set.timeline = bobbin::sim::made_up_timeline();
  std::ofstream(argv[1], std::ios::binary) << bobbin::sim::to_json(set);
  return 0;
}
