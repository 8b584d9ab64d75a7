// SPDX-License-Identifier: Apache-2.0
// Plans for dictionaries: entries, and codes that are not packed, are decoded to separate memory by the
// kernels of their own codecs, and joined here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "bobbin/memory.hpp"
#include "codecs/dict/decode_kernel.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/dict/gather_kernel.hpp"
#include "codecs/dict/query_kernels.hpp"
#include "codecs/dict/tile.hpp"
#include "codecs/patched/kernels.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::dict {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    if (array.length == 0) {
      return {};
    }
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const Array& dictionary = dictionary_of(array);
      BOBBIN_ASSIGN(const DeviceBuffer memory, decoded(dictionary, stream));
      const Global<const T> entries{memory.template as<T>(), dictionary.length};
      const Global<T> values{static_cast<T*>(out), array.length};
      return visit_codes(codes_of(array).type, [&]<class Code>(std::type_identity<Code>) {
        if constexpr (sizeof(T) >= 4 && sizeof(Code) <= 2) {
          if (codes_of(array).codec == CodecId::bitpack || codes_of(array).codec == CodecId::ffor) {
            return unpack<T, Code>(array, entries, values, stream);
          }
        }
        return gather<T, Code>(array, entries, values, stream);
      });
    });
  }

  // Tests only the dictionary's entries; codes then look up the results.
  static Status compare(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
    return with_codes(array, stream, [&]<class Code>(const CodeSource<Code>& source) -> Status {
      BOBBIN_ASSIGN(const DeviceBuffer passes, test_entries(dictionary_of(array), range, stream));
      const uint64_t words = num_vectors(array.offset + array.length) * (kVectorLength / 32);
      return look_up(source, passes, dictionary_of(array).length, array.offset, {bitmap, words}, stream);
    });
  }

  static Result<StringSizes> sizes(const Array& array, StreamView stream) {
    uint64_t bytes = 0;
    const Status status =
        with_codes(array, stream, [&]<class Code>(const CodeSource<Code>& source) -> Status {
          BOBBIN_ASSIGN(bytes, total_of(source, dictionary_of(array), stream));
          return {};
        });
    BOBBIN_TRY(status);
    return StringSizes::of(bytes);
  }

  static Status decode_strings(const Array& array, const StringSizes& sizes, const StringsOut& out,
                               uint32_t* fault, StreamView stream) {
    if (array.length == 0) {
      BOBBIN_RETURN_IF(sizes.bytes != 0, StatusCode::corrupt, "dict: no rows, but string bytes expected");
      return fill_async(out.offsets, 0, sizeof(uint32_t), stream);
    }
    const bool wide = sizes.wide || host_sizes(dictionary_of(array)).wide;
    return with_codes(array, stream, [&]<class Code>(const CodeSource<Code>& source) {
      return wide ? copy_strings<Code, uint64_t>(array, source, sizes, out, fault, stream)
                  : copy_strings<Code, uint32_t>(array, source, sizes, out, fault, stream);
    });
  }

  static Status take_offsets(const Array& array, const uint64_t* indices, uint64_t count, uint64_t* offsets,
                             StreamView stream) {
    const Array& dictionary = dictionary_of(array);
    BOBBIN_ASSIGN(const DeviceBuffer entries, entries_of(array, indices, count, stream));
    return strings_of(dictionary, stream)
        .take_offsets(dictionary, entries.template as<uint64_t>(), count, offsets, stream);
  }

  static Status take_bytes(const Array& array, const uint64_t* indices, uint64_t count,
                           const uint64_t* offsets, uint8_t* bytes, uint32_t* fault, StreamView stream) {
    const Array& dictionary = dictionary_of(array);
    BOBBIN_ASSIGN(const DeviceBuffer entries, entries_of(array, indices, count, stream));
    return strings_of(dictionary, stream)
        .take_bytes(dictionary, entries.template as<uint64_t>(), count, offsets, bytes, fault, stream);
  }

  static Status match(const Array& array, const StringQuery& query, uint32_t* bitmap, uint32_t* fault,
                      StreamView stream) {
    return with_codes(array, stream, [&]<class Code>(const CodeSource<Code>& source) -> Status {
      const Array& dictionary = dictionary_of(array);
      BOBBIN_ASSIGN(const DeviceBuffer passes, bits_for(dictionary.length, stream));
      BOBBIN_TRY(strings_of(dictionary, stream)
                     .match(dictionary, query, passes.template as<uint32_t>(), fault, stream));
      return look_up(source, passes, dictionary.length, 0, {bitmap, ceil_div<uint64_t>(array.length, 32)},
                     stream);
    });
  }

  static constexpr StringDeviceOps string_ops() {
    return {.sizes = &sizes,
            .decode = &decode_strings,
            .take_offsets = &take_offsets,
            .take_bytes = &take_bytes,
            .match = &match};
  }
  static constexpr DeviceOps ops(const StringDeviceOps* strings) {
    return {.decode = &decode, .compare = &compare, .strings = strings};
  }

 private:
  template <class K>
  static uint64_t blocks_for(const K& /*kernel*/, uint64_t threads) {
    return ceil_div<uint64_t>(threads, K::kThreads);
  }

  static const StringDeviceOps& strings_of(const Array& dictionary, StreamView stream) {
    return *device_ops(stream.backend(), dictionary.codec)->strings;
  }

  // Decodes all values of an array of numbers.
  static Result<DeviceBuffer> decoded(const Array& array, StreamView stream) {
    BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(array.length * size_bytes(array.type), stream));
    BOBBIN_TRY(device_ops(stream.backend(), array.codec)->decode(array, values.data(), stream));
    return {std::move(values)};
  }

  // Calls f with all codes, decoded, unless there are no rows.
  template <class F>
  static Status with_codes(const Array& array, StreamView stream, F&& f) {
    if (array.length == 0) {
      return {};
    }
    return visit_codes(codes_of(array).type, [&]<class Code>(std::type_identity<Code>) -> Status {
      BOBBIN_ASSIGN(const DeviceBuffer codes, decoded(codes_of(array), stream));
      return f(CodeSource<Code>{{codes.template as<Code>(), array.length},
                                last_code<Code>(dictionary_of(array).length)});
    });
  }

  // Decodes packed codes in the same launch.
  template <class T, class Code>
  static Status unpack(const Array& array, Global<const T> entries, Global<T> values, StreamView stream) {
    using Frames = patched::AnyFrames<Code>;
    using K = UnpackKernel<T, Code, Frames>;
    const uint64_t end = array.offset + array.length;
    const K kernel{.source = patched::Plans<Executor>::template frames_of<Code>(codes_of(array)),
                   .last = last_code<Code>(entries.size),
                   .entries = entries,
                   .out = values,
                   .offset = array.offset,
                   .end = end};
    return Executor(stream).run(kernel, K::blocks(end));
  }
  template <class T, class Code>
  static Status gather(const Array& array, Global<const T> entries, Global<T> values, StreamView stream) {
    using K = GatherKernel<T, Code>;
    BOBBIN_ASSIGN(const DeviceBuffer codes, decoded(codes_of(array), stream));
    const CodeSource<Code> source{{codes.template as<Code>(), array.length}, last_code<Code>(entries.size)};
    return Executor(stream).run(K{source, entries, values}, K::blocks(array.length));
  }

  // Space for one bit per entry.
  static Result<DeviceBuffer> bits_for(uint64_t entries, StreamView stream) {
    return DeviceBuffer::create(ceil_div<uint64_t>(entries, 32) * sizeof(uint32_t), stream);
  }

  static Result<DeviceBuffer> test_entries(const Array& dictionary, const ValueRange& range,
                                           StreamView stream) {
    BOBBIN_ASSIGN(const DeviceBuffer entries, decoded(dictionary, stream));
    BOBBIN_ASSIGN(DeviceBuffer passes, bits_for(dictionary.length, stream));
    BOBBIN_TRY(visit_bits(dictionary.type, [&]<class T>(std::type_identity<T>) {
      const TestKernel<T> kernel{
          .entries = {entries.template as<T>(), dictionary.length},
          .bitmap = {passes.template as<uint32_t>(), ceil_div<uint64_t>(dictionary.length, 32)},
          .are_floats = is_float(dictionary.type),
          .low = static_cast<T>(range.low),
          .span = static_cast<T>(range.span),
          .negated = range.negated};
      return Executor(stream).run(kernel, blocks_for(kernel, dictionary.length));
    }));
    return {std::move(passes)};
  }

  template <class Code>
  static Status look_up(const CodeSource<Code>& source, const DeviceBuffer& passes, uint64_t entries,
                        uint64_t first, Global<uint32_t> bitmap, StreamView stream) {
    const LookUpKernel<Code> kernel{
        source, {passes.template as<uint32_t>(), ceil_div<uint64_t>(entries, 32)}, first, bitmap};
    return Executor(stream).run(kernel, blocks_for(kernel, bitmap.size * 32));
  }

  // Where the first entry's string begins and where each ends.
  static Result<DeviceBuffer> entry_ends(const Array& dictionary, StreamView stream) {
    const uint64_t entries = dictionary.length;
    BOBBIN_ASSIGN(const DeviceBuffer all, DeviceBuffer::create(entries * sizeof(uint64_t), stream));
    const CountUpKernel count{{all.template as<uint64_t>(), entries}};
    BOBBIN_TRY(Executor(stream).run(count, blocks_for(count, entries)));
    BOBBIN_ASSIGN(DeviceBuffer ends, DeviceBuffer::create((entries + 1) * sizeof(uint64_t), stream));
    BOBBIN_TRY(strings_of(dictionary, stream)
                   .take_offsets(dictionary, all.template as<uint64_t>(), entries,
                                 ends.template as<uint64_t>(), stream));
    return {std::move(ends)};
  }

  // Total size of all rows' strings. Waits for the stream.
  template <class Code>
  static Result<uint64_t> total_of(const CodeSource<Code>& source, const Array& dictionary,
                                   StreamView stream) {
    uint64_t total = 0;
    BOBBIN_ASSIGN(const DeviceBuffer ends, entry_ends(dictionary, stream));
    BOBBIN_ASSIGN(const DeviceBuffer sum, DeviceBuffer::create(sizeof total, stream));
    BOBBIN_TRY(fill_async(sum.data(), 0, sizeof total, stream));
    const TotalKernel<Code> kernel{
        source, {ends.template as<uint64_t>(), dictionary.length + 1}, {sum.template as<uint64_t>(), 1}};
    BOBBIN_TRY(Executor(stream).run(kernel, kernel.blocks(source.codes.size)));
    BOBBIN_TRY(copy_async(&total, sum.data(), sizeof total, stream));
    BOBBIN_TRY(stream.synchronize());
    return total;
  }

  // Maps rows to their entries.
  static Result<DeviceBuffer> entries_of(const Array& array, const uint64_t* indices, uint64_t count,
                                         StreamView stream) {
    BOBBIN_ASSIGN(DeviceBuffer entries, DeviceBuffer::create(count * sizeof(uint64_t), stream));
    BOBBIN_TRY(with_codes(array, stream, [&]<class Code>(const CodeSource<Code>& source) {
      const EntriesKernel<Code> kernel{source, {indices, count}, {entries.template as<uint64_t>(), count}};
      return Executor(stream).run(kernel, blocks_for(kernel, count));
    }));
    return {std::move(entries)};
  }

  // Sizes from the metadata, which the host has.
  static StringSizes host_sizes(const Array& dictionary) {
    return find_codec(dictionary.codec)->strings->sizes(dictionary);
  }

  // All temporary memory in one allocation: allocations are slow when several threads make them.
  template <class Offset>
  struct Scratch {
    DeviceBuffer memory;
    Global<uint32_t> narrow_ends;  // of entries, as decoded; empty if those are `ends`
    Global<Offset> ends;           // of entries
    Global<uint64_t> bytes;        // of entries, padded for reads past their end
    Global<uint64_t> begins;       // of tiles

    static Result<Scratch> create(const StringSizes& entries, uint64_t num_entries, uint64_t num_tiles,
                                  StreamView stream) {
      constexpr uint64_t kPadding = StringsKernel<uint8_t, Offset>::kPadding;
      const uint64_t num_ends = num_entries + 1;
      const uint64_t num_narrow = sizeof(Offset) == sizeof(uint64_t) && !entries.wide ? num_ends : 0;
      const uint64_t words = ceil_div<uint64_t>(entries.bytes + kPadding, sizeof(uint64_t));
      uint64_t size = 0;
      const auto place = [&size](uint64_t part_bytes) {
        return std::exchange(size, size + round_up<uint64_t>(part_bytes, kRegisterBytes));
      };
      const uint64_t narrow_at = place(num_narrow * sizeof(uint32_t));
      const uint64_t ends_at = place(num_ends * sizeof(Offset));
      const uint64_t bytes_at = place(words * sizeof(uint64_t));
      const uint64_t begins_at = place((num_tiles + 1) * sizeof(uint64_t));
      BOBBIN_ASSIGN(DeviceBuffer memory, DeviceBuffer::create(size, stream));
      auto* const base = memory.template as<std::byte>();
      return Scratch{.memory = std::move(memory),
                     .narrow_ends = {reinterpret_cast<uint32_t*>(base + narrow_at), num_narrow},
                     .ends = {reinterpret_cast<Offset*>(base + ends_at), num_ends},
                     .bytes = {reinterpret_cast<uint64_t*>(base + bytes_at), words},
                     .begins = {reinterpret_cast<uint64_t*>(base + begins_at), num_tiles + 1}};
    }
  };

  template <class Offset>
  static Status decode_entries(const Array& dictionary, const Scratch<Offset>& to, uint32_t* fault,
                               StreamView stream) {
    const bool widen = to.narrow_ends.size != 0;
    void* const ends = widen ? static_cast<void*>(to.narrow_ends.data) : to.ends.data;
    BOBBIN_TRY(strings_of(dictionary, stream)
                   .decode(dictionary, host_sizes(dictionary),
                           {ends, reinterpret_cast<uint8_t*>(to.bytes.data)}, fault, stream));
    if constexpr (sizeof(Offset) == sizeof(uint64_t)) {
      const WidenKernel kernel{{to.narrow_ends.data, to.narrow_ends.size}, to.ends};
      return widen ? Executor(stream).run(kernel, blocks_for(kernel, to.ends.size)) : Status();
    }
    return {};
  }

  template <class Code, class Offset>
  static Status copy_strings(const Array& array, const CodeSource<Code>& source, const StringSizes& sizes,
                             const StringsOut& out, uint32_t* fault, StreamView stream) {
    using Tiles = StringTiles<Code, Offset>;
    constexpr uint64_t kBlockBytes = 64 * 1024;  // of a tile's output per block
    const Executor executor(stream);
    const Array& dictionary = dictionary_of(array);
    const uint64_t count = Tiles::count(array.length);
    BOBBIN_ASSIGN(const Scratch<Offset> scratch,
                  Scratch<Offset>::create(host_sizes(dictionary), dictionary.length, count, stream));
    BOBBIN_TRY(decode_entries(dictionary, scratch, fault, stream));
    const Tiles tiles{source, {scratch.ends.data, scratch.ends.size}};
    BOBBIN_TRY(executor.run(TileSumsKernel<Code, Offset>{tiles, {scratch.begins.data + 1, count}}, count));
    BOBBIN_TRY(executor.run(TileBeginsKernel{scratch.begins}, 1));
    const uint64_t parts = std::clamp<uint64_t>(sizes.bytes / count / kBlockBytes, 1, UINT32_MAX / count);
    const uint64_t offsets = array.length + 1;
    const StringsKernel<Code, Offset> kernel{
        .tiles = tiles,
        .bytes = {scratch.bytes.data, scratch.bytes.size},
        .tile_begins = {scratch.begins.data, scratch.begins.size},
        .parts = static_cast<uint32_t>(parts),
        .narrow = {static_cast<uint32_t*>(out.offsets), sizes.wide ? 0 : offsets},
        .wide = {static_cast<uint64_t*>(out.offsets), sizes.wide ? offsets : 0},
        .out = {out.bytes, sizes.bytes},
        .fault = {fault, 1}};
    return executor.run(kernel, count * parts);
  }
};

}  // namespace bobbin::codec::dict
