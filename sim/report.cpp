// SPDX-License-Identifier: Apache-2.0
// Charts.
#include "sim/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/energy.hpp"

namespace bobbin::sim {
namespace {

using Names = std::vector<std::string>;

struct Line {
  std::string_view name;
  Side side;
};

constexpr Line kDesigns[] = {
    {"Base", {Design::base, ""}},           {"HW-BDI-Mem", {Design::hw_bdi_mem, ""}},
    {"HW-BDI", {Design::hw_bdi, ""}},       {"CABA-BDI", {Design::caba_bdi, ""}},
    {"Ideal-BDI", {Design::ideal_bdi, ""}},
};
constexpr Line kAlgorithms[] = {
    {"CABA-FPC", {Design::caba_fpc, ""}},
    {"CABA-BDI", {Design::caba_bdi, ""}},
    {"CABA-C-Pack", {Design::caba_cpack, ""}},
    {"CABA-BestOfAll", {Design::caba_best, ""}},
};
constexpr Line kBandwidths[] = {
    {"1/2x Base", {Design::base, kHalfBandwidth}},
    {"1/2x CABA", {Design::caba_bdi, kHalfBandwidth}},
    {"1x Base", {Design::base, ""}},
    {"1x CABA", {Design::caba_bdi, ""}},
    {"2x Base", {Design::base, kDoubleBandwidth}},
    {"2x CABA", {Design::caba_bdi, kDoubleBandwidth}},
};
constexpr Line kCaches[] = {
    {"L1, 2x tags", {Design::caba_bdi, kCacheTags[0]}},
    {"L1, 4x tags", {Design::caba_bdi, kCacheTags[1]}},
    {"L2, 2x tags", {Design::caba_bdi, kCacheTags[2]}},
    {"L2, 4x tags", {Design::caba_bdi, kCacheTags[3]}},
};
constexpr Line kOptimizations[] = {
    {"Uncompressed L2", {Design::caba_bdi, kRawL2}},
    {"Direct-Load", {Design::caba_bdi, kDirectLoad}},
};

[[nodiscard]] double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? kNoFigure : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

[[nodiscard]] double utilisation(const RunResult& run, const RunResult&) {
  return 100 * run.dram_utilisation();
}
[[nodiscard]] double energy_ratio(const RunResult& run, const RunResult& base) {
  return energy_of(run).total() / energy_of(base).total();
}
[[nodiscard]] double edp_ratio(const RunResult& run, const RunResult& base) {
  return energy_delay(run) / energy_delay(base);
}
[[nodiscard]] double compression(const RunResult& run, const RunResult&) {
  return run.compression_ratio();
}
[[nodiscard]] double md_hits(const RunResult& run, const RunResult&) {
  return run.counters.md_lookups == 0 ? kNoFigure : 100 * run.md_hit_rate();
}

// One bar per workload and line, and the mean in a last row.
[[nodiscard]] Chart bars(const ResultSet& set, std::span<const Line> lines, Side base, Metric metric,
                         bool geometric) {
  Chart chart;
  chart.rows = proxies();
  for (const Line& line : lines) {
    Series series{std::string(line.name), values_of(set, chart.rows, line.side, base, metric)};
    series.values.push_back(geometric ? geometric_mean(series.values) : arithmetic_mean(series.values));
    chart.series.push_back(std::move(series));
  }
  chart.rows.emplace_back(geometric ? "geomean" : "mean");
  return chart;
}

[[nodiscard]] Chart titled(Chart chart, std::string id, std::string title, std::string note,
                           double reference = 0) {
  chart.id = std::move(id);
  chart.title = std::move(title);
  chart.note = std::move(note);
  chart.reference = reference;
  return chart;
}

struct IssueClass {
  std::string_view name;
  uint64_t Counters::*field;
};
constexpr IssueClass kIssueClasses[] = {
    {"Active", &Counters::active_cycles},
    {"Compute stalls", &Counters::compute_stalls},
    {"Memory stalls", &Counters::memory_stalls},
    {"Data-dependence stalls", &Counters::dependence_stalls},
    {"Idle", &Counters::idle_cycles},
};

[[nodiscard]] uint64_t issue_cycles(const Counters& counters) {
  uint64_t all = 0;
  for (const IssueClass& one : kIssueClasses) {
    all += counters.*one.field;
  }
  return all;
}

// Three bars per workload, each of five classes.
[[nodiscard]] Chart issue_chart(const ResultSet& set) {
  Chart chart;
  chart.stacked = true;
  for (const IssueClass& one : kIssueClasses) {
    chart.series.push_back({std::string(one.name), {}});
  }
  for (const std::string& workload : all_workloads()) {
    for (const auto& [label, settings] :
         {std::pair(" 1/2x", kHalfBandwidth), std::pair(" 1x", std::string_view()),
          std::pair(" 2x", kDoubleBandwidth)}) {
      const RunResult* run = set.find(workload, Design::base, settings);
      chart.rows.push_back(workload + label);
      for (size_t i = 0; i < chart.series.size(); ++i) {
        chart.series[i].values.push_back(
            run == nullptr ? kNoFigure
                           : share(run->counters.*kIssueClasses[i].field, issue_cycles(run->counters)));
      }
    }
  }
  return titled(std::move(chart), "fig2", "Figure 2: issue cycles by class",
                "Percent of issue cycles of Base, at half, full and double DRAM bandwidth. All workloads, "
                "controls included.");
}

[[nodiscard]] Chart register_chart(const ResultSet& set) {
  Chart chart;
  chart.rows = all_workloads();
  Series series{"unallocated", {}};
  for (const std::string& workload : chart.rows) {
    const RunResult* run = set.find(workload, Design::base);
    series.values.push_back(
        run == nullptr ? kNoFigure : share(run->counters.unallocated_registers, set.machine.sm_registers));
  }
  series.values.push_back(arithmetic_mean(series.values));
  chart.rows.emplace_back("mean");
  chart.series.push_back(std::move(series));
  return titled(
      std::move(chart), "fig3", "Figure 3: registers that are not allocated",
      "Percent of an SM's registers with as many blocks as fit. Arithmetic mean over all workloads.");
}

[[nodiscard]] Chart control_chart(const ResultSet& set) {
  Chart chart;
  for (const Workload& workload : workloads()) {
    if (workload.kind != WorkloadClass::memory) {
      chart.rows.emplace_back(workload.name);
    }
  }
  constexpr Line kLines[] = {{"CABA-BDI", {Design::caba_bdi, ""}},
                             {"CABA-BDI with profile", {Design::caba_bdi, kProfile}}};
  for (const Line& line : kLines) {
    chart.series.push_back(
        {std::string(line.name), values_of(set, chart.rows, line.side, {Design::base, ""}, speedup)});
  }
  return titled(std::move(chart), "controls", "Controls: incompressible and compute-bound",
                "IPC relative to Base. The profile disables compression where it cannot help.", 1);
}

// The speed-up of CABA-BDI with one parameter changed, over Base with the same change.
[[nodiscard]] double varied_speedup(const ResultSet& set, std::string_view settings, bool also_base) {
  const Names names = sample(set.quick);
  return geometric_mean(values_of(set, names, {Design::caba_bdi, settings},
                                  {Design::base, also_base ? settings : ""}, speedup));
}

[[nodiscard]] Chart variation_chart(const ResultSet& set) {
  Chart chart;
  chart.rows.emplace_back("as configured");
  Series series{"CABA-BDI over Base", {varied_speedup(set, "", false)}};
  for (const Variation& variation : variations()) {
    chart.rows.emplace_back(variation.what);
    series.values.push_back(varied_speedup(set, variation.settings, variation.also_base));
  }
  chart.series.push_back(std::move(series));
  std::string names;
  for (const std::string& name : sample(set.quick)) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return titled(
      std::move(chart), "open", "What the paper leaves open",
      fmt::format("Speed-up of CABA-BDI with one parameter changed; geometric mean over {}. Base is "
                  "changed too where the parameter concerns it.",
                  names),
      1);
}

[[nodiscard]] bool has_numbers(const Chart& chart) {
  return std::ranges::any_of(chart.series, [](const Series& series) {
    return std::ranges::any_of(series.values, [](double value) { return std::isfinite(value); });
  });
}

[[nodiscard]] std::vector<Chart> design_charts(const ResultSet& set) {
  const Side base{Design::base, ""};
  std::vector<Chart> charts;
  charts.push_back(titled(bars(set, kDesigns, base, speedup, true), "fig8", "Figure 8: performance",
                          "IPC relative to Base.", 1));
  charts.push_back(titled(bars(set, kDesigns, base, utilisation, false), "fig9",
                          "Figure 9: DRAM bandwidth utilisation",
                          "Percent of DRAM cycles in which the data buses are busy."));
  charts.push_back(titled(bars(set, kDesigns, base, energy_ratio, true), "fig10", "Figure 10: energy",
                          "Relative to Base. Counts of events times estimated constants.", 1));
  charts.push_back(titled(bars(set, kDesigns, base, edp_ratio, true), "fig11",
                          "Figure 11: energy-delay product", "Relative to Base.", 1));
  return charts;
}

[[nodiscard]] std::vector<Chart> option_charts(const ResultSet& set) {
  const Side base{Design::base, ""};
  const Side caba{Design::caba_bdi, ""};
  std::vector<Chart> charts;
  charts.push_back(titled(bars(set, kAlgorithms, base, speedup, true), "fig12",
                          "Figure 12: algorithms, performance", "IPC relative to Base.", 1));
  charts.push_back(titled(bars(set, kAlgorithms, base, compression, true), "fig13",
                          "Figure 13: algorithms, compression ratio",
                          "DRAM bursts uncompressed over bursts moved, without metadata.", 1));
  charts.push_back(titled(bars(set, kBandwidths, base, speedup, true), "fig14", "Figure 14: DRAM bandwidth",
                          "IPC relative to Base at full bandwidth.", 1));
  charts.push_back(titled(bars(set, kCaches, caba, speedup, true), "fig15", "Figure 15: compressed caches",
                          "IPC relative to CABA-BDI without cache compression.", 1));
  charts.push_back(titled(bars(set, kOptimizations, caba, speedup, true), "fig16",
                          "Figure 16: uncompressed L2 and Direct-Load", "IPC relative to CABA-BDI.", 1));
  constexpr Line kMetadata[] = {{"CABA-BDI", {Design::caba_bdi, ""}}};
  charts.push_back(titled(bars(set, kMetadata, base, md_hits, false), "md", "Metadata cache",
                          "Percent of lookups that hit."));
  return charts;
}

}  // namespace

double arithmetic_mean(std::span<const double> values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (std::isfinite(value)) {
      sum += value;
      ++count;
    }
  }
  return count == 0 ? kNoFigure : sum / count;
}

