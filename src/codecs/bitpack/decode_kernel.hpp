// SPDX-License-Identifier: Apache-2.0
// The kernel that decodes packed vectors, for all codecs that build on them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/bitpack/tile.hpp"
#include "codecs/codec.hpp"
#include "simt/gathered.hpp"

namespace bobbin::codec::bitpack {

// Where vectors of one width are.
template <class T>
struct UniformSource {
  using Finish = AsIs;

  Global<const Quad> packed;
  uint32_t width;
  NoPatches patches{};

  template <class Cta>
  [[nodiscard]] BOBBIN_HD AsIs finish(Cta& /*cta*/, uint64_t /*v*/) const {
    return {};
  }
  template <class Cta>
  BOBBIN_HD Frame<T> frame(Cta& /*cta*/, uint64_t v) const {
    return {.first_register = v * width, .width = width, .reference = 0};
  }
};

// The values that a block decodes or encodes at a time, one thread per column per vector: 32 threads for
// 64-bit values in 32 KiB, 256 for 8-bit ones.
template <class T, uint32_t kTileQuads>
struct Tile {
  static constexpr uint32_t kQuads = kTileQuads;
  static constexpr uint32_t kValues = kQuads * kSliceLength<T>;
  static constexpr uint32_t kVectors = kValues / kVectorLength;
  static constexpr uint32_t kVectorQuads = kQuads / kVectors;
  static constexpr uint32_t kThreads = kVectors * kSlices;
  // As many blocks as fit in 192 KiB of an SM's shared memory, so that some wait for memory while others
  // compute.
  static constexpr uint32_t kMinBlocks = 12 * 1024 / kQuads;
};

// The default shape, for sources that only unpack values.
template <class T, class Source>
constexpr DecodeShape decode_shape() {
  if constexpr (requires { Source::kShape; }) {
    return Source::kShape;
  } else {
    return {.quads = 1024,
            .row_parts = DecodeShape::parts<T>(),
            .min_blocks = sizeof(T) < 4 ? 12 : 8,
            .most_blocks = sizeof(T) < 4    ? 0
                           : sizeof(T) == 4 ? 7
                                            : 10};
  }
}

// Decodes vectors from any source of frames; used by every codec that ends in packed vectors. A source has
// `packed`, frame(v), finish(v), which returns a Finish that converts unpacked integers to values, and
// `patches`. Whole tiles are gathered in shared memory and stored in one run, since device memory is fastest
// with long runs of writes. Integers are converted while they are stored; patches are already values and are
// marked.
template <class T, class Source>
struct DecodeKernel {
  static constexpr DecodeShape kShape = decode_shape<T, Source>();
  using Tile = bitpack::Tile<T, kShape.quads>;
  static constexpr uint32_t kParts = kShape.row_parts;
  static constexpr uint32_t kPartRows = kRows<T> / kParts;
  static constexpr uint32_t kThreads = Tile::kThreads * kParts;
  static constexpr uint32_t kMinBlocks = kShape.min_blocks;
  static constexpr uint32_t kMostBlocks = kShape.most_blocks;
  static constexpr bool kFinishes = !std::is_same_v<typename Source::Finish, AsIs>;
  static_assert(!kFinishes || kThreads == Tile::kVectors * simt::kWarpSize, "a warp finishes a vector");

  struct Values {
    simt::Shared<Quad, Tile::kQuads> values;
  };
  struct MarkedValues : Values {
    simt::Shared<uint32_t, Tile::kVectors * kVectorLength / 32> marks;
  };
  using Shared = std::conditional_t<kFinishes, MarkedValues, Values>;

  Source source;
  Global<T> out;  // values offset .. end-1
  uint64_t offset;
  uint64_t end;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t part = cta.thread() / Tile::kThreads;
    const uint32_t in_tile = cta.thread() % Tile::kThreads / kSlices;
    const uint32_t slice = cta.thread() % kSlices;
    const uint64_t tile = cta.block();
    const uint64_t vector = tile * Tile::kVectors + in_tile;
    const uint64_t first = tile * Tile::kValues;
    const bool inside = vector * kVectorLength < end;
    const Frame<T> frame = inside ? source.frame(cta, vector) : Frame<T>{};
    using Run = typename decltype(source.patches)::Run;
    const Run patches =
        inside ? source.patches.run(cta, vector, part * kSlices + slice, kParts * kSlices) : Run{};
    // Quads are aligned only if the slice starts at a multiple of 16 bytes.
    if (offset % kSliceLength<T> != 0 || first < offset || first + Tile::kValues > end) {
      if (inside) {
        decode_edge(cta, frame, source.finish(cta, vector), vector * kVectorLength, part, slice);
      }
      cta.sync();
      source.patches.apply(
          cta, patches, [&](uint32_t i, T value) { store_inside(cta, vector * kVectorLength + i, value); });
      return;
    }
    auto& shared = cta.template shared<Shared>();
    if constexpr (kFinishes) {
      clear_marks(cta, shared);
    }
    const uint32_t to = in_tile * Tile::kVectorQuads + slice;
    const auto put = [&](uint32_t row, const Quad& quad) {
      cta.store(shared.values, to + row * kSlices, add_reference<T>(quad, frame.reference));
    };
    // One dispatch over both width and part: nested dispatches are not inlined.
    with_width_in<0, (kBits<T> + 1) * kParts - 1>(
        frame.width * kParts + part, [&]<uint32_t I>(std::integral_constant<uint32_t, I>) {
          constexpr uint32_t kFirst = I % kParts * kPartRows;
          unpack_column<T>(cta, source.packed, frame.first_register, slice, I / kParts,
                           {kFirst, kFirst + kPartRows}, put);
        });
    cta.sync();
    if (source.patches.none()) {
      store_tile<false>(cta, shared, tile);
      return;
    }
    write_patches(cta, shared, in_tile, patches);
    cta.sync();
    store_tile<kFinishes>(cta, shared, tile);
  }

