// SPDX-License-Identifier: Apache-2.0
// The interpreter: decodes one vector of any encoding tree, step by step, into a warp's part of shared
// memory. Steps, orders and strides are interpreted at run time, so one piece of code works for all trees.
//
// Shape: one warp per vector, strided. Shared memory: 8 KiB per warp for values of up to 8 bytes, 2 KiB for
// alprd's left codes. Preconditions: the array has been validated. The warp synchronises after each step.
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/alp/stage.hpp"
#include "codecs/zigzag/stage.hpp"
#include "core/lanes.hpp"
#include "plan/column_input.hpp"
#include "plan/packed.hpp"
#include "simt/cta.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::plan {

// Value i of a packed vector, without its reference.
template <class T, class Cta>
[[nodiscard]] BOBBIN_HD T unpack_one(Cta& cta, Global<const Quad> packed,
                                     const codec::bitpack::Frame<T>& frame, uint32_t i) {
  if (frame.width == 0) {
    return 0;
  }
  const auto cut = RowCut<T, T>::of(i / kLanes<T>, frame.width);
  const Global<const T> words{reinterpret_cast<const T*>(packed.data), packed.size * (16 / sizeof(T))};
  const uint64_t first = frame.first_register * kLanes<T> + i % kLanes<T>;
  return cut.extract(cta.load(words, first + cut.low_register * kLanes<T>),
                     cta.load(words, first + cut.high_register * kLanes<T>));
}

// Calls put(n, value) for the 32 values that a thread has of a whole vector, whose width is not 0: value n is
// number Spread<T>::index(lane, n).
template <class T, class Cta, class Put>
BOBBIN_HD void unpack_whole(Cta& cta, Global<const Quad> packed, const codec::bitpack::Frame<T>& frame,
                            Put&& put) {
  codec::bitpack::with_width_in<1, kBits<T>>(
      frame.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
        Lane<T, W> lane;
        lane.load(cta, packed, frame.first_register);
        BOBBIN_UNROLL
        for (uint32_t n = 0; n < 32; ++n) {
          put(n, static_cast<T>(frame.reference + static_cast<T>(lane.value(n))));
        }
      });
}

// Calls put(i, value) for all numbers i of a vector, shared out among a warp's threads; from `count` on,
// values are 0.
template <class T, class Cta, class Put>
BOBBIN_HD void unpack_vector(Cta& cta, const Frames& frames, uint64_t v, uint32_t count, Put&& put) {
  const auto packed = view_as<Quad>(frames.packed);
  const auto frame = frames.frame<T>(cta, v);
  if (count == kVectorLength && frame.width != 0) {
    unpack_whole(cta, packed, frame,
                 [&](uint32_t n, T value) { put(Spread<T>::index(cta.lane(), n), value); });
    return;
  }
  for (uint32_t i = cta.lane(); i < kVectorLength; i += simt::kWarpSize) {
    put(i, static_cast<T>(i < count ? frame.reference + unpack_one<T>(cta, packed, frame, i) : T{0}));
  }
}

struct Powers {
  codec::alp::Powers<float> f32;
  codec::alp::Powers<double> f64;

  template <class T>
  [[nodiscard]] BOBBIN_HD auto scaling(uint32_t e, uint32_t f) const {
    if constexpr (sizeof(T) == 8) {
      return codec::alp::DeviceScaling<double>::of(f64, e, f);
    } else {
      return codec::alp::DeviceScaling<float>::of(f32, e, f);
    }
  }
};

// A warp's vector while it is being decoded. A block has kWarps of them.
template <uint32_t kWarps>
struct StageMemory {
  simt::Shared<uint64_t, kWarps * kVectorLength> values;
  simt::Shared<uint16_t, kWarps * kVectorLength> codes;

