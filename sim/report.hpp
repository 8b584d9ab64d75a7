// SPDX-License-Identifier: Apache-2.0
// The paper's figures from a set of results: charts, its numbers beside ours, and the orderings that it
// states. Numbers that were not measured are NaN.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiments.hpp"

namespace bobbin::sim {

inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

// Means of those values that are numbers; kNoFigure if there is none.
[[nodiscard]] double arithmetic_mean(std::span<const double> values);
[[nodiscard]] double geometric_mean(std::span<const double> values);

struct Series {
  std::string name;
  std::vector<double> values;  // one per row of the chart
};

struct Chart {
  std::string id;
  std::string title;
  std::string note;  // what is shown, and which mean
  bool stacked = false;
  double reference = 0;  // a line across the bars; 0: none
  std::vector<std::string> rows;
  std::vector<Series> series;
};

// In the order of the paper's figures. A chart without a single number is left out.
[[nodiscard]] std::vector<Chart> make_charts(const ResultSet& set);

// A number of the paper beside ours.
struct Claim {
  std::string id;
  std::string chart;  // that shows it
  std::string text;
  double paper = 0;
  double ours = 0;   // the mean that `mean` names
  double other = 0;  // the other mean, where there are two
  double low = 0;    // the band: see `band`
  double high = 0;
  double tolerance = 0;  // a deviation that needs no explanation
  std::string_view mean;
  std::string_view band;
  std::string_view remark;  // why ours differs, where experiments say so

  [[nodiscard]] bool is_measured() const { return ours == ours; }
  [[nodiscard]] bool is_near() const { return ours >= paper - tolerance && ours <= paper + tolerance; }
};
[[nodiscard]] std::vector<Claim> make_claims(const ResultSet& set);

// What the paper says about single applications or designs.
struct Ordering {
  std::string chart;
  std::string text;
  std::optional<bool> holds;  // empty: not measured
  std::string numbers;
};
[[nodiscard]] std::vector<Ordering> make_orderings(const ResultSet& set);

// Why ours differs; empty if nothing is known.
[[nodiscard]] std::string_view remark_on(std::string_view claim);

// Values of the proxies (or of other workloads), for charts and claims.
using Metric = double (*)(const RunResult& run, const RunResult& base);
struct Side {
  Design design = Design::base;
  std::string_view settings = "";
};
inline constexpr Side kBaseSide{Design::base, ""};
inline constexpr Side kCabaSide{Design::caba_bdi, ""};
[[nodiscard]] std::vector<double> values_of(const ResultSet& set, std::span<const std::string> workloads,
                                            Side side, Side base, Metric metric);
[[nodiscard]] double speedup(const RunResult& run, const RunResult& base);

}  // namespace bobbin::sim
