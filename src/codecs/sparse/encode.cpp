// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "codecs/ascending.hpp"
#include "codecs/sparse/sparse.hpp"

namespace bobbin::codec::sparse {
namespace {

// The majority value, if there is one (Boyer and Moore's vote).
template <class T>
T majority_candidate(std::span<const T> values) {
  T candidate = 0;
  uint64_t lead = 0;
  for (const T value : values) {
    candidate = lead == 0 ? value : candidate;
    lead += value == candidate ? 1 : ~uint64_t{0};
  }
  return candidate;
}

template <class T>
T most_frequent_of_sorted(const std::vector<T>& sorted) {
  T best = 0;
  uint64_t most = 0;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[i]) {
      ++end;
    }
    if (end - i > most) {
      most = end - i;
      best = sorted[i];
    }
    i = end;
  }
  return best;
}

// The least of the most frequent values.
template <class T>
T most_frequent(std::span<const T> values) {
  if constexpr (sizeof(T) > 1) {  // bytes are counted faster than they vote
    const T candidate = majority_candidate(values);
    if (static_cast<uint64_t>(std::ranges::count(values, candidate)) > values.size() / 2) {
      return candidate;
    }
  }
  if constexpr (sizeof(T) <= 2) {
    std::vector<uint64_t> counts(size_t{1} << (8 * sizeof(T)));
    for (const T value : values) {
      ++counts[value];
    }
    return static_cast<T>(std::ranges::max_element(counts) - counts.begin());
  } else {
    std::vector<T> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    return most_frequent_of_sorted(sorted);
  }
}

template <class T>
Split split_values(std::span<const T> values, DType type) {
  const T fill = most_frequent(values);
  const auto others = values.size() - static_cast<size_t>(std::ranges::count(values, fill));
  const ascending::SplitRows<T> made(type, others);
  uint32_t* const positions = made.rows();
  T* const other_values = made.values();
  // No branch, since it would be hard to predict: a value that is not an exception is overwritten.
  for (size_t i = 0, found = 0; found < others; ++i) {
    positions[found] = static_cast<uint32_t>(i);
    other_values[found] = values[i];
    found += values[i] != fill ? 1 : 0;
  }
  std::vector<uint8_t> metadata(sizeof(Scalar::bits));
  std::memcpy(metadata.data(), &fill, sizeof fill);
  return made.of(CodecId::sparse, values.size(), std::move(metadata));
}

}  // namespace

Result<Split> split(const Values& values) {
  return ascending::split(CodecId::sparse, values,
                          [](const auto& span, DType type) { return split_values(span, type); });
}

}  // namespace bobbin::codec::sparse
