// SPDX-License-Identifier: Apache-2.0
// Groups of rows in host memory, a vector at a time: the cell of each row, from the keys' values or codes,
// then a loop for each aggregate that adds values to the cells' sums.
#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "core/dispatch.hpp"
#include "plan/batch_column.hpp"
#include "plan/batch_expression.hpp"
#include "plan/host.hpp"
#include "plan/host_filter.hpp"
#include "plan/host_loops.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {
namespace {

constexpr uint64_t kWords = kVectorLength / 32;

// The cell of each row of a vector; those of rows that do not match are `cells`, one more than the last.
using VectorCells = std::array<uint8_t, kVectorLength>;
static_assert(kMaxCells <= UINT8_MAX);

// A key's value in each row, counted from `low`.
template <class T>
BOBBIN_INLINE void read_digits(const T* values, T low, uint32_t count, uint8_t* digits) {
  const auto last = static_cast<T>(count - 1);
  for (uint32_t i = 0; i < kVectorLength; ++i) {
    digits[i] = static_cast<uint8_t>(std::min<T>(static_cast<T>(values[i] - low), last));
  }
}
template <class T>
BOBBIN_AVX2 void read_digits_avx2(const T* values, T low, uint32_t count, uint8_t* digits) {
  read_digits<T>(values, low, count, digits);
}

BOBBIN_INLINE void add_digits(const uint8_t* digits, uint32_t count, uint8_t* cells) {
  for (uint32_t i = 0; i < kVectorLength; ++i) {
    cells[i] = static_cast<uint8_t>(cells[i] * count + digits[i]);
  }
}
BOBBIN_AVX2 void add_digits_avx2(const uint8_t* digits, uint32_t count, uint8_t* cells) {
  add_digits(digits, count, cells);
}

// Sets the cells of all other rows.
BOBBIN_INLINE void keep_cells(const uint32_t* rows, uint8_t none, uint8_t* cells) {
  for (uint64_t w = 0; w < kWords; ++w) {
    const auto masks = spread<uint8_t>(rows[w]);
    for (uint32_t i = 0; i < 32; ++i) {
      uint8_t& cell = cells[w * 32 + i];
      cell = static_cast<uint8_t>((cell & masks[i]) | (none & ~masks[i]));
    }
  }
}
BOBBIN_AVX2 void keep_cells_avx2(const uint32_t* rows, uint8_t none, uint8_t* cells) {
  keep_cells(rows, none, cells);
}

// Sums of cells, and of rows that do not match. Neighbouring rows are often of one cell: four sums for each,
// so that an addition seldom waits for the previous one.
constexpr uint32_t kCopies = 4;
using CellSums = std::array<int64_t, size_t{kMaxCells + 1} * kCopies>;

// Adds f(i) to the cell of each row i.
template <class F>
BOBBIN_INLINE void add_to_cells(const VectorCells& cells, CellSums& sums, F&& f) {
  for (uint32_t i = 0; i < kVectorLength; i += kCopies) {
    for (uint32_t k = 0; k < kCopies; ++k) {
      sums[size_t{cells[i + k]} * kCopies + k] += f(i + k);
    }
  }
}

// Whether sums of a batch of these values have at most 63 bits.
template <class T>
BOBBIN_INLINE bool are_small(const T* values) {
  constexpr uint64_t kLimit = uint64_t{1} << 49;
  static_assert(kLimit * kBatchRows <= uint64_t{1} << 62);
  // Moved by this, signed integers from -limit on are not negative.
  constexpr uint64_t kMoved = std::is_signed_v<T> ? kLimit : 0;
  uint64_t seen = 0;
  for (uint32_t i = 0; i < kVectorLength; ++i) {
    seen |= static_cast<uint64_t>(values[i]) + kMoved;
  }
  return seen < kLimit + kMoved;
}
template <class T>
BOBBIN_AVX2 bool are_small_avx2(const T* values) {
  return are_small<T>(values);
}

// The cells of the rows of a batch.
class GroupCells {
 public:
  GroupCells(std::span<const KeyColumn> keys, uint32_t cells)
      : keys_(keys), cells_(cells), valid_(keys.size()) {}

