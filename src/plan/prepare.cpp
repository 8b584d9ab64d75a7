// SPDX-License-Identifier: Apache-2.0
// Converts columns, conditions and aggregates to a query that kernels can run.
#include "plan/plan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "array/array.hpp"
#include "codecs/alp/alp.hpp"
#include "codecs/ascending.hpp"
#include "codecs/dict/dict.hpp"
#include "core/bits.hpp"
#include "device/cuda_api.hpp"
#include "plan/compiled.hpp"
#include "plan/compose_stages.hpp"
#include "plan/dictionaries.hpp"
#include "plan/expand.hpp"
#include "plan/pieces.hpp"
#include "plan/sample_widths.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {
// Prepares a query, column by column, then condition by condition.
class Preparer {
 public:
  Preparer(std::span<const Source> columns, const Filter& filter, std::span<const Aggregate> aggregates,
           StreamView stream, QueryPath path, std::shared_ptr<Pieces> pieces)
      : columns_(columns), filter_(filter), aggregates_(aggregates), stream_(stream), path_(path) {
    made_.is_piece_ = pieces != nullptr;
    made_.pieces_ = std::move(pieces);
  }

  Result<Prepared> prepare(std::span<const KeyColumn> keys = {}, const CodeColumn* marked = nullptr) {
    BOBBIN_TRY(check());
    BOBBIN_TRY(add_keys(keys));
    BOBBIN_TRY(add_marks(marked));
    made_.path_ = path_;
    made_.query_.powers = {codec::alp::kPowers<float>, codec::alp::kPowers<double>};
    BOBBIN_TRY(add_runs());
    for (uint32_t c = 0; c < columns_.size(); ++c) {
      BOBBIN_TRY(add_column(c));
    }
    BOBBIN_TRY(add_filter());
    BOBBIN_TRY(add_folds());
    BOBBIN_TRY(compose_kernels());
    BOBBIN_RETURN_IF(made_.needs_compiler() && made_.composed_.empty(), StatusCode::unsupported,
                     "plan: " + made_.not_composed_);
    return std::move(made_);
  }

 private:
  Status check() {
    BOBBIN_RETURN_IF(columns_.size() > kMaxColumns, StatusCode::unsupported,
                     "a query of " + std::to_string(columns_.size()) + " columns: at most " +
                         std::to_string(kMaxColumns) + " fit into one launch");
    BOBBIN_TRY(check_filter(filter_, columns_));
    filter_ = merge_tests(filter_, columns_);
    BOBBIN_ASSIGN(const Rows rows, Rows::of(columns_));
    made_.query_.begin = rows.offset;
    made_.query_.end = rows.offset + rows.length;
    if (!made_.is_piece_) {
      made_.pieces_ = std::make_shared<Pieces>(rows.length);
    }
    return {};
  }

  Status add_keys(std::span<const KeyColumn> keys) {
    GroupInput& groups = made_.query_.groups;
    BOBBIN_RETURN_IF(keys.size() > kMaxKeys, StatusCode::unsupported,
                     "groups of more than " + std::to_string(kMaxKeys) + " columns");
    uint64_t cells = 1;
    for (size_t k = keys.size(); k-- > 0;) {
      BOBBIN_RETURN_IF(!keys[k].nulls && validity_of(*columns_[keys[k].column].array) != nullptr,
                       StatusCode::unsupported, "groups of a column with nulls that have no group");
      groups.keys[k] = {.column = static_cast<uint8_t>(keys[k].column),
                        .low = keys[k].low,
                        .last = keys[k].values - 1,
                        .stride = static_cast<uint32_t>(cells)};
      cells *= keys[k].cells();
      BOBBIN_RETURN_IF(cells > kMaxCells, StatusCode::unsupported,
                       "more than " + std::to_string(kMaxCells) + " groups");
    }
    groups.num_keys = static_cast<uint32_t>(keys.size());
    groups.cells = static_cast<uint32_t>(cells);
    return {};
  }

