// SPDX-License-Identifier: Apache-2.0
// Writing to an array in device memory, raw or in slots: a kernel that is a template over its writer writes
// either unchanged.
//
//   Shared                            what a warp needs of shared memory
//   write(cta, shared, group, f)      a warp writes a group of 4 KiB: f(index, count) returns 16 bytes, the
//                                     `count` values from `index` on
//   update(cta, shared, group, f)     the same with f(index, quad, count), which gets the current values
//   put(cta, shared, index, value, active)   each active lane writes one value. The warp works together.
//
// A line in a slot is compressed again after each write, and is raw where it no longer fits. put() reads the
// line, changes values and writes it. It may be called by all warps of the grid at a time, also for one line:
// a lock per line makes other threads wait, and no value of the line is lost. If lanes of a warp write the
// same value, that of the highest lane remains; of two warps, that of either.
// write() and update() take no locks: their group must not be written by others meanwhile. What is written is
// read by a later kernel, or by update().
#pragma once

#include <cstdint>

#include "assist/views.hpp"
#include "codecs/line/tile.hpp"
#include "codecs/line/write.hpp"
#include "core/bit_scan.hpp"

namespace bobbin::assist {

// Stores the first `count` values of a quad at a multiple of 16 bytes.
template <class Cta, class T>
BOBBIN_HD void store_values(Cta& cta, Global<T> out, uint64_t index, const Quad& quad, uint32_t count) {
  if (count == kPerQuad<T>) {
    const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kPerQuad<T>};
    cta.store(quads, index / kPerQuad<T>, quad);
    return;
  }
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kPerQuad<T>; ++i) {
    if (i < count) {
      cta.store(out, index + i, simt::value_of_quad<T>(quad, i));
    }
  }
}

// Whether no higher active lane has the same key. The warp works together.
template <class Cta>
[[nodiscard]] BOBBIN_HD bool is_last_of(Cta& cta, uint64_t key, bool active) {
  const uint32_t same = cta.match_any(key) & cta.ballot(active);
  return active && (same >> cta.lane()) == 1;
}

template <class T>
struct RawWriter {
  using Value = T;
  using Shared = simt::NoShared;

  Global<T> values;  // aligned to 16 bytes

  [[nodiscard]] BOBBIN_HD uint64_t length() const { return values.size; }
  [[nodiscard]] BOBBIN_HD uint64_t num_groups() const {
    return ceil_div<uint64_t>(values.size * sizeof(T), kGroupBytes);
  }

  template <class Cta, class F>
  BOBBIN_HD void write(Cta& cta, Shared& /*shared*/, uint64_t group, F&& f) const {
    for_each_quad(cta, group, [&](uint64_t index, uint32_t count) {
      store_values(cta, values, index, f(index, count), count);
    });
  }

  template <class Cta, class F>
  BOBBIN_HD void update(Cta& cta, Shared& /*shared*/, uint64_t group, F&& f) const {
    for_each_quad(cta, group, [&](uint64_t index, uint32_t count) {
      const Quad before =
          simt::quad_of<T>([&](uint32_t i) { return i < count ? cta.load(values, index + i) : T{0}; });
      store_values(cta, values, index, f(index, before, count), count);
    });
  }

  template <class Cta>
  BOBBIN_HD void put(Cta& cta, Shared& /*shared*/, uint64_t index, T value, bool active) const {
    if (is_last_of(cta, index, active)) {
      cta.store(values, index, value);
    }
  }

 private:
  template <class Cta, class F>
  BOBBIN_HD void for_each_quad(Cta& cta, uint64_t group, F&& f) const {
    constexpr uint32_t kStep = simt::kWarpSize * kPerQuad<T>;
    const uint64_t first = group * (kGroupBytes / sizeof(T)) + cta.lane() * kPerQuad<T>;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kGroupBytes / sizeof(T) / kStep; ++i) {
      pass_on<T>(first + i * kStep, Quad{}, values.size,
                 [&](uint64_t index, const Quad& /*none*/, uint32_t count) { f(index, count); });
    }
  }
};

