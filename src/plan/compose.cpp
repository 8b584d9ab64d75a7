// SPDX-License-Identifier: Apache-2.0
#include "plan/compose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/bits.hpp"
#include "plan/compose_expressions.hpp"
#include "plan/compose_groups.hpp"
#include "plan/compose_inputs.hpp"
#include "plan/compose_stages.hpp"
#include "plan/scaled_ranges.hpp"
#include "plan/stages/lane_sums.hpp"
#include "plan/stages/marks.hpp"
#include "plan/stages/short_reals.hpp"
#include "plan/uses.hpp"
#include "plan/vector_program.hpp"

namespace bobbin::plan {
namespace {

constexpr uint32_t kMostUses = 32;          // Composition: one lane for each
constexpr size_t kMostSlots = 32;           // masks have a bit for each
constexpr uint32_t kPackedKind = 16;        // of slots: added to the layout
constexpr size_t kMostShared = 96 * 1024;   // of a block
constexpr size_t kMostGroups = 160 * 1024;  // the same with groups
constexpr size_t kMostEntries = 32 * 1024;  // bytes of dictionaries among them
constexpr uint64_t kFewEntries = 512;       // whose words have copies that keep lanes apart
constexpr uint64_t kRowsForEntry = 2;       // of an SM, if copying entries is worth it
constexpr size_t kLeastHeld = 64 * 1024;    // bytes for some of the entries that are worth a block
constexpr uint32_t kWarpsThatHold = 32;     // of such a block
constexpr size_t kAlignment = 1024;         // what it adds, at most
constexpr size_t kReserved = 1024;          // by the driver, of each block

class Composer {
 public:
  Composer(const QueryInput& query, uint32_t num_columns, const KnownWidths& widths, const Formulas& formulas,
           const DeviceLimits& limits)
      : query_(query), num_columns_(num_columns), widths_(widths), formulas_(formulas), limits_(limits) {}

  std::optional<Composed> compose() {
    const auto inputs = choose_inputs(query_, widths_, formulas_, packable());
    if (!inputs.has_value()) {
      return std::nullopt;
    }
    inputs_ = *inputs;
    for (uint32_t c = 0; c < num_columns_ && ok_; ++c) {
      add_slot(c);
    }
    add_tests();
    if (has_groups()) {
      add_groups();
    } else {
      add_folds();
      add_marks();
    }
    ok_ = ok_ && uses_ + leaves_ <= kMostUses && names_.size() <= kMostSlots &&
          writer_.numbers().size() <= kMaxNumbers &&
          (holds_entries() || shared_ <= (has_groups() ? kMostGroups : kMostShared));
    if (!ok_) {
      return std::nullopt;
    }
    size_t bytes = shared_ + bytes_of_uses() + bytes_of_pending() + bytes_of_sums() + kAlignment;
    bytes += bytes_ahead(bytes);
    Composed made{.declarations = {},
                  .shared_bytes = static_cast<uint32_t>(round_up<size_t>(bytes, kAlignment)),
                  .warps = warps_,
                  .numbers = writer_.numbers()};
    if (limits_.shared_bytes != 0 && made.shared_bytes > limits_.shared_bytes) {
      return std::nullopt;
    }
    constexpr const char* kIndent = "                          ";
    made.declarations =
        fmt::format("{}using Query = Composition<List<{}>,\n{}List<{}>,\n{}List<{}>,\n{}{}, {}, {}{}>;\n",
                    columns_, fmt::join(names_, ", "), kIndent, fmt::join(tests_, ", "), kIndent,
                    fmt::join(folds_, ", "), kIndent, query_.bitmap.data != nullptr, made.shared_bytes,
                    min_blocks(), holds_entries() ? fmt::format(", {}", warps_) : "");
    return made;
  }

 private:
  struct Slot {
    uint32_t number = 0;
    bool packed = false;
    bool coded = false;   // values are codes, folds look entries up
    bool shorts = false;  // PatchedReals::kShorts
  };

