// SPDX-License-Identifier: Apache-2.0
// How kernels use packed columns: what a test or a sum needs to know about a vector, and how it evaluates
// packed words. Each lane prepares this for a different vector, so that a warp has several ready at a time.
#pragma once

#include <bit>
#include <cstdint>

#include "plan/packed.hpp"
#include "plan/query_input.hpp"
#include "plan/stage.hpp"
#include "plan/strided.hpp"
#include "plan/values.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// A use in shared memory, in as few loads as possible. T is the widest type whose ranges it holds.
template <class T>
struct UseRecord {
  static constexpr uint32_t kQuads = sizeof(T) == 8 ? 2 : 1;

  template <class Cta, uint32_t N>
  BOBBIN_HD static void store(Cta& cta, simt::Shared<Quad, N>& shared, uint32_t at, const Use& use) {
    const uint32_t small =
        use.width | static_cast<uint32_t>(use.way) << 8 | uint32_t{use.e} << 16 | uint32_t{use.f} << 24;
    const auto low = static_cast<uint32_t>(use.low);
    const auto span = static_cast<uint32_t>(use.span);
    if constexpr (kQuads == 1) {
      cta.store(shared, at, Quad{{use.first_register, small, low, span}});
    } else {
      cta.store(shared, at, Quad{{use.first_register, small, low, static_cast<uint32_t>(use.low >> 32)}});
      cta.store(shared, at + 1, Quad{{span, static_cast<uint32_t>(use.span >> 32), 0, 0}});
    }
  }
  template <class Cta, uint32_t N>
  [[nodiscard]] BOBBIN_HD static Use read(Cta& cta, simt::Shared<Quad, N>& shared, uint32_t at) {
    const Quad quad = cta.load(shared, at);
    Use use{.first_register = quad.word[0],
            .width = static_cast<uint8_t>(quad.word[1]),
            .way = static_cast<Use::Way>(quad.word[1] >> 8 & 0xff),
            .e = static_cast<uint8_t>(quad.word[1] >> 16),
            .f = static_cast<uint8_t>(quad.word[1] >> 24),
            .low = quad.word[2],
            .span = quad.word[3]};
    if constexpr (kQuads == 2) {
      const Quad more = cta.load(shared, at + 1);
      use.low |= uint64_t{quad.word[3]} << 32;
      use.span = uint64_t{more.word[1]} << 32 | more.word[0];
    }
    return use;
  }
};

// How many vectors a warp prepares at a time, as a power of two, so that a block needs up to 32 KiB for it:
// `uses` of each vector, `quads` each. Or few vectors, which leaves room for exceptions and for words that
// are copied ahead.
[[nodiscard]] BOBBIN_HD constexpr uint32_t group_bits(uint32_t warps, uint32_t uses, uint32_t quads,
                                                      bool few = false) {
  uint32_t bits = 5;
  while (bits != 0 && (warps * uses * quads * sizeof(Quad) << bits) > (few ? 8 : 32) * 1024) {
    --bits;
  }
  return bits;
}

// If a test leaves so few rows of a vector, they wait until there is one for each thread of the warp.
// Measured: docs/perf/query.md.
inline constexpr uint32_t kFewRows = 32;
inline constexpr uint32_t kPendingRoom = simt::kWarpSize + kFewRows;

// What a thread has added up. For values of up to 32 bits, 64 bits are enough.
template <class T>
struct Adder {
  uint64_t total = 0;

  // A sum from which `each` was subtracted for each of `count` values.
  BOBBIN_HD void add(const WideSum& sum, T each, uint32_t count, bool is_signed) {
    const auto wide =
        is_signed ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(each)))
                  : uint64_t{each};
    total += sum.low + (sum.high << 32) + wide * count;
  }
  [[nodiscard]] BOBBIN_HD WideSum sum(bool is_signed) const {
    return {total & 0xffffffff,
            is_signed ? static_cast<uint64_t>(static_cast<int64_t>(total) >> 32) : total >> 32};
  }
};
template <>
struct Adder<uint64_t> {
  WideSum total;

  BOBBIN_HD void add(const WideSum& sum, uint64_t each, uint32_t count, bool is_signed) {
    WideSum one;
    add_to<uint64_t>(one, each, is_signed);
    total.low += sum.low + one.low * count;
    total.high += sum.high + one.high * count;
  }
  [[nodiscard]] BOBBIN_HD WideSum sum(bool /*is_signed*/) const { return total; }
};

struct Uses : QueryInput {
  [[nodiscard]] BOBBIN_HD uint32_t rows_of(uint64_t v) const {
    const uint64_t left = end - v * kVectorLength;
    return left < kVectorLength ? static_cast<uint32_t>(left) : kVectorLength;
  }

  template <class T, class Widths, class Cta>
  [[nodiscard]] BOBBIN_HD Use frame_use(Cta& cta, const ColumnPlan& column, uint64_t v, T& reference) const {
    const auto frame = column.frames().template frame<T>(cta, v);
    reference = frame.reference;
    const bool direct = rows_of(v) == kVectorLength && Widths::has(frame.width);
    Use use{.first_register = static_cast<uint32_t>(frame.first_register),
            .width = static_cast<uint8_t>(frame.width),
            .way = direct ? Use::Way::direct : Use::Way::slow};
    if (column.scaled()) {
      const auto scales = view_as<uint8_t>(column.scales());
      use.e = cta.load(scales, 2 * v);
      use.f = cta.load(scales, 2 * v + 1);
    }
    return use;
  }

