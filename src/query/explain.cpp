// SPDX-License-Identifier: Apache-2.0
#include "query/explain.hpp"

#include <algorithm>
#include <utility>

namespace bobbin::query {
namespace {

using Kernel = plan::LaunchReport::Kernel;

std::string name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::host:
      return "host";
    case Kernel::compiled:
      return "compiled";
    case Kernel::general:
      break;
  }
  return "general";
}

}  // namespace

Explainer::Explainer(Explanation* to, plan::Pieces& pieces) : to_(to) {
  pieces.reports = to == nullptr ? nullptr : &reports_;
}

void Explainer::add_skipped(size_t row_group) {
  if (to_ != nullptr) {
    to_->steps.push_back({.row_group = row_group, .kernel = "none", .reason = "zone maps rule it out"});
  }
}

void Explainer::add(const RowGroupQuery& group) {
  if (to_ == nullptr) {
    return;
  }
  if (reports_.empty()) {
    const bool read = group.was_read();
    to_->steps.push_back({.row_group = group.index(),
                          .kernel = read ? "host" : "none",
                          .reason = read ? "columns are decoded" : "the footer has the answer"});
  }
  for (plan::LaunchReport& report : reports_) {
    add_step(group.index(), std::move(report));
  }
  reports_.clear();
}

void Explainer::add_step(size_t row_group, plan::LaunchReport report) {
  Explanation::Step step{.row_group = row_group,
                         .kernel = name_of(report.kernel),
                         .reason = std::move(report.reason),
                         .registers = report.registers,
                         .local_bytes = report.local_bytes};
  if (!report.source.empty()) {
    const auto found = std::ranges::find(to_->sources, report.source);
    step.source = static_cast<size_t>(found - to_->sources.begin());
    if (found == to_->sources.end()) {
      to_->sources.push_back(std::move(report.source));
    }
  }
  to_->steps.push_back(std::move(step));
}

}  // namespace bobbin::query