  // Rows that wait for tests: if there may be any, or else more than needed (Composition::kSparse).
  [[nodiscard]] size_t bytes_of_pending() const {
    const bool may_wait = all_packed_ && query_.bitmap.data == nullptr && !has_groups() && !holds_entries();
    return may_wait ? tests_.size() * warps_ * kPendingRoom * sizeof(uint16_t) : 0;
  }
  // Values in registers limit how many blocks fit on an SM. Measured: docs/perf/query.md.
  [[nodiscard]] uint32_t min_blocks() const {
    if (holds_entries()) {
      return 1;
    }
    if (names_.size() > 1 && all_packed_ && one_width_ && !has_groups()) {
      return 4;
    }
    const bool words = names_.size() == 1 && all_packed_ && !query_.runs.any();
    return wide_ ? (words ? 3 : 2) : (words ? 4 : 3);
  }

  // Whether entries of a dictionary take all of an SM's shared memory, for one block of many threads.
  [[nodiscard]] bool holds_entries() const { return warps_ != Composed::kWarps; }
  // What is prepared for vectors.
  [[nodiscard]] size_t bytes_of_uses() const {
    const uint32_t uses = std::max(uses_ + leaves_, 1U);
    const uint32_t quads = wide_ ? 2 : 1;
    const bool few = names_.size() == 1 && shorts_ && !all_packed_;
    return size_t{warps_} * uses * quads * sizeof(simt::Quad) << group_bits(warps_, uses, quads, few);
  }
  [[nodiscard]] bool is_real_sum(uint32_t f) const {
    const FoldStep& fold = query_.folds[f];
    const Expression* const expression = formulas_.fold(f);
    return fold.op == Fold::sum &&
           (expression != nullptr ? expression->is_real() : query_.columns[fold.column].is_float);
  }
  // LaneSums, if the kernel has one sum of floats.
  [[nodiscard]] size_t bytes_of_sums() const {
    uint32_t sums = 0;
    for (uint32_t f = 0; f < query_.num_folds && !has_groups(); ++f) {
      sums += is_real_sum(f) ? 1 : 0;
    }
    constexpr size_t kOfWarp = sizeof(LaneSums<1, false>);
    static_assert(kOfWarp >= sizeof(LaneSums<1, true>));
    return sums == 1 ? kOfWarp * warps_ : 0;
  }

  // For words that are copied ahead (Composition::kWidthAhead), beside `others` bytes. A kernel that sums two
  // integers at a time must have them; another has them if as many blocks as it asks for fit on an SM.
  [[nodiscard]] size_t bytes_ahead(size_t others) const {
    if (width_ahead_ == 0 || !is_only_question(ahead_column_)) {
      return 0;
    }
    const size_t bytes = size_t{warps_} * width_ahead_ * kRegisterBytes;
    const size_t all = (round_up<size_t>(others + bytes, kAlignment) + kReserved) * min_blocks();
    return shorts_ || all <= limits_.shared_bytes + kReserved ? bytes : 0;
  }

  [[nodiscard]] bool has_groups() const { return query_.groups.num_keys != 0; }
  [[nodiscard]] bool is_key(uint32_t c) const {
    return std::any_of(query_.groups.keys, query_.groups.keys + query_.groups.num_keys,
                       [&](const GroupKey& key) { return key.column == c; });
  }
  [[nodiscard]] bool is_marked(uint32_t c) const { return query_.marks.any() && query_.marks.column == c; }
  [[nodiscard]] bool tested(uint32_t c) const {
    return std::any_of(query_.steps, query_.steps + query_.num_steps,
                       [&](const Step& step) { return step.op == StepOp::test && step.column == c; });
  }
  [[nodiscard]] uint32_t count_folds(uint32_t c, Fold op) const {
    return static_cast<uint32_t>(
        std::count_if(query_.folds, query_.folds + query_.num_folds,
                      [&](const FoldStep& fold) { return fold.column == c && fold.op == op; }));
  }
  [[nodiscard]] bool has_table(uint32_t c) const {
    return std::any_of(query_.steps, query_.steps + query_.num_steps, [&](const Step& step) {
      return step.op == StepOp::test && step.column == c && step.table.data != nullptr;
    });
  }
  // Floats of 64 bits in registers are too many: these columns keep words. Empty if it is another column.
  [[nodiscard]] std::string slot_of_words(uint32_t c) {
    const char* nulls = nulls_of(c);
    const ColumnPlan& column = query_.columns[c];
    if (is_scaled(column) && widths_.of[c][0].size() == 1) {
      uses_ += 1;
      shared_ += size_t{Composed::kWarps} * (kVectorLength * column.bytes + 128);
      set_ahead(c, kShortWidth, column.bytes == 8 && !has_nulls(c) && widths_.of[c][0][0] == kShortWidth);
      return fmt::format("PatchedReals<{}, {}, {}{}>", c, type_of(column.bytes), widths_.of[c][0][0], nulls);
    }
    if (!is_joined(column)) {
      return {};
    }
    const uint32_t join = column.num_nodes - 1U;
    const Frames& right = column.nodes[join - 1].frames;
    const auto left = StageWriter(column, widths_.of[c]).write(join - 2, WantedRows::any);
    if (right.entries.data != nullptr || right.base != 0 || right.width == 0 || !left.has_value()) {
      return {};
    }
    uses_ += left->frames;
    set_ahead(c, right.width, false);
    shared_ += left->shared + size_t{Composed::kWarps} * kVectorLength * 2 + 16;
    return fmt::format("JoinedReals<{}, {}, {}, {}, {}, {}{}>", c, join, left->text, type_of(column.bytes),
                       right.width, column.nodes[join].cut.right_bits, nulls);
  }

