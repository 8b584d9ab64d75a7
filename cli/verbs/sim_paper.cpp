// SPDX-License-Identifier: Apache-2.0
// bobbin sim paper: all experiments of the paper. bobbin sim report: a page about their results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "bobbin/text.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"
#include "cli/sim/chart.hpp"
#include "cli/sim/files.hpp"
#include "cli/sim/options.hpp"
#include "cli/sim/page.hpp"
#include "cli/sim/verbs.hpp"
#include "sim/experiments_file.hpp"
#include "sim/report.hpp"

namespace bobbin::cli {
namespace {

constexpr uint64_t kTimelineFirst = 3000;  // the caches are warm, and no block has ended
constexpr uint64_t kTimelineCycles = 300;

struct SimPaperArgs {
  MachineOptions machine;
  std::string output = "results.json";
  std::string times;
  uint64_t seed = 1;
  uint32_t jobs = 0;
  bool quick = false;
  bool force = false;
  bool quiet = false;
};

struct ReportArgs {
  std::string input;
  std::string output;
  bool force = false;
};

std::string journal_name(const SimPaperArgs& args) {
  return args.output + ".part";
}

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Runs that an earlier call has made, if they are of the same simulator, machine and sizes.
Status load_earlier(const SimPaperArgs& args, sim::ResultSet& set) {
  if (exists(args.output)) {
    BOBBIN_ASSIGN(const std::string text, read_text(args.output));
    BOBBIN_ASSIGN(sim::ResultSet earlier, sim::parse_results(text, args.output));
    BOBBIN_RETURN_IF(!same_setup(earlier, set), StatusCode::invalid_argument,
                     args.output + ": results of another simulator, machine or size; -f starts over");
    set.runs = std::move(earlier.runs);
    set.timeline = std::move(earlier.timeline);
  }
  if (exists(journal_name(args))) {
    BOBBIN_ASSIGN(const std::string text, read_text(journal_name(args)));
    BOBBIN_TRY(read_journal(text, journal_name(args), set));
  }
  return {};
}

// Lines are complete or missing after a crash: each is flushed.
class LineFile {
 public:
  void open(const std::string& name, std::ios::openmode mode) {
    name_ = name;
    file_.open(name, std::ios::binary | mode);
  }
  Status write(const std::string& text) {
    file_ << text << std::flush;
    return file_ ? Status() : Status(StatusCode::io, name_ + ": cannot be written");
  }
  void remove() {
    file_.close();
    std::error_code error;
    std::filesystem::remove(name_, error);
  }

