// SPDX-License-Identifier: Apache-2.0
// Kernels of delta and the plans that launch them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "bobbin/memory.hpp"
#include "codecs/delta/delta.hpp"
#include "codecs/delta/tile.hpp"
#include "codecs/ffor/kernels.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::delta {

// Calls f with the order as a constant.
template <uint32_t kLow = 1, uint32_t kHigh = scan::kMaxOrder, class F>
BOBBIN_HD void with_order(uint32_t order, F&& f) {
  bitpack::with_width_in<kLow, kHigh>(order, f);
}

// Decodes in one pass: a warp unpacks four vectors of residuals into shared memory, scans them there from
// their restart points, and stores the values in one run. Warps do not wait for each other. Kernels that
// combine it with other work choose its number of warps; kSimple supports only order 1 and stride 1.
template <class T, uint32_t kTheWarps = sizeof(T) == 8 ? 1 : 2, bool kSimple = false>
struct DecodeKernel {
  static constexpr uint32_t kVectors = simt::kWarpSize / kSlices;  // per warp
  static constexpr uint32_t kWarps = kTheWarps;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kVectorsOfBlock = kWarps * kVectors;
  // As many blocks as shared memory holds: per warp 16 KiB of values (32 for 64-bit ones) and padding.
  static constexpr uint32_t kMinBlocks = sizeof(T) == 1 ? 16 : 6;
  struct Shared {
    simt::Shared<Quad, kVectorsOfBlock * kPaddedQuads<T>> values;
  };

  ffor::FrameSource<T> residuals;
  Global<const T> restarts;
  Global<T> out;  // values offset .. end-1
  uint64_t offset;
  uint64_t end;
  uint32_t order;
  uint32_t tuple;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& quads = cta.template shared<Shared>().values;
    const uint64_t first = (uint64_t{cta.block()} * kWarps + cta.warp()) * kVectors;
    if (first * kVectorLength >= end) {
      return;  // the warp has nothing to do
    }
    const uint32_t place = cta.warp() * kVectors * kPaddedQuads<T>;
    const uint32_t own = cta.lane() / kSlices;
    const uint32_t own_place = place + own * kPaddedQuads<T>;
    unpack(cta, quads, first + own, own_place);
    cta.sync_warp();
    with_order<1, kSimple ? 1 : scan::kMaxOrder>(order, [&]<uint32_t K>(std::integral_constant<uint32_t, K>) {
      if (kSimple || tuple == 1) {
        scan_vectors<T, K>(cta, quads, own_place, restart<K>(cta, first + own, 0));
        return;
      }
      if constexpr (!kSimple) {
        const uint32_t scan = cta.lane() % tuple;
        for (uint32_t v = 0; v < kVectors && (first + v) * kVectorLength < end; ++v) {
          scan_tuples<T, K>(cta, quads, place + v * kPaddedQuads<T>, tuple, restart<K>(cta, first + v, scan));
        }
      }
    });
    cta.sync_warp();
    store(cta, quads, first, place);
  }

 private:
  template <uint32_t K, class Cta>
  BOBBIN_HD VectorState<T, K> restart(Cta& cta, uint64_t vector, uint32_t scan) const {
    return vector * kVectorLength < end ? load_restart<T, K>(cta, restarts, vector, tuple, scan)
                                        : VectorState<T, K>{};
  }

  template <class Cta, uint32_t N>
  BOBBIN_HD void unpack(Cta& cta, simt::Shared<Quad, N>& quads, uint64_t vector, uint32_t place) const {
    const uint32_t slice = cta.lane() % kSlices;
    const auto put = [&](uint32_t row, const Quad& quad, T reference) {
      cta.store(quads, place + padded(row * kSlices + slice), bitpack::add_reference<T>(quad, reference));
    };
    if ((vector + 1) * kVectorLength <= end) {
      const auto frame = residuals.frame(cta, vector);
      const auto sink = [&](uint32_t row, const Quad& quad) { put(row, quad, frame.reference); };
      bitpack::with_width<T>(frame.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
        bitpack::unpack_column<T>(cta, residuals.packed, frame.first_register, slice, W, {0, kRows<T>}, sink);
      });
      return;
    }
    // A last, short vector; values past the end count as zero.
    const bool there = vector * kVectorLength < end;
    const auto frame = there ? residuals.frame(cta, vector) : ffor::Frame<T>{};
    const uint32_t rows = there ? num_rows(static_cast<uint32_t>(end - vector * kVectorLength), kBits<T>) : 0;
    for (uint32_t row = 0; row < kRows<T>; ++row) {
      const bool stored = row < rows;
      put(row, stored ? bitpack::unpack_slice<T>(cta, residuals.packed, frame, row, slice) : Quad{},
          stored ? frame.reference : T{0});
    }
  }

  template <class Cta, uint32_t N>
  BOBBIN_HD void store(Cta& cta, simt::Shared<Quad, N>& quads, uint64_t first, uint32_t place) const {
    const uint64_t begin = first * kVectorLength;
    constexpr uint32_t kQuads = kVectors * kVectorQuads<T>;
    const auto at = [&](uint32_t q) {
      return place + q / kVectorQuads<T> * kPaddedQuads<T> + padded(q % kVectorQuads<T>);
    };
    // Quads are aligned only if the slice starts at a multiple of 16 bytes.
    if (offset % kSliceLength<T> == 0 && begin >= offset && begin + kVectors * kVectorLength <= end) {
      const Global<Quad> to{reinterpret_cast<Quad*>(out.data), out.size / kSliceLength<T>};
      for (uint32_t q = cta.lane(); q < kQuads; q += simt::kWarpSize) {
        cta.store_once(to, (begin - offset) / kSliceLength<T> + q, cta.load(quads, at(q)));
      }
      return;
    }
    auto& values = reinterpret_cast<simt::Shared<T, N * kSliceLength<T>>&>(quads);
    for (uint32_t i = cta.lane(); i < kVectors * kVectorLength; i += simt::kWarpSize) {
      const uint64_t position = begin + i;
      if (position >= offset && position < end) {
        cta.store(out, position - offset,
                  cta.load(values, at(i / kSliceLength<T>) * kSliceLength<T> + i % kSliceLength<T>));
      }
    }
  }
};

