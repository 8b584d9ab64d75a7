// SPDX-License-Identifier: Apache-2.0
#include "select/sample.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/dispatch.hpp"
#include "core/lanes.hpp"
#include "core/portable.hpp"

namespace bobbin::select {
namespace {

constexpr uint64_t kLeastVectors = 8;
constexpr uint64_t kShare = 128;  // one of this many further vectors
constexpr uint64_t kMaxStringBytes = uint64_t{512} << 10;

// A fixed hash (the finaliser of SplitMix64).
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

template <class T>
BOBBIN_INLINE uint64_t changes_in(std::span<const T> values) {
  uint64_t changes = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    changes += values[i] != values[i - 1] ? 1 : 0;
  }
  return changes;
}
template <class T>
BOBBIN_AVX2 uint64_t changes_in_avx2(std::span<const T> values) {
  return changes_in(values);
}

template <class T>
BOBBIN_INLINE uint64_t step_changes_in(std::span<const T> values) {
  uint64_t changes = 0;
  for (size_t i = 2; i < values.size(); ++i) {
    changes +=
        static_cast<T>(values[i] - values[i - 1]) != static_cast<T>(values[i - 1] - values[i - 2]) ? 1 : 0;
  }
  return changes;
}
template <class T>
BOBBIN_AVX2 uint64_t step_changes_in_avx2(std::span<const T> values) {
  return step_changes_in(values);
}

}  // namespace

uint64_t count_runs(const Values& values) {
  if (values.length == 0) {
    return 0;
  }
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    return 1 + (have_avx2() ? changes_in_avx2<T>(values.as<T>()) : changes_in<T>(values.as<T>()));
  });
}

uint64_t count_step_runs(const Values& values) {
  if (values.length == 0) {
    return 0;
  }
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    return 1 + (have_avx2() ? step_changes_in_avx2<T>(values.as<T>()) : step_changes_in<T>(values.as<T>()));
  });
}

bool has_both_signs(const Values& values) {
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    const auto* data = static_cast<const T*>(values.data);
    uint64_t negative = 0;
    for (uint64_t i = 0; i < values.length; ++i) {
      negative += data[i] >> (kBits<T> - 1);
    }
    return negative != 0 && negative != values.length;
  });
}

// Boyer and Moore's vote finds the only value that can have a majority. Bytes are counted, which is faster.
bool has_majority(const Values& values) {
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) == 1) {
      std::array<uint64_t, 256> counts{};
      std::ranges::for_each(values.as<T>(), [&](T value) { ++counts[value]; });
      return std::ranges::max(counts) > values.length / 2;
    }
    T candidate = 0;
    uint64_t lead = 0;
    for (const T value : values.as<T>()) {
      candidate = lead == 0 ? value : candidate;
      lead += value == candidate ? 1 : ~uint64_t{0};
    }
    return static_cast<uint64_t>(std::ranges::count(values.as<T>(), candidate)) > values.length / 2;
  });
}

// Counts the hashes that occur, of at least eight times as many as there are values.
uint64_t least_distinct(const Values& values) {
  const auto log = static_cast<uint32_t>(std::bit_width(values.length / 8 + 1) + 6);
  std::vector<uint64_t> seen((uint64_t{1} << log) / 64);
  visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    for (const T value : values.as<T>()) {
      const uint64_t hash = (uint64_t{value} ^ uint64_t{value} >> 32) * 0x9e3779b97f4a7c15 >> (64 - log);
      seen[hash / 64] |= uint64_t{1} << hash % 64;
    }
  });
  uint64_t count = 0;
  for (const uint64_t word : seen) {
    count += static_cast<uint64_t>(std::popcount(word));
  }
  return count;
}

std::vector<uint64_t> sampled_vectors(uint64_t rows) {
  const uint64_t vectors = num_vectors(rows);
  const uint64_t count = std::min(vectors, kLeastVectors + vectors / kShare);
  std::vector<uint64_t> chosen;
  chosen.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t begin = i * vectors / count;
    const uint64_t end = (i + 1) * vectors / count;
    chosen.push_back(begin + mixed(i) % (end - begin));
  }
  return chosen;
}

OwnedValues sample_of(const Values& values, std::span<const uint64_t> vectors) {
  const size_t size = size_bytes(values.type);
  const auto rows_of = [&](uint64_t v) {
    return std::min<uint64_t>(kVectorLength, values.length - v * kVectorLength);
  };
  uint64_t rows = 0;
  for (const uint64_t v : vectors) {
    rows += rows_of(v);
  }
  const NewBuffer sample = make_buffer(rows * size);
  std::byte* to = sample.data;
  for (const uint64_t v : vectors) {
    const auto* from = static_cast<const std::byte*>(values.data) + v * kVectorLength * size;
    to = std::copy_n(from, rows_of(v) * size, to);
  }
  return {values.type, rows, sample.buffer};
}

bool samples_all(const StringsView& strings, std::span<const uint64_t> vectors) {
  return vectors.size() == num_vectors(strings.length) &&
         strings.num_bytes() < kMaxStringBytes / std::max<uint64_t>(vectors.size(), 1);
}

Strings sample_of(const StringsView& strings, std::span<const uint64_t> vectors) {
  Strings sample;
  sample.type = strings.type;
  const uint64_t share = kMaxStringBytes / std::max<uint64_t>(vectors.size(), 1);
  for (const uint64_t v : vectors) {
    const uint64_t first = v * kVectorLength;
    const uint64_t end = std::min<uint64_t>(first + kVectorLength, strings.length);
    const uint64_t bytes = sample.bytes.size();
    for (uint64_t i = first; i < end && sample.bytes.size() - bytes < share; ++i) {
      if (strings.is_null(i)) {
        sample.push_null();
      } else {
        sample.push_back(strings.string(i));
      }
    }
  }
  return sample;
}

uint64_t estimate_distinct(const Values& codes, uint64_t entries, uint64_t rows) {
  if (codes.length >= rows) {
    return entries;
  }
  constexpr uint8_t kMany = 3;
  std::vector<uint8_t> seen_in(entries);  // number of vectors, up to kMany
  std::vector<uint64_t> last(entries, UINT64_MAX);
  visit_bits(codes.type, [&]<class T>(std::type_identity<T>) {
    const auto* data = static_cast<const T*>(codes.data);
    for (uint64_t i = 0; i < codes.length; ++i) {
      const auto code = static_cast<uint64_t>(data[i]);
      if (last[code] != i / kVectorLength) {
        last[code] = i / kVectorLength;
        seen_in[code] = std::min(static_cast<uint8_t>(seen_in[code] + 1), kMany);
      }
    }
  });
  const auto once = static_cast<double>(std::ranges::count(seen_in, 1));
  const auto twice = static_cast<double>(std::ranges::count(seen_in, 2));
  const double more = once * std::max(once - 1, 0.0) / (2 * (twice + 1));
  const double all =
      static_cast<double>(entries) * static_cast<double>(rows) / static_cast<double>(codes.length);
  return static_cast<uint64_t>(std::min(static_cast<double>(entries) + more, all));
}

}  // namespace bobbin::select
