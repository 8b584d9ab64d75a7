// SPDX-License-Identifier: Apache-2.0
// Sets of runs: which there are, files of results, and what is computed from them.
#include "sim/experiments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sim/energy.hpp"
#include "sim/experiments_file.hpp"
#include "sim/report.hpp"

namespace bobbin::sim {
namespace {

// Counters that make the IPC and the bursts what they are asked to be.
[[nodiscard]] RunResult made_up(const Case& one, double ipc, uint64_t bursts) {
  RunResult run;
  run.workload = one.workload;
  run.design = to_string(one.design);
  run.seed = 1;
  run.quick = true;
  run.sms = 15;
  run.dram_buses = 12;
  run.clock_core = 1400;
  run.clock_dram = 924;
  run.counters.instructions = 1'000'000;
  run.counters.core_cycles = static_cast<uint64_t>(1'000'000 / ipc);
  run.counters.dram_cycles = run.counters.core_cycles * 924 / 1400;
  run.counters.dram_bursts = run.counters.dram_read_bursts = bursts;
  run.counters.dram_bursts_raw = 400'000;
  run.counters.dram_busy_cycles = 2 * bursts;
  return run;
}

// Base at an IPC of 2, CABA-BDI 1.5 times as fast with half the bursts.
[[nodiscard]] ResultSet made_up_set() {
  ResultSet set;
  set.build = "made up";
  set.quick = true;
  for (const Case& one : paper_cases(true)) {
    const bool is_base = one.design == Design::base;
    set.runs.emplace(one, made_up(one, is_base ? 2 : 3, is_base ? 400'000 : 200'000));
  }
  return set;
}

TEST(SimExperiments, CasesAreUniqueAndPossible) {
  for (const bool quick : {false, true}) {
    const std::vector<Case> cases = paper_cases(quick);
    EXPECT_EQ(std::set<Case>(cases.begin(), cases.end()).size(), cases.size());
    EXPECT_FALSE(cases.empty());
    for (const Case& one : cases) {
      const bobbin::Result<Config> config = config_of(Config(), one);
      ASSERT_TRUE(config.has_value()) << to_string(one) << ": " << config.error().message();
      EXPECT_TRUE(check(*config).ok()) << to_string(one) << ": " << check(*config).message();
      EXPECT_TRUE(one.settings.empty() || to_text(*config) != to_text(Config())) << to_string(one);
    }
  }
}

TEST(SimExperiments, EveryParameterThatThePaperLeavesOpenIsVaried) {
  const std::set<std::string_view> fixed = {"caba.aws_entries",  "caba.profile_use", "memo.entries",
                                            "prefetch.distance", "prefetch.percent", "prefetch.mshrs"};
  for (const Parameter& parameter : parameters()) {
    const bool open = parameter.source.find("left open by the paper") != std::string_view::npos;
    const bool varied = std::ranges::any_of(variations(), [&](const Variation& variation) {
      return variation.settings.find(parameter.name) != std::string_view::npos;
    });
    EXPECT_TRUE(!open || varied || fixed.contains(parameter.name)) << parameter.name;
  }
}

TEST(SimExperiments, SettingsAreApplied) {
  const Config config = *config_of(Config(), {"x", Design::base, "clock.core=700 dram.banks=8"});
  EXPECT_EQ(config.clock_core, 700);
  EXPECT_EQ(config.dram_banks, 8);
  EXPECT_FALSE(config_of(Config(), {"x", Design::base, "no.such=1"}).has_value());
}

constexpr const char* kShortWorkload = "RAY";

TEST(SimExperiments, RunsOnThreadsGiveTheSameResultsAndReportEachOnce) {
  ResultSet set;
  set.quick = true;
  std::vector<Case> cases;
  for (const Design design : {Design::base, Design::caba_bdi, Design::ideal_bdi}) {
    cases.push_back({kShortWorkload, design, ""});
  }
  std::vector<std::map<Case, std::string>> seen(2);
  for (size_t i = 0; i < seen.size(); ++i) {
    size_t calls = 0;
    const Status status = run_cases(cases, set, i == 0 ? 1 : 3, [&](const CaseOutcome& outcome) -> Status {
      EXPECT_TRUE(outcome.result.has_value()) << outcome.result.error().message();
      EXPECT_EQ(outcome.done, ++calls);
      EXPECT_GT(outcome.cpu_seconds, 0);
      seen[i].emplace(outcome.one, to_json(*outcome.result));
      return {};
    });
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(calls, cases.size());
  }
  EXPECT_EQ(seen[0], seen[1]);
}

TEST(SimExperiments, AFailingReportStopsTheRest) {
  ResultSet set;
  const std::vector<Case> cases(5, {"no such workload", Design::base, ""});
  size_t calls = 0;
  const Status status = run_cases(cases, set, 2, [&](const CaseOutcome& outcome) -> Status {
    EXPECT_EQ(outcome.result.error().message(), "unknown workload no such workload");
    ++calls;
    return {StatusCode::io, "disk full"};
  });
  EXPECT_EQ(status.message(), "disk full");
  EXPECT_EQ(calls, 1U);
}

TEST(SimResultsFile, ReadsWhatItWrote) {
  ResultSet set = made_up_set();
  set.failures.emplace(Case{"PVC", Design::hw_bdi, "a=1"}, "it \"failed\"");
  set.timeline =
      Timeline{{"PVC", Design::caba_bdi, ""}, 0, 10, 20, {{.cycle = 12, .warp = 3, .op = Op::load}}};
  const std::string text = to_json(set);
  const bobbin::Result<ResultSet> read = parse_results(text, "r.json");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->runs.size(), set.runs.size());
  EXPECT_EQ(read->failures.begin()->second, "it \"failed\"");
  EXPECT_EQ(read->timeline->issues.front().op, Op::load);
  EXPECT_TRUE(same_setup(*read, set));
}

TEST(SimResultsFile, DamageGivesOneLine) {
  const auto message = [](const std::string& text) {
    const bobbin::Result<ResultSet> read = parse_results(text, "r.json");
    return read.has_value() ? "" : read.error().message();
  };
  ResultSet set;
  set.runs.emplace(Case{"PVC", Design::base, ""}, made_up({"PVC", Design::base, ""}, 2, 100));
  const std::string good = to_json(set);
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return message(text.replace(at, from.size(), to));
  };
  EXPECT_EQ(message(""), "r.json: not valid JSON");
  EXPECT_EQ(message("[1, 2]"), "r.json: not a file of simulation results");
  EXPECT_EQ(message("{\"format\": 3}"), "r.json: not a file of simulation results");
  EXPECT_EQ(message(good.substr(0, good.size() / 2)), "r.json: not valid JSON");
  EXPECT_EQ(changed("\"version\":2", "\"version\":7"), "r.json: version 7 of results, expected 2");
  EXPECT_EQ(changed("\"base\"", "\"bass\""), "r.json: runs[0]: unknown design 'bass'");
  EXPECT_EQ(changed("\"core_cycles\":", "\"core_cyles\":"),
            "r.json: runs[0]: expected a whole number in 'core_cycles'");
  EXPECT_EQ(changed("\"core_cycles\":5", "\"core_cycles\":-5"),
            "r.json: runs[0]: expected a whole number in 'core_cycles'");
  EXPECT_EQ(changed("\"runs\"", "\"ruins\""), "r.json: expected a list in 'runs'");
  EXPECT_EQ(changed("gpu.sms = 15", "gpu.sms = 0"),
            "r.json: config:1: gpu.sms: expected a number from 1 to 256, found 0");
}

