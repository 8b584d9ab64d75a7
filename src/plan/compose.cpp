// SPDX-License-Identifier: Apache-2.0
#include "plan/compose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/bits.hpp"
#include "core/scalar.hpp"
#include "plan/cascade_kind.hpp"
#include "plan/compose_groups.hpp"

namespace bobbin::plan {
namespace {

constexpr uint32_t kWarps = Composed::kWarps;
constexpr uint32_t kMostUses = 32;          // Composition: one lane for each
constexpr size_t kMostShared = 96 * 1024;   // of a block
constexpr size_t kMostGroups = 160 * 1024;  // the same with groups
constexpr size_t kMostEntries = 32 * 1024;  // bytes of dictionaries among them

std::string type_of(uint32_t bytes) {
  return fmt::format("uint{}_t", bytes * 8);
}

std::string widths_of(const std::vector<uint8_t>& widths) {
  std::string text;
  for (const uint8_t width : widths) {
    text += (text.empty() ? "" : ", ") + std::to_string(width);
  }
  return "Widths<" + text + ">";
}

// Which rows a thread has: the packed type's size, or neighbours.
constexpr uint32_t kNeighbours = 0;

// A stage, as written.
struct Written {
  std::string text;
  uint32_t bytes = 0;  // of an element
  uint32_t layout = 0;
  uint32_t frames = 0;
  size_t shared = 0;  // bytes of a block
};

// Writes the stages of a column, step by step.
class StageWriter {
 public:
  StageWriter(const ColumnPlan& column, const std::array<std::vector<uint8_t>, ColumnPlan::kMaxNodes>& widths)
      : column_(column), widths_(widths) {}

  // The first `nodes` steps; `strided`: in a layout that sums of floats can use. Empty if a step has no
  // stage.
  [[nodiscard]] std::optional<Written> write(uint32_t nodes, bool strided) {
    for (uint32_t n = 0; n < nodes; ++n) {
      add(n, strided);
    }
    flush();
    if (strided) {
      make_strided();
    }
    return ok_ ? std::optional(made_) : std::nullopt;
  }

 private:
  void add(uint32_t n, bool strided) {
    const Node& node = column_.nodes[n];
    switch (node.op) {
      case Op::unpack:
        made_ = {fmt::format("Unpack<{}, {}, {}>", n, type_of(node.bytes), widths_of(widths_[n])), node.bytes,
                 node.bytes, 1, 0};
        break;
      case Op::load:
        made_ = {fmt::format("Load<{}, {}>", n, type_of(node.bytes)), node.bytes, 4, 0, 0};
        break;
      case Op::expand:
      case Op::place:
        made_ = {
            fmt::format("{}<{}, {}>", node.op == Op::expand ? "Expand" : "Place", n, type_of(node.bytes)),
            node.bytes, 4, 0, size_t{kWarps} * 128};
        break;
      case Op::patch:
        flush();
        made_.text = fmt::format("Patch<{}, {}>", n, made_.text);
        made_.shared += kWarps * (kVectorLength * node.bytes + 128);
        break;
      case Op::scale:
        flush();
        ok_ = ok_ && node.bytes >= 4;
        made_.text = fmt::format("Scale<{}, {}>", n, made_.text);
        break;
      case Op::turn:
        pending_.push_back(n);
        break;
      case Op::sum_up:
        add_sums(n, node);
        break;
      case Op::keep:
        flush();
        ok_ = ok_ && node.bytes == 2 && made_.layout == 2;
        left_ = std::exchange(made_, {});
        break;
      case Op::join:
        flush();
        made_ = {fmt::format("Join<{}, {}, {}>", n, left_.text, made_.text), node.bytes, made_.layout,
                 left_.frames + made_.frames,
                 left_.shared + made_.shared + size_t{kWarps} * kVectorLength * 2 + 16};
        break;
      case Op::look_up:
        flush();
        if (strided) {
          make_strided();
        }
        made_.text = fmt::format("LookUp<Entries<{}, {}, 0, 1>, {}>", n, type_of(node.bytes), made_.text);
        made_.bytes = node.bytes;
        break;
    }
  }
  // Stages that handle values one by one wait: it is better to move values between threads before them, while
  // they are as narrow as they are packed.
  void flush() {
    for (const uint32_t n : pending_) {
      made_.text = fmt::format("Turn<{}, {}>", n, made_.text);
    }
    pending_.clear();
  }
  void add_sums(uint32_t n, const Node& node) {
    ok_ = ok_ && node.stride == 1 && node.bytes >= 4;
    if (made_.layout != kNeighbours) {
      made_.text = fmt::format("Neighbours<{}>", made_.text);
      made_.layout = kNeighbours;
      made_.shared += size_t{kWarps} * (kVectorLength + 64) * node.bytes;
    }
    flush();
    made_.text = fmt::format("SumUp<{}, {}, {}>", n, node.order, made_.text);
  }
  void make_strided() {
    if (made_.layout == 1 || made_.layout == 2) {
      made_.text = fmt::format("Strided<{}>", made_.text);
      made_.layout = 4;
    }
    ok_ = ok_ && made_.layout != kNeighbours;
  }