// The difference of some order at a position, which may be before the first value.
template <class T>
struct Differences {
  Global<const T> values;
  Global<const T> history;  // the words() values before the first
  uint32_t tuple;

  template <class Cta>
  BOBBIN_HD T value(Cta& cta, int64_t position) const {
    return position >= 0 ? cta.load(values, static_cast<uint64_t>(position))
                         : cta.load(history, history.size - static_cast<uint64_t>(-position));
  }
  // By binomials with alternating signs.
  template <class Cta>
  BOBBIN_HD T at(Cta& cta, int64_t position, uint32_t order) const {
    T sum = 0;
    uint32_t binomial = 1;
    for (uint32_t j = 0; j <= order; ++j) {
      const auto term = static_cast<T>(binomial * value(cta, position - int64_t{j} * tuple));
      sum = static_cast<T>(j % 2 == 0 ? sum + term : sum - term);
      binomial = binomial * (order - j) / (j + 1);
    }
    return sum;
  }
};

template <class T>
struct DifferenceKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kItems = 8;
  using Shared = simt::NoShared;

  Differences<T> differences;
  Global<T> residuals;
  uint32_t order;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t first = uint64_t{cta.block()} * kThreads * kItems + cta.thread();
    for (uint32_t i = 0; i < kItems; ++i) {
      const uint64_t at = first + uint64_t{i} * kThreads;
      if (at < residuals.size) {
        cta.store(residuals, at, differences.at(cta, static_cast<int64_t>(at), order));
      }
    }
  }
};

