// SPDX-License-Identifier: Apache-2.0
// The baseline for queries over encoded columns: hand-written kernels that do the same on raw values, one for
// each query. Blocks are persistent and go through the array together; a thread has eight 16-byte loads in
// flight.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/bitpack/tile.hpp"
#include "simt/cta.hpp"

namespace bobbin::bench {

using simt::Global;
using simt::Quad;

struct RawResult {
  unsigned long long count = 0;
  unsigned long long sum = 0;
  double real = 0;
};

template <class Sum>
__device__ void add_result(uint32_t count, Sum sum, RawResult* result) {
  for (int distance = 16; distance != 0; distance /= 2) {
    count += __shfl_xor_sync(0xffffffff, count, distance);
    sum += __shfl_xor_sync(0xffffffff, sum, distance);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&result->count, static_cast<unsigned long long>(count));
    if constexpr (std::is_floating_point_v<Sum>) {
      atomicAdd(&result->real, static_cast<double>(sum));
    } else {
      atomicAdd(&result->sum, static_cast<unsigned long long>(sum));
    }
  }
}

// where low <= a <= high: count and sum of a.
template <class T>
struct RawSum {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kAtOnce = 8;
  using Shared = simt::NoShared;
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, unsigned long long>;

  Global<const Quad> values;
  T low;
  T high;
  RawResult* result;

  template <class Cta>
  __device__ void operator()(Cta& cta) const {
    constexpr uint32_t kValues = sizeof(Quad) / sizeof(T);
    uint32_t count = 0;
    Sum sum = 0;
    const uint64_t stride = uint64_t{cta.num_blocks()} * kThreads * kAtOnce;
    for (uint64_t first = uint64_t{cta.block()} * kThreads * kAtOnce + cta.thread(); first < values.size;
         first += stride) {
      Quad quads[kAtOnce];
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        quads[k] = cta.load_once(values, first + k * kThreads);
      }
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        T each[kValues];
        memcpy(each, &quads[k], sizeof each);
#pragma unroll
        for (uint32_t i = 0; i < kValues; ++i) {
          const bool hit = each[i] >= low && each[i] <= high;
          count += hit ? 1 : 0;
          sum += hit ? static_cast<Sum>(each[i]) : Sum{0};
        }
      }
    }
    add_result(count, sum, result);
  }
};

// where a < limit and b < limit: count and sum of c; kEither: where a < limit or not b < limit.
template <bool kEither = false>
struct RawThree {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kAtOnce = 4;
  using Shared = simt::NoShared;

  Global<const Quad> a;
  Global<const Quad> b;
  Global<const Quad> c;
  uint32_t limit;
  RawResult* result;

  template <class Cta>
  __device__ void operator()(Cta& cta) const {
    uint32_t count = 0;
    unsigned long long sum = 0;
    const uint64_t stride = uint64_t{cta.num_blocks()} * kThreads * kAtOnce;
    for (uint64_t first = uint64_t{cta.block()} * kThreads * kAtOnce + cta.thread(); first < a.size;
         first += stride) {
      Quad as[kAtOnce];
      Quad bs[kAtOnce];
      Quad cs[kAtOnce];
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        as[k] = cta.load_once(a, first + k * kThreads);
        bs[k] = cta.load_once(b, first + k * kThreads);
        cs[k] = cta.load_once(c, first + k * kThreads);
      }
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i) {
          const bool second = bs[k].word[i] < limit;
          const bool hit = kEither ? as[k].word[i] < limit || !second : as[k].word[i] < limit && second;
          count += hit ? 1 : 0;
          sum += hit ? cs[k].word[i] : 0;
        }
      }
    }
    add_result(count, sum, result);
  }
};

// Count, and sums of a and b, for each of 16 keys. Every thread has words of its own for each key: the count
// is in the upper 16 bits of the first sum, so that a thread must not have more than 65535 rows.
struct RawGroups {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kAtOnce = 4;
  static constexpr uint32_t kKeys = 16;
  struct Shared {
    simt::Shared<uint64_t, 2 * kKeys * kThreads> words;
  };
  struct Result {
    unsigned long long count;
    unsigned long long a;
    unsigned long long b;
  };

  Global<const Quad> keys;
  Global<const Quad> a;
  Global<const Quad> b;
  Result* results;

  template <class Cta>
  __device__ void operator()(Cta& cta) const {
    auto& words = cta.template shared<Shared>().words;
    for (uint32_t k = 0; k < 2 * kKeys; ++k) {
      cta.store(words, k * kThreads + cta.thread(), uint64_t{0});
    }
    const uint64_t stride = uint64_t{cta.num_blocks()} * kThreads * kAtOnce;
    for (uint64_t first = uint64_t{cta.block()} * kThreads * kAtOnce + cta.thread(); first < a.size;
         first += stride) {
      Quad ks[kAtOnce];
      Quad as[kAtOnce];
      Quad bs[kAtOnce];
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        ks[k] = cta.load_once(keys, first + k * kThreads);
        as[k] = cta.load_once(a, first + k * kThreads);
        bs[k] = cta.load_once(b, first + k * kThreads);
      }
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce * 4; ++k) {
        const uint32_t at = ks[k / 4].word[k % 4] * kThreads + cta.thread();
        cta.store(words, at, cta.load(words, at) + as[k / 4].word[k % 4] + (uint64_t{1} << 48));
        const uint32_t next = at + kKeys * kThreads;
        cta.store(words, next, cta.load(words, next) + bs[k / 4].word[k % 4]);
      }
    }
    cta.sync();
    for (uint32_t row = cta.warp(); row < 2 * kKeys; row += kThreads / simt::kWarpSize) {
      add_row(cta, words, row);
    }
  }

 private:
  // All threads' words of a key, by a warp.
  template <class Cta, class Words>
  __device__ void add_row(Cta& cta, Words& words, uint32_t row) const {
    unsigned long long count = 0;
    unsigned long long sum = 0;
    for (uint32_t thread = cta.lane(); thread < kThreads; thread += simt::kWarpSize) {
      const uint64_t word = cta.load(words, row * kThreads + thread);
      count += word >> 48;
      sum += word & ((uint64_t{1} << 48) - 1);
    }
    for (int distance = 16; distance != 0; distance /= 2) {
      count += __shfl_xor_sync(0xffffffff, count, distance);
      sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    if (cta.lane() == 0) {
      Result& result = results[row % kKeys];
      atomicAdd(row < kKeys ? &result.a : &result.b, sum);
      atomicAdd(&result.count, row < kKeys ? count : 0);
    }
  }
};

// out[i] = values[indices[i]]
template <class T>
struct RawTake {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<const T> values;
  Global<const uint64_t> indices;
  Global<T> out;

  template <class Cta>
  __device__ void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < indices.size) {
      cta.store(out, i, cta.load(values, cta.load_once(indices, i)));
    }
  }
};

}  // namespace bobbin::bench
