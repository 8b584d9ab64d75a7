// SPDX-License-Identifier: Apache-2.0
// Arrays on a device: their frames are one batch for decode_batch(); small kernels list them, look at the
// verdicts and put values together.
#pragma once

#include <cstdint>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/scan.hpp"
#include "codecs/registry.hpp"
#include "codecs/string_kernels.hpp"
#include "codecs/zstd/array.hpp"
#include "core/dispatch.hpp"
#include "simt/bitmap.hpp"

namespace bobbin::codec::zstd {

using simt::Global;

// Writes the list of frames for decode_batch(). A thread takes a frame.
struct ListKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Header header;
  const std::byte* in;
  uint64_t in_bytes;
  Global<const uint32_t> index;  // nothing: there is one frame
  std::byte* out;
  Global<bobbin::zstd::BatchFrame> frames;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i >= frames.size) {
      return;
    }
    const uint64_t group = i / header.planes;
    const uint64_t bytes = header.units_in(group) * header.unit_bytes();
    const uint64_t to = group * header.units() * header.width + i % header.planes * bytes;
    bobbin::zstd::BatchFrame frame{in, in_bytes, out + to, bytes};
    if (index.size != 0) {
      const uint32_t begin = cta.load(index, i);
      frame.in = in + (begin - cta.load(index, 0));
      frame.in_bytes = cta.load(index, i + 1) - begin;
    }
    cta.store(frames, i, frame);
  }
};

// Sets the fault where a frame did not decode to its content.
struct VerdictKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Header header;
  Global<bobbin::zstd::FrameResult> results;
  Global<uint32_t> fault;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < results.size) {
      const bobbin::zstd::FrameResult result = cta.load(results, i);
      if (result.verdict != bobbin::zstd::Verdict::ok || result.bytes != header.frame_bytes(i)) {
        cta.template atomic_store<simt::Order::relaxed>(fault, 0, uint32_t{1});
      }
    }
  }
};

// Values from their bytes: a thread takes a value.
template <class T>
struct JoinKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Header header;
  uint64_t first;  // row
  Global<const uint8_t> content;
  Global<T> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i >= out.size) {
      return;
    }
    const uint64_t row = first + i;
    const uint64_t group = row / header.units();
    const uint64_t in_group = row % header.units();
    const uint64_t begin = group * header.units() * header.width;
    const bool joined = header.planes == 1;
    const uint64_t stride = joined ? 1 : header.units_in(group);
    uint64_t at = begin + (joined ? in_group * header.width : in_group);
    T value = 0;
    for (uint32_t k = 0; k < header.width; ++k, at += stride) {
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(cta.load(content, at)) << (8 * k)));
    }
    cta.store(out, i, static_cast<T>(value + static_cast<T>(header.base)));
  }
};

// Makes the first offset 0.
template <class T>
struct RebaseKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<T> offsets;
  T base;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < offsets.size) {
      cta.store(offsets, i, static_cast<T>(cta.load(offsets, i) - base));
    }
  }
};

// Decoded strings on a device.
template <class T>
struct PlainStrings {
  Global<const T> offsets;
  Global<const uint8_t> bytes;
};

// Copies strings: a thread takes one. What lies outside the decoded bytes is not touched.
template <class T>
struct TakeKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  PlainStrings<T> strings;
  Global<const uint64_t> indices;
  Global<const uint64_t> offsets;  // in the output
  Global<uint8_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i >= indices.size) {
      return;
    }
    uint64_t from = cta.load(strings.offsets, cta.load(indices, i));
    for (uint64_t to = cta.load(offsets, i); to < cta.load(offsets, i + 1); ++to, ++from) {
      cta.store(out, to, cta.load(strings.bytes, from));
    }
  }
};

