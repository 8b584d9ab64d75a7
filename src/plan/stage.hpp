// SPDX-License-Identifier: Apache-2.0
// The interpreter: decodes one vector of any tree of codecs, step by step, into a warp's part of shared
// memory. Steps, orders and strides are looked at as it goes, so one piece of code serves all trees.
//
// Steps that look at one value at a time are done in registers, before what is unpacked is put there at all:
// scales, signs, alprd's right parts with their left ones. Sums take each thread's 32 neighbours to
// registers, whatever the order.
//
// Shape: a warp a vector, strided. Shared memory: 8.25 KiB a warp for values of up to 8 bytes, 2 KiB for
// alprd's left codes. Behind 32 values comes a gap, so that threads that each look at 32 neighbours do not
// wait for each other. Preconditions: the array has been validated. After each step the warp meets.
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/alp/tile.hpp"
#include "codecs/zigzag/zigzag.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"
#include "plan/column.hpp"
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

// A warp's vector while it is decoded. A block has kWarps of them.
template <uint32_t kWarps>
struct Staging {
  static constexpr uint32_t kWords = kVectorLength + kVectorLength / 32;  // of 64 bits, a warp
  simt::Shared<uint64_t, kWarps * kWords> values;
  simt::Shared<uint16_t, kWarps * kVectorLength> codes;

  // Values from one row of 32 to the next.
  template <class T>
  static constexpr uint32_t kPitch = 32 + (sizeof(T) < 4 ? 4 / sizeof(T) : 1);

  // All values of a block as values of one type; a warp's start at first(warp).
  template <class T>
  [[nodiscard]] BOBBIN_HD auto& as() {
    return reinterpret_cast<simt::Shared<T, kWarps * kWords * (8 / sizeof(T))>&>(values);
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD static uint32_t first(uint32_t warp) {
    return warp * kWords * (8 / sizeof(T));
  }
  // Where value i stands, from there on.
  template <class T>
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t place(uint32_t i) {
    return i / 32 * kPitch<T> + i % 32;
  }
};

// Decodes the first `count` values of vector v.
template <class Cta, uint32_t kWarps>
struct Stager {
  Cta& cta;
  Staging<kWarps>& staging;
  const Powers& powers;
  uint64_t v;
  uint32_t count;

  BOBBIN_HD void decode(const Column& column) {
    for (uint32_t n = 0; n < column.num_nodes; ++n) {
      switch (column.nodes[n].bytes) {
        case 1:
          n = run<uint8_t>(column, n);
          break;
        case 2:
          n = run<uint16_t>(column, n);
          break;
        case 4:
          n = run<uint32_t>(column, n);
          break;
        default:
          n = run<uint64_t>(column, n);
      }
      cta.sync_warp();
    }
  }

 private:
  // Step n, and perhaps some of those behind it; returns the last that is done with.
  template <class T>
  [[nodiscard]] BOBBIN_HD uint32_t run(const Column& column, uint32_t n) {
    const Node& node = column.nodes[n];
    switch (node.op) {
      case Op::unpack:
        return unpack<T>(column, n);
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
      case Op::look_up:
        look_up<T>(node);
        break;
      case Op::load:
        break;  // plain columns are read where they are
    }
    return n;
  }

