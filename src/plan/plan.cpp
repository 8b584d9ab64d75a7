// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <algorithm>
#include <optional>

#include "array/array.hpp"
#include "device/fetch.hpp"
#include "plan/compiled.hpp"
#include "plan/launch.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {

Status Prepared::run(StreamView stream) const {
  return run(nullptr, stream);
}

bool Prepared::needs_compiler() const {
  return query_.groups.num_keys != 0 || query_.marks.any() || !formulas_.empty();
}

QueryInput Prepared::part(size_t first, uint32_t* bitmap) const {
  const uint64_t vectors = num_vectors(query_.end);
  QueryInput part = query_;
  part.num_folds = static_cast<uint32_t>(std::min<size_t>(folds_per_launch(), folds_.size() - first));
  std::copy_n(folds_.begin() + static_cast<std::ptrdiff_t>(first), part.num_folds, part.folds);
  const uint64_t words = uint64_t{query_.groups.cells} * TotalWords::kWords;
  part.totals = {totals_->as<uint64_t>() + first * words, part.num_folds * words};
  if (reals_.has_value()) {
    part.reals = {reals_->as<double>() + first * vectors, part.num_folds * vectors};
  }
  if (first == 0 && bitmap != nullptr) {
    part.bitmap = {bitmap, vectors * simt::kWarpSize};
  }
  return part;
}

const Composed* Prepared::composed_for(const QueryInput& part, size_t first) const {
  if (composed_.empty()) {
    return nullptr;
  }
  const auto& composed = composed_[first / folds_per_launch()][part.bitmap.data != nullptr ? 1 : 0];
  return composed.has_value() ? &*composed : nullptr;
}

Result<bool> Prepared::run_compiled(const QueryInput& part, const Composed* composed, LaunchReport& report,
                                    StreamView stream) const {
  if (!not_composed_.empty() || composed == nullptr) {
    report.reason = not_composed_.empty() ? "no kernel can be compiled for this query" : not_composed_;
    return false;
  }
  QueryInput input = part;
  std::ranges::copy(composed->numbers, input.numbers);
  const auto ran = composed_runner(stream.backend())(*composed, input, {waits_, pieces_->run()}, stream);
  if (!ran.has_value()) {
    report.reason = ran.error().message();
    return ran.error();
  }
  report.registers = ran->registers;
  report.local_bytes = ran->local_bytes;
  if (!ran->done) {
    report.reason = "the kernel is not compiled yet";
  }
  return ran->done;
}

Status Prepared::run_only_compiled(const QueryInput& part, size_t first, LaunchReport& report,
                                   StreamView stream) const {
  const Composed* const composed = composed_for(part, first);
  if (composed != nullptr) {
    report.source = composed->source();
  }
  report.kernel = LaunchReport::Kernel::compiled;
  const auto compiled = run_compiled(part, composed, report, stream);
  if (path_ == QueryPath::compiled) {
    BOBBIN_TRY(compiled.error());
  }
  BOBBIN_RETURN_IF(!compiled.has_value() || !*compiled, StatusCode::unsupported, "plan: " + report.reason);
  return {};
}

Result<bool> Prepared::run_on_runs(const QueryInput& part, size_t first, LaunchReport& report,
                                   StreamView stream) const {
  if (on_runs_ == nullptr || part.bitmap.data != nullptr) {
    return false;
  }
  QueryInput runs = on_runs_->part(first, nullptr);
  runs.totals = part.totals;
  const Composed* const composed = on_runs_->composed_for(runs, first);
  if (composed != nullptr) {
    report.source = composed->source();
  }
  report.kernel = LaunchReport::Kernel::compiled;
  return on_runs_->run_compiled(runs, composed, report, stream);
}

Result<std::vector<DeviceBuffer>> Prepared::decode_columns(QueryInput& part, StreamView stream) const {
  std::vector<DeviceBuffer> decoded;
  for (const auto& [c, array] : undecoded_) {
    BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(array.length * size_bytes(array.type), stream));
    BOBBIN_TRY(array::decode_on_device(array, values.data(), stream));
    ColumnPlan column = plain_column(array.type, array.length, values.data());
    column.validity = part.columns[c].validity;
    part.columns[c] = column;
    decoded.push_back(std::move(values));
  }
  return decoded;
}

Status Prepared::run_part(QueryInput& part, size_t first, LaunchReport& report, StreamView stream) const {
  const auto on_runs = run_on_runs(part, first, report, stream);
  if (on_runs.has_value() && *on_runs) {
    return {};
  }
  std::vector<DeviceBuffer> decoded;
  if (on_runs_ != nullptr) {
    BOBBIN_ASSIGN(decoded, decode_columns(part, stream));
  }
  const Composed* const composed = composed_for(part, first);
  if (composed != nullptr) {
    report.source = composed->source();
  }
  auto compiled = run_compiled(part, composed, report, stream);
  if (path_ == QueryPath::compiled) {
    BOBBIN_ASSIGN(const bool done, std::move(compiled));
    BOBBIN_RETURN_IF(!done, StatusCode::unsupported, "plan: no kernel can be compiled for this query");
    return {};
  }
  if (compiled.has_value() && *compiled) {
    report.kernel = LaunchReport::Kernel::compiled;
    return {};
  }
  if (on_runs_ == nullptr) {
    BOBBIN_ASSIGN(decoded, decode_columns(part, stream));
  }
  report.kernel = LaunchReport::Kernel::general;
  BOBBIN_ASSIGN(const Launchers* launch, launchers_of(stream));
  return launch->query(part, stream);
}

