// SPDX-License-Identifier: Apache-2.0
// Kernels of compressed lines and the plans that launch them, for the GPU and the emulator (device.cu).
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "bobbin/memory.hpp"
#include "codecs/line/array.hpp"
#include "codecs/line/tile.hpp"
#include "codecs/line/write.hpp"
#include "simt/look_back.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::line {

// Bytes begin .. end-1 of an array's lines, of values of value_bytes, go to `out`.
struct Output {
  Global<uint8_t> out;
  uint64_t begin;
  uint64_t end;
  uint32_t value_bytes;

  // Stores a part that begins at byte `at` of the lines.
  template <class Cta>
  BOBBIN_HD void store(Cta& cta, uint64_t at, const Quad& quad) const {
    if (begin % sizeof(Quad) == 0 && at >= begin && at + sizeof(Quad) <= end) {
      const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / sizeof(Quad)};
      cta.store_once(quads, (at - begin) / sizeof(Quad), quad);
    } else if (value_bytes >= sizeof(uint32_t)) {
      store_each<uint32_t>(cta, at, quad);
    } else if (value_bytes == sizeof(uint16_t)) {
      store_each<uint16_t>(cta, at, quad);
    } else {
      store_each<uint8_t>(cta, at, quad);
    }
  }

 private:
  // At the edges, and for slices that begin between multiples of 16 bytes.
  template <class T, class Cta>
  BOBBIN_HD void store_each(Cta& cta, uint64_t at, const Quad& quad) const {
    const Global<T> values{reinterpret_cast<T*>(out.data), out.size / sizeof(T)};
    constexpr uint32_t kPerWord = sizeof(uint32_t) / sizeof(T);
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < sizeof(Quad) / sizeof(T); ++i) {
      const uint64_t place = at + i * sizeof(T);
      if (place >= begin && place < end) {
        cta.store(values, (place - begin) / sizeof(T),
                  static_cast<T>(quad.word[i / kPerWord] >> i % kPerWord * 8 * sizeof(T)));
      }
    }
  }
};

template <uint32_t kLineBytes>
struct DecodeKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kMinBlocks = 4;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  using Reader = TileReader<kLineBytes>;

  struct Shared {
    typename Reader::StagedJobs jobs[kWarps];
  };

  Reader lines;
  Output output;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t group = uint64_t{cta.block()} * kWarps + cta.warp();
    const uint64_t first = group * simt::kWarpSize * kLineBytes;
    lines.template for_each_part<Lanes::one_part>(
        cta, shared.jobs[cta.warp()], lines.header(cta, group), [&](uint32_t part, const Quad& quad) {
          output.store(cta, first + uint64_t{part} * kPartBytes, quad);
        });
  }
};

// Compresses lines in one pass: a block takes a ticket for the next lines, compresses them in registers,
// learns from earlier blocks where its images go (decoupled look-back), and stores them through shared
// memory.
template <uint32_t kLineBytes, Algorithms kTried>
struct EncodeKernel {
  // Those that try only the fixed codes of BDI need fewer registers. Larger blocks wait less often for the
  // earlier ones: 3 % faster than 256 threads.
  static constexpr bool kIsSimple = !(kTried.any_width || kTried.fpc || kTried.cpack);
  static constexpr uint32_t kThreads = kIsSimple ? 512 : 256;
  static constexpr uint32_t kMinBlocks = kIsSimple ? 2 : 3;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kWords = kLineBytes / 4;
  using Stage = line::Stage<kWords>;

  struct Shared {
    typename Stage::Quads stage[kWarps];
    simt::Shared<uint32_t, kWarps> warp_bytes;
    simt::Shared<uint64_t, 2> block;  // its number, and where its images begin
  };