template <class T>
struct SlotWriter {
  using Value = T;
  static constexpr uint32_t kWords = kLineBytes / 4;
  using Stage = codec::line::Stage<kWords>;
  using Shared = typename Stage::Quads;
  // What is fastest to read and to write, not what is smallest.
  static constexpr codec::line::Algorithms kTried = codec::line::kForReading;

  Global<uint32_t> slots;
  Global<uint8_t> codes;
  uint64_t num_values;
  Global<uint32_t> locks;  // zeros; for put(), which uses lock `line % locks.size`

  [[nodiscard]] BOBBIN_HD uint64_t length() const { return num_values; }
  [[nodiscard]] BOBBIN_HD uint64_t num_groups() const {
    return ceil_div<uint64_t>(num_values * sizeof(T), kGroupBytes);
  }

  template <class Cta, class F>
  BOBBIN_HD void write(Cta& cta, Shared& shared, uint64_t group, F&& f) const {
    fill_stage(cta, shared, group,
               [&](uint64_t index, uint32_t /*place*/, uint32_t count) { return f(index, count); });
    compress_stage(cta, shared, group);
  }

  template <class Cta, class F>
  BOBBIN_HD void update(Cta& cta, Shared& shared, uint64_t group, F&& f) const {
    const uint64_t line = group * simt::kWarpSize + cta.lane();
    const uint32_t code = line < codes.size ? cta.load(codes, line) : codec::line::kZeros;
    for (uint32_t i = 0; i < Stage::kParts; ++i) {
      const uint32_t other = i * (simt::kWarpSize / Stage::kParts) + cta.lane() / Stage::kParts;
      expand_to_stage(cta, shared, group * simt::kWarpSize + other, cta.shfl(code, other), other,
                      cta.lane() % Stage::kParts);
    }
    // A lane changes the quads that it expanded.
    fill_stage(cta, shared, group, [&](uint64_t index, uint32_t place, uint32_t count) {
      return f(index, cta.load(shared, place), count);
    });
    compress_stage(cta, shared, group);
  }

  template <class Cta>
  BOBBIN_HD void put(Cta& cta, Shared& shared, uint64_t index, T value, bool active) const {
    const uint64_t line = index * sizeof(T) / kLineBytes;
    const uint32_t same = cta.match_any(line) & cta.ballot(active);
    const uint32_t leader = active ? trailing_zeros(same) : cta.lane();
    const bool remains = is_last_of(cta, index, active);
    bool waits = active && leader == cta.lane();
    // One lane per line tries its lock; those that get it work, the others try again. Nobody keeps a lock
    // while it waits for another.
    while (cta.any(waits)) {
      const uint64_t lock = line % locks.size;
      const bool works =
          waits && cta.template atomic_exchange<simt::Order::acquire>(locks, lock, uint32_t{1}) == 0;
      if (works) {
        const uint32_t code = cta.load(codes, line);
        for (uint32_t part = 0; part < Stage::kParts; ++part) {
          expand_to_stage(cta, shared, line, code, cta.lane(), part);
        }
      }
      const uint32_t working = cta.ballot(works);
      cta.sync_warp();
      if (remains && (working >> leader & 1) != 0) {
        store_in_row(cta, shared, leader, index, value);
      }
      cta.sync_warp();
      if (works) {
        compress_alone(cta, shared, line);
        cta.template atomic_store<simt::Order::release>(locks, lock, uint32_t{0});
        waits = false;
      }
    }
  }

 private:
  using Line = codec::line::Line<kWords>;

  // Part `part` of a line goes to row `row` of the stage.
  template <class Cta>
  BOBBIN_HD void expand_to_stage(Cta& cta, Shared& shared, uint64_t line, uint32_t code, uint32_t row,
                                 uint32_t part) const {
    cta.store(shared, row * Stage::kLineQuads + part,
              codec::line::load_part<kLineBytes>(cta, slots, line * kWords, code, part));
  }

