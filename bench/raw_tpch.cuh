// SPDX-License-Identifier: Apache-2.0
// The baseline for TPC-H's and SSB's questions: hand-written kernels on raw columns. Blocks are persistent
// and go through the columns together; a thread has four rows of each column at a time, in 16-byte loads.
#pragma once

#include <cstdint>

#include "bench/raw_queries.cuh"

namespace bobbin::bench {

// Four neighbours of a column, as 64-bit integers.
template <class T>
struct FourRows {
  static constexpr uint32_t kQuads = 4 * sizeof(T) / sizeof(Quad);
  Quad quads[kQuads];

  template <class Cta>
  __device__ void load(Cta& cta, const T* column, uint64_t four) {
    const Global<const Quad> all{reinterpret_cast<const Quad*>(column), ~uint64_t{0}};
#pragma unroll
    for (uint32_t k = 0; k < kQuads; ++k) {
      quads[k] = cta.load_once(all, four * kQuads + k);
    }
  }
  [[nodiscard]] __device__ T at(uint32_t i) const {
    T values[4];
    memcpy(values, quads, sizeof values);
    return values[i];
  }
};

// Inclusive.
template <class T>
struct Between {
  T low;
  T high;

  [[nodiscard]] __device__ bool holds(T value) const { return value >= low && value <= high; }
};

// count and sum(price * discount) of rows in all ranges. kLazy: discounts, quantities and prices are loaded
// for those four rows of which one can still match, which reads less and waits longer.
template <class T, bool kLazy>
struct RawRevenue {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kAtOnce = sizeof(T) == 8 ? 2 : 4;
  using Shared = simt::NoShared;

  const int32_t* days;
  const T* discounts;
  const T* quantities;
  const T* prices;
  uint64_t fours;
  Between<int32_t> day;
  Between<T> discount;
  Between<T> quantity;
  RawResult* result;

  template <class Cta>
  __device__ void operator()(Cta& cta) const {
    uint32_t count = 0;
    unsigned long long sum = 0;
    const uint64_t stride = uint64_t{cta.num_blocks()} * kThreads * kAtOnce;
    for (uint64_t first = uint64_t{cta.block()} * kThreads * kAtOnce + cta.thread(); first < fours;
         first += stride) {
      FourRows<int32_t> day_rows[kAtOnce];
      FourRows<T> rows[kAtOnce][3];
      uint32_t hits[kAtOnce];
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        day_rows[k].load(cta, days, first + k * kThreads);
        if (!kLazy) {
          rows[k][0].load(cta, discounts, first + k * kThreads);
          rows[k][1].load(cta, quantities, first + k * kThreads);
          rows[k][2].load(cta, prices, first + k * kThreads);
        }
      }
      test<0>(cta, first, day_rows, rows, hits);
      test<1>(cta, first, day_rows, rows, hits);
      test<2>(cta, first, day_rows, rows, hits);
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        if (kLazy && hits[k] != 0) {
          rows[k][2].load(cta, prices, first + k * kThreads);
        }
        if (!kLazy || hits[k] != 0) {
#pragma unroll
          for (uint32_t i = 0; i < 4; ++i) {
            const bool hit = (hits[k] >> i & 1) != 0;
            count += hit ? 1 : 0;
            sum += hit ? static_cast<unsigned long long>(static_cast<int64_t>(rows[k][2].at(i)) *
                                                         rows[k][0].at(i))
                       : 0;
          }
        }
      }
    }
    add_result(count, sum, result);
  }

 private:
  // Test 0 is of days, 1 of discounts, 2 of quantities.
  template <uint32_t kTest, class Cta>
  __device__ void test(Cta& cta, uint64_t first, const FourRows<int32_t> (&day_rows)[kAtOnce],
                       FourRows<T> (&rows)[kAtOnce][3], uint32_t (&hits)[kAtOnce]) const {
#pragma unroll
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      uint32_t found = 0;
      if constexpr (kTest == 0) {
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i) {
          found |= day.holds(day_rows[k].at(i)) ? 1U << i : 0;
        }
        hits[k] = found;
      } else {
        FourRows<T>& four = rows[k][kTest - 1];
        if (kLazy && hits[k] != 0) {
          four.load(cta, kTest == 1 ? discounts : quantities, first + k * kThreads);
        }
        if (!kLazy || hits[k] != 0) {
#pragma unroll
          for (uint32_t i = 0; i < 4; ++i) {
            found |= (kTest == 1 ? discount : quantity).holds(four.at(i)) ? 1U << i : 0;
          }
          hits[k] &= found;
        }
      }
    }
  }
};

