// SPDX-License-Identifier: Apache-2.0
#include "sim/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim_build.hpp"

namespace bobbin::sim {
namespace {

constexpr std::string_view kSample[] = {"PVC", "bfs", "MM", "LPS"};
constexpr size_t kQuickSample = 2;

constexpr Variation kVariations[] = {
    {"caba.awt_entries=8", false, "assist warp table of 8 entries"},
    {"caba.awt_entries=128", false, "assist warp table of 128 entries"},
    {"caba.aws_latency=0", false, "assist warp store without latency"},
    {"caba.aws_latency=8", false, "assist warp store, 8 cycles"},
    {"caba.deploy_width=2", false, "two assist instructions deployed per cycle"},
    {"caba.low_entries=8", false, "8 buffer entries for low priority"},
    {"caba.low_warps=1", false, "one assist warp of low priority at a time"},
    {"caba.low_warps=32", false, "32 assist warps of low priority at a time"},
    {"caba.register_policy=static", false, "registers of assist warps added to every thread's"},
    {"caba.throttle=off", false, "no dynamic throttling"},
    {"caba.throttle_percent=50", false, "throttling from 50 % of issue slots on"},
    {"caba.throttle_window=4096", false, "throttling window of 4096 cycles"},
    {"caba.registers=16", false, "16 registers per thread for assist warps"},
    {"caba.one_encoding=off", false, "compression tests all encodings"},
    {"caba.first_base=on", false, "the first value is always the base (Algorithm 2)"},
    {"caba.free=on", false, "assist instructions cost nothing (limit)"},
    {"store.lines=4", false, "store buffer of 4 lines"},
    {"store.lines=64", false, "store buffer of 64 lines"},
    {"store.copies=8", false, "copies of 8 partial writes"},
    {"store.in_l1=off", false, "pending stores in spare shared memory"},
    {"store.recompress=on", false, "lines that partial writes expanded are compressed again"},
    {"store.wait=16", false, "partial lines wait 16 cycles"},
    {"store.wait=1024", false, "partial lines wait 1024 cycles"},
    {"md.bytes=2048", false, "metadata caches of 2 KB"},
    {"md.line_bytes=128", false, "metadata cache lines of 128 bytes"},
    {"md.shared=1", false, "8 KB of metadata cache for all controllers together"},
    {"caba.min_warps=8", false, "blocks leave registers to 8 assist warps"},
    {"sm.shared_latency=26", true, "shared memory latency of 26 cycles"},
    {"l1.latency=35", true, "L1 latency of 35 cycles"},
    {"sm.lsu_queue=32", true, "32 entries in the load/store queues"},
    {"l1.mshrs=16", true, "16 L1 MSHRs"},
    {"l1.mshrs=64", true, "64 L1 MSHRs"},
    {"l2.latency=60", true, "L2 latency of 60 cycles"},
    {"l2.latency=240", true, "L2 latency of 240 cycles"},
    {"l2.mshrs=32", true, "32 L2 MSHRs per slice"},
    {"icnt.flit_bytes=16", true, "crossbar of 16 bytes"},
    {"icnt.flit_bytes=64", true, "crossbar of 64 bytes"},
    {"icnt.latency=16", true, "crossbar latency of 16 cycles"},
    {"dram.commands=chip", true, "a DRAM command bus per chip"},
    {"dram.queue=64", true, "64 reads that the DRAM scheduler can choose from"},
    {"dram.write_buffer=64 dram.write_high=56 dram.write_low=32", true, "64 lines that wait to be written"},
    {"sm.policy=rr", true, "round-robin schedulers"},
    {kHalfClock, true, "cores, crossbar and L2 at 700 MHz, as in GPGPU-Sim's file"},
};

// Collects cases, each once.
class CaseList {
 public:
  void add(const std::string& workload, Design design, std::string_view settings = "") {
    Case one{workload, design, std::string(settings)};
    if (seen_.insert(one).second) {
      cases_.push_back(std::move(one));
    }
  }
  [[nodiscard]] std::vector<Case> take() { return std::move(cases_); }

 private:
  std::set<Case> seen_;
  std::vector<Case> cases_;
};

void add_designs(CaseList& list) {
  for (const std::string& workload : all_workloads()) {
    for (const Design design :
         {Design::base, Design::hw_bdi_mem, Design::hw_bdi, Design::caba_bdi, Design::ideal_bdi}) {
      list.add(workload, design);
    }
  }
}

void add_bandwidths(CaseList& list) {
  for (const std::string_view bandwidth : {kHalfBandwidth, kDoubleBandwidth}) {
    for (const std::string& workload : all_workloads()) {
      list.add(workload, Design::base, bandwidth);
    }
    for (const std::string& workload : proxies()) {
      list.add(workload, Design::caba_bdi, bandwidth);
    }
  }
}

void add_options(CaseList& list) {
  for (const std::string& workload : proxies()) {
    for (const Design design : {Design::caba_fpc, Design::caba_cpack, Design::caba_best}) {
      list.add(workload, design);
    }
    for (const std::string_view tags : kCacheTags) {
      list.add(workload, Design::caba_bdi, tags);
    }
    list.add(workload, Design::caba_bdi, kRawL2);
    list.add(workload, Design::caba_bdi, kDirectLoad);
  }
}

void add_controls(CaseList& list) {
  for (const Workload& workload : workloads()) {
    if (workload.kind != WorkloadClass::memory) {
      list.add(std::string(workload.name), Design::caba_bdi, kProfile);
    }
  }
}

void add_variations(CaseList& list, bool quick) {
  for (const Variation& variation : kVariations) {
    for (const std::string& workload : sample(quick)) {
      if (variation.also_base) {
        list.add(workload, Design::base, variation.settings);
      }
      list.add(workload, Design::caba_bdi, variation.settings);
    }
  }
}

}  // namespace

std::string to_string(const Case& one) {
  return fmt::format("{}, {}{}{}", one.workload, to_string(one.design), one.settings.empty() ? "" : ", ",
                     one.settings);
}

bobbin::Result<Config> config_of(const Config& machine, const Case& one) {
  Config config = machine;
  std::string_view rest = one.settings;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (const Status status = set_parameter(config, rest.substr(0, end)); !status.ok()) {
      return status;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return config;
}

std::span<const Variation> variations() {
  return kVariations;
}

std::vector<std::string> all_workloads() {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) {
    names.emplace_back(workload.name);
  }
  return names;
}

std::vector<std::string> proxies() {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) {
    if (workload.kind == WorkloadClass::memory && workload.represents != "control") {
      names.emplace_back(workload.name);
    }
  }
  return names;
}

std::vector<std::string> sample(bool quick) {
  std::vector<std::string> names;
  for (const std::string_view name : kSample) {
    const bool wanted = !quick || names.size() < kQuickSample;
    if (wanted && find_workload(name) != nullptr) {
      names.emplace_back(name);
    }
  }
  return names;
}

std::vector<Case> paper_cases(bool quick) {
  CaseList list;
  add_designs(list);
  add_bandwidths(list);
  add_options(list);
  add_controls(list);
  add_variations(list, quick);
  return list.take();
}

const RunResult* ResultSet::find(const std::string& workload, Design design,
                                 std::string_view settings) const {
  const auto found = runs.find(Case{workload, design, std::string(settings)});
  return found == runs.end() ? nullptr : &found->second;
}

std::string_view simulator_build() {
  return kSimulatorBuild;
}

}  // namespace bobbin::sim
