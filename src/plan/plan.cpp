// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "array/array.hpp"
#include "plan/launch.hpp"
#include "plan/scaled_ranges.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {
// Makes a query ready, column by column, then condition by condition.
class Preparer {
 public:
  Preparer(std::span<const Source> columns, const Filter& filter, std::span<const Aggregate> aggregates,
           StreamView stream, Path path)
      : columns_(columns), filter_(filter), aggregates_(aggregates), stream_(stream), path_(path) {}

  Result<Prepared> prepare() {
    BOBBIN_TRY(check());
    made_.composed_ = path_ == Path::automatic || path_ == Path::composed;
    made_.query_.powers = {codec::alp::kPowers<float>, codec::alp::kPowers<double>};
    for (uint32_t c = 0; c < columns_.size(); ++c) {
      BOBBIN_TRY(add_column(c));
    }
    BOBBIN_TRY(add_filter());
    BOBBIN_TRY(add_folds());
    return std::move(made_);
  }

 private:
  Status check() {
    BOBBIN_RETURN_IF(columns_.size() > kMaxColumns, StatusCode::unsupported,
                     "a query of " + std::to_string(columns_.size()) + " columns: at most " +
                         std::to_string(kMaxColumns) + " go into one launch");
    BOBBIN_TRY(check_filter(filter_, columns_.size()));
    BOBBIN_ASSIGN(const Rows rows, Rows::of(columns_));
    made_.query_.begin = rows.offset;
    made_.query_.end = rows.offset + rows.length;
    return {};
  }

  [[nodiscard]] bool sums_floats(uint32_t c) const {
    return is_float(columns_[c].array->type) && std::ranges::any_of(aggregates_, [&](const Aggregate& a) {
             return a.fold == Fold::sum && a.column == c;
           });
  }

  Status add_column(uint32_t c) {
    Column& column = made_.query_.columns[c];
    if (columns_[c].array == nullptr) {
      column = bitmap_column(num_vectors(made_.query_.end) * simt::kWarpSize, columns_[c].bitmap);
      return {};
    }
    const Array& array = values_of(*columns_[c].array);
    BOBBIN_RETURN_IF(is_string(array.type), StatusCode::invalid_argument, "plan: a column of strings");
    bool made = array.offset == made_.query_.begin && make_column(array, path_, column);
    if (made && column.form == Form::packed && column.has_patches() && sums_floats(c)) {
      made = path_ == Path::automatic && make_column(array, Path::interpreted, column);
    }
    if (!made) {
      BOBBIN_RETURN_IF(path_ != Path::automatic && path_ != Path::decoded, StatusCode::unsupported,
                       "plan: this tree of codecs does not go this way");
      BOBBIN_TRY(decode(array, column));
    }
    if (const Array* words = validity_of(*columns_[c].array); words != nullptr) {
      BOBBIN_RETURN_IF(
          array.offset != made_.query_.begin, StatusCode::unsupported,
          "plan: a column with nulls starts elsewhere in its first vector than the first column");
      BOBBIN_TRY(add_validity(*words, column.validity));
    }
    made_.reach_ = std::max(made_.reach_, column.form == Form::staged ? Reach::staged
                                          : column.bytes == 8         ? Reach::wide
                                                                      : Reach::narrow);
    return {};
  }

