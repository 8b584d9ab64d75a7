// SPDX-License-Identifier: Apache-2.0
// What the paper says about single applications: comparisons that hold in our results, or do not.
#include <fmt/format.h>

#include <algorithm>

#include "sim/report.hpp"

namespace bobbin::sim {
namespace {

constexpr double kEqual = 0.005;  // a difference that counts

// Whether `left` is more than `right` for each of the workloads.
[[nodiscard]] Ordering compare(const ResultSet& set, std::string chart, std::string text,
                               std::vector<std::string> workloads, Side left, Side right, Metric metric) {
  Ordering ordering{std::move(chart), std::move(text), true, ""};
  const std::vector<double> a = values_of(set, workloads, left, kBaseSide, metric);
  const std::vector<double> b = values_of(set, workloads, right, kBaseSide, metric);
  for (size_t i = 0; i < workloads.size(); ++i) {
    if (!(a[i] == a[i] && b[i] == b[i])) {
      return {ordering.chart, ordering.text, std::nullopt, "not measured"};
    }
    ordering.holds = *ordering.holds && a[i] > b[i] + kEqual * b[i];
    ordering.numbers += fmt::format("{}{} {:.3f} and {:.3f}", i == 0 ? "" : "; ", workloads[i], a[i], b[i]);
  }
  return ordering;
}

[[nodiscard]] double compression(const RunResult& run, const RunResult&) {
  return run.compression_ratio();
}

void add_algorithms(const ResultSet& set, std::vector<Ordering>& all) {
  const Side fpc{Design::caba_fpc, ""};
  const Side cpack{Design::caba_cpack, ""};
  const Side best{Design::caba_best, ""};
  for (const std::string name : {"LPS", "JPEG", "MUM", "nw"}) {
    Ordering with_fpc = compare(set, "fig13", name + " compresses better with FPC or C-Pack than with BDI",
                                {name}, fpc, kCabaSide, compression);
    const Ordering with_cpack = compare(set, "fig13", "", {name}, cpack, kCabaSide, compression);
    if (with_fpc.holds && with_cpack.holds) {
      with_fpc.holds = *with_fpc.holds || *with_cpack.holds;
      with_fpc.numbers = "FPC: " + with_fpc.numbers + "; C-Pack: " + with_cpack.numbers;
    }
    all.push_back(with_fpc);
  }
  all.push_back(compare(set, "fig13", "MM, PVC and PVR compress better with BDI than with FPC",
                        {"MM", "PVC", "PVR"}, kCabaSide, fpc, compression));
  all.push_back(compare(set, "fig13", "MM, PVC and PVR compress better with BDI than with C-Pack",
                        {"MM", "PVC", "PVR"}, kCabaSide, cpack, compression));
  all.push_back(compare(set, "fig12", "BestOfAll is faster than BDI for MUM and KM", {"MUM", "KM"}, best,
                        kCabaSide, speedup));
  all.push_back(
      compare(set, "fig12", "LPS is faster with BDI than with FPC", {"LPS"}, kCabaSide, fpc, speedup));
}

void add_caches(const ResultSet& set, std::vector<Ordering>& all) {
  const Side l1{Design::caba_bdi, kCacheTags[0]};
  const Side l2{Design::caba_bdi, kCacheTags[2]};
  all.push_back(compare(set, "fig15", "bfs and sssp gain from L1 compression", {"bfs", "sssp"}, l1, kCabaSide,
                        speedup));
  all.push_back(
      compare(set, "fig15", "TRA and KM gain from L2 compression", {"TRA", "KM"}, l2, kCabaSide, speedup));
  all.push_back(
      compare(set, "fig15", "hs and LPS lose with L1 compression", {"hs", "LPS"}, kCabaSide, l1, speedup));
  all.push_back(compare(set, "fig16", "RAY gains from an uncompressed L2", {"RAY"},
                        {Design::caba_bdi, kRawL2}, kCabaSide, speedup));
}

}  // namespace

std::vector<Ordering> make_orderings(const ResultSet& set) {
  std::vector<Ordering> all;
  all.push_back(compare(set, "fig8", "bfs and mst gain from compressing the crossbar too", {"bfs", "mst"},
                        kCabaSide, {Design::hw_bdi_mem, ""}, speedup));
  add_algorithms(set, all);
  add_caches(set, all);
  return all;
}

}  // namespace bobbin::sim