  const ColumnPlan& column_;
  const std::array<std::vector<uint8_t>, ColumnPlan::kMaxNodes>& widths_;
  Written made_;
  Written left_;
  std::vector<uint32_t> pending_;
  bool ok_ = true;
};

template <class Float>
bool is_ordinary(uint64_t key) {
  const auto value = value_of_key<Float>(static_cast<std::make_signed_t<BitsOf<Float>>>(key));
  return value != 0 && !std::isnan(value);
}
// Whether floats of a range can be compared as floats.
bool compares_as_reals(const KeyRange& range, uint32_t bytes) {
  if (bytes == 4) {
    const auto low = static_cast<int32_t>(range.low);
    const auto high = static_cast<int32_t>(range.low + range.span);
    return is_ordinary<float>(range.low) && is_ordinary<float>(range.low + range.span) && low <= high;
  }
  const auto low = static_cast<int64_t>(range.low);
  const auto high = static_cast<int64_t>(range.low + range.span);
  return is_ordinary<double>(range.low) && is_ordinary<double>(range.low + range.span) && low <= high;
}

class Composer {
 public:
  Composer(const QueryInput& query, uint32_t num_columns, const KnownWidths& widths)
      : query_(query), num_columns_(num_columns), widths_(widths) {}

  std::optional<Composed> compose() {
    for (uint32_t c = 0; c < num_columns_ && ok_; ++c) {
      add_slot(c);
    }
    add_tests();
    if (has_groups()) {
      add_groups();
    } else {
      add_folds();
    }
    ok_ = ok_ && uses_ + leaves_ <= kMostUses && shared_ <= (has_groups() ? kMostGroups : kMostShared);
    if (!ok_) {
      return std::nullopt;
    }
    // What is prepared for vectors, and what alignment adds.
    const size_t bytes = shared_ + size_t{Composed::kThreads} * (wide_ ? 32 : 16) + 1024;
    Composed made{.declarations = {}, .shared_bytes = static_cast<uint32_t>(round_up<size_t>(bytes, 1024))};
    constexpr const char* kIndent = "                          ";
    made.declarations = fmt::format(
        "{}using Query = Composition<List<{}>,\n{}List<{}>,\n{}List<{}>,\n{}{}, {}, {}>;\n", columns_,
        fmt::join(names_, ", "), kIndent, fmt::join(tests_, ", "), kIndent, fmt::join(folds_, ", "), kIndent,
        query_.bitmap.data != nullptr, made.shared_bytes, min_blocks());
    return made;
  }

 private:
  struct Slot {
    uint32_t number = 0;
    bool packed = false;
    bool coded = false;  // values are codes, folds look entries up
  };

  // Values in registers limit how many blocks fit on an SM. Measured: docs/perf/query.md.
  [[nodiscard]] uint32_t min_blocks() const {
    const bool words = names_.size() == 1 && all_packed_ && !query_.runs.any();
    return wide_ ? (words ? 3 : 2) : (words ? 4 : 3);
  }

