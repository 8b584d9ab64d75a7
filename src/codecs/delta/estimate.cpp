// SPDX-License-Identifier: Apache-2.0
// Chooses order and stride by the encoded size of a few samples.
#include <algorithm>
#include <array>
#include <limits>

#include "codecs/delta/delta.hpp"
#include "core/bits.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::delta {
namespace {

constexpr uint64_t kSamples = 8;
constexpr uint64_t kSampleLength = kMaxWords + kVectorLength;  // a vector, and the values before it
constexpr size_t kStrides = 3;                                 // how many strides are tried at every order
constexpr size_t kRanking = 2;                                 // how many samples select them

// Bits of a vector of residuals: their range's width for each value.
template <class T>
BOBBIN_INLINE uint64_t packed_bits(std::span<const T> residuals) {
  using Signed = std::make_signed_t<T>;
  Signed low = std::numeric_limits<Signed>::max();
  Signed high = std::numeric_limits<Signed>::min();
  for (const T residual : residuals) {
    low = std::min(low, static_cast<Signed>(residual));
    high = std::max(high, static_cast<Signed>(residual));
  }
  return residuals.size() * bit_width_of(static_cast<T>(static_cast<T>(high) - static_cast<T>(low)));
}

// Takes differences of one sample repeatedly, and adds up the cost of each order.
template <class T>
BOBBIN_INLINE void add_costs(std::span<const T> sample, uint32_t tuple, std::span<uint64_t> costs) {
  std::array<T, kSampleLength> buffers[2];
  T* now = buffers[0].data();
  T* next = buffers[1].data();
  std::copy(sample.begin(), sample.end(), now);
  // All orders are measured over the same values: those with enough values before them.
  const uint64_t skip = std::min<uint64_t>(costs.size() * tuple, sample.size() / 2);
  for (size_t order = 1; order <= costs.size(); ++order) {
    for (size_t i = tuple; i < sample.size(); ++i) {
      next[i] = static_cast<T>(now[i] - now[i - tuple]);
    }
    std::fill_n(next, std::min<size_t>(tuple, sample.size()), T{0});
    std::swap(now, next);
    costs[order - 1] += packed_bits<T>({now + skip, now + sample.size()}) + order * tuple * kBits<T>;
  }
}

template <class T>
BOBBIN_AVX2 void add_costs_avx2(std::span<const T> sample, uint32_t tuple, std::span<uint64_t> costs) {
  add_costs(sample, tuple, costs);
}

// Costs of orders 1, 2 .. `orders` at one stride, over all samples.
template <class T>
std::array<uint64_t, scan::kMaxOrder> costs_of(std::span<const Range> ranges, std::span<const T> samples,
                                               uint32_t tuple, uint32_t orders) {
  std::array<uint64_t, scan::kMaxOrder> costs;
  costs.fill(std::numeric_limits<uint64_t>::max());
  std::fill_n(costs.begin(), orders, 0);
  size_t at = 0;
  for (const Range& range : ranges) {
    const auto sample = samples.subspan(at, range.length);
    const std::span<uint64_t> so_far(costs.data(), orders);
    have_avx2() ? add_costs_avx2<T>(sample, tuple, so_far) : add_costs<T>(sample, tuple, so_far);
    at += range.length;
  }
  return costs;
}

// The strides at which values are most similar, where differences are small.
template <class T>
std::array<uint32_t, kStrides> best_strides(std::span<const Range> all_ranges, std::span<const T> samples) {
  const auto ranges = all_ranges.first(std::min(all_ranges.size(), kRanking));
  std::array<std::pair<uint64_t, uint32_t>, scan::kMaxTuple> ranked;
  for (uint32_t tuple = 1; tuple <= scan::kMaxTuple; ++tuple) {
    const auto costs = costs_of(ranges, samples, tuple, 2);
    ranked[tuple - 1] = {std::min(costs[0], costs[1]), tuple};
  }
  std::partial_sort(ranked.begin(), ranked.begin() + kStrides, ranked.end());
  std::array<uint32_t, kStrides> best;
  std::transform(ranked.begin(), ranked.begin() + kStrides, best.begin(),
                 [](const auto& r) { return r.second; });
  return best;
}

}  // namespace

std::vector<Range> sample_ranges(uint64_t length) {
  if (length <= kSamples * kSampleLength) {
    std::vector<Range> all;
    for (uint64_t at = 0; at < length; at += kSampleLength) {
      all.push_back({at, std::min(kSampleLength, length - at)});
    }
    return all;
  }
  std::vector<Range> ranges(kSamples);
  for (uint64_t i = 0; i < kSamples; ++i) {
    ranges[i] = {(length - kSampleLength) / (kSamples - 1) * i, kSampleLength};
  }
  return ranges;
}

template <class T>
Parameters choose(std::span<const Range> ranges, std::span<const T> samples) {
  Parameters best;
  uint64_t best_cost = std::numeric_limits<uint64_t>::max();
  for (const uint32_t tuple : best_strides(ranges, samples)) {
    const auto costs = costs_of(ranges, samples, tuple, scan::kMaxOrder);
    for (uint32_t order = 1; order <= scan::kMaxOrder; ++order) {
      if (costs[order - 1] < best_cost) {
        best_cost = costs[order - 1];
        best = {order, tuple};
      }
    }
  }
  return best;
}
template Parameters choose(std::span<const Range>, std::span<const uint8_t>);
template Parameters choose(std::span<const Range>, std::span<const uint16_t>);
template Parameters choose(std::span<const Range>, std::span<const uint32_t>);
template Parameters choose(std::span<const Range>, std::span<const uint64_t>);

}  // namespace bobbin::codec::delta
