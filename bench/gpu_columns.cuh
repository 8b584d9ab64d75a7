// SPDX-License-Identifier: Apache-2.0
// Columns for benchmarks of encoded columns: a block of values, to be repeated on the GPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/gpu_kernels.cuh"

namespace bobbin::bench {

inline constexpr uint64_t kBlock = uint64_t{1} << 22;

// Prices with two digits: 16 bits as integers. A share of them has random bits.
template <class Float>
std::vector<Float> make_prices(double exceptions) {
  std::vector<Float> values(kBlock);
  const auto limit = static_cast<uint64_t>(exceptions * 4294967296.0);
  for (uint64_t i = 0; i < kBlock; ++i) {
    const uint64_t random = FillRandom::mix(i + 1);
    const double price = static_cast<double>(random >> 48) / 100;
    values[i] = static_cast<Float>((random & 0xffffffff) < limit ? std::sqrt(price + 0.1) : price);
  }
  return values;
}

}  // namespace bobbin::bench