  // All values of a block as values of one type; those of a warp start at first(warp).
  template <class T>
  [[nodiscard]] BOBBIN_HD auto& as() {
    return reinterpret_cast<simt::Shared<T, kWarps * kVectorLength * (8 / sizeof(T))>&>(values);
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD static uint32_t first(uint32_t warp) {
    return warp * kVectorLength * (8 / sizeof(T));
  }
};

// Decodes the first `count` values of vector v.
template <class Cta, uint32_t kWarps>
struct Stager {
  Cta& cta;
  StageMemory<kWarps>& staging;
  const Powers& powers;
  uint64_t v;
  uint32_t count;

  BOBBIN_HD void decode(const ColumnPlan& column) { decode(column, column.num_nodes); }
  // Only the first `nodes` steps.
  BOBBIN_HD void decode(const ColumnPlan& column, uint32_t nodes) {
    for (uint32_t n = 0; n < nodes; ++n) {
      const Node& node = column.nodes[n];
      switch (node.bytes) {
        case 1:
          run<uint8_t>(node);
          break;
        case 2:
          run<uint16_t>(node);
          break;
        case 4:
          run<uint32_t>(node);
          break;
        default:
          run<uint64_t>(node);
      }
      cta.sync_warp();
    }
  }

 private:
  template <class T>
  BOBBIN_HD void run(const Node& node) {
    switch (node.op) {
      case Op::unpack:
        unpack<T>(node.frames);
        break;
      case Op::patch:
        patch<T>(node.patches);
        break;
      case Op::scale:
        if constexpr (sizeof(T) >= 4) {
          scale<T>(node.extra);
        }
        break;
      case Op::sum_up:
        sum_up<T>(node);
        break;
      case Op::keep:
        each([&](uint32_t i) { cta.store(staging.codes, code_at(i), static_cast<uint16_t>(get<T>(i))); });
        break;
      case Op::join:
        each(
            [&](uint32_t i) { put<T>(i, node.cut.join<T>(cta.load(staging.codes, code_at(i)), get<T>(i))); });
        break;
      case Op::turn:
        each([&](uint32_t i) { put<T>(i, codec::zigzag::value_of_code(get<T>(i))); });
        break;
      case Op::expand:  // not here
      case Op::place:
        break;
      case Op::look_up:
        look_up<T>(node);
        break;
      case Op::load:
        break;  // plain columns are read in place
    }
  }

