// SPDX-License-Identifier: Apache-2.0
#include "plan/compose_stages.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/lanes.hpp"
#include "plan/compose.hpp"

namespace bobbin::plan {
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

bool is_scaled(const ColumnPlan& column) {
  return column.form == ColumnForm::staged && column.num_nodes == 3 && column.nodes[0].op == Op::unpack &&
         column.nodes[1].op == Op::scale && column.nodes[2].op == Op::patch;
}

bool is_joined(const ColumnPlan& column) {
  const uint32_t patched = column.nodes[1].op == Op::patch ? 1 : 0;
  return column.form == ColumnForm::staged && column.num_nodes == 4 + patched &&
         column.nodes[0].op == Op::unpack && column.nodes[1 + patched].op == Op::keep &&
         column.nodes[2 + patched].op == Op::unpack && column.nodes[3 + patched].op == Op::join;
}

bool is_summed(const ColumnPlan& column) {
  const Node& sums = column.nodes[1];
  return column.form == ColumnForm::staged && column.num_nodes == 2 && column.nodes[0].op == Op::unpack &&
         sums.op == Op::sum_up && sums.order == 1 && sums.stride == 1 && !column.is_float &&
         column.bytes >= 4;
}

std::optional<Written> StageWriter::write(uint32_t nodes, WantedRows rows) {
  for (uint32_t n = 0; n < nodes; ++n) {
    add(n, rows);
  }
  flush();
  arrange(rows);
  return ok_ ? std::optional(made_) : std::nullopt;
}

void StageWriter::add(uint32_t n, WantedRows rows) {
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
      made_ = {fmt::format("{}<{}, {}>", node.op == Op::expand ? "Expand" : "Place", n, type_of(node.bytes)),
               node.bytes, kStrided, 0, size_t{Composed::kWarps} * 128};
      break;
    case Op::patch:
      flush();
      made_.text = fmt::format("Patch<{}, {}>", n, made_.text);
      made_.shared += Composed::kWarps * (kVectorLength * node.bytes + 128);
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
               left_.shared + made_.shared + size_t{Composed::kWarps} * kVectorLength * 2 + 16};
      break;
    case Op::look_up:
      flush();
      arrange(rows);
      made_.text = fmt::format("LookUp<Entries<{}, {}, 0, 1>, {}>", n, type_of(node.bytes), made_.text);
      made_.bytes = node.bytes;
      break;
  }
}

// Stages that handle values one by one wait: it is better to move values between threads before them, while
// they are as narrow as they are packed.
void StageWriter::flush() {
  for (const uint32_t n : pending_) {
    made_.text = fmt::format("Turn<{}, {}>", n, made_.text);
  }
  pending_.clear();
}

void StageWriter::add_sums(uint32_t n, const Node& node) {
  ok_ = ok_ && node.stride == 1 && node.bytes >= 4;
  if (made_.layout != kNeighbours) {
    made_.text = fmt::format("Neighbours<{}>", made_.text);
    made_.layout = kNeighbours;
    made_.shared += size_t{Composed::kWarps} * (kVectorLength + 64) * node.bytes;
  }
  flush();
  made_.text = fmt::format("SumUp<{}, {}, {}>", n, node.order, made_.text);
}

void StageWriter::arrange(WantedRows rows) {
  const bool chains = made_.layout == kStrided || made_.layout == 8;
  if (rows == WantedRows::strided ? made_.layout != kStrided : rows == WantedRows::chains && !chains) {
    made_.text = fmt::format("Strided<{}>", made_.text);
    made_.layout = kStrided;
  }
}

}  // namespace bobbin::plan
