// SPDX-License-Identifier: Apache-2.0
// The match finder of a CPU, which visits positions in order: tables of the latest position of each hash have
// the links of match.hpp at the moment they are needed, so that only chains are kept for all positions.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/match.hpp"
#include "core/bit_scan.hpp"
#include "core/portable.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bobbin::zstd {

inline constexpr uint32_t kLongKey = 8;

// Content with room around it: candidates are loaded and compared before it is known whether they exist, or
// reach past the end.
class PaddedContent {
 public:
  static constexpr uint32_t kFront = 8;
  static constexpr uint32_t kBack = 96;

  PaddedContent(std::span<const uint8_t> dictionary, std::span<const uint8_t> frame)
      : size_(static_cast<uint32_t>(dictionary.size() + frame.size())) {
    bytes_.reserve(kFront + size_ + kBack);
    bytes_.resize(kFront);
    bytes_.insert(bytes_.end(), dictionary.begin(), dictionary.end());
    bytes_.insert(bytes_.end(), frame.begin(), frame.end());
    bytes_.resize(kFront + size_ + kBack);
  }

  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] const uint8_t* data() const { return bytes_.data() + kFront; }

 private:
  std::vector<uint8_t> bytes_;
  uint32_t size_;
};

// Positions of padded content: a value that stays in registers. Positions have a sign: -1 is one that does
// not exist, and can be loaded from.
struct ContentView {
  const uint8_t* bytes;

  [[nodiscard]] BOBBIN_INLINE uint32_t word(int64_t position) const {
    return load<uint32_t>(bytes + position);
  }
  [[nodiscard]] BOBBIN_INLINE uint64_t wide(int64_t position) const {
    return load<uint64_t>(bytes + position);
  }

  // How many bytes are the same, up to `most`.
  [[nodiscard]] BOBBIN_INLINE uint32_t equal(int64_t a, int64_t b, uint32_t most) const {
    for (uint32_t length = 0;; length += kCompared) {
      const uint32_t same = equal_first(bytes + a + length, bytes + b + length);
      if (same < kCompared || length + kCompared >= most) {
        return length + same < most ? length + same : most;
      }
    }
  }
  // How many bytes before them are the same, up to `most`.
  [[nodiscard]] BOBBIN_INLINE uint32_t equal_before(int64_t a, int64_t b, uint32_t most) const {
    for (uint32_t length = 0;; length += 8) {
      const uint64_t differ = wide(a - length - 8) ^ wide(b - length - 8);
      const uint32_t same = static_cast<uint32_t>(std::countl_zero(differ)) / 8;
      if (differ != 0 || length + 8 >= most) {
        return length + same < most ? length + same : most;
      }
    }
  }

 private:
  static constexpr uint32_t kCompared = 32;

  // How many of the first kCompared bytes are equal. No branches: the length of a match cannot be predicted.
  [[nodiscard]] BOBBIN_INLINE static uint32_t equal_first(const uint8_t* a, const uint8_t* b) {
#if defined(__SSE2__)
    // One bit more is set, so that there is always one to find.
    constexpr uint64_t kAll = (uint64_t{2} << kCompared) - 1;
    const uint64_t same = uint64_t{same_of_16(a + 16, b + 16)} << 16 | same_of_16(a, b);
    return static_cast<uint32_t>(__builtin_ctzll(same ^ kAll));
#else
    uint32_t same = 0;
    uint32_t going = 1;
    for (uint32_t i = 0; i < kCompared; i += 4) {
      const uint32_t differ = load<uint32_t>(a + i) ^ load<uint32_t>(b + i);
      same += going * (trailing_zeros(differ) / 8);
      going &= static_cast<uint32_t>(differ == 0);
    }
    return same;
#endif
  }
#if defined(__SSE2__)
  [[nodiscard]] BOBBIN_INLINE static uint32_t same_of_16(const uint8_t* a, const uint8_t* b) {
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(load<__m128i>(a), load<__m128i>(b))));
  }
#endif
};

// The latest earlier positions with the hash of a position's short and of its long key.
struct Found {
  int64_t by_short = -1;  // -1: none
  int64_t by_long = -1;
};