  // Each lane makes its part of the group's lines; values past the end are zeros.
  template <class Cta, class F>
  BOBBIN_HD void fill_stage(Cta& cta, Shared& shared, uint64_t group, F&& f) const {
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < Stage::kParts; ++i) {
      const uint32_t q = i * simt::kWarpSize + cta.lane();
      const uint32_t place = q / Stage::kParts * Stage::kLineQuads + q % Stage::kParts;
      const uint64_t index = group * (kGroupBytes / sizeof(T)) + q * kPerQuad<T>;
      Quad quad{};
      pass_on<T>(index, quad, num_values, [&](uint64_t at, const Quad& /*none*/, uint32_t count) {
        const Quad made = f(at, place, count);
        quad =
            simt::quad_of<T>([&](uint32_t k) { return k < count ? simt::value_of_quad<T>(made, k) : T{0}; });
      });
      cta.store(shared, place, quad);
    }
    cta.sync_warp();
  }

  template <class Cta>
  BOBBIN_HD static Line load_row(Cta& cta, Shared& shared) {
    Line line;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < Stage::kParts; ++i) {
      const Quad quad = cta.load(shared, cta.lane() * Stage::kLineQuads + i);
      BOBBIN_UNROLL
      for (uint32_t w = 0; w < codec::line::kPartWords; ++w) {
        line.word[i * codec::line::kPartWords + w] = quad.word[w];
      }
    }
    return line;
  }

  // Each lane compresses a line of the stage in its own row; then the warp stores the images together.
  template <class Cta>
  BOBBIN_HD void compress_stage(Cta& cta, Shared& shared, uint64_t group) const {
    const Line line = load_row(cta, shared);
    const codec::line::Plan plan = codec::line::choose<kTried>(line);
    auto& words = simt::seen_as<typename Stage::Words>(shared);
    codec::line::write_image<kTried>(line, plan, [&](uint32_t i, uint32_t word) {
      cta.store(words, cta.lane() * Stage::kLineQuads * codec::line::kPartWords + i, word);
    });
    const uint64_t first = group * simt::kWarpSize;
    if (first + cta.lane() < codes.size) {
      cta.store(codes, first + cta.lane(), static_cast<uint8_t>(plan.code));
    }
    const uint32_t own =
        first + cta.lane() < codes.size ? codec::line::image_bytes(plan.code, kLineBytes) : 0;
    cta.sync_warp();
    const Global<Quad> quads{reinterpret_cast<Quad*>(slots.data), slots.size / codec::line::kPartWords};
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < Stage::kParts; ++i) {
      const uint32_t q = i * simt::kWarpSize + cta.lane();
      const uint32_t row = q / Stage::kParts;
      if (q % Stage::kParts * sizeof(Quad) < cta.shfl(own, row)) {
        cta.store(quads, first * Stage::kParts + q,
                  cta.load(shared, row * Stage::kLineQuads + q % Stage::kParts));
      }
    }
    cta.sync_warp();
  }

  // One lane compresses the line in its row and stores it.
  template <class Cta>
  BOBBIN_HD void compress_alone(Cta& cta, Shared& shared, uint64_t number) const {
    const Line line = load_row(cta, shared);
    const codec::line::Plan plan = codec::line::choose<kTried>(line);
    cta.store(codes, number, static_cast<uint8_t>(plan.code));
    codec::line::write_image<kTried>(
        line, plan, [&](uint32_t i, uint32_t word) { cta.store(slots, number * kWords + i, word); });
  }

  template <class Cta>
  BOBBIN_HD static void store_in_row(Cta& cta, Shared& shared, uint32_t row, uint64_t index, T value) {
    using Values = simt::Shared<T, sizeof(Shared) / sizeof(T)>;
    const auto in_line = static_cast<uint32_t>(index % (kLineBytes / sizeof(T)));
    const auto row_values = static_cast<uint32_t>(Stage::kLineQuads * sizeof(Quad) / sizeof(T));
    cta.store(simt::seen_as<Values>(shared), row * row_values + in_line, value);
  }
};

}  // namespace bobbin::assist