  // Whether packed integers are enough: ranges and sums. Sums of floats have a defined order, which codes of
  // 8 and 16 bits are not in.
  [[nodiscard]] bool stays_packed(uint32_t c) const {
    const ColumnPlan& column = query_.columns[c];
    if (column.form != ColumnForm::packed || column.has_patches() || has_table(c) ||
        count_folds(c, Fold::extremes) != 0) {
      return false;
    }
    if (column.looks_up()) {
      return !column.is_float || count_folds(c, Fold::sum) == 0 || column.packed_bytes() == 4;
    }
    return !column.is_float || column.scaled();
  }

  // Columns that expressions can use as they are packed.
  [[nodiscard]] uint32_t packable() const {
    uint32_t mask = 0;
    for (uint32_t c = 0; c < num_columns_; ++c) {
      const ColumnPlan& column = query_.columns[c];
      const bool has_values = column.form == ColumnForm::packed && !column.is_float && !column.looks_up();
      mask |= has_values && stays_packed(c) ? 1U << c : 0;
    }
    return mask;
  }
  [[nodiscard]] bool is_made(uint32_t c) const { return (inputs_.made >> c & 1) != 0; }

  void add_slot(uint32_t c) {
    const ColumnPlan& column = query_.columns[c];
    const uint32_t sums = count_folds(c, Fold::sum);
    const bool coded = column.form == ColumnForm::packed && column.looks_up();
    const bool folded = tested(c) || is_key(c) || is_marked(c) || sums + count_folds(c, Fold::extremes) != 0;
    const bool computes = (inputs_.used >> c & 1) != 0;
    if (column.form == ColumnForm::bitmap || !(folded || computes)) {
      return;
    }
    if (coded && computes) {
      // Tests are of codes, expressions of entries.
      input_slots_[c] = static_cast<uint32_t>(names_.size());
      add_made(c, fmt::format("Values{}", c), column.num_nodes, inputs_.rows);
      if (!folded || !ok_) {
        return;
      }
    }
    Slot slot{.number = static_cast<uint32_t>(names_.size()), .coded = coded};
    const std::string name = fmt::format("Column{}", c);
    if (stays_packed(c) && (coded || !is_made(c))) {
      slot.packed = true;
      add_name(name, kPackedKind + column.packed_bytes(),
               fmt::format("Packed<{}, {}, {}, Meaning::{}{}>", c, type_of(column.packed_bytes()),
                           widths_of(widths_.of[c][0]),
                           coded             ? "codes"
                           : column.scaled() ? "scaled"
                                             : "values",
                           nulls_of(c)));
      uses_ += 1;
      wide_ = wide_ || column.packed_bytes() == 8;
      set_ahead(c, kShortWidth,
                column.scaled() && !has_nulls(c) && widths_.of[c][0] == std::vector<uint8_t>{kShortWidth});
      one_width_ = one_width_ && widths_.of[c][0].size() == 1 && !column.is_float;
    } else if (const std::string words =
                   is_made(c) && inputs_.rows != WantedRows::any ? "" : slot_of_words(c);
               !words.empty()) {
      all_packed_ = false;
      slot.shorts = shorts_;
      add_name(name, column.bytes, words);
      wide_ = wide_ || column.bytes == 8;
    } else {
      const WantedRows rows = is_made(c) && !coded           ? inputs_.rows
                              : column.is_float && sums != 0 ? WantedRows::chains
                                                             : WantedRows::any;
      add_made(c, name, column.num_nodes - (coded ? 1U : 0U), rows);
    }
    if (!coded) {
      input_slots_[c] = slot.number;
    }
    slots_[c] = slot;
  }
  // The width of a slot's words that may be copied ahead, and whether its vectors may be summed two integers
  // at a time. Other packed words are not copied ahead.
  void set_ahead(uint32_t c, uint32_t width, bool shorts) {
    ahead_column_ = c;
    shorts_ = shorts;
    width_ahead_ = shorts || is_joined(query_.columns[c]) ? width : 0;
  }
  [[nodiscard]] bool has_nulls(uint32_t c) const {
    return query_.columns[c].validity.kind != Validity::Kind::all;
  }
  [[nodiscard]] const char* nulls_of(uint32_t c) const { return has_nulls(c) ? ", true" : ""; }
  // `kind`: the layout, and whether it is packed.
  void add_name(const std::string& name, uint32_t kind, const std::string& text) {
    columns_ += fmt::format("using {} = {};\n", name, text);
    names_.push_back(name);
    kinds_.push_back(kind);
  }
  void add_made(uint32_t c, const std::string& name, uint32_t nodes, WantedRows rows) {
    all_packed_ = false;
    const auto written = StageWriter(query_.columns[c], widths_.of[c]).write(nodes, rows);
    ok_ = ok_ && written.has_value();
    if (!ok_) {
      return;
    }
    add_name(name, written->layout, fmt::format("Made<{}, {}{}>", c, written->text, nulls_of(c)));
    uses_ += written->frames;
    wide_ = wide_ || written->bytes == 8;
    shared_ += written->shared;
  }

