// SPDX-License-Identifier: Apache-2.0
#include "plan/cascade_kind.hpp"

namespace bobbin::plan {
namespace {

bool is_summed(const ColumnPlan& column) {
  return column.num_nodes == 2 && column.nodes[0].op == Op::unpack && column.nodes[1].op == Op::sum_up &&
         column.nodes[1].stride == 1 && !column.is_float && column.bytes >= 4;
}

bool is_joined(const ColumnPlan& column) {
  const uint32_t patched = column.nodes[1].op == Op::patch ? 1 : 0;
  return column.num_nodes == 4 + patched && column.nodes[0].op == Op::unpack &&
         column.nodes[1 + patched].op == Op::keep && column.nodes[2 + patched].op == Op::unpack &&
         column.nodes[3 + patched].op == Op::join;
}

bool is_scaled(const ColumnPlan& column) {
  return column.num_nodes == 3 && column.nodes[0].op == Op::unpack && column.nodes[1].op == Op::scale &&
         column.nodes[2].op == Op::patch;
}

}  // namespace

CascadeKind cascade_kind(const ColumnPlan& column) {
  if (column.form != ColumnForm::staged) {
    return CascadeKind::none;
  }
  return is_summed(column)   ? CascadeKind::summed
         : is_joined(column) ? CascadeKind::joined
         : is_scaled(column) ? CascadeKind::scaled
                             : CascadeKind::none;
}

}  // namespace bobbin::plan