  template <class F>
  BOBBIN_HD void each(F&& f) const {
    for (uint32_t i = cta.lane(); i < count; i += simt::kWarpSize) {
      f(i);
    }
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD T get(uint32_t i) const {
    return cta.load(staging.template as<T>(), at<T>(i));
  }
  template <class T>
  BOBBIN_HD void put(uint32_t i, T value) {
    cta.store(staging.template as<T>(), at<T>(i), value);
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD uint32_t at(uint32_t i) const {
    return staging.template first<T>(cta.warp()) + staging.template place<T>(i);
  }
  [[nodiscard]] BOBBIN_HD uint32_t code_at(uint32_t i) const { return cta.warp() * kVectorLength + i; }

  template <class T>
  [[nodiscard]] BOBBIN_HD uint32_t unpack(const Column& column, uint32_t n) {
    const Frames& frames = column.nodes[n].frames;
    const auto packed = view_as<Quad>(frames.packed);
    const auto frame = frames.frame<T>(cta, v);
    if (count == kVectorLength && frame.width != 0) {
      T values[32];
      unpack_whole<T>(packed, frame, values);
      return finish<T>(column, n, values);
    }
    each([&](uint32_t i) {
      put<T>(i, static_cast<T>(unpack_one<T>(cta, packed, frame, i) + frame.reference));
    });
    return n;
  }

  template <class T>
  BOBBIN_HD void unpack_whole(Global<const Quad> packed, const codec::bitpack::Frame<T>& frame,
                              T (&values)[32]) {
    codec::bitpack::with_width_in<1, kBits<T>>(
        frame.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
          Lane<T, W> lane;
          lane.load(cta, packed, frame.first_register);
          BOBBIN_UNROLL
          for (uint32_t k = 0; k < 32; ++k) {
            values[k] = static_cast<T>(frame.reference + static_cast<T>(lane.value(k)));
          }
        });
  }

  // Value k is that of row Spread<T>::index(lane, k): steps behind step n that take one value at a time, then
  // all go where they belong. Returns the last step that is done with.
  template <class T>
  [[nodiscard]] BOBBIN_HD uint32_t finish(const Column& column, uint32_t n, T (&values)[32]) {
    const auto turn = [&](auto&& value_of) {
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < 32; ++k) {
        values[k] = value_of(k, values[k]);
      }
    };
    for (; n + 1 < column.num_nodes && column.nodes[n + 1].bytes == sizeof(T); ++n) {
      const Node& next = column.nodes[n + 1];
      if (next.op == Op::turn) {
        turn([&](uint32_t, T value) { return codec::zigzag::value_of_code(value); });
      } else if (sizeof(T) >= 4 && next.op == Op::scale) {
        if constexpr (sizeof(T) >= 4) {
          const auto scaling = scaling_of<T>(next.extra);
          turn([&](uint32_t, T value) { return std::bit_cast<T>(scaling.value_of(value)); });
        }
      } else if (sizeof(T) >= 4 && next.op == Op::join) {
        turn([&](uint32_t k, T value) {
          const uint32_t i = Spread<T>::index(cta.lane(), k);
          return next.cut.join<T>(cta.load(staging.codes, code_at(i)), value);
        });
      } else {
        break;
      }
    }
    if (sizeof(T) == 2 && n + 1 < column.num_nodes && column.nodes[n + 1].op == Op::keep) {
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < 32; ++k) {
        cta.store(staging.codes, code_at(Spread<T>::index(cta.lane(), k)), static_cast<uint16_t>(values[k]));
      }
      return n + 1;
    }
    // A lane's first place, and constants from there on.
    const uint32_t first = at<T>(Spread<T>::index(cta.lane(), 0));
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < 32; ++k) {
      cta.store(staging.template as<T>(), first + staging.template place<T>(Spread<T>::index(0, k)),
                values[k]);
    }
    return n;
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
    const auto scaling = scaling_of<T>(bytes);
    each([&](uint32_t i) { put<T>(i, std::bit_cast<T>(scaling.value_of(get<T>(i)))); });
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD auto scaling_of(const Bytes& bytes) const {
    const auto scales = view_as<uint8_t>(bytes);
    return powers.scaling<T>(cta.load(scales, 2 * v), cta.load(scales, 2 * v + 1));
  }

  // In place, 32 neighbours at a time: where values are larger than codes from the last on, otherwise from
  // the first on, so that no value is put where a code is still to be read.
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

  // One sum after the other, as many as the order.
  template <class T>
  BOBBIN_HD void sum_up(const Node& node) {
    if (node.stride == 1) {
      sum_neighbours<T>(node);
      return;
    }
    for (uint32_t order = 0; order < node.order; ++order) {
      sum_apart<T>(node, order);
    }
  }

  // Each thread has 32 neighbours, for all sums: they add up among themselves, then what is before them is
  // added, from the restart on.
  template <class T>
  BOBBIN_HD void sum_neighbours(const Node& node) {
    const auto restarts = view_as<T>(node.extra);
    const uint32_t first = cta.lane() * 32;
    T values[32];
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < 32; ++k) {
      values[k] = first + k < count ? get<T>(first + k) : T{0};
    }
    for (uint32_t order = 0; order < node.order; ++order) {
      BOBBIN_UNROLL
      for (uint32_t k = 1; k < 32; ++k) {
        values[k] = static_cast<T>(values[k] + values[k - 1]);
      }
      const auto own = static_cast<Word<T>>(values[31]);
      const Word<T> before = simt::sum_through(cta, own) - own + cta.load(restarts, v * node.order + order);
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < 32; ++k) {
        values[k] = static_cast<T>(values[k] + before);
      }
    }
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < 32; ++k) {
      if (first + k < count) {
        put<T>(first + k, values[k]);
      }
    }
  }

  // One sum of values a stride apart, 32 neighbours at a time: first the value a stride before is added,
  // which is done already or is the state at the restart, then they add up among themselves.
  template <class T>
  BOBBIN_HD void sum_apart(const Node& node, uint32_t order) {
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
  // What lanes exchange: at least 32 bits.
  template <class T>
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};

}  // namespace bobbin::plan