  // The slot of a formula of some columns, which is added unless there is one.
  uint32_t add_computed(const std::string& formula, uint32_t bits, uint32_t columns) {
    std::string text = fmt::format("Computed<{}, {}", formula, bits);
    for (uint32_t c = 0; c < num_columns_; ++c) {
      text += (columns >> c & 1) != 0 ? ", " + names_[input_slots_[c]] : "";
    }
    text += ">";
    const auto found = std::ranges::find(computed_, text, &Computed::text);
    if (found != computed_.end()) {
      return found->slot;
    }
    const auto slot = static_cast<uint32_t>(names_.size());
    add_name(fmt::format("Computed{}", computed_.size()),
             kinds_[input_slots_[static_cast<uint32_t>(std::countr_zero(columns))]], text);
    computed_.push_back({text, slot});
    return slot;
  }
  uint32_t add_computed(const Expression& expression, bool wide) {
    const std::string formula = writer_.write(expression, wide);
    wide_ = wide_ || expression.type() != NumberType::i32;
    return add_computed(formula, expression.bits, columns_of(expression));
  }
  // Columns with nulls among those of an expression, or the only one.
  [[nodiscard]] uint32_t null_columns(uint32_t columns) const {
    for (uint32_t c = 0; c < num_columns_; ++c) {
      columns &= query_.columns[c].validity.kind == Validity::Kind::all ? ~(1U << c) : ~uint32_t{0};
    }
    return columns;
  }
  [[nodiscard]] uint32_t columns_of_fold(uint32_t f) const {
    const Expression* const expression = formulas_.fold(f);
    return expression != nullptr                 ? columns_of(*expression)
           : query_.folds[f].column != kNoColumn ? 1U << query_.folds[f].column
                                                 : 0;
  }