  template <class T, class Widths, class Cta>
  [[nodiscard]] BOBBIN_HD Use test_use(Cta& cta, const Step& step, uint64_t v) const {
    const ColumnPlan& column = columns[step.column];
    T reference = 0;
    Use use = frame_use<T, Widths>(cta, column, v, reference);
    KeyRange keys = step.range;
    bool empty = false;
    bool direct = !step.is_float && step.table.data == nullptr;
    if (use.width == 0 && !column.scaled() && step.table.data == nullptr) {
      use.way = keys.holds<T>(reference, step.is_float) ? Use::Way::all : Use::Way::none;
      return use;
    }
    if (column.scaled()) {
      const ScaledRange scaled = load_range(cta, step.scaled, use.e, use.f);
      keys = {static_cast<uint64_t>(scaled.low), scaled.span};
      empty = scaled.empty != 0;
      direct = scaled.covers(static_cast<std::make_signed_t<T>>(reference), use.width);
    }
    const auto range = PackedRange<T>::of(static_cast<T>(reference - static_cast<T>(keys.low)),
                                          static_cast<T>(keys.span), use.width);
    if (use.way == Use::Way::slow || !direct) {
      use.way = Use::Way::slow;
      use.low = reference;
      return use;
    }
    use.low = range.low;
    use.span = range.span;
    use.way = empty || range.empty                   ? Use::Way::none
              : range.span >= low_mask<T>(use.width) ? Use::Way::all
                                                     : Use::Way::direct;
    return use;
  }

  // Integers can be summed in packed form if none wraps around; floats if a product of doubles equals that of
  // the codec. For codes, only the frame matters.
  template <class T, class Widths, class Cta>
  [[nodiscard]] BOBBIN_HD Use sum_use(Cta& cta, const ColumnPlan& column, uint64_t v) const {
    T reference = 0;
    Use use = frame_use<T, Widths>(cta, column, v, reference);
    use.low = reference;
    bool direct = true;
    if (!column.is_float) {
      const T sign = column.is_signed ? static_cast<T>(T{1} << (kBits<T> - 1)) : T{0};
      direct = static_cast<T>(reference ^ sign) <= static_cast<T>(~low_mask<T>(use.width));
    } else if constexpr (sizeof(T) == 8) {
      direct = column.scaled() &&
               WideScaling::fits(static_cast<int64_t>(reference), use.width, powers.f64.up[use.f]);
    } else {
      direct = column.scaled();
    }
    use.way = direct ? use.way : Use::Way::slow;
    return use;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static ScaledRange load_range(Cta& cta, const Global<const uint64_t>& ranges,
                                                        uint32_t e, uint32_t f) {
    const uint64_t first = uint64_t{ScaledRange::place(e, f)} * ScaledRange::kWords;
    return {.low = static_cast<int64_t>(cta.load(ranges, first)),
            .span = cta.load(ranges, first + 1),
            .most = static_cast<int64_t>(cta.load(ranges, first + 2)),
            .empty = cta.load(ranges, first + 3)};
  }

  // The non-null rows, as a strided word.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t valid_rows(Cta& cta, const Validity& validity, uint64_t v) {
    if (validity.kind == Validity::Kind::all) {
      return ~uint32_t{0};
    }
    const uint64_t at = v * simt::kWarpSize + cta.lane();
    uint32_t word = 0;
    if (at < validity.count) {
      if (validity.kind == Validity::Kind::words) {
        word = cta.load(view_as<uint32_t>(validity.words), at);
      } else {
        const auto frame =
            validity.frames.template frame<uint32_t>(cta, (validity.offset + at) / kVectorLength);
        word = frame.reference + unpack_one<uint32_t>(cta, view_as<Quad>(validity.frames.packed), frame,
                                                      (validity.offset + at) % kVectorLength);
      }
    }
    return transpose(cta, word);
  }

  // Value i of a vector on the slow path, without patches.
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD T value_at(Cta& cta, const ColumnPlan& column, const Use& use, uint32_t i) const {
    const codec::bitpack::Frame<T> frame{use.first_register, use.width, static_cast<T>(use.low)};
    const auto value =
        static_cast<T>(frame.reference + unpack_one<T>(cta, view_as<Quad>(column.frames().packed), frame, i));
    if constexpr (sizeof(T) >= 4) {
      if (column.scaled()) {
        return std::bit_cast<T>(powers.scaling<T>(use.e, use.f).value_of(value));
      }
    }
    return value;
  }

  // The chains of all lanes.
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD static double add_up(Cta& cta, const Chains& chains) {
    return sizeof(T) == 8 ? RealSum::of_halves(cta, chains)
                          : RealSum::of_warp(cta, chains.first + chains.second);
  }
  // Adds what all lanes have counted and summed for a fold to memory.
  template <class Cta>
  BOBBIN_HD void add_totals(Cta& cta, uint64_t count, WideSum sum, uint32_t fold = 0) const {
    if (num_folds == 0) {
      return;
    }
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      count += cta.shfl_xor(count, distance);
      sum.low += cta.shfl_xor(sum.low, distance);
      sum.high += cta.shfl_xor(sum.high, distance);
    }
    if (cta.lane() == 0) {
      constexpr auto kRelaxed = simt::Order::relaxed;
      const uint64_t to = uint64_t{fold} * TotalWords::kWords;
      cta.template atomic_add<kRelaxed>(totals, to + TotalWords::count, count);
      cta.template atomic_add<kRelaxed>(totals, to + TotalWords::low, sum.low & 0xffffffff);
      cta.template atomic_add<kRelaxed>(totals, to + TotalWords::high, sum.high + (sum.low >> 32));
    }
  }
};

}  // namespace bobbin::plan
