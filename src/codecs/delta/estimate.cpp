// SPDX-License-Identifier: Apache-2.0
// Chooses order and stride by the encoded size of a few samples.
#include <algorithm>
#include <array>
#include <limits>

#include "codecs/delta/delta.hpp"
#include "core/bits.hpp"
#include "core/dispatch.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::delta {
namespace {

constexpr uint64_t kSamples = 8;
constexpr uint64_t kSampleLength = kMaxWords + kVectorLength;  // a vector, and the values before it
constexpr size_t kStrides = 3;                                 // how many strides are tried at every order
constexpr size_t kRanking = 2;                                 // how many samples select them
constexpr size_t kRankingOrders = 2;                           // up to which order

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

// The values that no order measures, because it has too few values before them.
constexpr uint64_t skipped(uint64_t length, uint32_t tuple, size_t orders) {
  return std::min<uint64_t>(orders * tuple, length / 2);
}

// Takes differences of one sample repeatedly, and adds up the cost of each order from value `skip` on. Noise
// gets wider with each order: two orders after the cheapest one there is nothing left to gain. Returns the
// number of orders measured.
template <class T>
BOBBIN_INLINE size_t add_costs(std::span<const T> sample, uint32_t tuple, uint64_t skip,
                               std::span<uint64_t> costs) {
  constexpr size_t kPatience = 2;
  std::array<T, kSampleLength> buffers[2];
  const T* now = sample.data();
  T* next = buffers[0].data();
  size_t best = 0;
  for (size_t order = 1; order <= costs.size(); ++order) {
    for (size_t i = tuple; i < sample.size(); ++i) {
      next[i] = static_cast<T>(now[i] - now[i - tuple]);
    }
    std::fill_n(next, std::min<size_t>(tuple, sample.size()), T{0});
    now = next;
    next = buffers[order % 2].data();
    costs[order - 1] += packed_bits<T>({now + skip, now + sample.size()}) + order * tuple * kBits<T>;
    best = costs[order - 1] < costs[best] ? order - 1 : best;
    if (order > best + kPatience) {
      return order;
    }
  }
  return costs.size();
}

template <class T>
BOBBIN_AVX2 size_t add_costs_avx2(std::span<const T> sample, uint32_t tuple, uint64_t skip,
                                  std::span<uint64_t> costs) {
  return add_costs(sample, tuple, skip, costs);
}

// Costs of orders 1, 2 .. `orders` at one stride, over all samples; the first sample decides which orders
// the others measure.
template <class T>
std::array<uint64_t, scan::kMaxOrder> costs_of(std::span<const Range> ranges, std::span<const T> samples,
                                               uint32_t tuple, size_t orders) {
  std::array<uint64_t, scan::kMaxOrder> costs{};
  const size_t all = orders;
  size_t at = 0;
  for (const Range& range : ranges) {
    const auto sample = samples.subspan(at, range.length);
    const uint64_t skip = skipped(range.length, tuple, all);
    const std::span<uint64_t> so_far(costs.data(), orders);
    orders = have_avx2() ? add_costs_avx2<T>(sample, tuple, skip, so_far)
                         : add_costs<T>(sample, tuple, skip, so_far);
    at += range.length;
  }
  std::fill(costs.begin() + static_cast<ptrdiff_t>(orders), costs.end(),
            std::numeric_limits<uint64_t>::max());
  return costs;
}

// How many values show whether a stride gains anything.
constexpr uint64_t kFew = 64;

constexpr bool is_enough_for(uint32_t tuple, uint64_t length) {
  return length >= 2 * kRankingOrders * tuple + kFew;
}

// Whether all values differ alike from those a stride before.
template <class T>
bool has_equal_steps(std::span<const T> values, uint32_t tuple) {
  const auto first = static_cast<T>(values[tuple] - values[0]);
  for (size_t i = tuple + size_t{1}; i < values.size(); ++i) {
    if (static_cast<T>(values[i] - values[i - tuple]) != first) {
      return false;
    }
  }
  return true;
}

// At any stride that leaves room for a gain.
template <class T>
bool has_equal_steps(std::span<const T> values) {
  for (uint32_t tuple = 1; tuple <= scan::kMaxTuple && 2 * tuple <= values.size(); ++tuple) {
    if (has_equal_steps(values, tuple)) {
      return true;
    }
  }
  return false;
}

// Bits of the first kFew residuals from `at` on, of orders 1 and 2.
template <class T>
BOBBIN_INLINE std::array<uint64_t, kRankingOrders> first_bits(const T* at, uint32_t tuple) {
  static_assert(kRankingOrders == 2);
  std::array<T, kFew> first;
  std::array<T, kFew> second;
  const T* const before = at - tuple;
  const T* const earlier = before - tuple;
  for (size_t i = 0; i < kFew; ++i) {
    first[i] = static_cast<T>(at[i] - before[i]);
    second[i] = static_cast<T>(first[i] - static_cast<T>(before[i] - earlier[i]));
  }
  return {packed_bits<T>(first), packed_bits<T>(second)};
}
template <class T>
BOBBIN_AVX2 std::array<uint64_t, kRankingOrders> first_bits_avx2(const T* at, uint32_t tuple) {
  return first_bits(at, tuple);
}

// A lower bound on the cost of a stride: residuals of the first few values are as wide as all, or narrower.
template <class T>
uint64_t least_cost(std::span<const Range> ranges, std::span<const T> samples, uint32_t tuple) {
  const uint64_t length = ranges.empty() ? 0 : ranges[0].length;
  const uint64_t skip = kRankingOrders * tuple;
  if (!is_enough_for(tuple, length)) {
    return 0;
  }
  uint64_t least = std::numeric_limits<uint64_t>::max();
  const auto bits = (have_avx2() ? first_bits_avx2<T> : first_bits<T>)(samples.data() + skip, tuple);
  for (size_t order = 1; order <= kRankingOrders; ++order) {
    const uint64_t restarts = order * tuple * kBits<T>;
    least = std::min(least, bits[order - 1] / kFew * (length - skip) + restarts * ranges.size());
  }
  return least;
}

// Whether no stride can make a sample smaller than this many bits. False if it has too few values to show it.
template <class T>
bool takes_more(std::span<const T> sample, uint64_t bits) {
  const Range range{0, sample.size()};
  uint32_t tuple = 1;
  for (; tuple <= scan::kMaxTuple && is_enough_for(tuple, sample.size()); ++tuple) {
    if (least_cost(std::span(&range, 1), sample, tuple) < bits) {
      return false;
    }
  }
  return tuple > 1;
}

// Whether no stride can make a sample smaller than its values are already. A few values, each with a word of
// its own whatever their width, can only gain from steps that are all equal.
template <class T>
bool gains_nothing(std::span<const T> sample) {
  constexpr uint64_t kWordsBytes = 128;
  if (sample.size_bytes() <= kWordsBytes) {
    return !has_equal_steps(sample);
  }
  return takes_more(sample, packed_bits(sample));
}

// Whether samples that are all of a few values gain nothing, as far as the first and the last show.
template <class T>
bool is_hopeless(std::span<const Range> ranges, std::span<const T> samples) {
  return !ranges.empty() && ranges.size() < kSamples && gains_nothing(samples.first(ranges.front().length)) &&
         gains_nothing(samples.last(ranges.back().length));
}

// The strides at which values are most similar, where differences are small.
template <class T>
std::array<uint32_t, kStrides> best_strides(std::span<const Range> all_ranges, std::span<const T> samples) {
  const auto ranges = all_ranges.first(std::min(all_ranges.size(), kRanking));
  std::array<std::pair<uint64_t, uint32_t>, kStrides + 1> ranked;  // and one that is replaced
  ranked.fill({std::numeric_limits<uint64_t>::max(), 0});
  for (uint32_t tuple = 1; tuple <= scan::kMaxTuple; ++tuple) {
    if (tuple > kStrides && least_cost(ranges, samples, tuple) >= ranked[kStrides - 1].first) {
      continue;
    }
    const auto costs = costs_of(ranges, samples, tuple, kRankingOrders);
    ranked[kStrides] = {std::min(costs[0], costs[1]), tuple};
    std::ranges::sort(ranked);
  }
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
bool is_hopeless(std::span<const T> values) {
  const std::vector<Range> ranges = sample_ranges(values.size());
  return is_hopeless(ranges, values);
}

bool exceeds(const Values& values, uint64_t bytes) {
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    const std::span<const T> all = values.as<T>();
    return takes_more(all.first(std::min<size_t>(all.size(), kSampleLength)), 8 * bytes + 1);
  });
}

template bool is_hopeless(std::span<const uint8_t>);
template bool is_hopeless(std::span<const uint16_t>);
template bool is_hopeless(std::span<const uint32_t>);
template bool is_hopeless(std::span<const uint64_t>);

template <class T>
Parameters choose(std::span<const Range> ranges, std::span<const T> samples) {
  Parameters best;
  if (is_hopeless(ranges, samples)) {
    return best;
  }
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
