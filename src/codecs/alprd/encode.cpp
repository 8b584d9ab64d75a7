// SPDX-License-Identifier: Apache-2.0
// The cut is chosen from a sample: the one that takes fewest bits, with the eight most frequent left parts as
// codes and the others as patches.
#include <algorithm>
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

// The left parts of `bits` bits, most frequent first, as many as a dictionary holds. `sorted` has the values'
// highest kMostLeftBits bits in ascending order, which also orders all shorter parts.
Counted most_frequent(std::span<const uint16_t> sorted, uint32_t bits) {
  Counted counts;
  for (const uint16_t highest : sorted) {
    const auto part = static_cast<uint16_t>(highest >> (kMostLeftBits - bits));
    if (counts.empty() || counts.back().first != part) {
      counts.emplace_back(part, 0);
    }
    ++counts.back().second;
  }
  const size_t most = std::min<size_t>(counts.size(), kMostEntries);
  const auto order = [](const auto& entry) { return std::pair(~entry.second, entry.first); };
  std::ranges::partial_sort(counts, counts.begin() + static_cast<ptrdiff_t>(most), {}, order);
  counts.resize(most);
  return counts;
}

template <class T>
std::vector<uint16_t> sorted_highest(std::span<const T> sample) {
  std::vector<uint16_t> highest(sample.size());
  std::ranges::transform(sample, highest.begin(),
                         [](T value) { return static_cast<uint16_t>(value >> (kBits<T> - kMostLeftBits)); });
  std::ranges::sort(highest);
  return highest;
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

template <class T>
std::vector<T> sample_of(std::span<const T> values) {
  std::vector<T> sample;
  for (uint64_t i = 0; i < values.size(); i += sample_stride(values.size())) {
    sample.push_back(values[i]);
  }
  return sample;
}

// Both parts of all values.
template <class T>
struct Halves {
  Cut cut;
  std::vector<uint16_t> left;
  std::vector<T> right;

  explicit Halves(std::span<const T> values)
      : cut(choose_cut<T>(sample_of(values))), left(values.size()), right(values.size()) {
    for (size_t i = 0; i < values.size(); ++i) {
      left[i] = cut.left_code(values[i]);
      right[i] = cut.right_part(values[i]);
    }
  }
  [[nodiscard]] Values left_values() const { return {DType::u16, left.data(), left.size()}; }
  [[nodiscard]] Values right_values() const {
    return {sizeof(T) == 8 ? DType::u64 : DType::u32, right.data(), right.size()};
  }
  [[nodiscard]] bool with_patches() const {
    return patched::estimate(left_values()) < ffor::estimate(left_values());
  }
};

}  // namespace

template <class T>
Cut choose_cut(std::span<const T> sample) {
  Cut best{.right_bits = kBits<T> - 1, .entries = 1, .dict = {}};
  uint64_t least = UINT64_MAX;
  const std::vector<uint16_t> highest = sorted_highest<T>(sample);
  for (uint32_t left_bits = 1; left_bits <= kMostLeftBits && !sample.empty(); ++left_bits) {
    const uint32_t right_bits = kBits<T> - left_bits;
    const Counted frequent = most_frequent(highest, left_bits);
    uint64_t rare = sample.size();
    for (const auto& [part, count] : frequent) {
      rare -= count;
    }
    const uint64_t code_bits = bit_width_of(frequent.size() - 1);
    const uint64_t bits =
        sample.size() * (right_bits + code_bits) + rare * 8 * patched::patch_bytes(sizeof(uint16_t));
    if (bits < least) {
      least = bits;
      best = make_cut(right_bits, frequent);
    }
  }
  return best;
}

template Cut choose_cut<uint32_t>(std::span<const uint32_t>);
template Cut choose_cut<uint64_t>(std::span<const uint64_t>);

uint64_t estimate(const Values& values) {
  return visit_size(values.type, [&]<class T>(std::type_identity<T>) {
    const Halves<T> halves(values.as<T>());
    return halves.cut.metadata().size() +
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
                 .metadata = halves.cut.metadata(),
                 .buffers = {},
                 .children = {std::move(left), std::move(right)}};
  });
}

}  // namespace bobbin::codec::alprd