  Status decode(const Array& array, Column& column) {
    BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(array.length * size_bytes(array.type), stream_));
    BOBBIN_TRY(array::decode_on_device(array, values.data(), stream_));
    column = plain_column(array.type, array.length, values.data());
    made_.kept_.push_back(std::move(values));
    return {};
  }

  Status add_validity(const Array& words, Validity& validity) {
    if (path_ != Path::decoded && make_validity(words, validity)) {
      return {};
    }
    Column column;
    BOBBIN_TRY(decode(words, column));
    validity = plain_validity(words.length, reinterpret_cast<const uint32_t*>(column.nodes[0].extra.data));
    return {};
  }

  Status add_filter() {
    for (const Condition& condition : filter_) {
      const auto column = static_cast<uint8_t>(condition.column);
      switch (condition.kind) {
        case Condition::Kind::test:
          starts_.push_back(made_.query_.num_steps);
          BOBBIN_TRY(add_test(condition));
          break;
        case Condition::Kind::is_null:
        case Condition::Kind::not_null:
          starts_.push_back(made_.query_.num_steps);
          BOBBIN_TRY(
              add_step(make_step(StepOp::is_null, column, condition.kind == Condition::Kind::not_null)));
          break;
        case Condition::Kind::both:
          BOBBIN_TRY(add_both());
          break;
        case Condition::Kind::either:
          starts_.pop_back();
          BOBBIN_TRY(add_step(make_step(StepOp::either)));
          break;
      }
    }
    return {};
  }
  static Step make_step(StepOp op, uint8_t column = 0, bool negated = false) {
    Step step;
    step.op = op;
    step.column = column;
    step.negated = negated;
    return step;
  }
  Status add_step(const Step& step) {
    BOBBIN_RETURN_IF(made_.query_.num_steps == kMaxSteps, StatusCode::unsupported,
                     "the filter has more than " + std::to_string(kMaxSteps) + " steps");
    made_.query_.steps[made_.query_.num_steps++] = step;
    return {};
  }
  // Between the two parts of an `and` goes a step that skips the second when the first leaves nothing.
  Status add_both() {
    const uint32_t second = starts_.back();
    starts_.pop_back();
    BOBBIN_TRY(add_step({}));
    Query& query = made_.query_;
    std::copy_backward(query.steps + second, query.steps + query.num_steps - 1,
                       query.steps + query.num_steps);
    for (uint32_t s = second + 1; s < query.num_steps; ++s) {  // what moved, moved by one
      Step& step = query.steps[s];
      step.target = static_cast<uint8_t>(step.target + 1);
      if (step.use != kNoUse) {
        query.uses[step.use].step = static_cast<uint8_t>(s);
      }
    }
    query.steps[second] = make_step(StepOp::skip_if_none);
    query.steps[second].target = static_cast<uint8_t>(query.num_steps);
    return add_step(make_step(StepOp::both));
  }
  Status add_test(const Condition& condition) {
    const Column& column = made_.query_.columns[condition.column];
    Step step = make_step(StepOp::test, static_cast<uint8_t>(condition.column), condition.range.negated);
    step.range = {condition.range.low, condition.range.span};
    if (column.form == Form::packed) {
      step.use = add_use({step.column, static_cast<uint8_t>(made_.query_.num_steps), true});
    }
    if (column.form == Form::packed && column.scaled()) {
      BOBBIN_TRY(add_ranges(columns_[condition.column].array->type, condition.range, step));
    }
    return add_step(step);
  }
  // Those of the first steps are worked out ahead, for all parts of a query alike.
  uint8_t add_use(const UseSpec& use) {
    Query& query = made_.query_;
    if (query.num_uses == kMaxUses - kMaxFolds) {
      return kNoUse;
    }
    query.uses[query.num_uses] = use;
    return static_cast<uint8_t>(query.num_uses++);
  }

  Status add_ranges(DType type, const ValueRange& range, Step& step) {
    constexpr uint32_t kScales = ScaledRange::kExponents * ScaledRange::kExponents;
    std::vector<ScaledRange> ranges(kScales);
    const uint32_t most =
        type == DType::f64 ? codec::alp::kMaxExponent<double> : codec::alp::kMaxExponent<float>;
    for (uint8_t e = 0; e <= most; ++e) {
      for (uint8_t f = 0; f <= e; ++f) {
        ranges[ScaledRange::place(e, f)] = scaled_range(type, range, {e, f});
      }
    }
    const size_t bytes = ranges.size() * sizeof(ScaledRange);
    BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(bytes, stream_));
    BOBBIN_TRY(copy_async(buffer.data(), ranges.data(), bytes, stream_));
    BOBBIN_TRY(stream_.synchronize());  // before `ranges` goes
    step.scaled = {buffer.as<uint64_t>(), bytes / sizeof(uint64_t)};
    made_.kept_.push_back(std::move(buffer));
    return {};
  }

  Status add_folds() {
    bool reals = false;
    std::vector<uint64_t> fresh;
    for (const Aggregate& aggregate : aggregates_) {
      BOBBIN_TRY(check_aggregate(aggregate, columns_.size()));
      made_.folds_.push_back({.op = static_cast<FoldOp>(aggregate.fold),
                              .column = static_cast<uint8_t>(aggregate.column.value_or(kNoColumn))});
      made_.types_.push_back(aggregate.column.has_value() ? columns_[*aggregate.column].array->type
                                                          : DType::u64);
      reals = reals || is_float(made_.types_.back());
      uint64_t words[TotalWords::kWords] = {};
      words[TotalWords::least] = ~uint64_t{0};
      fresh.insert(fresh.end(), std::begin(words), std::end(words));
    }
    const size_t bytes = fresh.size() * sizeof(uint64_t);
    BOBBIN_ASSIGN(made_.totals_, DeviceBuffer::create(bytes, stream_));
    BOBBIN_ASSIGN(made_.fresh_, DeviceBuffer::create(bytes, stream_));
    BOBBIN_TRY(copy_async(made_.fresh_->data(), fresh.data(), bytes, stream_));
    if (reals) {
      // Sums of sums follow behind those of vectors.
      const uint64_t vectors = num_vectors(made_.query_.end);
      BOBBIN_ASSIGN(made_.reals_,
                    DeviceBuffer::create(aggregates_.size() * 2 * (vectors + 1) * sizeof(double), stream_));
    }
    return stream_.synchronize();
  }

  std::span<const Source> columns_;
  const Filter& filter_;
  std::span<const Aggregate> aggregates_;
  StreamView stream_;
  Path path_;
  std::vector<uint32_t> starts_;  // where the steps of each part on the stack begin
  Prepared made_;
};

