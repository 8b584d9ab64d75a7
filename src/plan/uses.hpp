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

// The widths for which a kernel has code.
struct AllWidths {
  [[nodiscard]] BOBBIN_HD static constexpr bool has(uint32_t /*width*/) { return true; }
};

struct Uses : QueryInput {
  [[nodiscard]] BOBBIN_HD uint32_t rows_of(uint64_t v) const {
    const uint64_t left = end - v * kVectorLength;
    return left < kVectorLength ? static_cast<uint32_t>(left) : kVectorLength;
  }

  // Calls f with an unsigned integer type of this size; 64 bits only if kWide.
  template <bool kWide, class F>
  BOBBIN_HD static auto with_type(uint32_t bytes, F&& f) {
    if constexpr (kWide) {
      if (bytes == 8) {
        return f(uint64_t{0});
      }
    }
    return bytes == 4 ? f(uint32_t{0}) : bytes == 2 ? f(uint16_t{0}) : f(uint8_t{0});
  }

  // The use for vector v; T is the packed type.
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD Use make_use(Cta& cta, const UseSpec& spec, uint64_t v) const {
    return spec.is_test ? test_use<T>(cta, steps[spec.step], v) : sum_use<T>(cta, columns[spec.column], v);
  }

  // Calls store(use number, position in the group, use) for all uses of a group of vectors: each lane handles
  // one of them at a time.
  template <class Cta, class Store>
  BOBBIN_HD void for_each_use(Cta& cta, uint64_t first, Store&& store) const {
    const uint64_t v = first + cta.lane() % kGroup;
    const bool inside = cta.lane() % kGroup < group && v < num_vectors(end);
    for (uint32_t u = cta.lane() / kGroup; u < num_uses && inside; u += simt::kWarpSize / kGroup) {
      store(u, cta.lane() % kGroup, v);
    }
  }

  template <class T, class Widths = AllWidths, class Cta>
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

  template <class T, class Widths = AllWidths, class Cta>
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
  template <class T, class Widths = AllWidths, class Cta>
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

  // Value 32 r + lane of a vector on the slow path, without patches.
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD T value_at(Cta& cta, const ColumnPlan& column, const Use& use, uint32_t r) const {
    const codec::bitpack::Frame<T> frame{use.first_register, use.width, static_cast<T>(use.low)};
    const auto value =
        static_cast<T>(frame.reference + unpack_one<T>(cta, view_as<Quad>(column.frames().packed), frame,
                                                       r * simt::kWarpSize + cta.lane()));
    if constexpr (sizeof(T) >= 4) {
      if (column.scaled()) {
        return std::bit_cast<T>(powers.scaling<T>(use.e, use.f).value_of(value));
      }
    }
    return value;
  }

  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t test_direct(Cta& cta, const ColumnPlan& column, const Use& use) {
    const auto packed = view_as<Quad>(column.frames().packed);
    const PackedRange<T> range{static_cast<T>(use.low), static_cast<T>(use.span), false};
    uint32_t hits = 0;
    codec::bitpack::with_width_in<1, kBits<T>>(use.width,
                                               [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
                                                 Lane<T, W> lane;
                                                 lane.load(cta, packed, use.first_register);
                                                 hits = test_lane<T, W>(lane, range);
                                               });
    return hits;
  }

  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD static WideSum sum_direct(Cta& cta, const ColumnPlan& column, const Use& use,
                                                    uint32_t mask) {
    const auto packed = view_as<Quad>(column.frames().packed);
    WideSum sum;
    codec::bitpack::with_width_in<0, kBits<T>>(use.width,
                                               [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
                                                 if constexpr (W != 0) {
                                                   Lane<T, W> lane;
                                                   lane.load(cta, packed, use.first_register);
                                                   sum = sum_lane<T, W>(lane, mask);
                                                 }
                                               });
    return sum;
  }

  // The sum of a vector of floats without patches: those have their place in the order of additions.
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD double sum_direct_reals(Cta& cta, const ColumnPlan& column, const Use& use,
                                                  uint32_t mask) const {
    const auto packed = view_as<Quad>(column.frames().packed);
    const auto counts = [&](uint32_t n, auto /*packed*/) { return (mask >> Spread<T>::bit(n) & 1) != 0; };
    return with_scaling<T>(use, [&]<class Scaling>(const Scaling& scaling) {
      Chains chains;
      codec::bitpack::with_width_in<0, Scaling::kMaxWidth>(
          use.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
            Lane<T, W == 0 ? 1 : W> lane{};
            if constexpr (W != 0) {
              lane.load(cta, packed, use.first_register);
            }
            chains = sum_reals(lane, scaling, counts);
          });
      return add_up<T>(cta, chains);
    });
  }
  // The same for a lane's values in a test's range, which does not wrap around, with their number.
  template <class T, uint32_t W, class Cta>
  [[nodiscard]] BOBBIN_HD double sum_reals_in_range(Cta& cta, const Lane<T, W>& lane, const Use& test,
                                                    const Use& sum, uint32_t& count) const {
    using Value = typename Lane<T, W>::Value;
    const auto low = static_cast<Value>(test.low);
    const auto span = static_cast<Value>(test.span);
    return with_scaling<T>(sum, [&](const auto& scaling) {
      return add_up<T>(cta, sum_reals(lane, scaling, [&](uint32_t /*n*/, Value value) {
                         const bool hit = static_cast<Value>(value - low) <= span;
                         count += hit ? 1 : 0;
                         return hit;
                       }));
    });
  }
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD double sum_slow_reals(Cta& cta, const ColumnPlan& column, const Use& use,
                                                uint32_t rows) const {
    const double lane =
        RealSum::of_lane<T>(rows, [&](uint32_t r) { return value_at<T>(cta, column, use, r); });
    return RealSum::of_warp(cta, lane);
  }
  // Calls f with the constants that convert a vector's packed integers to floats.
  template <class T, class F>
  [[nodiscard]] BOBBIN_HD double with_scaling(const Use& use, F&& f) const {
    if constexpr (sizeof(T) == 8) {
      const auto reference = static_cast<int64_t>(use.low) - (int64_t{1} << 52);
      return f(WideScaling{static_cast<double>(reference), powers.f64.up[use.f], powers.f64.down[use.e]});
    } else if constexpr (sizeof(T) == 4) {
      return f(NarrowScaling{static_cast<uint32_t>(use.low), powers.scaling<T>(use.e, use.f)});
    } else {
      return 0;  // no float type is this small
    }
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
