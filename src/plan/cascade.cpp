// SPDX-License-Identifier: Apache-2.0
#include "plan/cascade.hpp"

namespace bobbin::plan {
namespace {

bool is_summed(const Column& column) {
  return column.num_nodes == 2 && column.nodes[0].op == Op::unpack && column.nodes[1].op == Op::sum_up &&
         column.nodes[1].stride == 1 && !column.is_float && column.bytes >= 4;
}

bool is_joined(const Column& column) {
  const uint32_t patched = column.nodes[1].op == Op::patch ? 1 : 0;
  return column.num_nodes == 4 + patched && column.nodes[0].op == Op::unpack &&
         column.nodes[1 + patched].op == Op::keep && column.nodes[2 + patched].op == Op::unpack &&
         column.nodes[3 + patched].op == Op::join;
}

bool is_scaled(const Column& column) {
  return column.num_nodes == 3 && column.nodes[0].op == Op::unpack && column.nodes[1].op == Op::scale &&
         column.nodes[2].op == Op::patch;
}

}  // namespace

Cascade cascade_of(const Column& column) {
  if (column.form != Form::staged) {
    return Cascade::none;
  }
  return is_summed(column)   ? Cascade::summed
         : is_joined(column) ? Cascade::joined
         : is_scaled(column) ? Cascade::scaled
                             : Cascade::none;
}

}  // namespace bobbin::plan
