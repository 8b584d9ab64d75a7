// SPDX-License-Identifier: Apache-2.0
// Running many cases at once.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "sim/experiments.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] bobbin::Result<RunResult> run_case(const ResultSet& set, const Case& one, EventLog* log) {
  const Workload* workload = find_workload(one.workload);
  if (workload == nullptr) {
    return Status(StatusCode::invalid_argument, "unknown workload " + one.workload);
  }
  BOBBIN_ASSIGN(const Config config, config_of(set.machine, one));
  Options options;
  options.seed = set.seed;
  options.quick = set.quick;
  options.log = log;
  return simulate(config, *workload, one.design, options);
}

// CPU time of the calling thread: other programs on the machine do not count.
[[nodiscard]] double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Threads take the next case until there is none or one report has failed.
class Queue {
 public:
  Queue(std::span<const Case> cases, const ResultSet& set,
        const std::function<Status(const CaseOutcome&)>& report)
      : cases_(cases), set_(set), report_(report) {}

  void work() {
    for (size_t i = next_++; i < cases_.size() && !stopped_; i = next_++) {
      const double start = cpu_seconds();
      const bobbin::Result<RunResult> result = run_case(set_, cases_[i], nullptr);
      const double seconds = cpu_seconds() - start;
      const std::lock_guard lock(mutex_);
      if (stopped_) {
        return;
      }
      if (const Status status = report_({cases_[i], result, ++done_, seconds}); !status.ok()) {
        status_ = status;
        stopped_ = true;
      }
    }
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  std::span<const Case> cases_;
  const ResultSet& set_;
  const std::function<Status(const CaseOutcome&)>& report_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  size_t done_ = 0;
  Status status_;
};

}  // namespace

Status run_cases(std::span<const Case> cases, const ResultSet& set, uint32_t threads,
                 const std::function<Status(const CaseOutcome&)>& report) {
  Queue queue(cases, set, report);
  const auto others = std::min<size_t>(std::max(threads, 1U) - 1, cases.size());
  std::vector<std::jthread> helpers;
  for (size_t i = 0; i < others; ++i) {
    helpers.emplace_back([&queue] { queue.work(); });
  }
  queue.work();
  helpers.clear();  // joins
  return queue.status();
}

bobbin::Result<Timeline> record_timeline(const ResultSet& set, const Case& one, uint64_t first_cycle,
                                         uint64_t end_cycle) {
  EventLog log;
  log.first_cycle = first_cycle;
  log.end_cycle = end_cycle;
  BOBBIN_ASSIGN([[maybe_unused]] const RunResult run, run_case(set, one, &log));
  return Timeline{one, log.sm, first_cycle, end_cycle, std::move(log.issues)};
}

}  // namespace bobbin::sim