  [[nodiscard]] uint32_t cells() const { return cells_; }
  // Before the vectors of a batch.
  void begin(const RowBatch& batch, const std::vector<BatchColumn>& columns) {
    for (size_t k = 0; k < keys_.size(); ++k) {
      if (keys_[k].nulls) {
        valid_[k].assign(kBatchWords, ~0U);
        columns[keys_[k].column].keep_valid(batch, valid_[k]);
      }
    }
  }
  // For the matching rows of a vector, one bit each. A null is a key's last value.
  void read(const RowBatch& batch, uint64_t v, const uint32_t* rows, std::vector<BatchColumn>& columns,
            VectorCells& cells) const {
    cells.fill(0);
    for (size_t k = 0; k < keys_.size(); ++k) {
      const KeyColumn& key = keys_[k];
      BatchColumn& column = columns[key.column];
      VectorCells digits;
      visit_bits(column.type(), [&]<class T>(std::type_identity<T>) {
        const auto read = have_avx2() ? &read_digits_avx2<T> : &read_digits<T>;
        read(reinterpret_cast<const T*>(column.values(batch)) + v * kVectorLength, static_cast<T>(key.low),
             key.values, digits.data());
      });
      if (key.nulls) {
        keep(valid_[k].data() + v * kWords, static_cast<uint8_t>(key.values), digits);
      }
      (have_avx2() ? add_digits_avx2 : add_digits)(digits.data(), key.cells(), cells.data());
    }
    keep(rows, cells);
  }
  // Rows that do not match have a cell of their own.
  void keep(const uint32_t* rows, VectorCells& cells) const {
    keep(rows, static_cast<uint8_t>(cells_), cells);
  }

 private:
  static void keep(const uint32_t* rows, uint8_t others, VectorCells& cells) {
    (have_avx2() ? keep_cells_avx2 : keep_cells)(rows, others, cells.data());
  }

  std::span<const KeyColumn> keys_;
  uint32_t cells_;
  std::vector<BitmapWords> valid_;  // of keys that may be null
};

// The running totals of one aggregate, for each cell.
class GroupFold {
 public:
  GroupFold(const Aggregate& aggregate, const std::vector<BatchColumn>& columns, uint32_t cells)
      : aggregate_(aggregate), totals_(cells) {
    if (aggregate.expression != nullptr) {
      computed_.emplace(*aggregate.expression, columns);
    }
    nulls_ = computed_.has_value()          ? computed_->has_nulls(columns)
             : aggregate.column.has_value() ? columns[*aggregate.column].has_nulls()
                                            : false;
  }

  // Before the vectors of a batch.
  void begin(const RowBatch& batch, const BitmapWords& passed, const std::vector<BatchColumn>& columns) {
    if (!nulls_) {
      return;
    }
    valid_ = passed;
    if (computed_.has_value()) {
      computed_->keep_valid(batch, columns, valid_);
    } else {
      columns[*aggregate_.column].keep_valid(batch, valid_);
    }
  }
  // `passed` are the cells of rows that match, null or not.
  void add(const RowBatch& batch, uint64_t v, const GroupCells& group, const VectorCells& passed,
           std::vector<BatchColumn>& columns) {
    if (nulls_) {
      kept_ = passed;
      group.keep(valid_.data() + v * kWords, kept_);
      add_to_cells(kept_, counts_, [](uint32_t) { return 1; });
    }
    const VectorCells& cells = nulls_ ? kept_ : passed;
    if (aggregate_.fold == Fold::count) {
      return;
    }
    if (computed_.has_value()) {
      const std::byte* const values = computed_->values(batch, v, columns);
      if (computed_->type() == NumberType::i32) {
        add_values(reinterpret_cast<const int32_t*>(values), cells);
      } else {
        add_values(reinterpret_cast<const int64_t*>(values), cells);
      }
      return;
    }
    BatchColumn& column = columns[*aggregate_.column];
    visit_integer(column.type(), [&]<class T>(std::type_identity<T>) {
      add_values(reinterpret_cast<const T*>(column.values(batch)) + v * kVectorLength, cells);
    });
  }
  // After the vectors of a batch: `passed` counts the rows that match, null or not.
  void end(const CellSums& passed) {
    const CellSums& counts = nulls_ ? counts_ : passed;
    for (size_t cell = 0; cell < totals_.size(); ++cell) {
      for (uint32_t k = 0; k < kCopies; ++k) {
        totals_[cell].count += static_cast<uint64_t>(counts[cell * kCopies + k]);
        totals_[cell].sum += sums_[cell * kCopies + k];
      }
    }
    counts_.fill(0);
    sums_.fill(0);
  }
  [[nodiscard]] const std::vector<Total>& totals() const { return totals_; }