double geometric_mean(std::span<const double> values) {
  std::vector<double> logarithms;
  for (const double value : values) {
    logarithms.push_back(value > 0 ? std::log(value) : kNoFigure);
  }
  return std::exp(arithmetic_mean(logarithms));
}

double speedup(const RunResult& run, const RunResult& base) {
  return base.ipc() == 0 ? kNoFigure : run.ipc() / base.ipc();
}

std::vector<double> values_of(const ResultSet& set, std::span<const std::string> workloads, Side side,
                              Side base, Metric metric) {
  std::vector<double> values;
  for (const std::string& workload : workloads) {
    const RunResult* run = set.find(workload, side.design, side.settings);
    const RunResult* other = set.find(workload, base.design, base.settings);
    values.push_back(run == nullptr || other == nullptr ? kNoFigure : metric(*run, *other));
  }
  return values;
}

std::vector<Chart> make_charts(const ResultSet& set) {
  std::vector<Chart> charts = {issue_chart(set), register_chart(set)};
  for (std::vector<Chart> more : {design_charts(set), option_charts(set)}) {
    std::ranges::move(more, std::back_inserter(charts));
  }
  charts.push_back(control_chart(set));
  charts.push_back(variation_chart(set));
  std::erase_if(charts, [](const Chart& chart) { return !has_numbers(chart); });
  return charts;
}

}  // namespace bobbin::sim
