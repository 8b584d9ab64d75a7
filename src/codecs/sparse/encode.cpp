// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "codecs/ascending.hpp"
#include "codecs/smallest.hpp"
#include "codecs/sparse/sparse.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::sparse {
namespace {

// The value that more than half of all are, if there is one: each other takes one of it away.
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

// The least of the most frequent.
template <class T>
T most_frequent(std::span<const T> values) {
  const T candidate = majority_candidate(values);
  if (static_cast<uint64_t>(std::ranges::count(values, candidate)) > values.size() / 2) {
    return candidate;
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
  auto [positions, position] = ascending::make_values<uint32_t>(DType::u32, others);
  auto [other_values, value] = ascending::make_values<T>(type, others);
  // Without a branch, which would be hard to foresee: what is no exception is written over by the next.
  for (size_t i = 0, found = 0; found < others; ++i) {
    position[found] = static_cast<uint32_t>(i);
    value[found] = values[i];
    found += values[i] != fill ? 1 : 0;
  }
  std::vector<uint8_t> metadata(kMetadataBytes);
  std::memcpy(metadata.data(), &fill, sizeof fill);
  return {.node = {.codec = CodecId::sparse,
                   .type = type,
                   .length = values.size(),
                   .offset = 0,
                   .metadata = std::move(metadata),
                   .buffers = {},
                   .children = {}},
          .children = {std::move(positions), std::move(other_values)}};
}

}  // namespace

Result<Split> split(const Values& values) {
  BOBBIN_RETURN_IF(values.length > ascending::kMaxRows, StatusCode::unsupported,
                   "sparse: too many rows: split the array");
  return visit_bits(
      values.type, [&]<class T>(std::type_identity<T>) { return split_values(values.as<T>(), values.type); });
}

uint64_t estimate(const Values& values) {
  const auto parts = split(values);
  return parts.has_value() ? split_estimate(*parts) : kNoEncoding;
}

Result<Array> encode(const Values& values) {
  BOBBIN_ASSIGN(Split parts, split(values));
  return encode_split(std::move(parts));
}

}  // namespace bobbin::codec::sparse