  // From postfix order: each part of the stack is a list of predicates that must all hold.
  void add_tests() {
    std::vector<std::vector<std::string>> stack;
    for (uint32_t s = 0; s < query_.num_steps && ok_; ++s) {
      const Step& step = query_.steps[s];
      switch (step.op) {
        case StepOp::test:
          stack.push_back({test_of(s, step)});
          break;
        case StepOp::is_null:
          stack.push_back({fmt::format("Bits<{}, {}>", step.column, step.negated)});
          break;
        case StepOp::compare:
          stack.push_back({comparison_of(*formulas_.comparisons[step.column])});
          break;
        case StepOp::both: {
          std::vector<std::string> second = std::move(stack.back());
          stack.pop_back();
          stack.back().insert(stack.back().end(), second.begin(), second.end());
          break;
        }
        case StepOp::either: {
          const std::string second = all_of(stack.back());
          stack.pop_back();
          stack.back() = {fmt::format("Or<{}, {}>", all_of(stack.back()), second)};
          break;
        }
        case StepOp::skip_if_none:
          break;
      }
    }
    tests_ = stack.empty() ? std::vector<std::string>{} : stack.back();
  }
  static std::string all_of(const std::vector<std::string>& tests) {
    return tests.size() == 1 ? tests[0] : fmt::format("AllOf<{}>", fmt::join(tests, ", "));
  }
  std::string comparison_of(const Comparison& comparison) {
    const uint32_t slot = add_computed(writer_.write(comparison), 1,
                                       columns_of(comparison.left) | columns_of(comparison.right));
    return compared_type(comparison) == NumberType::f64
               ? fmt::format("Holds<{}, {}>", slot, comparison.negated)
               : fmt::format("Holds<{}, {}, {}>", slot, comparison.negated, leaves_++);
  }
  // Whether a query is one test and one sum of one column.
  [[nodiscard]] bool is_only_question(uint32_t c) const {
    return names_.size() == 1 && query_.num_steps == 1 && query_.num_folds == 1 && !has_groups() &&
           formulas_.empty() && query_.folds[0].op == Fold::sum && query_.folds[0].column == c &&
           query_.bitmap.data == nullptr;
  }
  std::string test_of(uint32_t s, const Step& step) {
    const ColumnPlan& column = query_.columns[step.column];
    if (column.form == ColumnForm::bitmap) {
      return fmt::format("Bits<{}, {}>", step.column, !step.negated);
    }
    const Slot& slot = slots_[step.column];
    const char* negated = step.negated ? ", true" : "";
    if (slot.packed) {
      return fmt::format("InPackedRange<{}, {}, {}{}>", s, slot.number, leaves_++, negated);
    }
    if (step.table.data != nullptr) {
      ok_ = ok_ && (slot.coded ? column.packed_bytes() : column.bytes) <= 4;
      return fmt::format("InTable<{}, {}{}>", s, slot.number, negated);
    }
    if (is_summed(column)) {
      return fmt::format("InSummedRange<{}, {}, {}{}>", s, slot.number, leaves_++, negated);
    }
    if (step.is_float && compares_as_reals(step.range, column.bytes)) {
      if (slot.shorts && !step.negated && is_only_question(step.column)) {
        return fmt::format("InPatchedRange<{}, {}, {}>", s, slot.number, leaves_++);
      }
      return fmt::format("BetweenReals<{}, {}{}>", s, slot.number, negated);
    }
    return fmt::format("InRange<{}, {}, {}{}>", s, slot.number, step.is_float, negated);
  }