  [[nodiscard]] bool has_groups() const { return query_.groups.num_keys != 0; }
  [[nodiscard]] bool is_key(uint32_t c) const {
    return std::any_of(query_.groups.keys, query_.groups.keys + query_.groups.num_keys,
                       [&](const GroupKey& key) { return key.column == c; });
  }
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
  [[nodiscard]] std::string slot_of_words(uint32_t c, const char* nulls) {
    const ColumnPlan& column = query_.columns[c];
    const CascadeKind kind = cascade_kind(column);
    if (kind == CascadeKind::scaled && widths_.of[c][0].size() == 1) {
      uses_ += 1;
      shared_ += size_t{kWarps} * (kVectorLength * column.bytes + 128);
      return fmt::format("PatchedReals<{}, {}, {}{}>", c, type_of(column.bytes), widths_.of[c][0][0], nulls);
    }
    if (kind != CascadeKind::joined) {
      return {};
    }
    const uint32_t join = column.num_nodes - 1U;
    const Frames& right = column.nodes[join - 1].frames;
    const auto left = StageWriter(column, widths_.of[c]).write(join - 2, false);
    if (right.entries.data != nullptr || right.base != 0 || right.width == 0 || !left.has_value()) {
      return {};
    }
    uses_ += left->frames;
    shared_ += left->shared + size_t{kWarps} * kVectorLength * 2 + 16;
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

  void add_slot(uint32_t c) {
    const ColumnPlan& column = query_.columns[c];
    const uint32_t sums = count_folds(c, Fold::sum);
    if (column.form == ColumnForm::bitmap ||
        !(tested(c) || is_key(c) || sums + count_folds(c, Fold::extremes) != 0)) {
      return;
    }
    Slot slot{.number = static_cast<uint32_t>(names_.size())};
    const char* nulls = column.validity.kind != Validity::Kind::all ? ", true" : "";
    const std::string name = fmt::format("Column{}", c);
    slot.coded = column.form == ColumnForm::packed && column.looks_up();
    if (stays_packed(c)) {
      slot.packed = true;
      columns_ += fmt::format("using {} = Packed<{}, {}, {}, Meaning::{}{}>;\n", name, c,
                              type_of(column.packed_bytes()), widths_of(widths_.of[c][0]),
                              slot.coded        ? "codes"
                              : column.scaled() ? "scaled"
                                                : "values",
                              nulls);
      uses_ += 1;
      wide_ = wide_ || column.packed_bytes() == 8;
    } else if (const std::string words = slot_of_words(c, nulls); !words.empty()) {
      all_packed_ = false;
      columns_ += fmt::format("using {} = {};\n", name, words);
      wide_ = wide_ || column.bytes == 8;
    } else {
      all_packed_ = false;
      const auto written =
          StageWriter(column, widths_.of[c])
              .write(column.num_nodes - (slot.coded ? 1U : 0U), column.is_float && sums != 0);
      ok_ = ok_ && written.has_value();
      if (!ok_) {
        return;
      }
      columns_ += fmt::format("using {} = Made<{}, {}{}>;\n", name, c, written->text, nulls);
      uses_ += written->frames;
      wide_ = wide_ || written->bytes == 8;
      shared_ += written->shared;
    }
    names_.push_back(name);
    slots_[c] = slot;
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
    if (step.is_float && compares_as_reals(step.range, column.bytes)) {
      return fmt::format("BetweenReals<{}, {}{}>", s, slot.number, negated);
    }
    return fmt::format("InRange<{}, {}, {}{}>", s, slot.number, step.is_float, negated);
  }

  void add_folds() {
    for (uint32_t f = 0; f < query_.num_folds && ok_; ++f) {
      const FoldStep& fold = query_.folds[f];
      if (fold.op == Fold::count) {
        const bool nulls =
            fold.column != kNoColumn && query_.columns[fold.column].validity.kind != Validity::Kind::all;
        folds_.push_back(nulls ? fmt::format("CountValid<{}, {}>", f, fold.column)
                               : fmt::format("Count{}<{}>", of_runs(), f));
        continue;
      }
      folds_.push_back(fmt::format("{}{}<{}, {}, Numbers::{}{}>", fold.op == Fold::sum ? "Sum" : "MinMax",
                                   of_runs(), f, slots_[fold.column].number, numbers_of(fold.column),
                                   map_of(fold.column)));
    }
  }
  [[nodiscard]] const char* of_runs() const { return query_.runs.any() ? "OfRuns" : ""; }
  [[nodiscard]] const char* numbers_of(uint32_t c) const {
    const ColumnPlan& column = query_.columns[c];
    return column.is_float ? "reals" : column.is_signed ? "integers" : "naturals";
  }
  // Sums of floats have no defined order within a group, and keys have values.
  void add_groups() {
    std::vector<GroupFold> folds;
    for (uint32_t f = 0; f < query_.num_folds && ok_; ++f) {
      const uint32_t c = query_.folds[f].column;
      GroupFold& fold = folds.emplace_back(GroupFold{.fold = f, .op = query_.folds[f].op, .column = c});
      if (c == kNoColumn) {
        continue;
      }
      const ColumnPlan& column = query_.columns[c];
      fold.has_nulls = column.validity.kind != Validity::Kind::all;
      if (fold.op != Fold::count) {
        ok_ = fold.op != Fold::sum || !column.is_float;
        fold.slot = slots_[c].number;
        fold.numbers = numbers_of(c);
        fold.map = map_of(c);
        const bool narrow = slots_[c].packed && !slots_[c].coded && !fold.has_nulls && widths_.narrow[c];
        fold.narrow = narrow ? column.packed_bytes() : 0;
      }
    }
    std::vector<uint32_t> keys;
    for (uint32_t k = 0; k < query_.groups.num_keys; ++k) {
      const uint32_t c = query_.groups.keys[k].column;
      ok_ = ok_ && !slots_[c].coded && !query_.columns[c].is_float &&
            query_.columns[c].validity.kind == Validity::Kind::all;
      keys.push_back(slots_[c].number);
    }
    if (ok_) {
      const WrittenGroups written = write_groups(folds, keys, query_.groups.cells);
      folds_.push_back(written.text);
      shared_ += written.shared_bytes;
    }
  }
  // Whether rows are all tested and summed by the codes of one column of integers of up to 32 bits.
  [[nodiscard]] bool is_by_code(uint32_t c) const {
    const ColumnPlan& column = query_.columns[c];
    return names_.size() == 1 && slots_[c].packed && query_.num_folds == 1 && !has_groups() &&
           !query_.runs.any() && query_.folds[0].op == Fold::sum && query_.bitmap.data == nullptr &&
           column.validity.kind == Validity::Kind::all && !column.is_float && column.bytes <= 4 &&
           std::none_of(query_.steps, query_.steps + query_.num_steps, [&](const Step& step) {
             return step.op == StepOp::is_null || (step.op == StepOp::test && step.column != c);
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
    if (is_by_code(c)) {
      if (const uint32_t copies = take_copies(size_t{entries} * sizeof(uint64_t), 16); copies != 0) {
        return fmt::format(", Matching{}{}, {}, {}>", start, entries, copies, column.is_signed);
      }
    }
    const uint32_t copies = take_copies(size_t{entries} * column.bytes, 32);
    return copies == 0 ? fmt::format(", {}0, 1>", start) : fmt::format(", {}{}, {}>", start, entries, copies);
  }

  const QueryInput& query_;
  uint32_t num_columns_;
  const KnownWidths& widths_;
  std::array<Slot, kMaxColumns> slots_{};
  std::string columns_;
  std::vector<std::string> names_;
  std::vector<std::string> tests_;
  std::vector<std::string> folds_;
  uint32_t uses_ = 0;
  uint32_t leaves_ = 0;
  bool wide_ = false;  // values of 64 bits
  bool all_packed_ = true;
  size_t shared_ = 0;
  size_t entries_ = 0;  // bytes of dictionaries among them
  bool ok_ = true;
};

}  // namespace

std::optional<Composed> compose(const QueryInput& query, uint32_t num_columns, const KnownWidths& widths) {
  return Composer(query, num_columns, widths).compose();
}

std::string Composed::source() const {
  return "#include \"plan/stages/composition.hpp\"\n#include \"simt/cuda_kernel.cuh\"\n\nnamespace "
         "bobbin::plan {\n" +
         declarations + "}  // namespace bobbin::plan\n\nBOBBIN_ENTRY(bobbin::plan::Query)\n";
}

}  // namespace bobbin::plan
