// SPDX-License-Identifier: Apache-2.0
// Processes some vectors at a time, so that decoded values stay in a cache: first the filter, on encoded data
// if the codec can, then the folds over the remaining rows. A batch without remaining rows is not decoded.
#include "plan/host.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>

#include "codecs/alp/alp.hpp"
#include "codecs/registry.hpp"
#include "core/bit_ranges.hpp"
#include "plan/batch_column.hpp"
#include "plan/batch_expression.hpp"
#include "plan/host_filter.hpp"
#include "plan/host_loops.hpp"
#include "plan/one_pass.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {
namespace {

// The running state of one aggregate.
class HostFold {
 public:
  HostFold(const Aggregate& aggregate, const std::vector<BatchColumn>& columns) : aggregate_(aggregate) {
    if (aggregate.expression != nullptr) {
      const bool extremes = aggregate.fold == Fold::extremes && !aggregate.expression->is_real();
      computed_.emplace(*aggregate.expression, columns,
                        extremes ? std::optional(NumberType::i64) : std::nullopt);
    }
  }

  void add(const RowBatch& batch, const BitmapWords& passed, std::vector<BatchColumn>& columns) {
    const bool nulls = computed_.has_value()
                           ? computed_->has_nulls(columns)
                           : aggregate_.column.has_value() && columns[*aggregate_.column].has_nulls();
    if (nulls) {
      valid_ = passed;
      if (computed_.has_value()) {
        computed_->keep_valid(batch, columns, valid_);
      } else {
        columns[*aggregate_.column].keep_valid(batch, valid_);
      }
    }
    add_rows(batch, nulls ? valid_ : passed, columns);
  }

  // False: not added.
  bool add(const RowBatch& batch, OnePass& pass) { return pass.add(batch, total_, sums_); }

  Total finish(const std::vector<BatchColumn>& columns) {
    if (aggregate_.fold != Fold::count) {
      set_extremes(computed_.has_value() ? computed_type() : columns[*aggregate_.column].type(), extremes_,
                   total_);
      total_.real_sum = sum_of_sums();
    }
    return total_;
  }

 private:
  void add_rows(const RowBatch& batch, const BitmapWords& rows, std::vector<BatchColumn>& columns) {
    const uint64_t count = (have_avx2() ? count_rows_avx2 : count_rows)(rows.data(), batch.words());
    total_.count += count;
    if (aggregate_.fold == Fold::count) {
      return;
    }
    if (computed_.has_value()) {
      add_computed(batch, rows, columns);
      return;
    }
    BatchColumn& column = columns[*aggregate_.column];
    if (is_float(column.type()) && aggregate_.fold == Fold::sum) {
      add_reals(batch, rows, count == 0 ? nullptr : column.values(batch), column.type());
    } else if (count != 0 && column.has_runs()) {
      visit_type(column.type(), [&]<class T>(std::type_identity<T>) { add_runs<T>(batch, rows, column); });
    } else if (count != 0) {
      visit_type(column.type(), [&]<class T>(std::type_identity<T>) {
        add_integers<T>(reinterpret_cast<const T*>(column.values(batch)), batch.words(), rows.data());
      });
    }
  }

  [[nodiscard]] DType computed_type() const {
    return computed_->type() == NumberType::f64 ? DType::f64 : DType::i64;
  }
  // Each vector is folded while its values are in the nearest cache. If few rows are left of it, only they
  // are computed; not for sums of floats, which have a fixed order.
  void add_computed(const RowBatch& batch, const BitmapWords& rows, std::vector<BatchColumn>& columns) {
    constexpr uint64_t kWords = kVectorLength / 32;
    constexpr uint64_t kFew = kVectorLength / 8;
    for (uint64_t v = 0; v < batch.words() / kWords; ++v) {
      const uint32_t* const some = rows.data() + v * kWords;
      const uint64_t count = (have_avx2() ? count_rows_avx2 : count_rows)(some, kWords);
      if (computed_->type() == NumberType::f64) {
        const auto* const values = count == 0 ? nullptr : computed_->values(batch, v, columns);
        add_computed_reals(reinterpret_cast<const double*>(values), some);
      } else if (count > kFew) {
        add_computed_integers(computed_->values(batch, v, columns), some);
      } else if (count != 0) {
        add_few(batch, v, some, columns);
      }
    }
  }
  void add_computed_integers(const std::byte* values, const uint32_t* rows) {
    constexpr uint64_t kWords = kVectorLength / 32;
    if (computed_->type() == NumberType::i32) {
      add_integers<int32_t>(reinterpret_cast<const int32_t*>(values), kWords, rows);
    } else {
      add_integers<int64_t>(reinterpret_cast<const int64_t*>(values), kWords, rows);
    }
  }
  void add_few(const RowBatch& batch, uint64_t vector, const uint32_t* rows,
               std::vector<BatchColumn>& columns) {
    few_.clear();
    for (uint32_t w = 0; w < kVectorLength / 32; ++w) {
      for (uint32_t rest = rows[w]; rest != 0; rest &= rest - 1) {
        few_.push_back(static_cast<uint16_t>(w * 32 + static_cast<uint32_t>(std::countr_zero(rest))));
      }
    }
    const std::byte* const values = computed_->values_of(few_, batch, vector, columns);
    const bool narrow = computed_->type() == NumberType::i32;
    for (size_t i = 0; i < few_.size(); ++i) {
      add_times<int64_t>(
          narrow ? reinterpret_cast<const int32_t*>(values)[i] : reinterpret_cast<const int64_t*>(values)[i],
          1);
    }
  }
  void add_computed_reals(const double* values, const uint32_t* rows) {
    if (aggregate_.fold == Fold::sum) {
      const auto sum = have_avx2() ? &sum_vector_avx2<double> : &sum_vector<double>;
      sums_.push_back(values == nullptr ? 0 : sum(values, rows));
    } else if (values != nullptr) {
      add_integers<double>(values, kVectorLength / 32, rows);
    }
  }