// TPC-H Q1. Every thread has words of its own for each of six groups: a count above the sum of quantities,
// the sum of discounts above that of prices, and a word for each of the other sums.
struct RawPricing {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kKeys = 6;
  static constexpr uint32_t kWords = 4;
  struct Shared {
    simt::Shared<uint64_t, kWords * kKeys * kThreads> words;
  };
  struct Result {
    unsigned long long count;
    unsigned long long quantity;
    unsigned long long price;
    unsigned long long discount;
    unsigned long long discounted;
    unsigned long long charge;
  };

  const int32_t* days;
  const int64_t* quantities;
  const int64_t* prices;
  const int64_t* discounts;
  const int64_t* taxes;
  const uint8_t* flags;   // 0 to 2
  const uint8_t* states;  // 0 or 1
  uint64_t fours;
  int32_t last_day;
  Result* results;

  template <class Cta>
  __device__ void operator()(Cta& cta) const {
    auto& words = cta.template shared<Shared>().words;
    for (uint32_t k = 0; k < kWords * kKeys; ++k) {
      cta.store(words, k * kThreads + cta.thread(), uint64_t{0});
    }
    const Global<const uint32_t> four_flags{reinterpret_cast<const uint32_t*>(flags), fours};
    const Global<const uint32_t> four_states{reinterpret_cast<const uint32_t*>(states), fours};
    const uint64_t stride = uint64_t{cta.num_blocks()} * kThreads;
    for (uint64_t at = uint64_t{cta.block()} * kThreads + cta.thread(); at < fours; at += stride) {
      FourRows<int32_t> day;
      FourRows<int64_t> quantity;
      FourRows<int64_t> price;
      FourRows<int64_t> discount;
      FourRows<int64_t> tax;
      day.load(cta, days, at);
      quantity.load(cta, quantities, at);
      price.load(cta, prices, at);
      discount.load(cta, discounts, at);
      tax.load(cta, taxes, at);
      const uint32_t flag = cta.load_once(four_flags, at);
      const uint32_t state = cta.load_once(four_states, at);
#pragma unroll
      for (uint32_t i = 0; i < 4; ++i) {
        if (day.at(i) <= last_day) {
          const uint32_t key = (flag >> 8 * i & 255) * 2 + (state >> 8 * i & 255);
          const int64_t discounted = price.at(i) * (100 - discount.at(i));
          add(cta, words, key, 0, (int64_t{1} << 48) + quantity.at(i));
          add(cta, words, key, 1, (discount.at(i) << 48) + price.at(i));
          add(cta, words, key, 2, discounted);
          add(cta, words, key, 3, discounted * (100 + tax.at(i)));
        }
      }
    }
    cta.sync();
    for (uint32_t row = cta.warp(); row < kWords * kKeys; row += kThreads / simt::kWarpSize) {
      end(cta, words, row % kWords, row / kWords);
    }
  }

 private:
  template <class Cta, class Words>
  __device__ static void add(Cta& cta, Words& words, uint32_t key, uint32_t word, int64_t value) {
    const uint32_t at = (key * kWords + word) * kThreads + cta.thread();
    cta.store(words, at, cta.load(words, at) + static_cast<uint64_t>(value));
  }
  // All threads' words of a key, by a warp.
  template <class Cta, class Words>
  __device__ void end(Cta& cta, Words& words, uint32_t word, uint32_t key) const {
    unsigned long long high = 0;
    unsigned long long low = 0;
    for (uint32_t thread = cta.lane(); thread < kThreads; thread += simt::kWarpSize) {
      const uint64_t value = cta.load(words, (key * kWords + word) * kThreads + thread);
      high += word < 2 ? value >> 48 : 0;
      low += word < 2 ? value & ((uint64_t{1} << 48) - 1) : value;
    }
    for (int distance = 16; distance != 0; distance /= 2) {
      high += __shfl_xor_sync(0xffffffff, high, distance);
      low += __shfl_xor_sync(0xffffffff, low, distance);
    }
    if (cta.lane() == 0) {
      Result& result = results[key];
      if (word == 0) {
        atomicAdd(&result.count, high);
        atomicAdd(&result.quantity, low);
      } else if (word == 1) {
        atomicAdd(&result.discount, high);
        atomicAdd(&result.price, low);
      } else {
        atomicAdd(word == 2 ? &result.discounted : &result.charge, low);
      }
    }
  }
};

}  // namespace bobbin::bench