  Global<const uint8_t> values;  // aligned to 16 bytes
  Global<uint32_t> starts;
  Global<uint8_t> codes;
  Global<Quad> images;
  Global<uint64_t> tickets;  // [0]: the next block; [1]: receives the bytes of all images
  Global<uint64_t> states;   // one per block
  uint32_t tile_lines;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      cta.store(shared.block, 0, cta.template atomic_add<simt::Order::relaxed>(tickets, 0, uint64_t{1}));
    }
    cta.sync();
    const uint64_t block = cta.load(shared.block, 0);
    const uint64_t first = block * kThreads + cta.warp() * simt::kWarpSize;
    auto& stage = shared.stage[cta.warp()];
    const Line<kWords> line = load_line(cta, stage, first);
    const Plan plan = choose<kTried>(line);
    const Place place = place_lines(cta, plan.code, kLineBytes, tile_lines);
    // Tiles of the warp follow one another; the last lane of a tile counts for it.
    const bool is_last = (cta.lane() & (tile_lines - 1)) == tile_lines - 1;
    const uint32_t padded = round_up<uint32_t>(place.tile_bytes, kPartBytes);
    const uint32_t through = simt::sum_through(cta, is_last ? padded : 0);
    const uint32_t total = cta.shfl(through, simt::kWarpSize - 1);
    const uint32_t tile_start = is_last ? through - padded : through;
    announce(cta, shared, block, total);
    // Raw lines are in the stage already: all lanes would write the same bank of shared memory.
    const bool is_raw = cta.all(plan.code == kRaw);
    if (!is_raw) {
      write_images(cta, stage, line, plan, tile_start, place, is_last);
    }
    const uint64_t images_at = start_of_warp(cta, shared);
    store_images(cta, stage, images_at / sizeof(Quad), total / sizeof(Quad), is_raw);
    const uint64_t number = first + cta.lane();
    if (number < codes.size) {
      cta.store(codes, number, static_cast<uint8_t>(plan.code));
      if ((cta.lane() & (tile_lines - 1)) == 0) {
        cta.store(starts, number >> trailing_zeros(tile_lines),
                  static_cast<uint32_t>((images_at + tile_start) / kStartBytes));
      }
    }
  }

 private:
  // Sixteen bytes of values; those past the end are zeros.
  template <class Cta>
  BOBBIN_HD Quad load_quad(Cta& cta, uint64_t i) const {
    if ((i + 1) * sizeof(Quad) <= values.size) {
      const Global<const Quad> quads{reinterpret_cast<const Quad*>(values.data), values.size / sizeof(Quad)};
      return cta.load_once(quads, i);
    }
    Quad quad{};
    for (uint64_t at = i * sizeof(Quad); at < values.size; ++at) {
      const auto byte = static_cast<uint32_t>(at % sizeof(Quad));
      const uint32_t bits = static_cast<uint32_t>(cta.load(values, at)) << byte % 4 * 8;
      BOBBIN_UNROLL
      for (uint32_t w = 0; w < 4; ++w) {
        quad.word[w] |= byte / 4 == w ? bits : 0;
      }
    }
    return quad;
  }

  template <class Cta>
  BOBBIN_HD Line<kWords> load_line(Cta& cta, typename Stage::Quads& stage, uint64_t first) const {
    constexpr uint32_t kParts = Stage::kParts;
    Quad quads[kParts];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kParts; ++i) {
      quads[i] = load_quad(cta, first * kParts + i * simt::kWarpSize + cta.lane());
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kParts; ++i) {
      const uint32_t q = i * simt::kWarpSize + cta.lane();
      cta.store(stage, q / kParts * Stage::kLineQuads + q % kParts, quads[i]);
    }
    cta.sync_warp();
    Line<kWords> line;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kParts; ++i) {
      const Quad quad = cta.load(stage, cta.lane() * Stage::kLineQuads + i);
      BOBBIN_UNROLL
      for (uint32_t w = 0; w < kPartWords; ++w) {
        line.word[i * kPartWords + w] = quad.word[w];
      }
    }
    cta.sync_warp();
    return line;
  }

  // The lines are in registers: their place in shared memory is used again.
  template <class Cta>
  BOBBIN_HD void write_images(Cta& cta, typename Stage::Quads& stage, const Line<kWords>& line,
                              const Plan& plan, uint32_t tile_start, const Place& place, bool is_last) const {
    auto& words = simt::seen_as<typename Stage::Words>(stage);
    const uint32_t to = (tile_start + place.start) / 4;
    write_image<kTried>(line, plan, [&](uint32_t i, uint32_t word) { cta.store(words, to + i, word); });
    if (is_last) {
      const uint32_t end = tile_start + round_up<uint32_t>(place.tile_bytes, kPartBytes);
      for (uint32_t i = (tile_start + place.tile_bytes) / 4; i < end / 4; ++i) {
        cta.store(words, i, uint32_t{0});
      }
    }
    cta.sync_warp();
  }

  // The first warp learns where the block's images begin, while the others write theirs to the stage.
  template <class Cta>
  BOBBIN_HD void announce(Cta& cta, Shared& shared, uint64_t block, uint32_t total) const {
    if (cta.lane() == 0) {
      cta.store(shared.warp_bytes, cta.warp(), total);
    }
    cta.sync();
    if (cta.warp() == 0) {
      const uint32_t own = cta.lane() < kWarps ? cta.load(shared.warp_bytes, cta.lane()) : 0;
      const uint32_t all = cta.reduce_add(own);
      const uint64_t before = simt::look_back(cta, states, block, all);
      if (cta.lane() == 0) {
        cta.store(shared.block, 1, before);
        if (block + 1 == states.size) {
          cta.store(tickets, 1, before + all);
        }
      }
    }
  }

  // Where the images of this warp begin, in bytes.
  template <class Cta>
  BOBBIN_HD uint64_t start_of_warp(Cta& cta, Shared& shared) const {
    cta.sync();
    uint64_t at = cta.load(shared.block, 1);
    for (uint32_t w = 0; w < cta.warp(); ++w) {
      at += cta.load(shared.warp_bytes, w);
    }
    return at;
  }

  template <class Cta>
  BOBBIN_HD void store_images(Cta& cta, typename Stage::Quads& stage, uint64_t first, uint32_t count,
                              bool is_raw) const {
    for (uint32_t i = cta.lane(); i < count; i += simt::kWarpSize) {
      const uint32_t from = is_raw ? i / Stage::kParts * Stage::kLineQuads + i % Stage::kParts : i;
      cta.store_once(images, first + i, cta.load(stage, from));
    }
  }
};