// Positions must be visited in ascending order. They are stored as `Position`: small tables stay in a cache.
// A value that stays in registers.
template <class Position, uint32_t kShortKey, bool kHasLongKey, bool kHasChains>
class Finder {
 public:
  // What it knows of a frame.
  struct Tables {
    std::vector<Position> latest_short;
    std::vector<Position> latest_long;
    std::vector<Position> previous{};        // chains of the frame's positions, by the short key
    std::span<const uint32_t> dictionary{};  // and of those of the dictionary before it
  };

  // Whether positions up to this many fit.
  [[nodiscard]] static constexpr bool fits(uint64_t positions) { return positions <= uint64_t{kNone} + 1; }

  [[nodiscard]] static Tables make_tables(uint32_t frame_bytes) {
    return {.latest_short = std::vector<Position>(kHashes, kNone),
            .latest_long = std::vector<Position>(kHasLongKey ? kHashes : 0, kNone),
            .previous = std::vector<Position>(kHasChains ? frame_bytes : 0, kNone)};
  }
  // For a frame after a dictionary.
  [[nodiscard]] static Tables make_tables(uint32_t frame_bytes, std::span<const uint8_t> dictionary,
                                          DictionaryLinks& links)
    requires(sizeof(Position) == sizeof(uint32_t))
  {
    const EarlierLinks& by_short = links.of(dictionary, kShortKey);
    return {.latest_short = by_short.latest,
            .latest_long = kHasLongKey ? links.of(dictionary, kLongKey).latest : std::vector<uint32_t>{},
            .previous = std::vector<uint32_t>(kHasChains ? frame_bytes : 0, kNone),
            .dictionary = by_short.previous};
  }

  Finder(const PaddedContent& content, Tables& tables)
      : content_{content.data()},
        size_(content.size()),
        begin_(static_cast<uint32_t>(tables.dictionary.size())),
        next_(begin_),
        latest_short_(tables.latest_short.data()),
        latest_long_(tables.latest_long.data()),
        previous_(tables.previous.data()),
        dictionary_(tables.dictionary.data()) {}

  [[nodiscard]] BOBBIN_INLINE Found visit(uint32_t at) {
    for (; next_ < at; ++next_) {
      enter(next_);
    }
    ++next_;
    Found found = enter(at);
    // A key that reaches past the end has no link.
    found.by_short = at + kShortKey <= size_ ? found.by_short : -1;
    found.by_long = at + kLongKey <= size_ ? found.by_long : -1;
    return found;
  }

  // The next one of a position's chain, by the short key.
  [[nodiscard]] BOBBIN_INLINE int64_t next_in_chain(int64_t at) const {
    return at < begin_ ? static_cast<int32_t>(dictionary_[at]) : position_of(previous_[at - begin_]);
  }

 private:
  static constexpr size_t kHashes = size_t{1} << kHashBits;
  // Also the last position that fits: no key begins there that does not reach past the end.
  static constexpr Position kNone = std::numeric_limits<Position>::max();
  static_assert(sizeof(Position) < sizeof(uint32_t) || kNone == kNoPosition, "as in a dictionary's links");

  // kNone becomes -1, without a branch that could not be predicted.
  [[nodiscard]] BOBBIN_INLINE static int64_t position_of(Position link) {
    return static_cast<int64_t>(static_cast<Position>(link + 1)) - 1;
  }

  // Keys that reach past the end are entered as well: only positions after them would find them, whose keys
  // do so too.
  BOBBIN_INLINE Found enter(uint32_t at) {
    const uint64_t word = content_.wide(at);
    Found found;
    found.by_short = put(latest_short_[hash_of<kShortKey>(word)], at);
    if constexpr (kHasLongKey) {
      found.by_long = put(latest_long_[hash_of<kLongKey>(word)], at);
    }
    if constexpr (kHasChains) {
      previous_[at - begin_] = static_cast<Position>(found.by_short);
    }
    return found;
  }
  [[nodiscard]] BOBBIN_INLINE static int64_t put(Position& latest, uint32_t at) {
    const int64_t before = position_of(latest);
    latest = static_cast<Position>(at);
    return before;
  }

  ContentView content_;
  uint32_t size_;
  uint32_t begin_;  // of the frame
  uint32_t next_;   // all positions before it have been entered
  Position* latest_short_;
  Position* latest_long_;
  Position* previous_;
  const uint32_t* dictionary_;
};

}  // namespace bobbin::zstd
