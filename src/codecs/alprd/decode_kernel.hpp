// SPDX-License-Identifier: Apache-2.0
// Decoding kernels: one decodes everything in one launch if both parts are packed vectors; the other joins
// parts that are already decoded.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/alprd/tile.hpp"
#include "codecs/bitpack/kernels.hpp"
#include "codecs/patched/tile.hpp"

namespace bobbin::codec::alprd {

using bitpack::kSliceLength;
using bitpack::kSlices;

// Several vectors per block, as in bitpack's kernel: both parts are unpacked into shared memory, where left
// codes become left parts and patches are applied; values are joined while they are stored in one run.
template <class T>
struct DecodeKernel {
  using Tile = bitpack::Tile<T, 2048>;
  using Patches = patched::PatchSource<uint16_t, 2>;
  // Number of parts a column's rows are cut into, one thread each, as in alp.
  static constexpr uint32_t kRowParts = sizeof(T);
  static constexpr uint32_t kThreads = Tile::kThreads * kRowParts;
  static constexpr uint32_t kLeftQuads = kRows<uint16_t> * kSlices;  // per vector
  struct Shared {
    simt::Shared<Quad, Tile::kQuads> right;
    simt::Shared<Quad, Tile::kVectors * kLeftQuads> left;
  };
  static constexpr uint32_t kMinBlocks = 4;

  patched::AnyFrames<uint16_t> left;
  Patches patches;
  patched::AnyFrames<T> right;
  Joiner joiner;
  Global<T> out;  // values offset .. end-1
  uint64_t offset;
  uint64_t end;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const Place place = place_of(cta);
    const bool inside = place.count != 0;
    typename Patches::Run run{};
    if (inside) {
      run = patches.find(cta, place.vector, place.part * kSlices + place.slice, kRowParts * kSlices);
      const auto left_frame = left.frame(cta, place.vector);
      const auto right_frame = right.frame(cta, place.vector);
      // Right parts can often be found without loading a frame, so their loads overlap with those that locate
      // the rest.
      unpack<T>(cta, right.packed, right_frame, place, shared.right);
      patches.load_ahead(cta, run);
      unpack<uint16_t>(cta, left.packed, left_frame, place, shared.left);
      look_up(cta, shared, place);
    }
    cta.sync();
    write_patches(cta, shared, place, run);
    cta.sync();
    store(cta, shared, uint64_t{cta.block()} * Tile::kValues);
  }

 private:
  // A thread's work: some rows of one column of one vector.
  struct Place {
    uint32_t part;
    uint32_t in_tile;
    uint32_t slice;
    uint64_t vector;
    uint32_t count;  // values of the vector: 1024, fewer in the last one, none past it

    // The thread's first row, and the end of its rows.
    template <class V>
    [[nodiscard]] BOBBIN_HD uint32_t first_row() const {
      return part * (kRows<V> / kRowParts);
    }
    template <class V>
    [[nodiscard]] BOBBIN_HD uint32_t end_row() const {
      const uint32_t rows = num_rows(count, kBits<V>);
      const uint32_t own = first_row<V>() + kRows<V> / kRowParts;
      return own < rows ? own : rows;
    }
    // Where a row's slice is in shared memory.
    template <class V>
    [[nodiscard]] BOBBIN_HD uint32_t quad(uint32_t row) const {
      return (in_tile * kRows<V> + row) * kSlices + slice;
    }
  };

  template <class Cta>
  BOBBIN_HD Place place_of(Cta& cta) const {
    const uint32_t in_tile = cta.thread() % Tile::kThreads / kSlices;
    const uint64_t vector = uint64_t{cta.block()} * Tile::kVectors + in_tile;
    const uint64_t first = vector * kVectorLength;
    const uint64_t left_over = first < end ? end - first : 0;
    return {.part = cta.thread() / Tile::kThreads,
            .in_tile = in_tile,
            .slice = cta.thread() % kSlices,
            .vector = vector,
            .count = left_over < kVectorLength ? static_cast<uint32_t>(left_over) : kVectorLength};
  }

