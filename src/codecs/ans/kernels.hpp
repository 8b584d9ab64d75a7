// SPDX-License-Identifier: Apache-2.0
// Plans that launch the kernels, for the GPU and the emulator (device.cu).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "codecs/ans/decode_kernel.hpp"
#include "codecs/ans/encode_kernel.hpp"
#include "codecs/string_kernels.hpp"

namespace bobbin::codec::ans {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    if (array.length == 0) {
      return {};
    }
    const Header header = Header::parse(array.metadata);
    switch (header.bits) {
      case 8:
        return run_decode<8>(array, header, out, stream);
      case 9:
        return run_decode<9>(array, header, out, stream);
      case 10:
        return run_decode<10>(array, header, out, stream);
      default:
        return run_decode<11>(array, header, out, stream);
    }
  }

  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    const Global<const uint8_t> values{static_cast<const uint8_t*>(data), length};
    BOBBIN_ASSIGN(const Counts counts, count(values, stream));
    const Layout layout;
    const Frequencies frequencies = length == 0 ? Frequencies{} : normalize(counts, layout.bits);
    const Preamble preamble = preamble_of(frequencies, length, layout);
    BOBBIN_ASSIGN(const auto stored,
                  DeviceArray<uint16_t>::copy_of(preamble.stored.data(), preamble.stored.size(), stream));
    Array array{.codec = CodecId::ans,
                .type = type,
                .length = length,
                .offset = 0,
                .metadata = preamble.header.serialize(),
                .buffers = {stored.buffer()},
                .children = {}};
    BOBBIN_TRY(add_segments(array, preamble.header, counts, frequencies, values, stream));
    return array;
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .encode = &encode}; }

 private:
  // In large blocks if there is work for all that the device has room for.
  template <uint32_t kBits>
  static Status run_decode(const Array& array, const Header& header, void* out, StreamView stream) {
    using Large = DecodeKernel<kBits, LargeBlock>;
    const Executor executor(stream);
    if (executor.template fits<Large>()) {
      BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<Large>());
      if (header.num_segments() >= uint64_t{together} * Large::kWarps) {
        return run_blocks<Large>(executor, together, array, header, out);
      }
    }
    using Small = DecodeKernel<kBits, SmallBlock>;
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<Small>());
    return run_blocks<Small>(executor, together, array, header, out);
  }
  template <class K>
  static Status run_blocks(const Executor& executor, uint32_t most, const Array& array, const Header& header,
                           void* out) {
    const K kernel{.header = header,
                   .frequencies = global_of<uint16_t>(array.buffers[0]),
                   .units = global_of<uint64_t>(array.buffers[1]),
                   .offsets = global_of<uint32_t>(array.buffers[2]),
                   .begin = header.skip + array.offset,
                   .out = {static_cast<uint8_t*>(out), array.length},
                   .out_words = {static_cast<uint32_t*>(out), array.length / sizeof(uint32_t)}};
    const uint64_t needed = ceil_div<uint64_t>(header.num_segments(), K::kWarps);
    return executor.run(kernel, std::min<uint64_t>(needed, most));
  }

  static Result<Counts> count(Global<const uint8_t> values, StreamView stream) {
    BOBBIN_ASSIGN(const auto totals, DeviceArray<uint64_t>::zeros(Counts{}.size(), stream));
    const CountKernel kernel{
        {reinterpret_cast<const Quad*>(values.data), values.size / sizeof(Quad)}, values, totals.get()};
    const Executor executor(stream);
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<CountKernel>());
    const uint64_t threads = ceil_div<uint64_t>(kernel.quads.size, CountKernel::kQuadsPerThread) + 1;
    const uint64_t blocks = ceil_div<uint64_t>(threads, CountKernel::kThreads);
    BOBBIN_TRY(executor.run(kernel, std::min<uint64_t>(blocks, together)));
    BOBBIN_ASSIGN(const std::vector<uint64_t> fetched, totals.fetch(0, Counts{}.size(), stream));
    Counts counts;
    std::ranges::copy(fetched, counts.begin());
    return counts;
  }

  static std::vector<Quad> entries_of(const Frequencies& frequencies) {
    std::vector<Quad> entries;
    uint32_t begin = 0;
    for (const uint16_t frequency : frequencies) {
      entries.push_back(Entry::of(frequency, begin).quad);
      begin += frequency;
    }
    return entries;
  }

  // Adds the array's segments and their offsets. Waits for the stream.
  static Status add_segments(Array& array, const Header& header, const Counts& counts,
                             const Frequencies& frequencies, Global<const uint8_t> values,
                             StreamView stream) {
    const uint64_t count = header.num_segments();
    if (count == 0) {
      array.buffers.resize(3);
      return {};
    }
    const std::vector<Quad> host_entries = entries_of(frequencies);
    BOBBIN_ASSIGN(const auto entries,
                  DeviceArray<Quad>::copy_of(host_entries.data(), host_entries.size(), stream));
    const auto stride = most_words(header.values_in(0), header.bits);
    BOBBIN_ASSIGN(const auto words, DeviceArray<uint32_t>::create(count * stride, stream));
    BOBBIN_ASSIGN(const auto states, DeviceArray<uint64_t>::create(count * kLanes, stream));
    BOBBIN_ASSIGN(const auto sizes, DeviceArray<uint32_t>::create(count, stream));
    BOBBIN_ASSIGN(const auto offsets, DeviceArray<uint32_t>::create(count + 1, stream));
    BOBBIN_ASSIGN(const auto units,
                  DeviceArray<uint64_t>::create(most_units(header, counts, frequencies), stream));
    const uint64_t tiles = EncodeKernel::tiles_of(count);
    BOBBIN_ASSIGN(const auto flags, DeviceArray<uint32_t>::zeros(1 + tiles, stream));
    BOBBIN_ASSIGN(const auto sums, DeviceArray<uint64_t>::zeros(tiles, stream));
    const Executor executor(stream);
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<EncodeKernel>());
    const auto lag = static_cast<uint32_t>(std::min<uint64_t>(together, tiles));
    BOBBIN_TRY(executor.run(
        EncodeKernel{.header = header,
                     .entries = entries.read(),
                     .value_words = {reinterpret_cast<const uint32_t*>(values.data), values.size / 4},
                     .values = values,
                     .scratch = {stride, words.get(), states.get(), sizes.get()},
                     .tickets = {flags.get().data, 1},
                     .encoded = {flags.get().data + 1, tiles},
                     .lag = lag,
                     .sums = sums.get(),
                     .offsets = offsets.get(),
                     .units = units.get()},
        tiles + lag));
    BOBBIN_ASSIGN(const std::vector<uint64_t> last, sums.fetch(tiles - 1, 1, stream));
    const uint64_t total = last[0] & simt::TileState::kSum;
    BOBBIN_RETURN_IF(total > UINT32_MAX, StatusCode::unsupported, "ans: more than 32 GiB of segments");
    array.buffers.push_back(units.buffer().sub(0, total * kUnitBytes));
    array.buffers.push_back(offsets.buffer());
    return {};
  }

  // The units that all segments have at most: a value adds log2(2^P / f) bits to a state and, because
  // quotients are rounded, up to a 500th more. A state begins below 2^33 and ends with at least 33 bits.
  static uint64_t most_units(const Header& header, const Counts& counts, const Frequencies& frequencies) {
    double bits = 0;
    for (size_t s = 0; s < counts.size(); ++s) {
      bits += counts[s] == 0 ? 0 : static_cast<double>(counts[s]) * (header.bits - std::log2(frequencies[s]));
    }
    return header.num_segments() * (kStateUnits + 2) + static_cast<uint64_t>(bits * 1.003 / 64);
  }
};

}  // namespace bobbin::codec::ans