  Status add_marks(const CodeColumn* marked) {
    if (marked == nullptr) {
      return {};
    }
    const size_t words = ceil_div<size_t>(marked->entries, 32);
    BOBBIN_ASSIGN(made_.marks_, DeviceBuffer::create(words * sizeof(uint32_t), stream_));
    made_.query_.marks = {.column = static_cast<uint8_t>(marked->column),
                          .last = static_cast<uint32_t>(marked->entries - 1),
                          .words = {made_.marks_->as<uint32_t>(), words}};
    return {};
  }

  // Whether an aggregate needs the values of a column.
  [[nodiscard]] bool folds(uint32_t c) const {
    return std::ranges::any_of(aggregates_,
                               [&](const Aggregate& a) { return a.fold != Fold::count && a.column == c; });
  }
  [[nodiscard]] bool sums_floats(uint32_t c) const {
    return is_float(columns_[c].array->type) && std::ranges::any_of(aggregates_, [&](const Aggregate& a) {
             return a.fold == Fold::sum && a.column == c;
           });
  }
  // Whether patches force a packed column to be staged: they have their place in sums of floats, and folds of
  // dictionary entries do not handle them.
  [[nodiscard]] bool patches_hinder(uint32_t c, const ColumnPlan& column) const {
    return column.has_patches() && (sums_floats(c) || (column.looks_up() && folds(c)));
  }
  // Whether there are expressions.
  [[nodiscard]] bool computes() const {
    return std::ranges::any_of(aggregates_, [](const Aggregate& a) { return a.expression != nullptr; }) ||
           std::ranges::any_of(filter_, [](const Condition& c) { return c.comparison != nullptr; });
  }
  // Whether rows can be answered run by run: all are of one column, without sums that have an order.
  [[nodiscard]] bool has_runs() const {
    return !computes() && columns_.size() == 1 && columns_[0].array != nullptr &&
           columns_[0].array->codec == CodecId::rle && columns_[0].array->length != 0 && !sums_floats(0) &&
           made_.query_.groups.num_keys == 0 && !made_.query_.marks.any() && !made_.query_.runs.any() &&
           reason_not_to_compile(compiling_by_environment()).empty();
  }
  // The same query of the runs' values, each of which counts as often as the run has rows.
  Status add_runs() {
    if (!has_runs()) {
      return {};
    }
    const Array& array = *columns_[0].array;
    const Array& ends = ascending::rows_of(array);
    const size_t bytes = ends.length * sizeof(uint32_t);
    BOBBIN_ASSIGN(DeviceBuffer there, DeviceBuffer::create(bytes, stream_));
    BOBBIN_TRY(array::decode_on_device(ends, there.data(), stream_));
    Source values = columns_[0];
    values.array = &ascending::values_of(array);
    values.host = values.host != nullptr ? &ascending::values_of(*values.host) : nullptr;
    Preparer preparer(std::span(&values, 1), filter_, aggregates_, stream_, path_, made_.pieces_);
    preparer.made_.query_.runs = {.ends = {there.as<uint32_t>(), ends.length},
                                  .begin = static_cast<uint32_t>(ascending::begin_row(array)),
                                  .end = static_cast<uint32_t>(ascending::end_row(array))};
    BOBBIN_ASSIGN(Prepared made, preparer.prepare());
    const bool all =
        std::ranges::all_of(made.composed_, [](const auto& part) { return part[0].has_value(); });
    if (all && !made.composed_.empty()) {
      made.kept_.push_back(std::move(there));
      made_.on_runs_ = std::make_unique<Prepared>(std::move(made));
    }
    return {};
  }

  Status add_column(uint32_t c) {
    ColumnPlan& column = made_.query_.columns[c];
    if (columns_[c].array == nullptr) {
      column = bitmap_column(num_vectors(made_.query_.end) * simt::kWarpSize, columns_[c].bitmap);
      return {};
    }
    const Array& array = values_of(*columns_[c].array);
    BOBBIN_RETURN_IF(is_string(array.type), StatusCode::invalid_argument,
                     "plan: string columns are not supported");
    std::vector<Dictionary> dictionaries;
    bool made = array.offset == made_.query_.begin && make_column(array, path_, column, dictionaries);
    if (made && column.form == ColumnForm::packed && patches_hinder(c, column)) {
      made = make_column(array, QueryPath::interpreted, column, dictionaries);
    }
    if (made) {
      BOBBIN_TRY(decode_dictionaries(dictionaries, column, made_.kept_, stream_));
    } else {
      BOBBIN_RETURN_IF(path_ == QueryPath::interpreted, StatusCode::unsupported,
                       "plan: this encoding tree is not supported on this path");
      BOBBIN_TRY(add_undecoded(c, array, column));
    }
    if (const Array* words = validity_of(*columns_[c].array); words != nullptr) {
      BOBBIN_RETURN_IF(array.offset != made_.query_.begin, StatusCode::unsupported,
                       "plan: the offset of a nullable column differs from that of the first column");
      BOBBIN_TRY(add_validity(*words, column.validity));
    }
    return {};
  }