TEST(SimResultsFile, EveryCutIsRefused) {
  ResultSet set;
  set.runs.emplace(Case{"PVC", Design::base, ""}, made_up({"PVC", Design::base, ""}, 2, 100));
  const std::string good = to_json(set);
  for (size_t size = 0; size + 2 < good.size(); size += 7) {
    EXPECT_FALSE(parse_results(good.substr(0, size), "r").has_value()) << size;
  }
}

TEST(SimResultsFile, AJournalGoesOnAfterACut) {
  const ResultSet made = made_up_set();
  std::string text = journal_head(made);
  for (const auto& [one, run] : made.runs) {
    text += journal_line(one, run);
  }
  ResultSet set;
  set.build = made.build;
  set.quick = true;
  EXPECT_TRUE(read_journal(text.substr(0, text.size() - 100), "j", set).ok());
  EXPECT_EQ(set.runs.size() + 1, made.runs.size());
  // Runs of another simulator are not taken.
  ResultSet other;
  other.build = "another";
  other.quick = true;
  EXPECT_TRUE(read_journal(text, "j", other).ok());
  EXPECT_TRUE(other.runs.empty());
}

TEST(SimReport, MeansLeaveOutWhatWasNotMeasured) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {1, 4, none};
  EXPECT_DOUBLE_EQ(arithmetic_mean(values), 2.5);
  EXPECT_DOUBLE_EQ(geometric_mean(values), 2);
  EXPECT_TRUE(std::isnan(arithmetic_mean({})));
  EXPECT_TRUE(std::isnan(geometric_mean({})));
}