  void add_folds() {
    for (uint32_t f = 0; f < query_.num_folds && ok_; ++f) {
      const FoldStep& fold = query_.folds[f];
      const Expression* const expression = formulas_.fold(f);
      if (fold.op == Fold::count) {
        const uint32_t nulls = null_columns(columns_of_fold(f));
        folds_.push_back(nulls != 0 ? fmt::format("CountValid<{}, {}>", f, nulls)
                                    : fmt::format("Count{}<{}>", of_runs(), f));
        continue;
      }
      const char* const name = fold.op == Fold::sum ? "Sum" : "MinMax";
      if (expression != nullptr) {
        folds_.push_back(fmt::format("{}<{}, {}, Numbers::{}>", name, f,
                                     add_computed(*expression, fold.op == Fold::extremes),
                                     expression->is_real() ? "reals" : "integers"));
        continue;
      }
      folds_.push_back(fmt::format("{}{}<{}, {}, Numbers::{}{}>", name, of_runs(), f,
                                   slots_[fold.column].number, numbers_of(fold.column), map_of(fold.column)));
    }
  }
  // Marks are of codes as they are.
  void add_marks() {
    if (query_.marks.any()) {
      const Slot& slot = slots_[query_.marks.column];
      const bool in_shared = query_.marks.last < kMarksInShared;
      ok_ = ok_ && !slot.coded;
      folds_.push_back(fmt::format("Mark<{}, {}>", slot.number, in_shared));
      shared_ += in_shared ? kMarksInShared / 8 : 0;
    }
  }
  [[nodiscard]] const char* of_runs() const { return query_.runs.any() ? "OfRuns" : ""; }
  [[nodiscard]] const char* numbers_of(uint32_t c) const {
    const ColumnPlan& column = query_.columns[c];
    return column.is_float ? "reals" : column.is_signed ? "integers" : "naturals";
  }
  // What is summed or compared in groups.
  void set_values(GroupFold& fold, const Expression& expression) {
    fold.slot = add_computed(expression, fold.op == Fold::extremes);
    fold.numbers = expression.is_real() ? "reals" : "integers";
    fold.bits = expression.bits;
  }
  void set_values(GroupFold& fold, uint32_t c) {
    fold.slot = slots_[c].number;
    fold.numbers = numbers_of(c);
    fold.map = map_of(c);
    const ColumnPlan& column = query_.columns[c];
    const uint32_t type_bits = 8 * column.bytes + (column.is_signed ? 0 : 1);
    fold.bits = slots_[c].packed && !slots_[c].coded ? widths_.bits[c] : type_bits;
  }
  // Sums of floats have no defined order within a group.
  void add_groups() {
    std::vector<GroupFold> folds;
    for (uint32_t f = 0; f < query_.num_folds && ok_; ++f) {
      const Expression* const expression = formulas_.fold(f);
      GroupFold& fold = folds.emplace_back(
          GroupFold{.fold = f, .op = query_.folds[f].op, .nulls = null_columns(columns_of_fold(f))});
      if (fold.op == Fold::count) {
        continue;
      }
      const uint32_t c = query_.folds[f].column;
      ok_ = fold.op != Fold::sum ||
            !(expression != nullptr ? expression->is_real() : query_.columns[c].is_float);
      if (!ok_) {
        return;
      }
      if (expression != nullptr) {
        set_values(fold, *expression);
      } else {
        set_values(fold, c);
      }
      fold.kind = kinds_[fold.slot];
    }
    std::vector<uint32_t> keys;
    for (uint32_t k = 0; k < query_.groups.num_keys; ++k) {
      const uint32_t c = query_.groups.keys[k].column;
      ok_ = ok_ && !slots_[c].coded && !query_.columns[c].is_float;
      keys.push_back(slots_[c].number);
    }
    if (ok_) {
      const WrittenGroups written = write_groups(folds, keys, query_.groups.cells);
      folds_.push_back(written.text);
      shared_ += written.shared_bytes;
    }
  }
  // Whether rows are all tested and summed by the codes of one column of integers.
  [[nodiscard]] bool is_by_code(uint32_t c) const {
    const ColumnPlan& column = query_.columns[c];
    return names_.size() == 1 && slots_[c].packed && query_.num_folds == 1 && !has_groups() &&
           !query_.runs.any() && query_.folds[0].op == Fold::sum && query_.bitmap.data == nullptr &&
           column.validity.kind == Validity::Kind::all && !column.is_float &&
           std::none_of(query_.steps, query_.steps + query_.num_steps, [&](const Step& step) {
             return step.op == StepOp::is_null || step.op == StepOp::compare ||
                    (step.op == StepOp::test && step.column != c);
           });
  }
  // As many copies of a dictionary as there is room for, up to `most`; none if there is no room.
  uint32_t take_copies(size_t bytes, uint32_t most) {
    if (entries_ + bytes > kMostEntries) {
      return 0;
    }
    const size_t room = std::bit_floor((kMostEntries - entries_) / bytes);
    const auto copies = static_cast<uint32_t>(std::min<size_t>(most, room));
    entries_ += bytes * copies;
    shared_ += bytes * copies;
    return copies;
  }
  // Small dictionaries are copied to shared memory.
  std::string map_of(uint32_t c) {
    if (!slots_[c].coded) {
      return {};
    }
    const ColumnPlan& column = query_.columns[c];
    const auto entries = static_cast<uint32_t>(std::min<uint64_t>(widths_.entries[c], kMostEntries));
    const std::string start = fmt::format("Entries<{}, {}, ", column.num_nodes - 1, type_of(column.bytes));
    if ((column.bytes == 8 || widths_.entries[c] > kFewEntries) && is_by_code(c) && is_range()) {
      if (const size_t room = take_room(c); room != 0) {
        return fmt::format(", Held{}{}>", start, room);
      }
    }
    if (is_by_code(c) && column.bytes <= 4) {
      if (const uint32_t copies = take_copies(size_t{entries} * sizeof(uint64_t), 16); copies != 0) {
        return fmt::format(", Matching{}{}, {}, {}>", start, entries, copies, column.is_signed);
      }
    }
    const uint32_t copies = take_copies(size_t{entries} * column.bytes, 32);
    return copies == 0 ? fmt::format(", {}0, 1>", start) : fmt::format(", {}{}, {}>", start, entries, copies);
  }
  // Whether rows match if a value is in a range.
  [[nodiscard]] bool is_range() const {
    return query_.num_steps == 1 && query_.steps[0].op == StepOp::test && !query_.steps[0].negated &&
           query_.steps[0].table.data == nullptr;
  }
  // The entries of a dictionary that a block of many threads can hold; 0 if they, or the rows, are too
  // few.
  size_t take_room(uint32_t c) {
    const size_t size = query_.columns[c].bytes;
    warps_ = kWarpsThatHold;
    const size_t others = shared_ + bytes_of_uses() + 2 * kAlignment;
    const size_t most = limits_.shared_bytes > others ? (limits_.shared_bytes - others) / size : 0;
    const size_t room = std::min<size_t>(most, widths_.entries[c]);
    const uint64_t rows = (query_.end - query_.begin) / limits_.sms;
    if ((room * size < kLeastHeld && room < widths_.entries[c]) || rows < room * kRowsForEntry) {
      warps_ = Composed::kWarps;
      return 0;
    }
    shared_ += (room + 1) * size;
    return room;
  }