Status Prepared::run(uint32_t* bitmap, StreamView stream) const {
  if (!is_piece_) {
    pieces_->begin_run();
  }
  BOBBIN_ASSIGN(const void* fresh, pieces_->fresh_totals(folds_.size() * query_.groups.cells, stream));
  BOBBIN_TRY(copy_async(totals_->data(), fresh, totals_->size(), stream));
  if (marks_.has_value()) {
    BOBBIN_TRY(fill_async(marks_->data(), 0, marks_->size(), stream));
  }
  if (reals_.has_value()) {
    BOBBIN_TRY(fill_async(reals_->data(), 0, reals_->size(), stream));
  }
  for (size_t first = 0; first == 0 || first < folds_.size(); first += folds_per_launch()) {
    QueryInput part = this->part(first, bitmap);
    LaunchReport report;
    const Status ran = needs_compiler() ? run_only_compiled(part, first, report, stream)
                                        : run_part(part, first, report, stream);
    if (pieces_->reports != nullptr) {
      report.kernel = ran.ok() ? report.kernel : LaunchReport::Kernel::host;
      pieces_->reports->push_back(std::move(report));
    }
    BOBBIN_TRY(ran);
  }
  return {};
}

std::vector<std::string> Prepared::sources() const {
  if (on_runs_ != nullptr) {
    return on_runs_->sources();
  }
  std::vector<std::string> sources;
  for (const auto& composed : composed_) {
    if (composed[0].has_value()) {
      sources.push_back(composed[0]->source());
    }
  }
  return sources;
}

Result<PendingTotals> Prepared::send_totals(StreamView stream) const {
  PendingTotals pending({});
  pending.sent_ = std::make_unique<PendingTotals::Sent>(stream);
  PendingTotals::Sent& sent = *pending.sent_;
  sent.folds = folds_;
  sent.types = types_;
  sent.cells = query_.groups.cells;
  sent.folds_per_launch = folds_per_launch();
  sent.words.resize(totals_->size() / sizeof(uint64_t));
  sent.sums.resize(folds_.size());
  BOBBIN_TRY(sent.fetch.add(sent.words.data(), totals_->data(), totals_->size()));
  const uint64_t vectors = num_vectors(query_.end);
  for (size_t f = 0; f < folds_.size(); ++f) {
    if (folds_[f].op != Fold::sum || !is_float(types_[f]) || vectors == 0 || query_.groups.num_keys != 0) {
      continue;
    }
    BOBBIN_ASSIGN(const Launchers* launch, launchers_of(stream));
    Global<double> values{reals_->as<double>() + f * vectors, vectors};
    double* next = reals_->as<double>() + folds_.size() * vectors + f * (vectors + 2);
    while (values.size > 1) {
      const Global<double> above{next, num_vectors(values.size)};
      BOBBIN_TRY(launch->sum_reals({values.data, values.size}, above, stream));
      next += above.size;
      values = above;
    }
    BOBBIN_TRY(sent.fetch.add(&sent.sums[f], values.data, sizeof(double)));
  }
  BOBBIN_TRY(sent.fetch.finish());
  return pending;
}

Result<std::vector<Total>> Prepared::totals(StreamView stream) const {
  BOBBIN_ASSIGN(PendingTotals pending, send_totals(stream));
  return pending.wait();
}

Result<std::vector<Total>> PendingTotals::wait() {
  if (sent_ == nullptr) {
    return std::move(totals_);
  }
  BOBBIN_TRY(sent_->fetch.wait());
  std::vector<Total> totals;
  for (uint32_t cell = 0; cell < sent_->cells; ++cell) {
    for (size_t f = 0; f < sent_->folds.size(); ++f) {
      totals.push_back(sent_->total_of(cell, f));
    }
  }
  return totals;
}

Result<BitmapWords> Prepared::marks(StreamView stream) const {
  BitmapWords words(query_.marks.words.size);
  BOBBIN_TRY(fetch(words.data(), marks_->data(), marks_->size(), stream));
  return words;
}

// Launches have their cells one after another.
size_t PendingTotals::Sent::place_of(uint32_t cell, size_t fold) const {
  const size_t first = fold / folds_per_launch * folds_per_launch;
  const size_t together = std::min(folds_per_launch, folds.size() - first);
  return first * cells + cell * together + (fold - first);
}

Total PendingTotals::Sent::total_of(uint32_t cell, size_t fold) const {
  const uint64_t* const of_fold = words.data() + place_of(cell, fold) * TotalWords::kWords;
  Total made{.count = of_fold[TotalWords::count],
             .sum = sum_of(types[fold], {of_fold[TotalWords::low], of_fold[TotalWords::high]}),
             .real_sum = sums[fold],
             .least = {},
             .greatest = {}};
  if (folds[fold].op == Fold::extremes) {
    set_extremes(types[fold], {of_fold[TotalWords::least], of_fold[TotalWords::greatest]}, made);
  }
  return made;
}

}  // namespace bobbin::plan
