// SPDX-License-Identifier: Apache-2.0
#include "plan/column_plan.hpp"

#include <algorithm>

#include "codecs/alprd/alprd.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/constant/constant.hpp"
#include "codecs/delta/delta.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/patched/patched.hpp"

namespace bobbin::plan {
namespace {

Bytes bytes_of(const Buffer& buffer) {
  return {buffer.bytes.data(), buffer.bytes.size()};
}

Frames frames_of(const Array& array) {
  Frames frames;
  switch (array.codec) {
    case CodecId::constant:
      frames.base = codec::constant::constant_of(array).bits;
      break;
    case CodecId::bitpack:
      frames.packed = bytes_of(array.buffers[0]);
      frames.width = codec::bitpack::width_of(array);
      break;
    default:
      frames.packed = bytes_of(array.buffers[2]);
      frames.entries = bytes_of(array.buffers[1]);
      frames.references = bytes_of(array.buffers[0]);
  }
  return frames;
}

bool has_frames(CodecId codec) {
  return codec == CodecId::bitpack || codec == CodecId::ffor || codec == CodecId::constant;
}

// Writes the steps of a tree in sequence; ok() becomes false if there are too many, or if a codec is not
// supported by kernels.
class Flattener {
 public:
  Flattener(ColumnPlan& column, std::vector<Dictionary>& dictionaries)
      : column_(column), dictionaries_(dictionaries) {}

  [[nodiscard]] bool ok() const { return ok_; }

  void add(const Array& array) {
    switch (array.codec) {
      case CodecId::bitpack:
      case CodecId::ffor:
      case CodecId::constant:
        step(array, Op::unpack).frames = frames_of(array);
        return;
      case CodecId::patched:
        add(array.children[0]);
        add_patches(array);
        return;
      case CodecId::alp:
        add(array.children[0]);
        step(array, Op::scale).extra = bytes_of(array.buffers[0]);
        return;
      case CodecId::delta:
        add_delta(array);
        return;
      case CodecId::alprd:
        add_parts(array);
        return;
      case CodecId::zigzag:
        add(array.children[0]);
        step(array, Op::turn);
        return;
      case CodecId::dict:
        add_codes(array);
        return;
      default:
        ok_ = false;
    }
  }

 private:
  Node& step(const Array& array, Op op) {
    ok_ = ok_ && column_.num_nodes < ColumnPlan::kMaxNodes;
    Node& node = ok_ ? column_.nodes[column_.num_nodes++] : spare_;
    node = Node{};
    node.op = op;
    node.bytes = static_cast<uint8_t>(size_bytes(array.type));
    return node;
  }
  void add_patches(const Array& array) {
    const auto layout = codec::patched::layout_of(array);
    const bool by_lanes = layout == codec::patched::PatchLayout::lanes;
    step(array, Op::patch).patches = {.layout = layout,
                                      .starts = bytes_of(array.buffers[0]),
                                      .indices = bytes_of(array.buffers[1]),
                                      .values = bytes_of(array.buffers[by_lanes ? 1 : 2])};
  }
  void add_delta(const Array& array) {
    add(array.children[0]);
    Node& node = step(array, Op::sum_up);
    node.order = array.metadata[0];
    node.stride = array.metadata[1];
    node.extra = bytes_of(array.buffers[0]);
  }
  void add_parts(const Array& array) {
    add(array.children[0]);
    step(array.children[0], Op::keep);
    add(array.children[1]);
    step(array, Op::join).cut = codec::alprd::parse_cut(array.metadata);
  }
  void add_codes(const Array& array) {
    const Array& codes = codec::dict::codes_of(array);
    const Array& dictionary = codec::dict::dictionary_of(array);
    add(codes);
    Node& node = step(array, Op::look_up);
    // A dictionary that is large relative to its rows is not decoded; one without entries has no rows either.
    ok_ = ok_ && dictionary.length != 0 && !codec::dict::is_few(array.length, dictionary.length);
    node.from = static_cast<uint8_t>(size_bytes(codes.type));
    node.last = static_cast<uint32_t>(std::min<uint64_t>(dictionary.length - 1, UINT32_MAX));
    dictionaries_.push_back({column_.num_nodes - 1U, &dictionary});
  }

  ColumnPlan& column_;
  std::vector<Dictionary>& dictionaries_;
  bool ok_ = true;
  Node spare_{};  // steps that do not fit into the column are written here and ignored
};

// Whether kernels can run the column's steps on packed words.
bool composes(const ColumnPlan& column) {
  uint32_t next = 1;
  if (next < column.num_nodes && column.nodes[next].op == Op::scale) {
    ++next;
  }
  if (next < column.num_nodes && column.nodes[next].op == Op::patch) {
    ++next;
  }
  if (next < column.num_nodes && column.nodes[next].op == Op::look_up) {
    ++next;
  }
  return next == column.num_nodes && column.nodes[0].op == Op::unpack;
}

ColumnPlan empty_column(DType type) {
  ColumnPlan column;
  column.bytes = static_cast<uint8_t>(size_bytes(type));
  column.is_float = is_float(type);
  column.is_signed = is_signed(type);
  return column;
}

}  // namespace

const Array& values_of(const Array& array) {
  return array.codec == CodecId::masked ? codec::masked::values_of(array) : array;
}

const Array* validity_of(const Array& array) {
  return array.codec == CodecId::masked ? &codec::masked::validity_of(array) : nullptr;
}

bool make_validity(const Array& words, Validity& validity) {
  if (!has_frames(words.codec)) {
    return false;
  }
  validity = {.kind = Validity::Kind::packed,
              .offset = words.offset,
              .count = words.length,
              .words = {},
              .frames = frames_of(words)};
  return true;
}

Validity plain_validity(uint64_t count, const uint32_t* words) {
  return {.kind = Validity::Kind::words,
          .offset = 0,
          .count = count,
          .words = {reinterpret_cast<const std::byte*>(words), count * sizeof(uint32_t)},
          .frames = {}};
}

bool make_column(const Array& values, QueryPath path, ColumnPlan& column,
                 std::vector<Dictionary>& dictionaries) {
  if (path == QueryPath::decoded || is_string(values.type)) {
    return false;
  }
  column = empty_column(values.type);
  dictionaries.clear();
  Flattener flattener(column, dictionaries);
  flattener.add(values);
  column.form = composes(column) && path != QueryPath::interpreted ? ColumnForm::packed : ColumnForm::staged;
  return flattener.ok();
}

ColumnPlan plain_column(DType type, uint64_t length, const void* values) {
  ColumnPlan column = empty_column(type);
  column.form = ColumnForm::plain;
  column.num_nodes = 1;
  column.nodes[0].op = Op::load;
  column.nodes[0].bytes = column.bytes;
  column.nodes[0].extra = {static_cast<const std::byte*>(values), length * column.bytes};
  return column;
}

ColumnPlan bitmap_column(uint64_t words, const uint32_t* bitmap) {
  ColumnPlan column;
  column.form = ColumnForm::bitmap;
  column.validity = plain_validity(words, bitmap);
  return column;
}

}  // namespace bobbin::plan