template <class T>
Global<T> as_global(const Buffer& buffer) {
  return {reinterpret_cast<T*>(buffer.bytes.data()), buffer.bytes.size() / sizeof(T)};
}

// The lines of an array in device memory.
template <uint32_t kLineBytes>
TileReader<kLineBytes> reader(const Array& array) {
  return {{as_global<const uint32_t>(array.buffers[2])},
          as_global<const uint32_t>(array.buffers[0]),
          as_global<const uint8_t>(array.buffers[1]),
          Layout::of(array).tile_lines()};
}

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Layout layout = Layout::of(array);
    return with_line_words(layout.line_bytes, [&]<uint32_t kWords>(std::integral_constant<uint32_t, kWords>) {
      using K = DecodeKernel<kWords * 4>;
      const uint64_t begin = array.offset * layout.value_bytes;
      const uint64_t bytes = array.length * layout.value_bytes;
      const K kernel{
          .lines = reader<kWords * 4>(array),
          .output = {{static_cast<uint8_t*>(out), bytes}, begin, begin + bytes, layout.value_bytes}};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(kernel.lines.codes.size, K::kThreads));
    });
  }

  // Any choice of algorithms gives a valid array: that without deltas of odd widths is larger, but lines of
  // one group more often have one code, and take fewer instructions.
  template <Algorithms kTried = kBest>
  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    using K = EncodeKernel<128, kTried>;
    const Layout layout{128, static_cast<uint32_t>(size_bytes(type))};
    const uint64_t tiles = layout.tiles(length);
    const uint64_t lines = tiles * layout.tile_lines();
    const uint64_t blocks = ceil_div<uint64_t>(lines, K::kThreads);
    BOBBIN_ASSIGN(Buffers made, Buffers::create(tiles, lines, blocks, stream));
    auto buffers = std::make_shared<Buffers>(std::move(made));
    BOBBIN_TRY(fill_async(buffers->work.data(), 0, buffers->work.size(), stream));
    auto* const work = buffers->work.template as<uint64_t>();
    const K kernel{.values = {static_cast<const uint8_t*>(data), length * layout.value_bytes},
                   .starts = {buffers->starts.template as<uint32_t>(), tiles},
                   .codes = {buffers->codes.template as<uint8_t>(), lines},
                   .images = {buffers->images.template as<Quad>(), buffers->images.size() / sizeof(Quad)},
                   .tickets = {work, 2},
                   .states = {work + 2, blocks},
                   .tile_lines = layout.tile_lines()};
    BOBBIN_TRY(Executor(stream).run(kernel, blocks));
    uint64_t bytes = 0;
    BOBBIN_TRY(copy_async(&bytes, work + 1, sizeof bytes, stream));
    BOBBIN_TRY(stream.synchronize());
    BOBBIN_RETURN_IF(bytes > kMaxImageBytes, StatusCode::unsupported,
                     "line: more than 64 GiB of images: split the array");
    const auto part = [&](const DeviceBuffer& buffer, size_t size) {
      return Buffer{buffers, {buffer.template as<std::byte>(), size}};
    };
    return Array{.codec = CodecId::line,
                 .type = type,
                 .length = length,
                 .offset = 0,
                 .metadata = {kMaxLineLog},
                 .buffers = {part(buffers->starts, tiles * sizeof(uint32_t)), part(buffers->codes, lines),
                             part(buffers->images, bytes)},
                 .children = {}};
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .encode = &encode<kBest>}; }

 private:
  // The images may be as large as the lines.
  struct Buffers {
    DeviceBuffer starts;
    DeviceBuffer codes;
    DeviceBuffer images;
    DeviceBuffer work;

    static Result<Buffers> create(uint64_t tiles, uint64_t lines, uint64_t blocks, StreamView stream) {
      BOBBIN_ASSIGN(DeviceBuffer starts, DeviceBuffer::create(tiles * sizeof(uint32_t), stream));
      BOBBIN_ASSIGN(DeviceBuffer codes, DeviceBuffer::create(lines, stream));
      BOBBIN_ASSIGN(DeviceBuffer images, DeviceBuffer::create(lines * 128, stream));
      BOBBIN_ASSIGN(DeviceBuffer work, DeviceBuffer::create((2 + blocks) * sizeof(uint64_t), stream));
      return Buffers{std::move(starts), std::move(codes), std::move(images), std::move(work)};
    }
  };
};

}  // namespace bobbin::codec::line