  const QueryInput& query_;
  uint32_t num_columns_;
  const KnownWidths& widths_;
  const Formulas& formulas_;
  const DeviceLimits& limits_;
  InputColumns inputs_;
  std::array<Slot, kMaxColumns> slots_{};
  std::array<uint32_t, kMaxColumns> input_slots_{};  // of values that expressions use
  struct Computed {
    std::string text;
    uint32_t slot = 0;
  };
  std::vector<Computed> computed_;
  FormulaWriter writer_{query_, input_slots_};
  std::string columns_;
  std::vector<std::string> names_;
  std::vector<uint32_t> kinds_;  // of slots
  std::vector<std::string> tests_;
  std::vector<std::string> folds_;
  uint32_t uses_ = 0;
  uint32_t leaves_ = 0;
  uint32_t warps_ = Composed::kWarps;
  bool wide_ = false;  // values of 64 bits
  // What set_ahead() said of the last slot.
  uint32_t ahead_column_ = 0;
  uint32_t width_ahead_ = 0;
  bool shorts_ = false;
  bool all_packed_ = true;
  bool one_width_ = true;  // of packed columns, which are integers: their words stay in registers
  size_t shared_ = 0;
  size_t entries_ = 0;  // bytes of dictionaries among them
  bool ok_ = true;
};

}  // namespace

bool Formulas::empty() const {
  return comparisons.empty() &&
         std::ranges::all_of(folds, [](const auto& expression) { return expression == nullptr; });
}

std::optional<Composed> compose(const QueryInput& query, uint32_t num_columns, const KnownWidths& widths,
                                const Formulas& formulas, const DeviceLimits& limits) {
  return Composer(query, num_columns, widths, formulas, limits).compose();
}

std::string Composed::source() const {
  return "#include \"plan/stages/composition.hpp\"\n#include \"simt/cuda_kernel.cuh\"\n\nnamespace "
         "bobbin::plan {\n" +
         declarations + "}  // namespace bobbin::plan\n\nBOBBIN_ENTRY(bobbin::plan::Query)\n";
}

}  // namespace bobbin::plan