  // A run's value counts once per row. Not for sums of floats, which have a fixed order.
  template <class T>
  void add_runs(const RowBatch& batch, const BitmapWords& rows, BatchColumn& column) {
    uint64_t begin = batch.begin - batch.first;
    for (const Run& run : column.runs(batch)) {
      if (const uint64_t count = count_bits(rows.data(), begin, run.end); count != 0) {
        add_times<T>(value_of<T>(run.value), count);
      }
      begin = run.end;
    }
  }
  template <class T>
  void add_times(T value, uint64_t count) {
    if (aggregate_.fold == Fold::extremes) {
      extremes_.add<BitsOf<T>>(std::bit_cast<BitsOf<T>>(value), std::is_floating_point_v<T>,
                               std::is_signed_v<T>);
    } else if constexpr (!std::is_floating_point_v<T>) {
      total_.sum += Int128{value} * Int128{count};
    }
  }

  template <class T>
  void add_integers(const T* values, uint64_t words, const uint32_t* rows) {
    if (aggregate_.fold == Fold::extremes) {
      fold_extremes<T>(reinterpret_cast<const BitsOf<T>*>(values), words, rows, extremes_);
    } else if constexpr (!std::is_floating_point_v<T>) {
      const auto sum = have_avx2() ? &sum_rows_avx2<T> : &sum_rows<T>;
      total_.sum += sum_of(kDTypeOf<T>, sum(values, words, rows));
    }
  }
  void add_reals(const RowBatch& batch, const BitmapWords& rows, const std::byte* values, DType type) {
    const uint64_t vectors = num_vectors(batch.end - batch.first);
    for (uint64_t v = 0; v < vectors; ++v) {
      sums_.push_back(
          values == nullptr ? 0 : codec::alp::visit_float(type, [&]<class T>(std::type_identity<T>) {
            const auto sum = have_avx2() ? &sum_vector_avx2<T> : &sum_vector<T>;
            return sum(reinterpret_cast<const T*>(values) + v * kVectorLength, rows.data() + v * 32);
          }));
    }
  }
  // Vectors of sums are summed like vectors of values.
  double sum_of_sums() {
    const BitmapWords all(kVectorLength / 32, ~0U);
    while (sums_.size() > 1) {
      sums_.resize(round_up<size_t>(sums_.size(), kVectorLength));
      std::vector<double> above;
      for (size_t first = 0; first < sums_.size(); first += kVectorLength) {
        above.push_back(sum_vector(sums_.data() + first, all.data()));
      }
      sums_ = std::move(above);
    }
    return sums_.empty() ? 0 : sums_[0];
  }

  Aggregate aggregate_;
  std::optional<BatchExpression> computed_;
  std::vector<uint16_t> few_;  // rows of a vector
  Total total_;
  Extremes extremes_;
  BitmapWords valid_;
  std::vector<double> sums_;  // of each vector so far
};

}  // namespace

Result<std::vector<Total>> run_on_host(std::span<const Source> columns, const Filter& asked,
                                       std::span<const Aggregate> aggregates, array::Bitmap* rows) {
  BOBBIN_ASSIGN(const Rows all, Rows::of(columns));
  BOBBIN_TRY(check_filter(asked, columns));
  const Filter filter = merge_tests(asked, columns);
  for (const Aggregate& aggregate : aggregates) {
    BOBBIN_TRY(check_aggregate(aggregate, columns));
  }
  const auto pass = rows == nullptr ? OnePass::create(columns, filter, aggregates, all) : nullptr;
  std::vector<BatchColumn> opened;
  for (const Source& column : columns) {
    opened.emplace_back(column, all);
  }
  std::vector<HostFold> folds;
  for (const Aggregate& aggregate : aggregates) {
    folds.emplace_back(aggregate, opened);
  }
  std::optional<HostFilter> evaluator;  // with a pass, it may not be needed
  const uint64_t end = all.offset + all.length;
  if (rows != nullptr) {
    *rows = {.words = {}, .first = all.offset, .length = all.length};
  }
  for (uint64_t first = 0; first < end; first += kBatchRows) {
    const RowBatch batch{first, std::max(first, all.offset), std::min(first + kBatchRows, end)};
    if (pass != nullptr && folds[0].add(batch, *pass)) {
      continue;
    }
    if (!evaluator.has_value()) {
      evaluator.emplace(filter, opened);
    }
    const BitmapWords& passed = evaluator->run(batch, opened);
    if (rows != nullptr) {
      rows->words.insert(rows->words.end(), passed.begin(),
                         passed.begin() + static_cast<std::ptrdiff_t>(batch.words()));
    }
    for (HostFold& fold : folds) {
      fold.add(batch, passed, opened);
    }
  }
  std::vector<Total> totals;
  for (HostFold& fold : folds) {
    totals.push_back(fold.finish(opened));
  }
  return totals;
}

}  // namespace bobbin::plan
