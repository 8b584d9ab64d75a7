// SPDX-License-Identifier: Apache-2.0
#include "plan/compose_inputs.hpp"

#include <algorithm>

namespace bobbin::plan {
namespace {

// The columns of an expression, or of a comparison.
struct Group {
  uint32_t columns = 0;
  bool is_made = false;  // it cannot be packed
};

bool have_one_layout(const QueryInput& query, uint32_t columns) {
  uint32_t layout = 0;
  for (uint32_t c = 0; c < kMaxColumns; ++c) {
    if ((columns >> c & 1) != 0) {
      const uint32_t own = query.columns[c].packed_bytes();
      if (layout != 0 && own != layout) {
        return false;
      }
      layout = own;
    }
  }
  return true;
}

// Minimums and maximums have no way to handle vectors whose packed values cannot be used as they are, and the
// order of sums of floats is not that of small types.
bool needs_values(const QueryInput& query, Fold fold, const Expression& expression, uint32_t columns) {
  const bool small = fold == Fold::sum && expression.is_real() &&
                     query.columns[std::countr_zero(columns)].packed_bytes() < 4;
  return fold == Fold::extremes || small;
}

std::vector<Group> groups_of(const QueryInput& query, const Formulas& formulas, uint32_t packable) {
  std::vector<Group> groups;
  const auto add = [&](uint32_t columns, bool is_made) {
    groups.push_back({columns, is_made || (columns & ~packable) != 0 || !have_one_layout(query, columns)});
  };
  for (const auto& comparison : formulas.comparisons) {
    add(columns_of(comparison->left) | columns_of(comparison->right), false);
  }
  for (uint32_t f = 0; f < query.num_folds; ++f) {
    const Expression* const expression = formulas.fold(f);
    if (expression != nullptr && query.folds[f].op != Fold::count) {
      const uint32_t columns = columns_of(*expression);
      add(columns, needs_values(query, query.folds[f].op, *expression, columns));
    }
  }
  return groups;
}

}  // namespace

uint32_t columns_of(const Expression& expression) {
  uint32_t mask = 0;
  for (const uint32_t c : expression.columns()) {
    mask |= 1U << c;
  }
  return mask;
}

std::optional<InputColumns> choose_inputs(const QueryInput& query, const KnownWidths& widths,
                                          const Formulas& formulas, uint32_t packable) {
  InputColumns inputs;
  const std::vector<Group> groups = groups_of(query, formulas, packable);
  // Columns that one expression has to make are made for others too.
  for (size_t round = 0; round < groups.size(); ++round) {
    for (const Group& group : groups) {
      inputs.used |= group.columns;
      inputs.made |= group.is_made || (group.columns & inputs.made) != 0 ? group.columns : 0;
    }
  }
  std::optional<uint32_t> layout;
  bool same = true;
  for (uint32_t c = 0; c < kMaxColumns; ++c) {
    if ((inputs.made >> c & 1) != 0) {
      const ColumnPlan& column = query.columns[c];
      const auto written = StageWriter(column, widths.of[c]).write(column.num_nodes, WantedRows::any);
      if (!written.has_value()) {
        return std::nullopt;
      }
      same = same && (written->layout == kStrided || written->layout == 8) &&
             layout.value_or(written->layout) == written->layout;
      layout = written->layout;
    }
  }
  inputs.rows = same ? WantedRows::any : WantedRows::strided;
  return inputs;
}

}  // namespace bobbin::plan
