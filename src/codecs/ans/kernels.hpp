// SPDX-License-Identifier: Apache-2.0
// Plans that launch the kernels, for the GPU and the emulator (device.cu).
#pragma once

#include <algorithm>
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
    BOBBIN_TRY(add_segments(array, preamble.header, frequencies, values, stream));
    return array;
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .encode = &encode}; }

 private:
  template <uint32_t kBits>
  static Status run_decode(const Array& array, const Header& header, void* out, StreamView stream) {
    using K = DecodeKernel<kBits>;
    const K kernel{.header = header,
                   .frequencies = global_of<uint16_t>(array.buffers[0]),
                   .units = global_of<uint64_t>(array.buffers[1]),
                   .offsets = global_of<uint32_t>(array.buffers[2]),
                   .begin = header.skip + array.offset,
                   .out = {static_cast<uint8_t*>(out), array.length},
                   .out_words = {static_cast<uint32_t*>(out), array.length / sizeof(uint32_t)}};
    const Executor executor(stream);
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
    const uint64_t needed = ceil_div<uint64_t>(header.num_segments(), K::kWarps);
    return executor.run(kernel, std::min<uint64_t>(needed, together));
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

  static std::vector<Quad> symbols_of(const Frequencies& frequencies) {
    std::vector<Quad> symbols;
    uint32_t begin = 0;
    for (const uint16_t frequency : frequencies) {
      symbols.push_back(EncodeKernel::pack(Symbol::of(frequency, begin)));
      begin += frequency;
    }
    return symbols;
  }

  // Adds the array's segments and their offsets. Waits for the stream.
  static Status add_segments(Array& array, const Header& header, const Frequencies& frequencies,
                             Global<const uint8_t> values, StreamView stream) {
    const uint64_t count = header.num_segments();
    if (count == 0) {
      array.buffers.resize(3);
      return {};
    }
    const auto stride = most_words(header.values_in(0), header.bits);
    const std::vector<Quad> host_symbols = symbols_of(frequencies);
    BOBBIN_ASSIGN(const auto symbols,
                  DeviceArray<Quad>::copy_of(host_symbols.data(), host_symbols.size(), stream));
    BOBBIN_ASSIGN(const auto words, DeviceArray<uint32_t>::create(count * stride, stream));
    BOBBIN_ASSIGN(const auto states, DeviceArray<uint64_t>::create(count * kLanes, stream));
    BOBBIN_ASSIGN(const auto counts, DeviceArray<uint32_t>::create(count, stream));
    BOBBIN_ASSIGN(const auto offsets, DeviceArray<uint32_t>::create(count + 1, stream));
    BOBBIN_ASSIGN(const auto total, DeviceArray<uint64_t>::create(1, stream));
    const Scratch scratch{stride, words.get(), states.get(), counts.get()};
    const Executor executor(stream);
    BOBBIN_TRY(executor.run(
        EncodeKernel{.header = header,
                     .symbols = symbols.read(),
                     .value_words = {reinterpret_cast<const uint32_t*>(values.data), values.size / 4},
                     .values = values,
                     .scratch = scratch},
        ceil_div<uint64_t>(count, EncodeKernel::kWarps)));
    BOBBIN_TRY(executor.run(PlaceKernel{counts.read(), offsets.get(), total.get()}, 1));
    BOBBIN_ASSIGN(const std::vector<uint64_t> fetched, total.fetch(0, 1, stream));
    BOBBIN_RETURN_IF(fetched[0] > UINT32_MAX, StatusCode::unsupported, "ans: more than 32 GiB of segments");
    BOBBIN_ASSIGN(const auto units, DeviceArray<uint64_t>::create(fetched[0], stream));
    BOBBIN_TRY(executor.run(CopyKernel{scratch, offsets.read(), units.get()}, count));
    array.buffers.push_back(units.buffer());
    array.buffers.push_back(offsets.buffer());
    return stream.synchronize();
  }
};

}  // namespace bobbin::codec::ans
