// SPDX-License-Identifier: Apache-2.0
// The paper's numbers beside ours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sim/energy.hpp"
#include "sim/report.hpp"

namespace bobbin::sim {
namespace {

constexpr Side kHw{Design::hw_bdi, ""};
constexpr Side kIdeal{Design::ideal_bdi, ""};
constexpr std::string_view kOverWorkloads = "lowest and highest workload";
constexpr std::string_view kOverConstants = "each constant halved and raised by half";

void set_range(std::span<const double> values, Claim& claim) {
  claim.low = claim.high = kNoFigure;
  for (const double value : values) {
    if (std::isfinite(value)) {
      claim.low = std::isnan(claim.low) ? value : std::min(claim.low, value);
      claim.high = std::isnan(claim.high) ? value : std::max(claim.high, value);
    }
  }
}

enum class Mean { geometric, arithmetic };

[[nodiscard]] double mean_of(std::span<const double> values, Mean mean) {
  return mean == Mean::geometric ? geometric_mean(values) : arithmetic_mean(values);
}

// What the paper says; ours is filled in later.
[[nodiscard]] Claim stated(std::string id, std::string chart, std::string text, double paper,
                           double tolerance) {
  Claim claim;
  claim.remark = remark_on(id);
  claim.id = std::move(id);
  claim.chart = std::move(chart);
  claim.text = std::move(text);
  claim.paper = paper;
  claim.tolerance = tolerance;
  return claim;
}

[[nodiscard]] Claim with_values(Claim claim, std::span<const double> values, Mean mean) {
  claim.ours = mean_of(values, mean);
  claim.other = mean_of(values, mean == Mean::geometric ? Mean::arithmetic : Mean::geometric);
  claim.mean = mean == Mean::geometric ? "geometric" : "arithmetic";
  claim.band = kOverWorkloads;
  set_range(values, claim);
  return claim;
}

[[nodiscard]] Claim of_speed(const ResultSet& set, Claim claim, Side side, Side base) {
  return with_values(std::move(claim), values_of(set, proxies(), side, base, speedup), Mean::geometric);
}

[[nodiscard]] double stalls(const RunResult& run, const RunResult&) {
  const Counters& c = run.counters;
  const auto part = static_cast<double>(c.memory_stalls + c.dependence_stalls);
  const auto all = static_cast<double>(c.active_cycles + c.compute_stalls + c.idle_cycles) + part;
  return all == 0 ? kNoFigure : 100 * part / all;
}
[[nodiscard]] double utilisation(const RunResult& run, const RunResult&) {
  return 100 * run.dram_utilisation();
}
[[nodiscard]] double traffic(const RunResult& run, const RunResult& base) {
  return run.counters.dram_bursts == 0
             ? kNoFigure
             : static_cast<double>(base.counters.dram_bursts) / static_cast<double>(run.counters.dram_bursts);
}
[[nodiscard]] double md_hits(const RunResult& run, const RunResult&) {
  return run.counters.md_lookups == 0 ? kNoFigure : 100 * run.md_hit_rate();
}

// A ratio of energies, with a band from the uncertain constants.
using EnergyMetric = double (*)(const RunResult& run, const EnergyTable& table);

[[nodiscard]] Claim of_energy(const ResultSet& set, Claim claim, Side side, Side base, EnergyMetric metric) {
  std::vector<double> means;
  for (const EnergyTable& table : varied_energy_tables()) {
    std::vector<double> ratios;
    for (const std::string& workload : proxies()) {
      const RunResult* run = set.find(workload, side.design, side.settings);
      const RunResult* other = set.find(workload, base.design, base.settings);
      ratios.push_back(run == nullptr || other == nullptr ? kNoFigure
                                                          : metric(*run, table) / metric(*other, table));
    }
    if (means.empty()) {
      claim = with_values(std::move(claim), ratios, Mean::geometric);
    }
    means.push_back(geometric_mean(ratios));
  }
  set_range(means, claim);
  claim.band = kOverConstants;
  return claim;
}

[[nodiscard]] double total_energy(const RunResult& run, const EnergyTable& table) {
  return energy_of(run, table).total();
}

void add_motivation(const ResultSet& set, std::vector<Claim>& claims) {
  const auto stall_claim = [&](std::string id, std::string_view text, double paper, Side side) {
    Claim claim = stated(std::move(id), "fig2", std::string(text), paper, 15);
    return with_values(std::move(claim), values_of(set, proxies(), side, kBaseSide, stalls),
                       Mean::arithmetic);
  };
  claims.push_back(stall_claim("stalls", "memory and dependence stalls, % of issue cycles", 61, kBaseSide));
  claims.push_back(
      stall_claim("stalls-2x", "the same with double bandwidth", 51, {Design::base, kDoubleBandwidth}));
  std::vector<double> free_registers;
  for (const std::string& workload : all_workloads()) {
    const RunResult* run = set.find(workload, Design::base);
    free_registers.push_back(run == nullptr
                                 ? kNoFigure
                                 : 100.0 * static_cast<double>(run->counters.unallocated_registers) /
                                       set.machine.sm_registers);
  }
  claims.push_back(with_values(stated("registers", "fig3", "registers not allocated, %", 24, 10),
                               free_registers, Mean::arithmetic));
}

void add_performance(const ResultSet& set, std::vector<Claim>& claims) {
  claims.push_back(
      of_speed(set, stated("caba", "fig8", "CABA-BDI over Base", 1.417, 0.15), kCabaSide, kBaseSide));
  claims.push_back(
      of_speed(set, stated("hw-mem", "fig8", "HW-BDI-Mem over Base (from the paper's ratios)", 1.29, 0.15),
               {Design::hw_bdi_mem, ""}, kBaseSide));
  claims.push_back(of_speed(
      set, stated("hw", "fig8", "HW-BDI over Base (from the paper's ratios)", 1.44, 0.15), kHw, kBaseSide));
  claims.push_back(
      of_speed(set, stated("ideal", "fig8", "Ideal-BDI over Base (from the paper's ratios)", 1.46, 0.15),
               kIdeal, kBaseSide));
  claims.push_back(
      of_speed(set, stated("caba-ideal", "fig8", "CABA-BDI over Ideal-BDI", 0.972, 0.05), kCabaSide, kIdeal));
  claims.push_back(
      of_speed(set, stated("caba-hw", "fig8", "CABA-BDI over HW-BDI", 0.984, 0.05), kCabaSide, kHw));
  claims.push_back(of_speed(set, stated("caba-hw-mem", "fig8", "CABA-BDI over HW-BDI-Mem", 1.099, 0.08),
                            kCabaSide, {Design::hw_bdi_mem, ""}));
  Claim most = of_speed(set, stated("caba-most", "fig8", "CABA-BDI over Base, best application", 2.6, 0.5),
                        kCabaSide, kBaseSide);
  most.ours = most.high;
  most.other = kNoFigure;
  most.mean = "maximum";
  claims.push_back(most);
}

void add_bandwidth(const ResultSet& set, std::vector<Claim>& claims) {
  const auto of = [&](Claim claim, Side side, Metric metric, Mean mean) {
    return with_values(std::move(claim), values_of(set, proxies(), side, kBaseSide, metric), mean);
  };
  claims.push_back(of(stated("util-base", "fig9", "DRAM utilisation of Base, %", 53.6, 15), kBaseSide,
                      utilisation, Mean::arithmetic));
  claims.push_back(of(stated("util-caba", "fig9", "DRAM utilisation of CABA-BDI, %", 35.6, 15), kCabaSide,
                      utilisation, Mean::arithmetic));
  claims.push_back(of(stated("traffic", "fig9", "DRAM traffic of Base over CABA-BDI", 2.1, 0.4), kCabaSide,
                      traffic, Mean::geometric));
}

void add_energy(const ResultSet& set, std::vector<Claim>& claims) {
  claims.push_back(of_energy(set, stated("energy", "fig10", "energy, CABA-BDI over Base", 0.778, 0.1),
                             kCabaSide, kBaseSide, total_energy));
  claims.push_back(of_energy(set, stated("energy-hw", "fig10", "energy, CABA-BDI over HW-BDI", 1.036, 0.05),
                             kCabaSide, kHw, total_energy));
  claims.push_back(of_energy(set,
                             stated("energy-ideal", "fig10", "energy, CABA-BDI over Ideal-BDI", 1.04, 0.05),
                             kCabaSide, kIdeal, total_energy));
  claims.push_back(of_energy(set,
                             stated("dram-power", "fig10", "DRAM power, CABA-BDI over Base", 0.705, 0.15),
                             kCabaSide, kBaseSide, dram_power));
  claims.push_back(of_energy(set, stated("power", "fig10", "power, CABA-BDI over Base", 1.029, 0.1),
                             kCabaSide, kBaseSide, power));
  claims.push_back(of_energy(set, stated("edp", "fig11", "energy-delay, CABA-BDI over Base", 0.55, 0.1),
                             kCabaSide, kBaseSide, energy_delay));
  claims.push_back(
      of_energy(set, stated("edp-ideal", "fig11", "energy-delay, CABA-BDI over Ideal-BDI", 1.04, 0.06),
                kCabaSide, kIdeal, energy_delay));
}

void add_options(const ResultSet& set, std::vector<Claim>& claims) {
  claims.push_back(of_speed(set, stated("fpc", "fig12", "CABA-FPC over Base", 1.207, 0.15),
                            {Design::caba_fpc, ""}, kBaseSide));
  claims.push_back(of_speed(set, stated("cpack", "fig12", "CABA-C-Pack over Base", 1.352, 0.15),
                            {Design::caba_cpack, ""}, kBaseSide));
  claims.push_back(
      of_speed(set, stated("double", "fig14", "CABA-BDI at full over Base at double bandwidth", 1, 0.15),
               kCabaSide, {Design::base, kDoubleBandwidth}));
  claims.push_back(of_speed(set, stated("direct", "fig16", "Direct-Load over CABA-BDI", 1.025, 0.04),
                            {Design::caba_bdi, kDirectLoad}, kCabaSide));
  const std::string names[] = {"MM"};
  claims.push_back(with_values(stated("direct-mm", "fig16", "Direct-Load over CABA-BDI, MM", 1.046, 0.06),
                               values_of(set, names, {Design::caba_bdi, kDirectLoad}, kCabaSide, speedup),
                               Mean::geometric));
  claims.push_back(with_values(stated("md-hits", "md", "metadata cache hits, %", 85, 10),
                               values_of(set, proxies(), kCabaSide, kBaseSide, md_hits), Mean::arithmetic));
}

}  // namespace

std::vector<Claim> make_claims(const ResultSet& set) {
  std::vector<Claim> claims;
  for (const auto& add : {add_motivation, add_performance, add_bandwidth, add_energy, add_options}) {
    add(set, claims);
  }
  return claims;
}

}  // namespace bobbin::sim