  template <class F>
  BOBBIN_HD void each(F&& f) const {
    for (uint32_t i = cta.lane(); i < count; i += simt::kWarpSize) {
      f(i);
    }
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD T get(uint32_t i) const {
    return cta.load(staging.template as<T>(), staging.template first<T>(cta.warp()) + i);
  }
  template <class T>
  BOBBIN_HD void put(uint32_t i, T value) {
    cta.store(staging.template as<T>(), staging.template first<T>(cta.warp()) + i, value);
  }
  [[nodiscard]] BOBBIN_HD uint32_t code_at(uint32_t i) const { return cta.warp() * kVectorLength + i; }

  template <class T>
  BOBBIN_HD void unpack(const Frames& frames) {
    const auto packed = view_as<Quad>(frames.packed);
    const auto frame = frames.frame<T>(cta, v);
    if (count == kVectorLength && frame.width != 0) {
      auto& values = staging.template as<T>();
      const uint32_t first = staging.template first<T>(cta.warp());
      unpack_whole(cta, packed, frame, [&](uint32_t n, T value) {
        cta.store(values, first + Spread<T>::index(cta.lane(), n), value);
      });
      return;
    }
    each([&](uint32_t i) {
      put<T>(i, static_cast<T>(unpack_one<T>(cta, packed, frame, i) + frame.reference));
    });
  }

  template <class T>
  BOBBIN_HD void patch(const Patches& patches) {
    const auto source = patches.typed<T>();
    const auto run = source.run(cta, v, cta.lane(), simt::kWarpSize);
    source.apply(cta, run, [&](uint32_t i, T value) {
      if (i < count) {
        put<T>(i, value);
      }
    });
  }

  template <class T>
  BOBBIN_HD void scale(const Bytes& bytes) {
    const auto scales = view_as<uint8_t>(bytes);
    const auto scaling = powers.scaling<T>(cta.load(scales, 2 * v), cta.load(scales, 2 * v + 1));
    each([&](uint32_t i) { put<T>(i, std::bit_cast<T>(scaling.value_of(get<T>(i)))); });
  }

  // In place, 32 adjacent values at a time: from the last to the first if values are larger than codes,
  // otherwise from the first to the last, so that no value overwrites a code that has not been read.
  template <class T>
  BOBBIN_HD void look_up(const Node& node) {
    const uint32_t steps = (count + simt::kWarpSize - 1) / simt::kWarpSize;
    for (uint32_t k = 0; k < steps; ++k) {
      const uint32_t i = (sizeof(T) > node.from ? steps - 1 - k : k) * simt::kWarpSize + cta.lane();
      const T value = i < count ? node.entry<T>(cta, code(node.from, i)) : T{0};
      cta.sync_warp();
      if (i < count) {
        put<T>(i, value);
      }
    }
  }
  [[nodiscard]] BOBBIN_HD uint32_t code(uint32_t bytes, uint32_t i) const {
    return bytes == 1 ? get<uint8_t>(i) : bytes == 2 ? get<uint16_t>(i) : get<uint32_t>(i);
  }

  // One scan after another, as many as the order.
  template <class T>
  BOBBIN_HD void sum_up(const Node& node) {
    const auto restarts = view_as<T>(node.extra);
    for (uint32_t order = 0; order < node.order; ++order) {
      if (node.stride == 1) {
        sum_neighbours<T>(cta.load(restarts, v * node.order + order));
      } else {
        sum_strided<T>(node, order);
      }
      cta.sync_warp();
    }
  }

  // A lane has 32 adjacent values. It begins with the one of its own number, so that no two lanes access the
  // same bank of shared memory at a time; the sum before that one is known once all have been visited.
  template <class T>
  BOBBIN_HD void sum_neighbours(T restart) {
    const uint32_t first = cta.lane() * simt::kWarpSize;
    const auto place = [&](uint32_t k) { return first + (k + cta.lane()) % simt::kWarpSize; };
    Word<T> before = 0;
    Word<T> all = 0;
    for (uint32_t k = 0; k < simt::kWarpSize; ++k) {
      const Word<T> value = place(k) < count ? get<T>(place(k)) : T{0};
      all += value;
      before += place(k) < first + cta.lane() ? value : 0;
    }
    const auto start = static_cast<T>(restart + simt::sum_through(cta, all) - all);
    auto sum = static_cast<T>(start + before);
    for (uint32_t k = 0; k < simt::kWarpSize; ++k) {
      if (place(k) < count) {
        sum = static_cast<T>((place(k) == first ? start : sum) + get<T>(place(k)));
        put<T>(place(k), sum);
      }
    }
  }

  // 32 adjacent values at a time: first the value one stride before is added, which is already complete or is
  // the state at the restart, then they are summed among themselves.
  template <class T>
  BOBBIN_HD void sum_strided(const Node& node, uint32_t order) {
    const auto restarts = view_as<T>(node.extra);
    const uint32_t stride = node.stride;
    for (uint32_t first = 0; first < count; first += simt::kWarpSize) {
      const uint32_t i = first + cta.lane();
      T sum = i < count ? get<T>(i) : T{0};
      if (cta.lane() < stride && i < count) {
        sum += i < stride ? cta.load(restarts, (v * stride + i) * node.order + order) : get<T>(i - stride);
      }
      for (uint32_t distance = stride; distance < simt::kWarpSize; distance *= 2) {
        const T other = static_cast<T>(cta.shfl_up(static_cast<Word<T>>(sum), distance));
        sum += cta.lane() >= distance ? other : T{0};
      }
      if (i < count) {
        put<T>(i, sum);
      }
      cta.sync_warp();
    }
  }
  // The type that lanes exchange: at least 32 bits.
  template <class T>
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};

}  // namespace bobbin::plan
