// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/match.hpp"

#include "codecs/zstd/bits.hpp"

namespace bobbin::zstd {
namespace {

// On a CPU a table of the latest position of each hash gives the sorted order's links in one pass.
template <uint32_t kBytes>
void link(std::span<const uint8_t> bytes, std::vector<uint32_t>& latest, std::vector<uint32_t>& previous) {
  const size_t size = bytes.size();
  latest.assign(size_t{1} << kHashBits, kNoPosition);
  previous.resize(size);
  const auto visit = [&](size_t i, uint64_t word) {
    const uint32_t hash = hash_of<kBytes>(word);
    previous[i] = latest[hash];
    latest[hash] = static_cast<uint32_t>(i);
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

void link_by(uint32_t key_bytes, std::span<const uint8_t> bytes, std::vector<uint32_t>& latest,
             std::vector<uint32_t>& previous) {
  switch (key_bytes) {
    case 4:
      return link<4>(bytes, latest, previous);
    case 5:
      return link<5>(bytes, latest, previous);
    default:
      return link<8>(bytes, latest, previous);
  }
}

}  // namespace

void link_positions(std::span<const uint8_t> bytes, uint32_t key_bytes, std::vector<uint32_t>& previous) {
  std::vector<uint32_t> latest;
  link_by(key_bytes, bytes, latest, previous);
}

const EarlierLinks& DictionaryLinks::of(std::span<const uint8_t> content, uint32_t key_bytes) {
  Made& made = by_key_[key_bytes];
  std::call_once(made.once, [&] { link_by(key_bytes, content, made.links.latest, made.links.previous); });
  return made.links;
}

}  // namespace bobbin::zstd