Result<Prepared> Prepared::create(std::span<const Source> columns, const Filter& filter,
                                  std::span<const Aggregate> aggregates, StreamView stream, Path path) {
  return Preparer(columns, filter, aggregates, stream, path).prepare();
}

Status Prepared::run(StreamView stream) const {
  return run(nullptr, stream);
}

namespace {

// Sums of packed columns are worked out ahead too.
void add_sum_uses(Query& query) {
  for (uint32_t f = 0; f < query.num_folds; ++f) {
    FoldStep& fold = query.folds[f];
    if (fold.op == FoldOp::sum && query.columns[fold.column].form == Form::packed) {
      query.uses[query.num_uses] = {fold.column, 0, false};
      fold.use = static_cast<uint8_t>(query.num_uses++);
    }
  }
}

// Whether a column goes into a ConjunctionKernel of values of so many bytes.
bool is_simple(const Column& column, uint8_t bytes) {
  return column.form == Form::packed && column.bytes == bytes && !column.has_patches() &&
         column.validity.kind == Validity::Kind::all && (!column.is_float || column.scaled());
}

// The query for a ConjunctionKernel, if it is one: only its tests are left of its steps.
std::optional<Query> as_conjunction(const Query& query) {
  if (query.num_steps == 0 || query.num_folds > 1 ||
      (query.num_folds == 1 && query.folds[0].op == FoldOp::extremes)) {
    return std::nullopt;
  }
  Query made = query;
  made.num_steps = 0;
  made.num_uses = 0;
  const uint8_t bytes = query.columns[query.steps[0].column].bytes;
  for (uint32_t s = 0; s < query.num_steps; ++s) {
    const Step& step = query.steps[s];
    if (step.op == StepOp::both || step.op == StepOp::skip_if_none) {
      continue;
    }
    if (step.op != StepOp::test || made.num_steps == kMaxTests ||
        !is_simple(query.columns[step.column], bytes)) {
      return std::nullopt;
    }
    made.uses[made.num_uses++] = {step.column, static_cast<uint8_t>(made.num_steps), true};
    made.steps[made.num_steps++] = step;
  }
  if (query.num_folds == 1 && query.folds[0].column != kNoColumn) {
    const Column& column = query.columns[query.folds[0].column];
    if (!is_simple(column, bytes)) {
      return std::nullopt;
    }
    made.together = query.folds[0].op == FoldOp::sum && made.num_steps == 1 && !column.is_float &&
                    !made.steps[0].negated && made.steps[0].column == query.folds[0].column &&
                    query.bitmap.data == nullptr;
  }
  add_sum_uses(made);
  return made;
}

}  // namespace