[[nodiscard]] const Claim& find_claim(const std::vector<Claim>& claims, std::string_view id) {
  return *std::ranges::find(claims, id, &Claim::id);
}

TEST(SimReport, ClaimsAreComputedFromTheRuns) {
  const std::vector<Claim> claims = make_claims(made_up_set());
  ASSERT_FALSE(proxies().empty());
  EXPECT_NEAR(find_claim(claims, "caba").ours, 1.5, 1e-4);
  EXPECT_NEAR(find_claim(claims, "caba-ideal").ours, 1, 1e-4);
  EXPECT_NEAR(find_claim(claims, "traffic").ours, 2, 1e-9);
  const Claim& energy = find_claim(claims, "energy");
  EXPECT_LT(energy.low, energy.ours);
  EXPECT_GT(energy.high, energy.ours);
  // The identities of the averages, exact here because all workloads are alike.
  EXPECT_NEAR(find_claim(claims, "edp").ours, energy.ours / 1.5, 1e-4);
  EXPECT_NEAR(find_claim(claims, "power").ours, energy.ours * 1.5, 1e-4);
  EXPECT_NEAR(find_claim(claims, "util-base").ours / find_claim(claims, "util-caba").ours * 1.5, 2, 1e-3);
}

TEST(SimReport, ThePapersOwnNumbersSatisfyTheIdentities) {
  const std::vector<Claim> claims = make_claims({});
  const auto paper = [&](std::string_view id) { return find_claim(claims, id).paper; };
  EXPECT_NEAR(paper("util-base") / paper("util-caba") * paper("caba"), paper("traffic"), 0.05);
  EXPECT_NEAR(paper("energy") / paper("caba"), paper("edp"), 0.005);
}

TEST(SimReport, AnEmptySetGivesNoChartsAndNoNumbers) {
  EXPECT_TRUE(make_charts({}).empty());
  for (const Claim& claim : make_claims({})) {
    EXPECT_FALSE(claim.is_measured()) << claim.id;
  }
  for (const Ordering& ordering : make_orderings({})) {
    EXPECT_FALSE(ordering.holds.has_value()) << ordering.text;
  }
}

TEST(SimReport, ChartsHaveAValuePerRow) {
  const std::vector<Chart> charts = make_charts(made_up_set());
  EXPECT_GE(charts.size(), 3U);
  std::set<std::string> ids;
  for (const Chart& chart : charts) {
    EXPECT_TRUE(ids.insert(chart.id).second) << chart.id;
    for (const Series& series : chart.series) {
      EXPECT_EQ(series.values.size(), chart.rows.size()) << chart.id << " " << series.name;
    }
  }
}

}  // namespace
}  // namespace bobbin::sim
