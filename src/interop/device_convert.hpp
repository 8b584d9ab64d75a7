// SPDX-License-Identifier: Apache-2.0
// Values in device memory, from Bobbin's layout to Arrow's.
#pragma once

#include <cstdint>
#include <type_traits>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"
#include "core/bits.hpp"
#include "interop/formats.hpp"
#include "simt/cta.hpp"

namespace bobbin::interop {

struct DeviceConversion {
  Layout layout{};  // bits, decimal (128 bits), time32, or strings: offsets of 32 bits become 64
  DType type{};     // of the values
  uint64_t length = 0;
  const void* from = nullptr;
  void* to = nullptr;
  // For time32: words of validity bits, or nullptr; and a word that becomes 1 if a value that is not null
  // does not fit.
  const uint32_t* validity = nullptr;
  uint32_t* fault = nullptr;
};

// The bytes that a conversion writes.
[[nodiscard]] constexpr uint64_t converted_bytes(Layout layout, uint64_t length) {
  switch (layout) {
    case Layout::bits:
      return ceil_div<uint64_t>(length, 32) * sizeof(uint32_t);
    case Layout::decimal:
      return length * 16;
    case Layout::time32:
      return length * sizeof(int32_t);
    default:
      return length * sizeof(uint64_t);
  }
}

// Asynchronous. In device_convert.cu.
template <Backend kBackend>
[[nodiscard]] Status convert_on(const DeviceConversion& conversion, StreamView stream);

// ---- Kernels: a thread makes one element. They run once per export, at the speed of memory. ----

inline constexpr uint32_t kConvertThreads = 256;

template <class Cta>
BOBBIN_HD uint64_t element_of(Cta& cta) {
  return uint64_t{cta.block()} * kConvertThreads + cta.thread();
}

// Booleans of one byte to bits: a warp makes one word.
struct PackBitsKernel {
  static constexpr uint32_t kThreads = kConvertThreads;
  using Shared = simt::NoShared;

  simt::Global<const uint8_t> values;
  simt::Global<uint32_t> words;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = element_of(cta);
    const uint32_t word = cta.ballot(i < values.size && cta.load(values, i) != 0);
    if (cta.lane() == 0 && i < values.size) {
      cta.store(words, i / simt::kWarpSize, word);
    }
  }
};

// Integers to 128 bits: a thread makes the low or the high half of one.
template <class T>
struct WidenKernel {
  static constexpr uint32_t kThreads = kConvertThreads;
  using Shared = simt::NoShared;

  simt::Global<const T> values;
  simt::Global<uint64_t> halves;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = element_of(cta);
    if (i < halves.size) {
      const auto value = static_cast<int64_t>(cta.load(values, i / 2));
      cta.store(halves, i, static_cast<uint64_t>(i % 2 == 0 ? value : value >> 63));
    }
  }
};

struct WidenOffsetsKernel {
  static constexpr uint32_t kThreads = kConvertThreads;
  using Shared = simt::NoShared;

  simt::Global<const uint32_t> from;
  simt::Global<uint64_t> to;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = element_of(cta);
    if (i < to.size) {
      cta.store(to, i, uint64_t{cta.load(from, i)});
    }
  }
};

struct NarrowTimesKernel {
  static constexpr uint32_t kThreads = kConvertThreads;
  using Shared = simt::NoShared;

  simt::Global<const int64_t> values;
  simt::Global<const uint32_t> validity;  // of size 0: no nulls
  simt::Global<int32_t> to;
  simt::Global<uint32_t> fault;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = element_of(cta);
    if (i >= to.size) {
      return;
    }
    const int64_t value = cta.load(values, i);
    const auto narrow = static_cast<int32_t>(value);
    const bool is_null = validity.size != 0 && (cta.load(validity, i / 32) >> (i % 32) & 1) == 0;
    if (narrow != value && !is_null) {
      cta.template atomic_or<simt::Order::relaxed>(fault, 0, uint32_t{1});
    }
    cta.store(to, i, narrow);
  }
};

template <class T, class Executor>
Status run_widen(const Executor& executor, const DeviceConversion& given) {
  const WidenKernel<T> kernel{.values = {static_cast<const T*>(given.from), given.length},
                              .halves = {static_cast<uint64_t*>(given.to), 2 * given.length}};
  return executor.run(kernel, ceil_div<uint64_t>(2 * given.length, kConvertThreads));
}

template <class Executor>
Status run_widen(const Executor& executor, const DeviceConversion& given) {
  switch (size_bytes(given.type)) {
    case 1:
      return run_widen<int8_t>(executor, given);
    case 2:
      return run_widen<int16_t>(executor, given);
    case 4:
      return run_widen<int32_t>(executor, given);
    default:
      return run_widen<int64_t>(executor, given);
  }
}

template <class Executor>
Status run_convert(const Executor& executor, const DeviceConversion& given) {
  const uint64_t blocks = ceil_div<uint64_t>(given.length, kConvertThreads);
  switch (given.layout) {
    case Layout::bits:
      return executor.run(
          PackBitsKernel{.values = {static_cast<const uint8_t*>(given.from), given.length},
                         .words = {static_cast<uint32_t*>(given.to), ceil_div<uint64_t>(given.length, 32)}},
          blocks);
    case Layout::decimal:
      return run_widen(executor, given);
    case Layout::time32:
      return executor.run(
          NarrowTimesKernel{
              .values = {static_cast<const int64_t*>(given.from), given.length},
              .validity = {given.validity,
                           given.validity == nullptr ? 0 : ceil_div<uint64_t>(given.length, 32)},
              .to = {static_cast<int32_t*>(given.to), given.length},
              .fault = {given.fault, 1}},
          blocks);
    default:
      return executor.run(WidenOffsetsKernel{.from = {static_cast<const uint32_t*>(given.from), given.length},
                                             .to = {static_cast<uint64_t*>(given.to), given.length}},
                          blocks);
  }
}

}  // namespace bobbin::interop
