// SPDX-License-Identifier: Apache-2.0
// Compares decoded values with a constant, for codecs that cannot compare encoded data. The bitmap is that of
// Codec::compare.
#pragma once

#include <cstdint>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "codecs/codec.hpp"
#include "core/lanes.hpp"
#include "core/scalar.hpp"
#include "simt/cta.hpp"

namespace bobbin::array {

// `values` is what `array` decodes to. In host memory; `bitmap` must be zeroed.
void compare_plain(const Array& array, const void* values, const ValueRange& range, uint32_t* bitmap);
// In device memory, asynchronously. In compare_device.cu.
template <Backend kBackend>
[[nodiscard]] Status compare_plain_on(const Array& array, const void* values, const ValueRange& range,
                                      uint32_t* bitmap, StreamView stream);

// A warp tests one vector, 32 adjacent values at a time, and writes its 32 words together.
template <class T>
struct ComparePlainKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kVectorsPerBlock = kThreads / simt::kWarpSize;
  static constexpr uint32_t kWords = kVectorLength / 32;
  static constexpr uint32_t kAtOnce = 8;  // loads in flight before the first result is used
  static_assert(kWords == simt::kWarpSize, "each lane keeps one word of the vector's bitmap");
  using Shared = simt::NoShared;

  using Bits = BitsOf<T>;

  simt::Global<const Bits> values;
  simt::Global<uint32_t> bitmap;
  uint64_t offset;  // the first value's bit
  Bits low;
  Bits span;
  bool negated;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t vector = uint64_t{cta.block()} * kVectorsPerBlock + cta.warp();
    if (vector * kWords >= bitmap.size) {
      return;
    }
    // Bits before the first value wrap around to beyond the last one.
    const uint64_t first = vector * kVectorLength + cta.lane() - offset;
    uint32_t word = 0;
    for (uint32_t w = 0; w < kWords; w += kAtOnce) {
      Bits loaded[kAtOnce];
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        const uint64_t i = first + (w + k) * 32;
        loaded[k] = i < values.size ? cta.load(values, i) : Bits{0};
      }
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        const bool in_range = static_cast<Bits>(range_key<T>(loaded[k]) - low) <= span;
        const uint32_t hits = cta.ballot(first + (w + k) * 32 < values.size && in_range != negated);
        word = cta.lane() == w + k ? hits : word;
      }
    }
    cta.store(bitmap, vector * kWords + cta.lane(), word);
  }
};

template <class Executor>
Status run_compare_plain(const Executor& executor, const Array& array, const void* values,
                         const ValueRange& range, uint32_t* bitmap) {
  return visit_type(array.type, [&]<class T>(std::type_identity<T>) {
    using K = ComparePlainKernel<T>;
    const uint64_t vectors = num_vectors(array.offset + array.length);
    using Bits = BitsOf<T>;
    const K kernel{.values = {static_cast<const Bits*>(values), array.length},
                   .bitmap = {bitmap, vectors * K::kWords},
                   .offset = array.offset,
                   .low = static_cast<Bits>(range.low),
                   .span = static_cast<Bits>(range.span),
                   .negated = range.negated};
    return executor.run(kernel, ceil_div<uint64_t>(vectors, K::kVectorsPerBlock));
  });
}

}  // namespace bobbin::array
