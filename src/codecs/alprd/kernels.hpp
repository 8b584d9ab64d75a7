// SPDX-License-Identifier: Apache-2.0
// Plans that launch alprd's kernels. If both parts are packed vectors, the left ones with or without patches,
// decoding takes one launch; otherwise three. Encoding cuts values, and ffor, patched and bitpack encode the
// parts.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bobbin/memory.hpp"
#include "codecs/alprd/alprd.hpp"
#include "codecs/alprd/decode_kernel.hpp"
#include "codecs/alprd/encode_kernel.hpp"
#include "codecs/patched/kernels.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::alprd {

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Array& left = array.children[0];
    const bool with_patches = left.codec == CodecId::patched;
    const Array& codes = with_patches ? left.children[0] : left;
    const Array& right = array.children[1];
    if (!is_packed(codes) || !is_packed(right)) {
      return decode_apart(array, out, stream);
    }
    return visit_size(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      using K = DecodeKernel<T>;
      const uint64_t end = array.offset + array.length;
      const K kernel{
          .left = Patched::template frames_of<uint16_t>(codes),
          .patches = with_patches ? patched::source_of<typename K::Patches>(left) : typename K::Patches{},
          .right = Patched::template frames_of<T>(right),
          .joiner = Joiner::of(parse_cut(array.metadata)),
          .out = {static_cast<T*>(out), array.length},
          .offset = array.offset,
          .end = end};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(end, K::Tile::kValues));
    });
  }

  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    BOBBIN_RETURN_IF(!is_float(type), StatusCode::unsupported,
                     "alprd: type " + std::string(to_string(type)) + " is not a float");
    return visit_size(type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
      const Executor executor(stream);
      const Global<const T> values{static_cast<const T*>(data), length};
      BOBBIN_ASSIGN(const Cut cut, find_cut<T>(values, executor));
      BOBBIN_ASSIGN(const DeviceBuffer left, DeviceBuffer::create(length * sizeof(uint16_t), stream));
      BOBBIN_ASSIGN(const DeviceBuffer right, DeviceBuffer::create(length * sizeof(T), stream));
      const CutKernel<T> kernel{
          cut, values, {left.template as<uint16_t>(), length}, {right.template as<T>(), length}};
      BOBBIN_TRY(executor.run(kernel, ceil_div<uint64_t>(length, CutKernel<T>::kThreads)));
      BOBBIN_ASSIGN(Array left_array, encode_left(left.data(), length, stream));
      const DType right_type = sizeof(T) == 8 ? DType::u64 : DType::u32;
      BOBBIN_ASSIGN(Array right_array, encode_by(CodecId::bitpack, right_type, right.data(), length, stream));
      BOBBIN_TRY(stream.synchronize());
      return Array{.codec = CodecId::alprd,
                   .type = type,
                   .length = length,
                   .offset = 0,
                   .metadata = metadata_of(cut),
                   .buffers = {},
                   .children = {std::move(left_array), std::move(right_array)}};
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .encode = &encode}; }

 private:
  using Patched = patched::Plans<Executor>;

  template <class T>
  static Result<Cut> find_cut(Global<const T> values, const Executor& executor) {
    const uint64_t stride = sample_stride(values.size);
    std::vector<T> sample(ceil_div(values.size, stride));
    const size_t bytes = sample.size() * sizeof(T);
    BOBBIN_ASSIGN(const DeviceBuffer gathered, DeviceBuffer::create(bytes, executor.stream()));
    const SampleKernel<T> kernel{values, {gathered.template as<T>(), sample.size()}, stride};
    BOBBIN_TRY(executor.run(kernel, ceil_div<uint64_t>(sample.size(), SampleKernel<T>::kThreads)));
    BOBBIN_TRY(copy_async(sample.data(), gathered.data(), bytes, executor.stream()));
    BOBBIN_TRY(executor.stream().synchronize());
    return choose_cut<T>(sample);
  }

  static Result<Array> encode_by(CodecId codec, DType type, const void* values, uint64_t length,
                                 StreamView stream) {
    return device_ops(stream.backend(), codec)->encode(type, values, length, stream);
  }

  // Codes are short, so both are tried: patches only if that is smaller.
  static Result<Array> encode_left(const void* codes, uint64_t length, StreamView stream) {
    BOBBIN_ASSIGN(Array patched, encode_by(CodecId::patched, DType::u16, codes, length, stream));
    BOBBIN_ASSIGN(Array plain, encode_by(CodecId::ffor, DType::u16, codes, length, stream));
    return bytes_of(patched) < bytes_of(plain) ? std::move(patched) : std::move(plain);
  }
  static uint64_t bytes_of(const Array& array) {
    uint64_t bytes = array.metadata.size();
    for (const Buffer& buffer : array.buffers) {
      bytes += buffer.bytes.size();
    }
    for (const Array& child : array.children) {
      bytes += bytes_of(child);
    }
    return bytes;
  }

  static bool is_packed(const Array& array) {
    return array.codec == CodecId::bitpack || array.codec == CodecId::ffor;
  }

  // Allocates memory for the left codes.
  static Status decode_apart(const Array& array, void* out, StreamView stream) {
    const Array& left = array.children[0];
    const Array& right = array.children[1];
    BOBBIN_ASSIGN(const DeviceBuffer codes, DeviceBuffer::create(array.length * sizeof(uint16_t), stream));
    BOBBIN_TRY(device_ops(stream.backend(), left.codec)->decode(left, codes.data(), stream));
    BOBBIN_TRY(device_ops(stream.backend(), right.codec)->decode(right, out, stream));
    return visit_size(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const JoinKernel<T> kernel{parse_cut(array.metadata),
                                 {codes.template as<uint16_t>(), array.length},
                                 {static_cast<T*>(out), array.length}};
      return Executor(stream).run(kernel, ceil_div<uint64_t>(array.length, JoinKernel<T>::kThreads));
    });
  }
};

}  // namespace bobbin::codec::alprd
