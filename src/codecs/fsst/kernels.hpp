// SPDX-License-Identifier: Apache-2.0
// The plans that launch fsst's kernels, for any executor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/scan.hpp"
#include "codecs/delta/kernels.hpp"
#include "codecs/fsst/decode_kernel.hpp"
#include "codecs/fsst/encode_kernel.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/fsst/index_kernel.hpp"
#include "codecs/fsst/query_kernels.hpp"
#include "codecs/registry.hpp"
#include "codecs/string_kernels.hpp"
#include "codecs/string_validity.hpp"

namespace bobbin::codec::fsst {

// Converts offsets of either width to the width that an array uses.
template <class T>
struct NarrowKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  DeviceOffsets from;
  Global<T> to;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < to.size) {
      cta.store(to, i, static_cast<T>(from.at(cta, i)));
    }
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, const StringSizes& /*sizes*/, const StringsOut& out,
                       uint32_t* fault, StreamView stream) {
    const Executor executor(stream);
    const Header header = Header::parse(array.metadata);
    return with_offset_type(
        array.children[1].type == DType::u64, [&]<class T>(std::type_identity<T>) -> Status {
          using K = DecodeKernel<T>;
          const auto offsets = delta::Plans<Executor>::template decoding<T, typename K::Offsets>(
              array.children[1], out.offsets);
          const K kernel{.bytes = {.stream = stream_of(array),
                                   .out = {out.bytes, header.out_bytes},
                                   .out_begin = header.out_begin,
                                   .fault = {fault, 1}},
                         .offsets = offsets.kernel,
                         .offset_blocks = static_cast<uint32_t>(offsets.blocks)};
          BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
          const uint64_t tiles = num_tiles(header.code_end) - header.code_begin / kTileBytes;
          const uint64_t blocks = ceil_div<uint64_t>(tiles, BytesDecoder::kWarps);
          return executor.run(kernel, offsets.blocks + std::min<uint64_t>(blocks, together));
        });
  }

  static Status check_content(const Array& array, const void* offsets, uint32_t* fault, StreamView stream) {
    const Header header = Header::parse(array.metadata);
    BOBBIN_TRY(with_offsets(array.children[0], stream, [&]<class T>(Global<const T> decoded) {
      return check_offsets(array, decoded, header.code_begin, header.code_end, fault, stream);
    }));
    const auto check = [&]<class T>(Global<const T> decoded) {
      return check_offsets(array, decoded, 0, header.out_bytes, fault, stream);
    };
    if (offsets == nullptr) {
      return with_offsets(array.children[1], stream, check);
    }
    return with_offset_type(array.children[1].type == DType::u64, [&]<class T>(std::type_identity<T>) {
      return check(Global<const T>{static_cast<const T*>(offsets), array.length + 1});
    });
  }

  static Result<Array> encode(const StringsView& strings, const Array* previous, StreamView stream) {
    BOBBIN_ASSIGN(const DeviceOffsets offsets, offsets_of(strings, stream));
    BOBBIN_ASSIGN(const uint64_t end, fetch_offset(strings, strings.length, stream));
    const Global<const uint8_t> bytes{strings.bytes + offsets.base, end - offsets.base};
    BOBBIN_ASSIGN(const std::vector<uint8_t> validity, fetch_validity(strings, offsets, stream));
    BOBBIN_ASSIGN(const Sample sample, Sample::fetch(offsets, bytes, stream));
    const SymbolTable table = choose_table(sample.pieces(), previous);
    BOBBIN_ASSIGN(const Encoded encoded, encode_bytes(table, offsets, bytes, sample.pieces(), stream));
    return assemble(strings, table, offsets, bytes.size, encoded, validity, stream);
  }

  static Status take_offsets(const Array& array, const uint64_t* indices, uint64_t count, uint64_t* offsets,
                             StreamView stream) {
    BOBBIN_TRY(fill_async(offsets, 0, sizeof(uint64_t), stream));
    return with_offsets(array.children[1], stream, [&]<class T>(Global<const T> all) -> Status {
      const TakeSizesKernel<T> kernel{all, {indices, count}, {offsets + 1, count}};
      BOBBIN_TRY(Executor(stream).run(kernel, blocks_for(kernel, count)));
      return scan::run(DType::u64, scan::Kind::inclusive, offsets + 1, offsets + 1, count, {}, stream);
    });
  }

  static Status take_bytes(const Array& array, const uint64_t* indices, uint64_t count,
                           const uint64_t* offsets, uint8_t* bytes, uint32_t* fault, StreamView stream) {
    return with_offsets(array.children[0], stream, [&]<class T>(Global<const T> code_offsets) -> Status {
      const TakeBytesKernel<T> kernel{.stream = stream_of(array),
                                      .code_offsets = code_offsets,
                                      .indices = {indices, count},
                                      .offsets = {offsets, count + 1},
                                      .out = {bytes, UINT64_MAX},
                                      .fault = {fault, 1}};
      return Executor(stream).run(kernel, blocks_for(kernel, count));
    });
  }

  // Waits for the stream: the constant must outlive the kernel.
  static Status match(const Array& array, const StringQuery& query, uint32_t* bitmap, uint32_t* /*fault*/,
                      StreamView stream) {
    BOBBIN_TRY(check_query(query));
    const Header header = Header::parse(array.metadata);
    const bool on_codes = query.test == StringTest::equals && header.canonical;
    std::vector<uint8_t> wanted(query.bytes.begin(), query.bytes.end());
    std::vector<uint16_t> steps;
    if (on_codes || query.test == StringTest::contains) {
      BOBBIN_ASSIGN(const SymbolTable table, fetch_table(array, stream));
      if (on_codes) {
        wanted = encode_constant(table, query.bytes);
      } else {
        const Automaton automaton(table, query.bytes);
        steps.assign(automaton.steps().begin(), automaton.steps().end());
      }
    }
    BOBBIN_ASSIGN(const auto wanted_there,
                  DeviceArray<uint8_t>::copy_of(wanted.data(), wanted.size(), stream));
    BOBBIN_ASSIGN(const auto steps_there, DeviceArray<uint16_t>::copy_of(steps.data(), steps.size(), stream));
    return with_offsets(array.children[0], stream, [&]<class T>(Global<const T> code_offsets) -> Status {
      const MatchKernel<T> kernel{.stream = stream_of(array),
                                  .code_offsets = code_offsets,
                                  .validity = {global_of<uint8_t>(array.buffers[3]), array.offset},
                                  .length = array.length,
                                  .test = query.test,
                                  .on_codes = on_codes,
                                  .wanted = wanted_there.read(),
                                  .steps = steps_there.read(),
                                  .last = static_cast<uint32_t>(query.bytes.size()),
                                  .bitmap = {bitmap, ceil_div<uint64_t>(array.length, 32)}};
      BOBBIN_TRY(Executor(stream).run(kernel, blocks_for(kernel, array.length)));
      return stream.synchronize();
    });
  }

  // Computes the words of a stream's tiles from its codes, for codes without them. Ignores
  // `stream_of_codes.tiles`. Sets `fault` if the codes are corrupt.
  struct Index {
    DeviceArray<uint64_t> tiles;
    uint64_t bytes = 0;
  };
  static Result<Index> index(const CodeStream& codes, uint32_t* fault, StreamView stream) {
    const Executor executor(stream);
    const uint64_t tiles = num_tiles(codes.codes.size);
    // One more than tiles: the last has the total, and the flag for a byte after the last one.
    BOBBIN_ASSIGN(const auto closed, DeviceArray<uint64_t>::zeros(tiles + 1, stream));
    BOBBIN_ASSIGN(const auto open, DeviceArray<uint64_t>::zeros(tiles + 1, stream));
    BOBBIN_ASSIGN(const auto keys, DeviceArray<uint64_t>::zeros(tiles + 1, stream));
    BOBBIN_ASSIGN(const auto words, DeviceArray<uint64_t>::create(tiles + 1, stream));
    const TileSums sums{closed.get(), open.get()};
    const MeasureKernel measure{codes, sums, {keys.get().data, tiles}};
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<MeasureKernel>());
    BOBBIN_TRY(executor.run(measure,
                            std::min<uint64_t>(ceil_div<uint64_t>(tiles, MeasureKernel::kWarps), together)));
    BOBBIN_TRY(scan::run(DType::u64, scan::Kind::exclusive, keys.get().data, keys.get().data, tiles + 1,
                         {.op = scan::Op::max}, stream));
    const PickKernel pick{sums, keys.read(), words.get(), {fault, 1}};
    BOBBIN_TRY(executor.run(pick, blocks_for(pick, tiles + 1)));
    BOBBIN_TRY(scan::run(DType::u64, scan::Kind::exclusive, words.get().data, words.get().data, tiles + 1, {},
                         stream));
    const JoinKernel join{keys.read(), words.get()};
    BOBBIN_TRY(executor.run(join, blocks_for(join, tiles + 1)));
    BOBBIN_ASSIGN(const auto last, words.fetch(tiles, 1, stream));
    BOBBIN_RETURN_IF(last[0] >= kLiteralFirst, StatusCode::corrupt, "fsst: the codes end with an escape");
    return Index{words, last[0]};
  }

  static CodeStream stream_of(const Array& array) {
    const Header header = Header::parse(array.metadata);
    CodeStream stream{.codes = global_of<uint8_t>(array.buffers[1]),
                      .begin = header.code_begin,
                      .tiles = global_of<uint64_t>(array.buffers[2]),
                      .symbols = global_of<uint8_t>(array.buffers[0]),
                      .counts = {}};
    stream.codes.size = header.code_end;
    std::ranges::copy(header.counts, stream.counts.of_length);
    return stream;
  }

  static constexpr StringDeviceOps string_ops() {
    return {.decode = &decode,
            .check_content = &check_content,
            .encode = &encode,
            .take_offsets = &take_offsets,
            .take_bytes = &take_bytes,
            .match = &match};
  }

 private:
  template <class K>
  static uint64_t blocks_for(const K& /*kernel*/, uint64_t threads) {
    return ceil_div<uint64_t>(threads, K::kThreads);
  }

  // Calls f with all values of a child, decoded.
  template <class F>
  static Status with_offsets(const Array& child, StreamView stream, F&& f) {
    return with_offset_type(child.type == DType::u64, [&]<class T>(std::type_identity<T>) -> Status {
      BOBBIN_ASSIGN(const auto offsets, DeviceArray<T>::create(child.length, stream));
      BOBBIN_TRY(device_ops(stream.backend(), child.codec)->decode(child, offsets.get().data, stream));
      return f(offsets.read());
    });
  }

  template <class T>
  static Status check_offsets(const Array& array, Global<const T> offsets, uint64_t first, uint64_t last,
                              uint32_t* fault, StreamView stream) {
    const CheckOffsetsKernel<T> kernel{.offsets = offsets,
                                       .validity = {global_of<uint8_t>(array.buffers[3]), array.offset},
                                       .first = first,
                                       .last = last,
                                       .fault = {fault, 1}};
    return Executor(stream).run(kernel, blocks_for(kernel, offsets.size));
  }

  static Result<SymbolTable> fetch_table(const Array& array, StreamView stream) {
    std::vector<std::byte> symbols(array.buffers[0].bytes.size());
    BOBBIN_TRY(copy_async(symbols.data(), array.buffers[0].bytes.data(), symbols.size(), stream));
    BOBBIN_TRY(stream.synchronize());
    return SymbolTable::parse(Header::parse(array.metadata).counts, symbols.data());
  }

  // Encoding --------------------------------------------------------------------------------------------

  static Result<uint64_t> fetch_offset(const StringsView& strings, uint64_t i, StreamView stream) {
    uint64_t offset = 0;
    const size_t size = strings.wide ? sizeof(uint64_t) : sizeof(uint32_t);
    BOBBIN_TRY(copy_async(&offset, static_cast<const std::byte*>(strings.offsets) + i * size, size, stream));
    BOBBIN_TRY(stream.synchronize());
    return offset;
  }

  static Result<DeviceOffsets> offsets_of(const StringsView& strings, StreamView stream) {
    BOBBIN_ASSIGN(const uint64_t base, fetch_offset(strings, 0, stream));
    DeviceOffsets offsets{.narrow = {}, .wide = {}, .base = base, .length = strings.length};
    if (strings.wide) {
      offsets.wide = {static_cast<const uint64_t*>(strings.offsets), strings.length + 1};
    } else {
      offsets.narrow = {static_cast<const uint32_t*>(strings.offsets), strings.length + 1};
    }
    return offsets;
  }

  static Result<std::vector<uint8_t>> fetch_validity(const StringsView& strings, const DeviceOffsets& offsets,
                                                     StreamView stream) {
    if (strings.validity == nullptr) {
      return std::vector<uint8_t>{};
    }
    std::vector<uint8_t> bits(ceil_div<uint64_t>(strings.length, 8));
    BOBBIN_TRY(copy_async(bits.data(), strings.validity, bits.size(), stream));
    std::vector<uint64_t> ends(strings.length + 1);
    BOBBIN_ASSIGN(const auto wide, DeviceArray<uint64_t>::create(ends.size(), stream));
    const NarrowKernel<uint64_t> widen{offsets, wide.get()};
    BOBBIN_TRY(Executor(stream).run(widen, blocks_for(widen, ends.size())));
    BOBBIN_ASSIGN(ends, wide.fetch(0, ends.size(), stream));
    return tidy_validity({.type = strings.type,
                          .length = strings.length,
                          .offsets = ends.data(),
                          .wide = true,
                          .bytes = nullptr,
                          .validity = bits.data()});
  }

  // The sample from which the host learns the table.
  struct Sample {
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> begins;
    std::vector<Window> windows;

    static Result<Sample> fetch(const DeviceOffsets& offsets, Global<const uint8_t> from, StreamView stream) {
      Sample sample{{}, {}, sample_windows(from.size)};
      std::vector<uint64_t> begins;
      for (const Window& window : sample.windows) {
        begins.push_back(window.begin);
      }
      const uint64_t size = uint64_t{sample.windows[0].bytes} * sample.windows.size();
      BOBBIN_ASSIGN(const auto windows, DeviceArray<uint64_t>::copy_of(begins.data(), begins.size(), stream));
      BOBBIN_ASSIGN(const auto bytes, DeviceArray<uint8_t>::create(size, stream));
      BOBBIN_ASSIGN(const auto flags, DeviceArray<uint8_t>::create(size, stream));
      const SampleKernel kernel{
          offsets, from, windows.read(), std::max(1U, sample.windows[0].bytes), bytes.get(), flags.get()};
      BOBBIN_TRY(Executor(stream).run(kernel, blocks_for(kernel, size)));
      BOBBIN_ASSIGN(sample.bytes, bytes.fetch(0, size, stream));
      BOBBIN_ASSIGN(sample.begins, flags.fetch(0, size, stream));
      return sample;
    }

    [[nodiscard]] Pieces pieces() const {
      Pieces pieces;
      size_t at = 0;
      for (const Window& window : windows) {
        const size_t end = at + window.bytes;
        for (size_t next = at; at < end; at = next) {
          do {
            ++next;
          } while (next < end && begins[next] == 0);
          pieces.emplace_back(bytes.data() + at, next - at);
        }
      }
      return pieces;
    }
  };

  struct Encoded {
    DeviceArray<uint8_t> codes;  // may have room for more
    uint64_t num_codes = 0;
    DeviceArray<uint64_t> code_offsets;
  };

  static Result<Encoded> encode_bytes(const SymbolTable& table, const DeviceOffsets& offsets,
                                      Global<const uint8_t> bytes, const Pieces& sample, StreamView stream) {
    BOBBIN_ASSIGN(const auto code_offsets, DeviceArray<uint64_t>::zeros(offsets.length + 1, stream));
    // The worst case is twice the bytes; what the sample needed, plus a little, is usually enough.
    const uint64_t most = 2 * bytes.size;
    const double share = expected_share(table, sample);
    uint64_t room =
        std::min(most, static_cast<uint64_t>(share * 1.1 * static_cast<double>(bytes.size)) + 65536);
    while (true) {
      BOBBIN_ASSIGN(const auto codes, DeviceArray<uint8_t>::create(room, stream));
      BOBBIN_ASSIGN(const uint64_t made,
                    encode_into(table, offsets, bytes, codes.get(), code_offsets.get(), stream));
      if (made <= room) {
        return Encoded{codes, made, code_offsets};
      }
      room = most;
    }
  }

  static Result<uint64_t> encode_into(const SymbolTable& table, const DeviceOffsets& offsets,
                                      Global<const uint8_t> bytes, Global<uint8_t> codes,
                                      Global<uint64_t> code_offsets, StreamView stream) {
    if (bytes.size == 0) {
      return uint64_t{0};
    }
    const Executor executor(stream);
    const auto image = std::make_unique<MatcherImage>();
    MatcherImage::make(table, *image);
    BOBBIN_ASSIGN(const auto matcher, DeviceArray<MatcherImage>::copy_of(image.get(), 1, stream));
    const uint64_t tiles = ceil_div<uint64_t>(bytes.size, EncodeKernel::kTile);
    BOBBIN_ASSIGN(const auto firsts, DeviceArray<uint64_t>::create(tiles + 1, stream));
    const LocateKernel locate{offsets, EncodeKernel::kTile, firsts.get()};
    BOBBIN_TRY(executor.run(locate, blocks_for(locate, tiles + 1)));
    BOBBIN_ASSIGN(const auto states, DeviceArray<uint64_t>::zeros(tiles, stream));
    BOBBIN_ASSIGN(const auto counts, DeviceArray<uint64_t>::zeros(2, stream));
    const EncodeKernel kernel{.offsets = offsets,
                              .bytes = bytes,
                              .matcher = matcher.read(),
                              .firsts = firsts.read(),
                              .states = states.get(),
                              .counts = counts.get(),
                              .codes = codes,
                              .code_offsets = code_offsets};
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<EncodeKernel>());
    BOBBIN_TRY(executor.run(kernel, std::min<uint64_t>(tiles, together)));
    BOBBIN_ASSIGN(const auto made, counts.fetch(1, 1, stream));
    return made[0];
  }

  template <class T>
  static Result<Array> encode_offsets(const DeviceOffsets& offsets, StreamView stream) {
    BOBBIN_ASSIGN(const auto values, DeviceArray<T>::create(offsets.length + 1, stream));
    const NarrowKernel<T> narrow{offsets, values.get()};
    BOBBIN_TRY(Executor(stream).run(narrow, blocks_for(narrow, offsets.length + 1)));
    return delta::encode_on<Executor::kBackend>(kDTypeOf<T>, values.read().data, offsets.length + 1, {1, 1},
                                                stream);
  }

  static Result<Array> assemble(const StringsView& strings, const SymbolTable& table,
                                const DeviceOffsets& offsets, uint64_t out_bytes, const Encoded& encoded,
                                const std::vector<uint8_t>& validity, StreamView stream) {
    const std::vector<std::byte> symbols = table.serialize();
    BOBBIN_ASSIGN(const auto symbols_there,
                  DeviceArray<std::byte>::copy_of(symbols.data(), symbols.size(), stream));
    BOBBIN_ASSIGN(const auto codes,
                  DeviceArray<uint8_t>::copy_of(encoded.codes.get().data, encoded.num_codes, stream));
    BOBBIN_ASSIGN(const auto fault, DeviceArray<uint32_t>::zeros(1, stream));
    CodeStream code_stream{.codes = codes.read(),
                           .tiles = {},
                           .symbols = global_of<uint8_t>(symbols_there.buffer()),
                           .counts = {}};
    std::ranges::copy(table.counts, code_stream.counts.of_length);
    BOBBIN_ASSIGN(const Index tiles, index(code_stream, fault.get().data, stream));
    BOBBIN_ASSIGN(const auto validity_there,
                  DeviceArray<uint8_t>::copy_of(validity.data(), validity.size(), stream));
    const bool wide = needs_wide_offsets(out_bytes, encoded.num_codes);
    const DeviceOffsets code_offsets{
        .narrow = {}, .wide = encoded.code_offsets.read(), .base = 0, .length = offsets.length};
    return with_offset_type(wide, [&]<class T>(std::type_identity<T>) -> Result<Array> {
      BOBBIN_ASSIGN(Array code_child, encode_offsets<T>(code_offsets, stream));
      BOBBIN_ASSIGN(Array out_child, encode_offsets<T>(offsets, stream));
      const Buffer words = tiles.tiles.buffer();
      return join_parts(
          strings.type, strings.length, table, out_bytes,
          {symbols_there.buffer(), codes.buffer(),
           words.sub(0, num_tiles(encoded.num_codes) * sizeof(uint64_t)), validity_there.buffer()},
          {std::move(code_child), std::move(out_child)});
    });
  }
};

}  // namespace bobbin::codec::fsst
