// SPDX-License-Identifier: Apache-2.0
// Match finding: for each position the earlier positions whose next bytes have the same hash, latest first.
// What sorting all positions by (hash, position) gives: the neighbour before a position is its latest earlier
// occurrence, the ones before that are the rest of its chain. No position is dropped.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "core/portable.hpp"

namespace bobbin::zstd {

inline constexpr uint32_t kHashBits = 16;
inline constexpr uint32_t kNoPosition = UINT32_MAX;

// A hash of the first `kBytes` bytes of a little-endian word.
template <uint32_t kBytes>
[[nodiscard]] BOBBIN_HD uint32_t hash_of(uint64_t word) {
  static_assert(kBytes >= 4 && kBytes <= 8);
  constexpr uint64_t kPrime = 0x9E3779B185EBCA87ULL;
  return static_cast<uint32_t>(((word << (64 - 8 * kBytes)) * kPrime) >> (64 - kHashBits));
}

// For each position of `bytes` the latest earlier one with the same hash of `key_bytes` bytes (4, 5 or 8), or
// kNoPosition. Positions whose key would reach past the end have none, and are nobody's.
void link_positions(std::span<const uint8_t> bytes, uint32_t key_bytes, std::vector<uint32_t>& previous);

// The same for a dictionary, and the latest position of each hash.
struct EarlierLinks {
  std::vector<uint32_t> previous;
  std::vector<uint32_t> latest;
};

// The links of one dictionary, made for each key when it is first asked for. Threads may share them.
class DictionaryLinks {
 public:
  const EarlierLinks& of(std::span<const uint8_t> content, uint32_t key_bytes);

 private:
  struct Made {
    std::once_flag once;
    EarlierLinks links;
  };
  std::array<Made, 9> by_key_;
};

}  // namespace bobbin::zstd