 private:
  std::string name_;
  std::ofstream file_;
};

Status open_journal(const SimPaperArgs& args, const sim::ResultSet& set, LineFile& journal) {
  journal.open(journal_name(args), std::ios::trunc);
  std::string text = journal_head(set);
  for (const auto& [one, run] : set.runs) {
    text += journal_line(one, run);
  }
  return journal.write(text);
}

// The CPU times of runs are not part of the results, which are the same every time.
Status open_times(const std::string& name, LineFile& times) {
  const bool is_new = !exists(name);
  times.open(name, std::ios::app);
  return times.write(is_new ? "workload,design,settings,cycles,instructions,assist_instructions,cpu_seconds\n"
                            : "");
}

std::string times_line(const sim::CaseOutcome& outcome) {
  const sim::Counters& counters = outcome.result->counters;
  return fmt::format("{},{},{},{},{},{},{:.3f}\n", outcome.one.workload, to_string(outcome.one.design),
                     outcome.one.settings, counters.core_cycles, counters.instructions,
                     counters.assist_instructions, outcome.cpu_seconds);
}

std::vector<sim::Case> missing_cases(const sim::ResultSet& set) {
  std::vector<sim::Case> cases = sim::paper_cases(set.quick);
  std::erase_if(cases, [&](const sim::Case& one) { return set.runs.contains(one); });
  return cases;
}

Status run_missing(const SimPaperArgs& args, sim::ResultSet& set, LineFile& journal) {
  const std::vector<sim::Case> cases = missing_cases(set);
  LineFile times;
  if (!args.times.empty()) {
    BOBBIN_TRY(open_times(args.times, times));
  }
  Progress progress(fmt::format("{} runs", cases.size()), args.quiet);
  const sim::ResultSet setup = set;  // without what is added below, while other threads read it
  return run_cases(cases, setup, threads_of(args.jobs), [&](const sim::CaseOutcome& outcome) -> Status {
    progress.show_share(static_cast<double>(outcome.done) / static_cast<double>(cases.size()));
    if (!outcome.result.has_value()) {
      set.failures.emplace(outcome.one, outcome.result.error().message());
      return {};
    }
    set.runs.emplace(outcome.one, *outcome.result);
    if (!args.times.empty()) {
      BOBBIN_TRY(times.write(times_line(outcome)));
    }
    return journal.write(journal_line(outcome.one, *outcome.result));
  });
}

Status add_timeline(sim::ResultSet& set) {
  const std::vector<std::string> names = sim::sample(set.quick);
  if (set.timeline || names.empty()) {
    return {};
  }
  BOBBIN_ASSIGN(set.timeline, record_timeline(set, {names.front(), sim::Design::caba_bdi, ""}, kTimelineFirst,
                                              kTimelineFirst + kTimelineCycles));
  return {};
}

void print_claims(const sim::ResultSet& set) {
  std::vector<std::vector<std::string>> lines;
  for (const sim::Claim& claim : sim::make_claims(set)) {
    const std::string band =
        claim.is_measured() ? page::value_text(claim.low) + " to " + page::value_text(claim.high) : "-";
    lines.push_back({claim.text, page::value_text(claim.paper), page::value_text(claim.ours), band,
                     std::string(claim.mean)});
  }
  print_table({"what", "paper", "ours", "band", "mean"}, lines, "lrrrl");
}

Status run_paper(const SimPaperArgs& args) {
  BOBBIN_RETURN_IF(is_stdout(args.output), StatusCode::invalid_argument,
                   "-o: expected a file, so that interrupted work can be continued");
  sim::ResultSet set;
  set.build = sim::simulator_build();
  BOBBIN_ASSIGN(set.machine, make_config(args.machine));
  set.quick = args.quick;
  set.seed = args.seed;
  if (!args.force) {
    BOBBIN_TRY(load_earlier(args, set));
  }
  LineFile journal;
  BOBBIN_TRY(open_journal(args, set, journal));
  BOBBIN_TRY(run_missing(args, set, journal));
  BOBBIN_TRY(add_timeline(set));
  BOBBIN_TRY(write_text(args.output, /*force=*/true, to_json(set)));
  journal.remove();
  if (!args.quiet) {
    print_claims(set);
  }
  BOBBIN_RETURN_IF(!set.failures.empty(), StatusCode::invalid_argument,
                   fmt::format("{} of {} runs failed; the first: {}: {}", set.failures.size(),
                               set.failures.size() + set.runs.size(), to_string(set.failures.begin()->first),
                               set.failures.begin()->second));
  return {};
}

Status write_report(const ReportArgs& args) {
  BOBBIN_ASSIGN(const std::string text, read_text(args.input));
  BOBBIN_ASSIGN(const sim::ResultSet set, sim::parse_results(text, args.input));
  return write_text(args.output, args.force, page::sim_page(set), args.input);
}

}  // namespace

void add_sim_paper(const Verb& sim, Action& action) {
  const Verb verb = sim.add_verb("paper", "Run all experiments of the paper");
  auto args = std::make_shared<SimPaperArgs>();
  add_output(verb, args->output, "Results file to write or to continue").show_default();
  add_machine_options(verb, args->machine);
  add_seed_option(verb, args->seed);
  add_jobs_option(verb, args->jobs);
  verb.add_option("--times", args->times, "CSV file to which each run's CPU time is added").type_name("FILE");
  verb.add_flag("--quick", args->quick, "Simulate smaller problems");
  verb.add_flag("-f,--force", args->force, "Start over instead of continuing OUT");
  add_quiet(verb, args->quiet);
  verb.footer(
      "Interrupted work continues where it stopped: finished runs are kept in OUT.part.\n"
      "Examples:\n"
      "  bobbin sim paper --quick -o results.json\n"
      "  bobbin sim report results.json -o report.html");
  verb.callback([args, &action] { action = [args] { return report(run_paper(*args)); }; });
}

void add_sim_report(const Verb& sim, Action& action) {
  const Verb verb = sim.add_verb("report", "Write an HTML page with the paper's figures from results");
  auto args = std::make_shared<ReportArgs>();
  add_input(verb, args->input, "Results of 'bobbin sim paper'; '-' for stdin").required();
  add_output(verb, args->output, "File to write, '-' for stdout").required();
  add_force(verb, args->force);
  verb.footer(
      "The page is self-contained: no script, nothing from the network.\n"
      "Example:\n"
      "  bobbin sim report results.json -o report.html");
  verb.callback([args, &action] { action = [args] { return report(write_report(*args)); }; });
}

}  // namespace bobbin::cli
