// SPDX-License-Identifier: Apache-2.0
// The cut is chosen from a sample: the one that takes fewest bits, with the eight most frequent left parts as
// codes and the others as patches.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "codecs/alprd/alprd.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/patched/patched.hpp"

namespace bobbin::codec::alprd {
namespace {

using Counted = std::vector<std::pair<uint16_t, uint32_t>>;  // left parts with their counts

// As many of the counted parts as a dictionary holds, most frequent first.
Counted most_frequent(Counted counts) {
  const size_t most = std::min<size_t>(counts.size(), kMostEntries);
  const auto order = [](const auto& entry) { return std::pair(~entry.second, entry.first); };
  std::ranges::partial_sort(counts, counts.begin() + static_cast<ptrdiff_t>(most), {}, order);
  counts.resize(most);
  return counts;
}

// Sorts by the low byte, then by the high byte.
void sort_by_bytes(std::vector<uint16_t>& words) {
  std::vector<uint16_t> other(words.size());
  for (const uint32_t shift : {0U, 8U}) {
    std::array<uint32_t, 257> starts{};
    for (const uint16_t word : words) {
      ++starts[(word >> shift & 0xffU) + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const uint16_t word : words) {
      other[starts[word >> shift & 0xffU]++] = word;
    }
    words.swap(other);
  }
}

// Zeroes the counts of some parts, also if memory ran out while they were counted.
struct ZeroAtEnd {
  std::vector<uint32_t>& counts;
  const std::vector<uint16_t>& parts;

  ~ZeroAtEnd() {
    for (const uint16_t part : parts) {
      counts[part] = 0;
    }
  }
};

// The values' highest kMostLeftBits bits, ascending, with their counts.
template <class T>
Counted count_highest(std::span<const T> sample) {
  // All zeros between calls: to zero it each time would take longer than to count.
  thread_local std::vector<uint32_t> counts(size_t{1} << kMostLeftBits);
  std::vector<uint16_t> parts;
  Counted counted;
  const ZeroAtEnd zero{counts, parts};
  for (const T value : sample) {
    const auto part = static_cast<uint16_t>(value >> (kBits<T> - kMostLeftBits));
    if (counts[part] == 0) {
      parts.push_back(part);
    }
    ++counts[part];
  }
  sort_by_bytes(parts);
  for (const uint16_t part : parts) {
    counted.emplace_back(part, counts[part]);
  }
  return counted;
}

// The same for parts that are one bit shorter: their order stays the same.
void drop_bit(Counted& counts) {
  size_t kept = 0;
  for (const auto& [longer, count] : counts) {
    const auto part = static_cast<uint16_t>(longer >> 1);
    if (kept != 0 && counts[kept - 1].first == part) {
      counts[kept - 1].second += count;
    } else {
      counts[kept++] = {part, count};
    }
  }
  counts.resize(kept);
}

// Entries smaller than the dictionary's size go to their own index, others to free ones.
Cut make_cut(uint32_t right_bits, const Counted& frequent) {
  Cut cut{.right_bits = right_bits, .entries = static_cast<uint32_t>(frequent.size()), .dict = {}};
  std::vector<bool> taken(frequent.size());
  for (const auto& [part, count] : frequent) {
    if (part < cut.entries) {
      cut.dict[part] = part;
      taken[part] = true;
    }
  }
  uint32_t next = 0;
  for (const auto& [part, count] : frequent) {
    if (part >= cut.entries) {
      while (taken[next]) {
        ++next;
      }
      cut.dict[next++] = part;
    }
  }
  return cut;
}

// The cut for values that are not a sample.
template <class T>
Cut choose_cut_of(std::span<const T> values) {
  const uint64_t stride = sample_stride(values.size());
  if (stride == 1) {
    return choose_cut<T>(values);
  }
  std::vector<T> sample;
  sample.reserve(values.size() / stride + 1);
  for (uint64_t i = 0; i < values.size(); i += stride) {
    sample.push_back(values[i]);
  }
  return choose_cut<T>(sample);
}

// Both parts of all values.
template <class T>
struct Halves {
  Cut cut;
  size_t size;
  std::unique_ptr<uint16_t[]> left;
  std::unique_ptr<T[]> right;

  explicit Halves(std::span<const T> values)
      : cut(choose_cut_of(values)),
        size(values.size()),
        left(std::make_unique_for_overwrite<uint16_t[]>(size)),
        right(std::make_unique_for_overwrite<T[]>(size)) {
    const std::vector<uint16_t> codes = codes_of_parts(size);
    // Loops without branches, over more than one array at a time only where they have to be.
    const Cut fixed = cut;
    std::ranges::transform(values, right.get(), [&](T value) { return fixed.right_part(value); });
    if (codes.empty()) {
      std::ranges::transform(values, left.get(), [&](T value) { return fixed.left_code(value); });
    } else {
      std::ranges::transform(values, left.get(), [&](T value) { return codes[value >> fixed.right_bits]; });
    }
  }
  [[nodiscard]] Values left_values() const { return {DType::u16, left.get(), size}; }
  [[nodiscard]] Values right_values() const {
    return {sizeof(T) == 8 ? DType::u64 : DType::u32, right.get(), size};
  }
  [[nodiscard]] bool with_patches() const {
    return patched::estimate(left_values()) < ffor::estimate(left_values());
  }

 private:
  // The code of each possible left part; empty if there are more of them than values.
  [[nodiscard]] std::vector<uint16_t> codes_of_parts(size_t values) const {
    const size_t parts = size_t{1} << (kBits<T> - cut.right_bits);
    if (parts > values) {
      return {};
    }
    std::vector<uint16_t> codes(parts);
    std::iota(codes.begin(), codes.end(), uint16_t{0});
    for (uint16_t entry = 0; entry < cut.entries; ++entry) {
      std::swap(codes[entry], codes[cut.dict[entry]]);  // as Cut::exchange()
    }
    return codes;
  }
};

}  // namespace

template <class T>
Cut choose_cut(std::span<const T> sample) {
  Cut best{.right_bits = kBits<T> - 1, .entries = 1, .dict = {}};
  uint64_t least = UINT64_MAX;
  Counted counts = count_highest<T>(sample);
  for (uint32_t left_bits = kMostLeftBits; left_bits > 0 && !sample.empty(); --left_bits) {
    const uint32_t right_bits = kBits<T> - left_bits;
    const Counted frequent = most_frequent(counts);
    uint64_t rare = sample.size();
    for (const auto& [part, count] : frequent) {
      rare -= count;
    }
    const uint64_t code_bits = bit_width_of(frequent.size() - 1);
    const uint64_t bits =
        sample.size() * (right_bits + code_bits) + rare * 8 * patched::patch_bytes(sizeof(uint16_t));
    // Among equally good cuts, the one with the shortest left part is chosen.
    if (bits <= least) {
      least = bits;
      best = make_cut(right_bits, frequent);
    }
    drop_bit(counts);
  }
  return best;
}

template Cut choose_cut<uint32_t>(std::span<const uint32_t>);
template Cut choose_cut<uint64_t>(std::span<const uint64_t>);

uint64_t estimate(const Values& values) {
  return visit_size(values.type, [&]<class T>(std::type_identity<T>) {
    const Halves<T> halves(values.as<T>());
    return metadata_of(halves.cut).size() +
           std::min(patched::estimate(halves.left_values()), ffor::estimate(halves.left_values())) +
           bitpack::estimate(halves.right_values());
  });
}

Result<Array> encode(const Values& values) {
  BOBBIN_RETURN_IF(!is_float(values.type), StatusCode::unsupported,
                   "alprd: type " + std::string(to_string(values.type)) + " is not a float");
  return visit_size(values.type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
    const Halves<T> halves(values.as<T>());
    BOBBIN_ASSIGN(Array left, halves.with_patches() ? patched::encode(halves.left_values())
                                                    : ffor::encode(halves.left_values()));
    BOBBIN_ASSIGN(Array right, bitpack::encode(halves.right_values()));
    return Array{.codec = CodecId::alprd,
                 .type = values.type,
                 .length = values.length,
                 .offset = 0,
                 .metadata = metadata_of(halves.cut),
                 .buffers = {},
                 .children = {std::move(left), std::move(right)}};
  });
}

}  // namespace bobbin::codec::alprd
