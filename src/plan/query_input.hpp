// SPDX-License-Identifier: Apache-2.0
// The input of a query kernel: columns, a program that filters rows, and what to fold them into.
#pragma once

#include <cstdint>

#include "codecs/alp/stage.hpp"
#include "plan/column_input.hpp"
#include "plan/stage.hpp"
#include "plan/values.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

inline constexpr uint32_t kMaxColumns = 8;
inline constexpr uint32_t kMaxSteps = 48;
inline constexpr uint32_t kMaxDepth = 8;
inline constexpr uint32_t kMaxFolds = 4;    // in one launch of the general kernel
inline constexpr uint32_t kMostFolds = 16;  // in one of a kernel that only exists compiled
inline constexpr uint32_t kMaxNumbers = 32;
inline constexpr uint32_t kNoColumn = 255;
inline constexpr uint64_t kMaxRows = uint64_t{1} << 32;  // so that sums cannot overflow

// Integers that ALP's scale (e, f) converts to values of a range: `low` to `low + span`, unless `empty`.
// Integers from -most to most do not overflow when multiplied; others are tested one by one.
struct ScaledRange {
  static constexpr uint32_t kWords = 4;
  static constexpr uint32_t kExponents = codec::alp::kMaxExponent<double> + 1;

  int64_t low = 0;
  uint64_t span = 0;
  int64_t most = 0;
  uint64_t empty = 0;

  [[nodiscard]] BOBBIN_HD static uint32_t place(uint32_t e, uint32_t f) { return e * kExponents + f; }
  // Whether it covers all integers that `width` bits can add to `reference`.
  [[nodiscard]] BOBBIN_HD bool covers(int64_t reference, uint32_t width) const {
    return reference >= -most && reference <= most &&
           low_mask<uint64_t>(width) <= static_cast<uint64_t>(most - reference);
  }
};

enum class StepOp : uint8_t {
  test,          // push the rows whose value is in the range
  is_null,       // push the null rows
  compare,       // push the rows for which an expression's comparison holds: only in compiled kernels
  both,          // combine the top two: and
  either,        // or
  skip_if_none,  // if no row is left on top, continue after step `target`
};

struct Step {
  StepOp op{};
  uint8_t column = 0;
  uint8_t target = 0;
  bool negated = false;
  bool is_float = false;  // the type of the tested values
  KeyRange range;
  Global<const uint32_t> table;   // or null: one bit for each matching code, instead of a range
  uint32_t last = 0;              // the last code in the table; greater ones are treated like it
  Global<const uint64_t> scaled;  // for ALP columns: a ScaledRange for each scale
};

enum class Fold : uint8_t { count, sum, extremes };

struct FoldStep {
  Fold op{};
  uint8_t column = kNoColumn;  // kNoColumn: rows are counted
};

// A column that names groups: its values from `low` on, as many as `last` says; greater ones are treated like
// the last. The cell of a row is the sum of its keys' values, each times its stride.
struct GroupKey {
  uint8_t column = 0;
  uint64_t low = 0;
  uint32_t last = 0;
  uint32_t stride = 0;
};
inline constexpr uint32_t kMaxKeys = 2;
inline constexpr uint32_t kMaxCells = 255;
struct GroupInput {
  GroupKey keys[kMaxKeys];
  uint32_t num_keys = 0;
  uint32_t cells = 1;
};

// If `words` are given, matching rows mark the values of a column: a bit for each. Values greater than `last`
// are treated like it.
struct MarkInput {
  uint8_t column = 0;
  uint32_t last = 0;
  Global<uint32_t> words;

  [[nodiscard]] BOBBIN_HD bool any() const { return words.data != nullptr; }
};

// If `ends` is given, a query's rows are runs: each has the rows from the previous run's end, or 0, to its
// own. Those from `begin` to `end` count.
struct RunInput {
  Global<const uint32_t> ends;  // from the query's first run on
  uint32_t begin = 0;
  uint32_t end = 0;

  [[nodiscard]] BOBBIN_HD bool any() const { return ends.data != nullptr; }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t length(Cta& cta, uint64_t run) const {
    const uint32_t last = cta.load(ends, run);
    const uint32_t first = run == 0 ? 0 : cta.load(ends, run - 1);
    const uint32_t from = first < begin ? begin : first;
    const uint32_t to = last < end ? last : end;
    return to > from ? to - from : 0;
  }
};

// What a test, a sum or codes of a packed column need to know about a vector. It is prepared for several
// vectors at a time, by one lane each.
struct Use {
  enum class Way : uint8_t {
    none,     // no value matches
    all,      // all match
    direct,   // evaluate packed words
    slow,     // evaluate values one by one
    joined,   // all match, and can be summed without their values (stages/differences.hpp)
    outside,  // direct, with the range of the integers that do not match
    shorts,   // two integers at a time, with a range of its own (stages/short_reals.hpp)
  };

  uint32_t first_register = 0;
  uint8_t width = 0;
  Way way{};
  uint8_t e = 0;
  uint8_t f = 0;
  uint64_t low = 0;   // tests: the range of packed integers; sums: the reference
  uint64_t span = 0;  // tests: of the range; sums of codes: the greatest; with exceptions: which ones
};

// What a fold writes to memory, in 64-bit words.
struct TotalWords {
  enum : uint32_t { count, low, high, least, greatest, kWords };
};

struct QueryInput {
  ColumnPlan columns[kMaxColumns];
  Step steps[kMaxSteps];
  FoldStep folds[kMostFolds];
  uint32_t num_steps = 0;
  uint32_t num_folds = 0;
  uint64_t begin = 0;  // rows, counted from the first vector's start
  uint64_t end = 0;
  Global<uint32_t> bitmap;  // or null
  Global<uint64_t> totals;  // TotalWords per fold; with groups, those of all folds for each cell
  Global<double> reals;     // for floats, a fold's sums of vectors: vector v is at fold * vectors + v
  Powers powers;
  GroupInput groups;
  MarkInput marks;
  RunInput runs;
  uint64_t numbers[kMaxNumbers] = {};  // constants of expressions: bits of integers or doubles
};

}  // namespace bobbin::plan