  // A column that only compiled kernels read without decoding it, if there are any.
  Status add_undecoded(uint32_t c, const Array& array, ColumnPlan& column) {
    if (made_.on_runs_ != nullptr) {
      made_.undecoded_.push_back({c, array});
      column = plain_column(array.type, array.length, nullptr);
      return {};
    }
    if (!expands(array) || array.offset != made_.query_.begin ||
        !reason_not_to_compile(compiling_by_environment()).empty()) {
      return decode(array, column);
    }
    made_.undecoded_.push_back({c, array});
    BOBBIN_ASSIGN(column, expand_column(array, made_.kept_, stream_));
    return {};
  }

  Status decode(const Array& array, ColumnPlan& column) {
    BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(array.length * size_bytes(array.type), stream_));
    BOBBIN_TRY(array::decode_on_device(array, values.data(), stream_));
    column = plain_column(array.type, array.length, values.data());
    made_.kept_.push_back(std::move(values));
    return {};
  }

  Status add_validity(const Array& words, Validity& validity) {
    if (path_ != QueryPath::decoded && make_validity(words, validity)) {
      return {};
    }
    ColumnPlan column;
    BOBBIN_TRY(decode(words, column));
    validity = plain_validity(words.length, reinterpret_cast<const uint32_t*>(column.nodes[0].extra.data));
    return {};
  }

  Status add_filter() {
    for (const Condition& condition : filter_) {
      const auto column = static_cast<uint8_t>(condition.column);
      switch (condition.kind) {
        case Condition::Kind::test:
        case Condition::Kind::member:
          starts_.push_back(made_.query_.num_steps);
          BOBBIN_TRY(add_test(condition));
          break;
        case Condition::Kind::is_null:
        case Condition::Kind::not_null:
          starts_.push_back(made_.query_.num_steps);
          BOBBIN_TRY(
              add_step(make_step(StepOp::is_null, column, condition.kind == Condition::Kind::not_null)));
          break;
        case Condition::Kind::compare:
          starts_.push_back(made_.query_.num_steps);
          BOBBIN_TRY(
              add_step(make_step(StepOp::compare, static_cast<uint8_t>(made_.formulas_.comparisons.size()))));
          made_.formulas_.comparisons.push_back(condition.comparison);
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
  // Between the two parts of an `and`, a step skips the second if the first leaves no rows.
  Status add_both() {
    const uint32_t second = starts_.back();
    starts_.pop_back();
    BOBBIN_TRY(add_step({}));
    QueryInput& query = made_.query_;
    std::copy_backward(query.steps + second, query.steps + query.num_steps - 1,
                       query.steps + query.num_steps);
    for (uint32_t s = second + 1; s < query.num_steps; ++s) {  // steps that were moved by one
      query.steps[s].target = static_cast<uint8_t>(query.steps[s].target + 1);
    }
    query.steps[second] = make_step(StepOp::skip_if_none);
    query.steps[second].target = static_cast<uint8_t>(query.num_steps);
    return add_step(make_step(StepOp::both));
  }
  Status add_test(const Condition& condition) {
    const ColumnPlan& column = made_.query_.columns[condition.column];
    const bool coded = column.form == ColumnForm::packed && column.looks_up();
    if (coded || condition.kind == Condition::Kind::member) {
      BOBBIN_ASSIGN(const auto set, codes_that_pass(condition, column, coded));
      return add_codes(set, condition.column);
    }
    BOBBIN_TRY(add_range(condition.column, condition.range));
    for (const ValueRange& range : condition.more) {
      BOBBIN_TRY(add_range(condition.column, range));
      BOBBIN_TRY(add_step(make_step(StepOp::either)));
    }
    return {};
  }
  Status add_range(uint32_t c, const ValueRange& range) {
    const ColumnPlan& column = made_.query_.columns[c];
    Step step = make_step(StepOp::test, static_cast<uint8_t>(c), range.negated);
    step.range = {range.low, range.span};
    step.is_float = column.is_float;
    if ((column.form == ColumnForm::packed && column.scaled()) || is_scaled(column)) {
      BOBBIN_ASSIGN(step.scaled, made_.pieces_->scaled_ranges(columns_[c].array->type, range, stream_));
    }
    return add_step(step);
  }
  // For a dictionary, the matching codes are determined from its entries.
  Result<codec::dict::CodeSet> codes_that_pass(const Condition& condition, const ColumnPlan& column,
                                               bool coded) {
    const DType type = columns_[condition.column].array->type;
    if (!coded) {
      return codec::dict::CodeSet::of(condition.passes, type);
    }
    const DType codes = codec::dict::codes_of(values_of(*columns_[condition.column].array)).type;
    BOBBIN_ASSIGN(const std::vector<uint64_t> memory, entries_on_host(column, stream_));
    const Values entries{type, memory.data(), column.dictionary().extra.size / column.bytes};
    return condition.kind == Condition::Kind::member
               ? codec::dict::CodeSet::of(entries, codes, condition.passes)
               : codec::dict::CodeSet::of(entries, codes, ranges_of(condition));
  }
  Status add_codes(const codec::dict::CodeSet& set, uint32_t c) {
    Step step = make_step(StepOp::test, static_cast<uint8_t>(c));
    if (set.range.has_value()) {
      step.range = {set.range->low, set.range->span};
      step.negated = set.range->negated;
      return add_step(step);
    }
    std::vector<uint32_t> bits(ceil_div<size_t>(set.passes.size(), 32));
    for (size_t i = 0; i < set.passes.size(); ++i) {
      bits[i / 32] |= uint32_t{set.passes[i]} << (i % 32);
    }
    step.last = static_cast<uint32_t>(set.passes.size() - 1);
    BOBBIN_ASSIGN(const uint32_t* table, send(std::span<const uint32_t>(bits)));
    step.table = {table, bits.size()};
    return add_step(step);
  }
  // Copies to memory that is kept. Waits for the stream, because the source may be released.
  template <class T>
  Result<const T*> send(std::span<const T> from) {
    BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(from.size_bytes(), stream_));
    BOBBIN_TRY(copy_async(buffer.data(), from.data(), from.size_bytes(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    const T* const there = buffer.template as<T>();
    made_.kept_.push_back(std::move(buffer));
    return there;
  }

  [[nodiscard]] DType type_of(const Aggregate& aggregate) const {
    if (aggregate.expression != nullptr) {
      return aggregate.expression->is_real() ? DType::f64 : DType::i64;
    }
    return aggregate.column.has_value() ? columns_[*aggregate.column].array->type : DType::u64;
  }
  Status add_folds() {
    bool reals = false;
    for (const Aggregate& aggregate : aggregates_) {
      BOBBIN_TRY(check_aggregate(aggregate, columns_));
      made_.formulas_.folds.push_back(aggregate.expression);
      made_.folds_.push_back(
          {.op = aggregate.fold, .column = static_cast<uint8_t>(aggregate.column.value_or(kNoColumn))});
      made_.types_.push_back(type_of(aggregate));
      reals = reals || is_float(made_.types_.back());
    }
    const size_t bytes =
        aggregates_.size() * made_.query_.groups.cells * TotalWords::kWords * sizeof(uint64_t);
    BOBBIN_ASSIGN(made_.totals_, DeviceBuffer::create(bytes, stream_));
    if (reals) {
      // Sums of sums follow those of vectors.
      const uint64_t vectors = num_vectors(made_.query_.end);
      BOBBIN_ASSIGN(made_.reals_,
                    DeviceBuffer::create(aggregates_.size() * 2 * (vectors + 1) * sizeof(double), stream_));
    }
    return {};
  }

  // Compiling takes longer than a query of few rows.
  static constexpr uint64_t kRowsToCompileFor = uint64_t{1} << 22;

  // Why no kernel is compiled for the query, or nothing.
  [[nodiscard]] std::string reason_not_to_compile(Compiling compiling) const {
    if (composed_runner(stream_.backend()) == nullptr) {
      return "compiled kernels run on GPUs only";
    }
    if (path_ == QueryPath::compiled) {
      return {};
    }
    if (path_ != QueryPath::automatic || compiling == Compiling::never) {
      return "built-in kernels were requested";
    }
    if (made_.pieces_->rows() < kRowsToCompileFor && compiling != Compiling::always) {
      return "the query has fewer than " + std::to_string(kRowsToCompileFor) + " rows";
    }
    return {};
  }

  Status compose_kernels() {
    const Compiling compiling = compiling_by_environment();
    made_.not_composed_ = reason_not_to_compile(compiling);
    made_.waits_ = path_ == QueryPath::compiled || compiling == Compiling::always;
    if (!made_.not_composed_.empty() && made_.pieces_->reports == nullptr) {
      return {};
    }
    const size_t at_once = made_.folds_per_launch();
    BOBBIN_ASSIGN(const KnownWidths widths, sample_widths(columns_, made_.query_, *made_.pieces_, stream_));
    uint32_t some_bitmap = 0;  // it is not written
    const auto columns = static_cast<uint32_t>(columns_.size());
    const DeviceLimits limits = this->limits();
    for (size_t first = 0; first == 0 || first < made_.folds_.size(); first += at_once) {
      auto& composed = made_.composed_.emplace_back();
      const Formulas formulas = formulas_from(first);
      composed[0] = compose(made_.part(first, nullptr), columns, widths, formulas, limits);
      if (!made_.query_.runs.any()) {
        composed[1] = compose(made_.part(first, &some_bitmap), columns, widths, formulas, limits);
      }
    }
    return {};
  }
  // The emulator's: one SM of an H200. If they are not known, none.
  [[nodiscard]] DeviceLimits limits() const {
    if (stream_.backend() != Backend::cuda) {
      return {.shared_bytes = 227 * 1024, .sms = 1};
    }
    const auto shared = cuda_api::most_shared_bytes();
    const auto sms = cuda_api::num_sms();
    return shared.has_value() && sms.has_value() ? DeviceLimits{*shared, *sms} : DeviceLimits{};
  }
  [[nodiscard]] Formulas formulas_from(size_t first) const {
    const std::span all(made_.formulas_.folds);
    const auto some = all.subspan(first);
    return {made_.formulas_.comparisons, {some.begin(), some.end()}};
  }

  std::span<const Source> columns_;
  Filter filter_;
  std::span<const Aggregate> aggregates_;
  StreamView stream_;
  QueryPath path_;
  std::vector<uint32_t> starts_;  // where the steps of each part on the stack begin
  Prepared made_;
};

Result<Prepared> Prepared::create(std::span<const Source> columns, const Filter& filter,
                                  std::span<const Aggregate> aggregates, StreamView stream, QueryPath path,
                                  std::shared_ptr<Pieces> pieces) {
  return Preparer(columns, filter, aggregates, stream, path, std::move(pieces)).prepare();
}

Result<Prepared> Prepared::create_groups(std::span<const Source> columns, const Filter& filter,
                                         std::span<const Aggregate> aggregates,
                                         std::span<const KeyColumn> keys, StreamView stream, QueryPath path,
                                         std::shared_ptr<Pieces> pieces) {
  return Preparer(columns, filter, aggregates, stream, path, std::move(pieces)).prepare(keys);
}

Result<Prepared> Prepared::create_marks(std::span<const Source> columns, const Filter& filter,
                                        const CodeColumn& marked, StreamView stream, QueryPath path,
                                        std::shared_ptr<Pieces> pieces) {
  return Preparer(columns, filter, {}, stream, path, std::move(pieces)).prepare({}, &marked);
}

}  // namespace bobbin::plan