 private:
  template <class Cta>
  BOBBIN_HD void clear_marks(Cta& cta, Shared& shared) const {
    if (!source.patches.none()) {
      for (uint32_t i = cta.thread(); i < Tile::kValues / 32; i += kThreads) {
        cta.store(shared.marks, i, uint32_t{0});
      }
    }
  }
  template <class Cta, class Run>
  BOBBIN_HD void write_patches(Cta& cta, Shared& shared, uint32_t in_tile, const Run& patches) const {
    auto& values = reinterpret_cast<simt::Shared<T, Tile::kValues>&>(shared.values);
    source.patches.apply(cta, patches, [&](uint32_t i, T value) {
      const uint32_t at = in_tile * kVectorLength + i;
      cta.store(values, at, value);
      if constexpr (kFinishes) {
        cta.template atomic_or<simt::Order::relaxed>(shared.marks, at / 32, uint32_t{1} << (at % 32));
      }
    });
  }

  template <bool kMarked, class Cta>
  BOBBIN_HD void store_tile(Cta& cta, Shared& shared, uint64_t tile) const {
    const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kSliceLength<T>};
    const uint64_t start = (tile * Tile::kValues - offset) / kSliceLength<T>;
    if constexpr (kFinishes) {
      const auto finish = source.finish(cta, tile * Tile::kVectors + cta.warp());
      const uint32_t first = cta.warp() * Tile::kVectorQuads;
      for (uint32_t q = first + cta.lane(); q < first + Tile::kVectorQuads; q += simt::kWarpSize) {
        const Quad quad = cta.load(shared.values, q);
        Quad finished = finish(quad);
        if constexpr (kMarked) {
          const uint32_t i = q * kSliceLength<T>;
          finished = choose(cta.load(shared.marks, i / 32) >> (i % 32), quad, finished);
        }
        cta.store_once(quads, start + q, finished);
      }
    } else {
      for (uint32_t q = cta.thread(); q < Tile::kQuads; q += kThreads) {
        cta.store_once(quads, start + q, cta.load(shared.values, q));
      }
    }
  }
  // Takes value i from `marked` where bit i is set, else from `other`.
  BOBBIN_HD static Quad choose(uint32_t bits, const Quad& marked, const Quad& other) {
    constexpr uint32_t kWords = sizeof(T) / sizeof(uint32_t);
    Quad quad;
    BOBBIN_UNROLL
    for (uint32_t w = 0; w < sizeof(Quad) / sizeof(uint32_t); ++w) {
      quad.word[w] = (bits >> (w / kWords) & 1) != 0 ? marked.word[w] : other.word[w];
    }
    return quad;
  }

  // Rows are divided among the threads of a column's parts.
  template <class Cta, class Finish>
  BOBBIN_HD void decode_edge(Cta& cta, const Frame<T>& frame, const Finish& finish, uint64_t first,
                             uint32_t part, uint32_t slice) const {
    const uint64_t left = end - first;
    const uint32_t rows = left >= kVectorLength ? kRows<T> : num_rows(static_cast<uint32_t>(left), kBits<T>);
    for (uint32_t row = part; row < rows; row += kParts) {
      const Quad quad =
          finish(add_reference<T>(unpack_slice<T>(cta, source.packed, frame, row, slice), frame.reference));
      store_edge(cta, first + row * kLanes<T> + slice * kSliceLength<T>, quad);
    }
  }
  template <class Cta>
  BOBBIN_HD void store_edge(Cta& cta, uint64_t first, const Quad& quad) const {
    if (offset % kSliceLength<T> == 0 && first >= offset && first + kSliceLength<T> <= end) {
      const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kSliceLength<T>};
      cta.store_once(quads, (first - offset) / kSliceLength<T>, quad);
      return;
    }
    for (uint32_t i = 0; i < kSliceLength<T>; ++i) {
      store_inside(cta, first + i, value_in<T>(quad, i));
    }
  }
  template <class Cta>
  BOBBIN_HD void store_inside(Cta& cta, uint64_t at, T value) const {
    if (at >= offset && at < end) {
      cta.store(out, at - offset, value);
    }
  }
};

// What decodes an array whose frames come from `source`.
template <class T, class Source>
struct Decoding {
  using K = DecodeKernel<T, Source>;
  K kernel;
  uint64_t blocks;

  static Decoding of(const Source& source, const Array& array, void* out) {
    const uint64_t end = array.offset + array.length;
    return {{source, {static_cast<T*>(out), array.length}, array.offset, end},
            ceil_div<uint64_t>(end, K::Tile::kValues)};
  }
};

template <class T, class Executor, class Source>
Status run_decode(const Executor& executor, const Source& source, const Array& array, void* out) {
  const auto decoding = Decoding<T, Source>::of(source, array, out);
  return executor.run(decoding.kernel, decoding.blocks);
}

// As DeviceOps::gather.
template <class T, class Executor, class Source>
bool gather_decode(const Source& source, const Array& array, uint64_t out, simt::Gathered& others) {
  const auto decoding = Decoding<T, Source>::of(source, array, reinterpret_cast<void*>(out));
  others.add<Executor>(decoding.kernel, decoding.blocks);
  return true;
}

}  // namespace bobbin::codec::bitpack