Status Prepared::run(uint32_t* bitmap, StreamView stream) const {
  const uint64_t vectors = num_vectors(query_.end);
  BOBBIN_TRY(copy_async(totals_->data(), fresh_->data(), totals_->size(), stream));
  if (reals_.has_value()) {
    BOBBIN_TRY(fill_async(reals_->data(), 0, reals_->size(), stream));
  }
  const bool cuda = stream.backend() == Backend::cuda;
  const auto launch = cuda ? &query_on_cuda : &query_on_emulator;
  const auto launch_conjunction = cuda ? &conjunction_on_cuda : &conjunction_on_emulator;
  for (size_t first = 0; first == 0 || first < folds_.size(); first += kMaxFolds) {
    Query part = query_;
    part.num_folds = static_cast<uint32_t>(std::min<size_t>(kMaxFolds, folds_.size() - first));
    std::copy_n(folds_.begin() + static_cast<std::ptrdiff_t>(first), part.num_folds, part.folds);
    part.totals = {totals_->as<uint64_t>() + first * TotalWords::kWords,
                   uint64_t{part.num_folds} * TotalWords::kWords};
    if (reals_.has_value()) {
      part.reals = {reals_->as<double>() + first * vectors, part.num_folds * vectors};
    }
    if (first == 0 && bitmap != nullptr) {
      part.bitmap = {bitmap, vectors * simt::kWarpSize};
    }
    if (const auto conjunction = as_conjunction(part); conjunction.has_value() && composed_) {
      BOBBIN_TRY(launch_conjunction(*conjunction, stream));
      continue;
    }
    add_sum_uses(part);
    BOBBIN_TRY(launch(part, reach_, stream));
  }
  return {};
}

Result<std::vector<Total>> Prepared::totals(StreamView stream) const {
  std::vector<uint64_t> words(folds_.size() * TotalWords::kWords);
  BOBBIN_TRY(copy_async(words.data(), totals_->data(), totals_->size(), stream));
  std::vector<double> sums(folds_.size());
  const auto sum_reals = stream.backend() == Backend::cuda ? &sum_reals_on_cuda : &sum_reals_on_emulator;
  const uint64_t vectors = num_vectors(query_.end);
  for (size_t f = 0; f < folds_.size(); ++f) {
    if (folds_[f].op != FoldOp::sum || !is_float(types_[f]) || vectors == 0) {
      continue;
    }
    Global<double> values{reals_->as<double>() + f * vectors, vectors};
    double* next = reals_->as<double>() + folds_.size() * vectors + f * (vectors + 2);
    while (values.size > 1) {
      const Global<double> above{next, num_vectors(values.size)};
      BOBBIN_TRY(sum_reals({values.data, values.size}, above, stream));
      next += above.size;
      values = above;
    }
    BOBBIN_TRY(copy_async(&sums[f], values.data, sizeof(double), stream));
  }
  BOBBIN_TRY(stream.synchronize());
  std::vector<Total> totals;
  for (size_t f = 0; f < folds_.size(); ++f) {
    const uint64_t* total = words.data() + f * TotalWords::kWords;
    Total made{.count = total[TotalWords::count],
               .sum = sum_of(types_[f], {total[TotalWords::low], total[TotalWords::high]}),
               .real_sum = sums[f],
               .least = {},
               .greatest = {}};
    if (folds_[f].op == FoldOp::extremes) {
      set_extremes(types_[f], {total[TotalWords::least], total[TotalWords::greatest]}, made);
    }
    totals.push_back(made);
  }
  return totals;
}

}  // namespace bobbin::plan
