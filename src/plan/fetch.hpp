// SPDX-License-Identifier: Apache-2.0
// One value at any position, for any encoding tree without sums: each step is asked for it in turn.
//
// Cost: besides the value's own word, a vector's entry and reference, and with patches a search among those
// of its vector. The small ones are read repeatedly and stay in a cache.
#pragma once

#include <bit>
#include <cstdint>

#include "plan/column_plan.hpp"
#include "plan/stage.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// Whether single values can be fetched.
[[nodiscard]] inline bool can_fetch(const ColumnPlan& column) {
  for (uint32_t n = 0; n < column.num_nodes; ++n) {
    if (column.nodes[n].op == Op::sum_up) {
      return false;
    }
  }
  return column.form != ColumnForm::bitmap;
}

// Patch i of vector v, if there is one.
template <class T, class Cta>
[[nodiscard]] BOBBIN_HD bool find_patch(Cta& cta, const Patches& patches, uint64_t v, uint32_t i, T& value) {
  const auto source = patches.typed<T>();
  const uint32_t lane = i % kLanes<T> / codec::bitpack::kSliceLength<T>;
  const bool by_lanes = patches.layout == codec::patched::PatchLayout::lanes;
  const auto range = source.range(cta, v, by_lanes ? lane : 0);
  uint32_t low = 0;
  uint32_t high = range.count;
  while (low < high) {  // indices ascend
    const uint32_t middle = (low + high) / 2;
    const uint32_t at = cta.load(source.indices, range.index + middle);
    if (at == i) {
      value = cta.load(source.values, range.value + middle);
      return true;
    }
    (at < i ? low : high) = at < i ? middle + 1 : middle;
  }
  return false;
}

// Value `row`, counted from the start of the first vector, as bits. `begin` is the row of the first value.
template <class Cta>
struct Fetcher {
  Cta& cta;
  const Powers& powers;
  uint64_t begin;

  [[nodiscard]] BOBBIN_HD uint64_t fetch(const ColumnPlan& column, uint64_t row) const {
    uint64_t value = 0;
    uint32_t code = 0;
    for (uint32_t n = 0; n < column.num_nodes; ++n) {
      const Node& node = column.nodes[n];
      if (node.op == Op::look_up) {
        value = look_up(node, value);
        continue;
      }
      switch (node.bytes) {
        case 1:
          value = step<uint8_t>(node, row, static_cast<uint8_t>(value), code);
          break;
        case 2:
          value = step<uint16_t>(node, row, static_cast<uint16_t>(value), code);
          break;
        case 4:
          value = step<uint32_t>(node, row, static_cast<uint32_t>(value), code);
          break;
        default:
          value = step<uint64_t>(node, row, value, code);
      }
    }
    return value;
  }

 private:
  // An entry may have a different size than its code.
  [[nodiscard]] BOBBIN_HD uint64_t look_up(const Node& node, uint64_t code) const {
    switch (node.bytes) {
      case 1:
        return node.entry<uint8_t>(cta, code);
      case 2:
        return node.entry<uint16_t>(cta, code);
      case 4:
        return node.entry<uint32_t>(cta, code);
      default:
        return node.entry<uint64_t>(cta, code);
    }
  }

  template <class T>
  [[nodiscard]] BOBBIN_HD T step(const Node& node, uint64_t row, T value, uint32_t& code) const {
    const uint64_t v = row / kVectorLength;
    const auto i = static_cast<uint32_t>(row % kVectorLength);
    switch (node.op) {
      case Op::unpack: {
        const auto frame = node.frames.frame<T>(cta, v);
        return static_cast<T>(frame.reference +
                              unpack_one<T>(cta, view_as<Quad>(node.frames.packed), frame, i));
      }
      case Op::load:
        return cta.load(view_as<T>(node.extra), row - begin);
      case Op::patch:
        (void)find_patch<T>(cta, node.patches, v, i, value);
        return value;
      case Op::scale:
        return scale<T>(node.extra, v, value);
      case Op::keep:
        code = static_cast<uint32_t>(value);
        return value;
      case Op::join:
        return node.cut.join<T>(code, value);
      case Op::turn:
        return codec::zigzag::value_of_code(value);
      case Op::sum_up:  // excluded by can_fetch()
      case Op::expand:  // not here
      case Op::place:
      case Op::look_up:  // has its own function
        break;
    }
    return value;
  }

  template <class T>
  [[nodiscard]] BOBBIN_HD T scale(const Bytes& bytes, uint64_t v, T value) const {
    if constexpr (sizeof(T) >= 4) {
      const auto scales = view_as<uint8_t>(bytes);
      return std::bit_cast<T>(
          powers.scaling<T>(cta.load(scales, 2 * v), cta.load(scales, 2 * v + 1)).value_of(value));
    } else {
      return value;
    }
  }
};

// Calls f with a value of the unsigned type of this size.
template <class F>
BOBBIN_HD void with_bytes(uint32_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{0});
    case 2:
      return f(uint16_t{0});
    case 4:
      return f(uint32_t{0});
    default:
      return f(uint64_t{0});
  }
}

}  // namespace bobbin::plan