// One thread per restart word.
template <class T>
struct RestartKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Differences<T> differences;
  Global<T> restarts;
  uint32_t order;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i >= restarts.size) {
      return;
    }
    const auto word = static_cast<uint32_t>(i % order);
    const auto scan = static_cast<uint32_t>(i / order % differences.tuple);
    const uint64_t vector = i / order / differences.tuple;
    const auto position = static_cast<int64_t>(vector * kVectorLength + scan) - differences.tuple;
    cta.store(restarts, i, differences.at(cta, position, order - 1 - word));
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  // The kernel that decodes an array, and its number of blocks.
  template <class K>
  struct Decoding {
    K kernel;
    uint64_t blocks;
  };
  template <class T, class K = DecodeKernel<T>>
  static Decoding<K> decoding(const Array& array, void* out) {
    const Parameters p = parameters_of(array);
    const uint64_t end = array.offset + array.length;
    const auto& restarts = array.buffers[0].bytes;
    return {K{.residuals = ffor::Plans<Executor>::template source<T>(array.children[0]),
              .restarts = {reinterpret_cast<const T*>(restarts.data()), restarts.size() / sizeof(T)},
              .out = {static_cast<T*>(out), array.length},
              .offset = array.offset,
              .end = end,
              .order = p.order,
              .tuple = p.tuple},
            ceil_div<uint64_t>(num_vectors(end), K::kVectorsOfBlock)};
  }

  static Status decode(const Array& array, void* out, StreamView stream) {
    return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      const auto plan = decoding<T>(array, out);
      return Executor(stream).run(plan.kernel, plan.blocks);
    });
  }

  static bool gather(const Array& array, uint64_t out, simt::Gathered& others) {
    visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
      const auto plan = decoding<T>(array, reinterpret_cast<void*>(out));
      others.add<Executor>(plan.kernel, plan.blocks);
    });
    return true;
  }

  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    return visit_bits(type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
      const Global<const T> values{static_cast<const T*>(data), length};
      BOBBIN_ASSIGN(const Samples<T> samples, Samples<T>::fetch(values, stream));
      return encode_with<T>(type, values, samples.parameters, samples.first, stream);
    });
  }

  static constexpr DeviceOps ops() { return {.decode = &decode, .gather = &gather, .encode = &encode}; }

  static Result<Array> encode_as(DType type, const void* data, uint64_t length, Parameters p,
                                 StreamView stream) {
    return visit_bits(type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
      const Global<const T> values{static_cast<const T*>(data), length};
      std::vector<T> first(std::min<uint64_t>(length, p.words() + p.tuple));
      BOBBIN_TRY(copy_async(first.data(), data, first.size() * sizeof(T), stream));
      BOBBIN_TRY(stream.synchronize());
      return encode_with<T>(type, values, p, first, stream);
    });
  }

  // With parameters chosen by the caller; `first` has as many of the first values as history() needs.
  template <class T>
  static Result<Array> encode_with(DType type, Global<const T> values, Parameters p,
                                   const std::vector<T>& first, StreamView stream) {
    const Executor executor(stream);
    const std::vector<T> before = history<T>(first, p);
    BOBBIN_ASSIGN(const DeviceBuffer past, DeviceBuffer::create(before.size() * sizeof(T), stream));
    BOBBIN_TRY(copy_async(past.data(), before.data(), past.size(), stream));
    BOBBIN_ASSIGN(const DeviceBuffer residuals, DeviceBuffer::create(values.size * sizeof(T), stream));
    const uint64_t words = num_vectors(values.size) * p.words();
    BOBBIN_ASSIGN(DeviceBuffer fresh, DeviceBuffer::create(words * sizeof(T), stream));
    auto restarts = std::make_shared<DeviceBuffer>(std::move(fresh));
    const Differences<T> differences{values, {past.as<T>(), before.size()}, p.tuple};
    const DifferenceKernel<T> take{differences, {residuals.as<T>(), values.size}, p.order};
    constexpr uint64_t kPerBlock = uint64_t{DifferenceKernel<T>::kThreads} * DifferenceKernel<T>::kItems;
    BOBBIN_TRY(executor.run(take, ceil_div(values.size, kPerBlock)));
    const RestartKernel<T> note{differences, {restarts->template as<T>(), words}, p.order};
    BOBBIN_TRY(executor.run(note, ceil_div<uint64_t>(words, RestartKernel<T>::kThreads)));
    BOBBIN_ASSIGN(Array child, device_ops(stream.backend(), CodecId::ffor)
                                   ->encode(signed_type(type), residuals.data(), values.size, stream));
    return assemble(type, p, {restarts, {restarts->template as<std::byte>(), restarts->size()}},
                    std::move(child));
  }

 private:
  // The values that the host needs to see.
  template <class T>
  struct Samples {
    std::vector<T> first;
    Parameters parameters;

    static Result<Samples> fetch(Global<const T> values, StreamView stream) {
      const std::vector<Range> ranges = sample_ranges(values.size);
      std::vector<T> samples;
      for (const Range& range : ranges) {
        samples.resize(samples.size() + range.length);
        BOBBIN_TRY(copy_async(samples.data() + samples.size() - range.length, values.data + range.begin,
                              range.length * sizeof(T), stream));
        BOBBIN_TRY(stream.synchronize());
      }
      const uint64_t first = std::min<uint64_t>(samples.size(), kMaxWords + scan::kMaxTuple);
      return Samples{{samples.begin(), samples.begin() + static_cast<ptrdiff_t>(first)},
                     choose<T>(ranges, samples)};
    }
  };
};

}  // namespace bobbin::codec::delta