 private:
  // Rows that do not match may have any values.
  template <class T>
  void add_values(const T* values, const VectorCells& cells) {
    bool small = true;
    if constexpr (sizeof(T) == sizeof(uint64_t)) {
      small = (have_avx2() ? are_small_avx2<T> : are_small<T>)(values);
    }
    if (small) {
      add_to_cells(cells, sums_, [&](uint32_t i) { return static_cast<int64_t>(values[i]); });
      return;
    }
    for (uint32_t i = 0; i < kVectorLength; ++i) {
      if (cells[i] < totals_.size()) {
        totals_[cells[i]].sum += values[i];
      }
    }
  }

  Aggregate aggregate_;
  std::optional<BatchExpression> computed_;
  bool nulls_ = false;
  BitmapWords valid_;
  VectorCells kept_{};
  std::vector<Total> totals_;
  CellSums counts_{};  // of rows that are not null, if there are nulls
  CellSums sums_{};
};

Status check(const Aggregate& aggregate, std::span<const Source> columns) {
  BOBBIN_TRY(check_aggregate(aggregate, columns));
  const bool real = aggregate.expression != nullptr
                        ? aggregate.expression->is_real()
                        : aggregate.column.has_value() && is_float(columns[*aggregate.column].array->type);
  BOBBIN_RETURN_IF(aggregate.fold == Fold::extremes || (real && aggregate.fold == Fold::sum),
                   StatusCode::unsupported, "groups on the CPU have counts and sums of integers");
  return {};
}

}  // namespace

Result<std::vector<Total>> run_groups_on_host(std::span<const Source> columns, const Filter& asked,
                                              std::span<const Aggregate> aggregates,
                                              std::span<const KeyColumn> keys) {
  BOBBIN_ASSIGN(const Rows all, Rows::of(columns));
  BOBBIN_TRY(check_filter(asked, columns));
  for (const Aggregate& aggregate : aggregates) {
    BOBBIN_TRY(check(aggregate, columns));
  }
  uint64_t number = 1;
  for (const KeyColumn& key : keys) {
    number *= key.cells();
    BOBBIN_RETURN_IF(number > kMaxCells, StatusCode::unsupported,
                     "more than " + std::to_string(kMaxCells) + " groups");
  }
  const Filter filter = merge_tests(asked, columns);
  std::vector<BatchColumn> opened;
  for (const Source& column : columns) {
    opened.emplace_back(column, all);
  }
  GroupCells group(keys, static_cast<uint32_t>(number));
  std::vector<GroupFold> folds;
  for (const Aggregate& aggregate : aggregates) {
    folds.emplace_back(aggregate, opened, group.cells());
  }
  HostFilter evaluator(filter, opened);
  VectorCells cells;
  const uint64_t end = all.offset + all.length;
  for (uint64_t first = 0; first < end; first += kBatchRows) {
    const RowBatch batch{first, std::max(first, all.offset), std::min(first + kBatchRows, end)};
    const BitmapWords& passed = evaluator.run(batch, opened);
    CellSums counts{};
    group.begin(batch, opened);
    for (GroupFold& fold : folds) {
      fold.begin(batch, passed, opened);
    }
    for (uint64_t v = 0; v < batch.words() / kWords; ++v) {
      const uint32_t* const rows = passed.data() + v * kWords;
      if (std::all_of(rows, rows + kWords, [](uint32_t word) { return word == 0; })) {
        continue;
      }
      group.read(batch, v, rows, opened, cells);
      add_to_cells(cells, counts, [](uint32_t) { return 1; });
      for (GroupFold& fold : folds) {
        fold.add(batch, v, group, cells, opened);
      }
    }
    for (GroupFold& fold : folds) {
      fold.end(counts);
    }
  }
  std::vector<Total> totals;
  for (uint32_t cell = 0; cell < group.cells(); ++cell) {
    for (const GroupFold& fold : folds) {
      totals.push_back(fold.totals()[cell]);
    }
  }
  return totals;
}

}  // namespace bobbin::plan
