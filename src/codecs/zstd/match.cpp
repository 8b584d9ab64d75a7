// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/match.hpp"

#include "codecs/zstd/bits.hpp"

namespace bobbin::zstd {
namespace {

// On a CPU a table of the latest position of each hash gives the sorted order's links in one pass.
template <uint32_t kBytes>
void link(std::span<const uint8_t> bytes, std::vector<uint32_t>& previous) {
  std::vector<uint32_t> latest(size_t{1} << kHashBits, kNoPosition);
  const size_t size = bytes.size();
  const auto visit = [&](size_t i, uint64_t word) {
    uint32_t& slot = latest[hash_of<kBytes>(word)];
    previous[i] = slot;
    slot = static_cast<uint32_t>(i);
  };
  size_t i = 0;
  for (; i + 8 <= size; ++i) {
    visit(i, load<uint64_t>(bytes.data() + i));
  }
  for (; i + kBytes <= size; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, size - i);
    visit(i, word);
  }
  for (; i < size; ++i) {
    previous[i] = kNoPosition;
  }
}

}  // namespace

void link_positions(std::span<const uint8_t> bytes, uint32_t key_bytes, std::vector<uint32_t>& previous) {
  previous.resize(bytes.size());
  switch (key_bytes) {
    case 4:
      return link<4>(bytes, previous);
    case 5:
      return link<5>(bytes, previous);
    default:
      return link<8>(bytes, previous);
  }
}

}  // namespace bobbin::zstd