  template <class V, class Cta, uint32_t N>
  BOBBIN_HD static void unpack(Cta& cta, Global<const Quad> packed, const bitpack::Frame<V>& frame,
                               const Place& place, simt::Shared<Quad, N>& to) {
    constexpr uint32_t kPartRows = kRows<V> / kRowParts;
    const auto sink = [&](uint32_t row, const Quad& quad) {
      cta.store(to, place.template quad<V>(row), bitpack::add_reference<V>(quad, frame.reference));
    };
    if (place.count == kVectorLength) {
      // One dispatch over both width and part: nested dispatches are not inlined.
      bitpack::with_width_in<0, (kBits<V> + 1) * kRowParts - 1>(
          frame.width * kRowParts + place.part, [&]<uint32_t I>(std::integral_constant<uint32_t, I>) {
            constexpr uint32_t kFirst = I % kRowParts * kPartRows;
            bitpack::unpack_column<V>(cta, packed, frame.first_register, place.slice, I / kRowParts,
                                      {kFirst, kFirst + kPartRows}, sink);
          });
      return;
    }
    for (uint32_t row = place.template first_row<V>(); row < place.template end_row<V>(); ++row) {
      sink(row, bitpack::unpack_slice<V>(cta, packed, frame, row, place.slice));
    }
  }

  // Converts left codes to left parts, in the places that the thread itself wrote.
  template <class Cta>
  BOBBIN_HD void look_up(Cta& cta, Shared& shared, const Place& place) const {
    const uint32_t end_row = place.template end_row<uint16_t>();
    for (uint32_t row = place.template first_row<uint16_t>(); row < end_row; ++row) {
      const uint32_t at = place.template quad<uint16_t>(row);
      Quad quad = cta.load(shared.left, at);
      BOBBIN_UNROLL
      for (uint32_t& codes : quad.word) {
        codes = joiner.parts_of(codes);
      }
      cta.store(shared.left, at, quad);
    }
  }

  // Left parts as another type; requires a barrier in between.
  template <class U>
  using LeftAs = simt::Shared<U, Tile::kValues * sizeof(uint16_t) / sizeof(U)>;
  template <class U>
  BOBBIN_HD static LeftAs<U>& left_as(Shared& shared) {
    auto& quads = shared.left;
    return reinterpret_cast<LeftAs<U>&>(quads);
  }

  template <class Cta>
  BOBBIN_HD void write_patches(Cta& cta, Shared& shared, const Place& place,
                               const typename Patches::Run& run) const {
    auto& parts = left_as<uint16_t>(shared);
    patches.apply(cta, run, [&](uint32_t i, uint16_t code) {
      cta.store(parts, place.in_tile * kVectorLength + i, static_cast<uint16_t>(joiner.part_of(code)));
    });
  }

  template <class Cta>
  BOBBIN_HD Quad joined(Cta& cta, Shared& shared, uint32_t q) const {
    return joiner.join<T>(cta.load(left_as<Joiner::Parts<T>>(shared), q), cta.load(shared.right, q));
  }

  template <class Cta>
  BOBBIN_HD void store(Cta& cta, Shared& shared, uint64_t first) const {
    // Quads are aligned only if the slice starts at a multiple of 16 bytes.
    if (offset % kSliceLength<T> == 0 && first >= offset && first + Tile::kValues <= end) {
      const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kSliceLength<T>};
      const uint64_t start = (first - offset) / kSliceLength<T>;
      for (uint32_t q = cta.thread(); q < Tile::kQuads; q += kThreads) {
        cta.store_once(quads, start + q, joined(cta, shared, q));
      }
      return;
    }
    for (uint32_t q = cta.thread(); q < Tile::kQuads; q += kThreads) {
      const uint64_t at = first + q * kSliceLength<T>;
      if (at < end) {
        store_values(cta, at, joined(cta, shared, q));
      }
    }
  }
  template <class Cta>
  BOBBIN_HD void store_values(Cta& cta, uint64_t at, const Quad& quad) const {
    for (uint32_t i = 0; i < kSliceLength<T>; ++i) {
      if (at + i >= offset && at + i < end) {
        cta.store(out, at + i - offset, bitpack::value_in<T>(quad, i));
      }
    }
  }
};

// Joins decoded left codes and right parts in place of the right parts, one thread per value. Cost per value,
// besides decoding both: 2 bytes read, T/8 read and written.
template <class T>
struct JoinKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Cut cut;
  Global<const uint16_t> codes;
  Global<T> values;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < values.size) {
      cta.store(values, i, cut.join<T>(cta.load(codes, i), cta.load(values, i)));
    }
  }
};

}  // namespace bobbin::codec::alprd