// A test of every string; nulls pass none. A thread takes one.
template <class T>
struct MatchKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  PlainStrings<T> strings;
  DeviceValidity validity;
  uint64_t length;
  StringTest test;
  Global<const uint8_t> wanted;
  Global<uint32_t> bitmap;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    simt::store_bits(cta, bitmap, i, i < length && validity.at(cta, i) && holds(cta, i));
  }

 private:
  template <class Cta>
  BOBBIN_HD bool holds(Cta& cta, uint64_t i) const {
    const uint64_t begin = cta.load(strings.offsets, i);
    const uint64_t size = cta.load(strings.offsets, i + 1) - begin;
    if (size < wanted.size || (test == StringTest::equals && size != wanted.size)) {
      return false;
    }
    const uint64_t places = test == StringTest::contains ? size - wanted.size + 1 : 1;
    for (uint64_t place = 0; place < places; ++place) {
      if (is_at(cta, begin + place)) {
        return true;
      }
    }
    return false;
  }
  template <class Cta>
  BOBBIN_HD bool is_at(Cta& cta, uint64_t begin) const {
    for (uint64_t w = 0; w < wanted.size; ++w) {
      if (cta.load(strings.bytes, begin + w) != cta.load(wanted, w)) {
        return false;
      }
    }
    return true;
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct ArrayPlans {
  // validate() has decoded the frames: they hold what they should.
  static Status decode(const Array& array, void* out, StreamView stream) {
    const Header header = Header::parse(array.metadata);
    if (array.length == 0) {
      return {};
    }
    BOBBIN_ASSIGN(const auto content, Bytes::create(header.stored * header.width, stream));
    BOBBIN_TRY(decode_frames(array, content.get().data, nullptr, stream));
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
      const JoinKernel<T> kernel{.header = header,
                                 .first = header.skip + array.offset,
                                 .content = content.read(),
                                 .out = {static_cast<T*>(out), array.length}};
      return run(kernel, array.length, stream);
    });
  }

  static Status decode_strings(const Array& array, const StringSizes& /*sizes*/, const StringsOut& out,
                               uint32_t* fault, StreamView stream) {
    const Header header = Header::parse(array.metadata);
    BOBBIN_TRY(decode_offsets(array, out.offsets, stream));
    if (header.skip == 0 && header.left == 0) {
      return decode_frames(array, out.bytes, fault, stream);
    }
    BOBBIN_ASSIGN(const auto content, Bytes::create(header.stored, stream));
    BOBBIN_TRY(decode_frames(array, content.get().data, fault, stream));
    return copy_async(out.bytes, content.get().data + header.skip, header.string_bytes(), stream);
  }

  static Status check_content(const Array& array, const void* offsets, uint32_t* fault, StreamView stream) {
    return with_offset_type(is_wide(array), [&]<class T>(std::type_identity<T>) -> Status {
      const auto check = [&](Global<const T> decoded) {
        const CheckOffsetsKernel<T> kernel{.offsets = decoded,
                                           .validity = {global_of<uint8_t>(array.buffers[2]), array.offset},
                                           .first = 0,
                                           .last = Header::parse(array.metadata).string_bytes(),
                                           .fault = {fault, 1}};
        return run(kernel, decoded.size, stream);
      };
      if (offsets != nullptr) {
        return check({static_cast<const T*>(offsets), array.length + 1});
      }
      BOBBIN_ASSIGN(const auto decoded, DeviceArray<T>::create(array.length + 1, stream));
      BOBBIN_TRY(decode_offsets(array, decoded.get().data, stream));
      return check(decoded.read());
    });
  }

  static Status take_offsets(const Array& array, const uint64_t* indices, uint64_t count, uint64_t* offsets,
                             StreamView stream) {
    BOBBIN_TRY(fill_async(offsets, 0, sizeof(uint64_t), stream));
    return with_offset_type(is_wide(array), [&]<class T>(std::type_identity<T>) -> Status {
      BOBBIN_ASSIGN(const auto all, DeviceArray<T>::create(array.length + 1, stream));
      BOBBIN_TRY(decode_offsets(array, all.get().data, stream));
      const TakeSizesKernel<T> kernel{all.read(), {indices, count}, {offsets + 1, count}};
      BOBBIN_TRY(run(kernel, count, stream));
      return scan::run(DType::u64, scan::Kind::inclusive, offsets + 1, offsets + 1, count, {}, stream);
    });
  }

  static Status take_bytes(const Array& array, const uint64_t* indices, uint64_t count,
                           const uint64_t* offsets, uint8_t* bytes, uint32_t* fault, StreamView stream) {
    return with_strings(array, fault, stream, [&]<class T>(const PlainStrings<T>& strings) {
      const TakeKernel<T> kernel{.strings = strings,
                                 .indices = {indices, count},
                                 .offsets = {offsets, count + 1},
                                 .out = {bytes, UINT64_MAX}};
      return run(kernel, count, stream);
    });
  }

  // Waits for the stream: the constant must stay until the kernel is done with it.
  static Status match(const Array& array, const StringQuery& query, uint32_t* bitmap, uint32_t* fault,
                      StreamView stream) {
    BOBBIN_ASSIGN(const auto wanted, Bytes::copy_of(query.bytes.data(), query.bytes.size(), stream));
    return with_strings(array, fault, stream, [&]<class T>(const PlainStrings<T>& strings) -> Status {
      const MatchKernel<T> kernel{.strings = strings,
                                  .validity = {global_of<uint8_t>(array.buffers[2]), array.offset},
                                  .length = array.length,
                                  .test = query.test,
                                  .wanted = wanted.read(),
                                  .bitmap = {bitmap, ceil_div<uint64_t>(array.length, 32)}};
      BOBBIN_TRY(run(kernel, array.length, stream));
      return stream.synchronize();
    });
  }

  static constexpr StringDeviceOps string_ops() {
    return {.decode = &decode_strings,
            .check_content = &check_content,
            .take_offsets = &take_offsets,
            .take_bytes = &take_bytes,
            .match = &match};
  }

 private:
  using Bytes = DeviceArray<uint8_t>;

  static bool is_wide(const Array& array) { return offsets_of(array).type == DType::u64; }

  template <class K>
  static Status run(const K& kernel, uint64_t threads, StreamView stream) {
    return Executor(stream).run(kernel, ceil_div<uint64_t>(threads, K::kThreads));
  }

  // The content of all frames, group after group.
  static Status decode_frames(const Array& array, uint8_t* out, uint32_t* fault, StreamView stream) {
    using bobbin::zstd::BatchFrame;
    using bobbin::zstd::FrameResult;
    const Header header = Header::parse(array.metadata);
    const uint64_t count = header.num_frames();
    if (count == 0) {
      return {};
    }
    BOBBIN_ASSIGN(const auto frames, DeviceArray<BatchFrame>::create(count, stream));
    BOBBIN_ASSIGN(const auto results, DeviceArray<FrameResult>::create(count, stream));
    const ListKernel list{.header = header,
                          .in = array.buffers[0].bytes.data(),
                          .in_bytes = array.buffers[0].bytes.size(),
                          .index = global_of<uint32_t>(array.buffers[1]),
                          .out = reinterpret_cast<std::byte*>(out),
                          .frames = frames.get()};
    BOBBIN_TRY(run(list, count, stream));
    const bobbin::zstd::BatchOptions options{.magicless = true,
                                             .max_out_bytes = header.units() * header.unit_bytes()};
    BOBBIN_TRY(bobbin::zstd::decode_batch(frames.get().data, count, results.get().data, options, stream));
    return fault == nullptr ? Status{} : run(VerdictKernel{header, results.get(), {fault, 1}}, count, stream);
  }

  static Status decode_offsets(const Array& array, void* out, StreamView stream) {
    const Array& child = offsets_of(array);
    const uint64_t base = Header::parse(array.metadata).base;
    BOBBIN_TRY(device_ops(stream.backend(), child.codec)->decode(child, out, stream));
    return base == 0 ? Status{} : with_offset_type(is_wide(array), [&]<class T>(std::type_identity<T>) {
      return run(RebaseKernel<T>{{static_cast<T*>(out), child.length}, static_cast<T>(base)}, child.length,
                 stream);
    });
  }

  // Calls f with all strings, decoded.
  template <class F>
  static Status with_strings(const Array& array, uint32_t* fault, StreamView stream, F&& f) {
    return with_offset_type(is_wide(array), [&]<class T>(std::type_identity<T>) -> Status {
      const StringSizes sizes{is_wide(array), Header::parse(array.metadata).string_bytes()};
      BOBBIN_ASSIGN(const auto offsets, DeviceArray<T>::create(array.length + 1, stream));
      BOBBIN_ASSIGN(const auto bytes, Bytes::create(sizes.bytes, stream));
      const StringsOut out{offsets.get().data, bytes.get().data};
      BOBBIN_TRY(decode_strings(array, sizes, out, fault, stream));
      return f(PlainStrings<T>{offsets.read(), bytes.read()});
    });
  }
};

}  // namespace bobbin::codec::zstd
