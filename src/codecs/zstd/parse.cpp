// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/parse.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/match.hpp"

namespace bobbin::zstd {
namespace {

constexpr uint32_t kMinMatch = 4;
constexpr uint32_t kMinRecentMatch = 3;
constexpr uint32_t kLongKey = 8;
// Lengths are compared up to this many bytes; the match that is taken is then extended as far as it goes.
constexpr uint32_t kMaxCompared = 64;

struct Match {
  uint32_t length = 0;  // 0: none
  uint32_t offset = 0;
  uint32_t recent = 0;  // 1 to 3: the offset value that stands for a recent offset
  int32_t gain = 0;     // in quarters of a byte
};

[[nodiscard]] BOBBIN_INLINE uint32_t equal_bytes(const uint8_t* a, const uint8_t* b, uint32_t most) {
  uint32_t length = 0;
  for (; length + 8 <= most; length += 8) {
    const uint64_t differ = load<uint64_t>(a + length) ^ load<uint64_t>(b + length);
    if (differ != 0) {
      return length + static_cast<uint32_t>(std::countr_zero(differ)) / 8;
    }
  }
  while (length < most && a[length] == b[length]) {
    ++length;
  }
  return length;
}

// The recent offsets as this block knows them; 0 where it does not.
class RecentOffsets {
 public:
  // The offset that value 1, 2 or 3 stands for after `literals` literals; 0 where that is unknown.
  [[nodiscard]] uint32_t at(uint32_t value, uint32_t literals) const {
    const uint32_t index = value - 1 + (literals == 0 ? 1 : 0);
    return index < 3 ? offsets_[index] : offsets_[0] - (offsets_[0] == 0 ? 0 : 1);
  }
  void use(uint32_t value, uint32_t literals, uint32_t offset) {
    const uint32_t index = value > 3 ? 3 : value - 1 + (literals == 0 ? 1 : 0);
    if (index == 0) {
      return;
    }
    offsets_[2] = index == 1 ? offsets_[2] : offsets_[1];
    offsets_[1] = offsets_[0];
    offsets_[0] = offset;
  }

 private:
  std::array<uint32_t, 3> offsets_{};
};

// The links of a frame's positions, the first of which follows those of a dictionary, if there is one.
struct FrameLinks {
  std::vector<uint32_t> by_short;
  std::vector<uint32_t> by_long;           // empty where the level has no long key
  std::span<const uint32_t> dictionary{};  // by the short key

  [[nodiscard]] uint32_t next_by_short(uint32_t position) const {
    return position < dictionary.size() ? dictionary[position] : by_short[position - dictionary.size()];
  }
};

class BlockParser {
 public:
  // `frame` begins with the dictionary.
  BlockParser(std::span<const uint8_t> frame, const FrameLinks& links, const ParseSettings& settings)
      : frame_(frame), links_(links), settings_(settings) {}

  ParsedBlock parse(uint32_t begin, uint32_t end) {
    ParsedBlock block;
    block.literals.reserve(end - begin);
    block.sequences.reserve((end - begin) / 8);
    end_ = end;
    recent_ = {};
    anchor_ = begin;
    uint32_t at = begin;
    while (at + kMinMatch <= end) {
      Match match = best_at(at, 0);
      if (match.length == 0) {
        ++at;
        continue;
      }
      at = look_ahead(at, match);
      take(at, match, block);
      at = anchor_;
    }
    block.literals.insert(block.literals.end(), frame_.begin() + anchor_, frame_.begin() + end);
    return block;
  }

 private:
  // A better match a little further on is worth a few literals.
  uint32_t look_ahead(uint32_t at, Match& match) const {
    for (uint32_t step = 1; step <= settings_.lazy && at + step + kMinMatch <= end_;) {
      const Match later = best_at(at + step, match.offset);
      if (later.length != 0 && later.gain > match.gain + (step == 1 ? 4 : 7)) {
        match = later;
        at += step;
        step = 1;
      } else {
        ++step;
      }
    }
    return at;
  }

  // `passed`: an offset whose match is already in hand from an earlier position. It is shorter from here, so
  // it cannot win, except as a recent offset, which is cheaper.
  [[nodiscard]] Match best_at(uint32_t at, uint32_t passed) const {
    const uint32_t literals = at - anchor_;
    const uint32_t word = load<uint32_t>(&frame_[at]);
    const std::array<uint32_t, 3> recent{recent_.at(1, literals), recent_.at(2, literals),
                                         recent_.at(3, literals)};
    const size_t index = at - links_.dictionary.size();
    const uint32_t by_long = links_.by_long.empty() ? kNoPosition : links_.by_long[index];
    const uint32_t by_short = links_.by_short[index];
    // Most positions have no match at all: one branch finds that out.
    const bool any = starts_alike(at, recent[0], word, 8) | starts_alike(at, recent[1], word, 8) |
                     starts_alike(at, recent[2], word, 8) | (by_short != kNoPosition) |
                     (by_long != kNoPosition);
    Match best;
    if (!any) {
      return best;
    }
    const uint32_t most = std::min(end_ - at, kMaxCompared);
    for (uint32_t value = 1; value <= 3; ++value) {
      if (starts_alike(at, recent[value - 1], word, 8)) {
        consider(at, recent[value - 1], most, value, best);
      }
    }
    if (by_long != kNoPosition && at - by_long != passed) {
      consider(at, at - by_long, most, 0, best);
    }
    uint32_t earlier = by_short;
    for (uint32_t i = 0; i < settings_.chain && earlier != kNoPosition; ++i) {
      if (load<uint32_t>(&frame_[earlier]) == word && earlier != by_long && at - earlier != passed) {
        consider(at, at - earlier, most, 0, best);
      }
      earlier = links_.next_by_short(earlier);
    }
    return best;
  }

  // Whether the bytes at an offset are the same as `word`, but for its highest `spare` bits.
  [[nodiscard]] BOBBIN_INLINE bool starts_alike(uint32_t at, uint32_t offset, uint32_t word,
                                                uint32_t spare) const {
    const bool known = offset != 0 && offset <= at;
    return (load<uint32_t>(&frame_[known ? at - offset : at]) ^ word) << spare == 0 && known;
  }

  BOBBIN_INLINE void consider(uint32_t at, uint32_t offset, uint32_t most, uint32_t recent,
                              Match& best) const {
    const uint32_t length = equal_bytes(&frame_[at], &frame_[at - offset], most);
    if (length < (recent != 0 ? kMinRecentMatch : kMinMatch)) {
      return;
    }
    const uint32_t value = recent != 0 ? recent : offset + 3;
    const auto gain = static_cast<int32_t>(4 * length) - static_cast<int32_t>(std::bit_width(value)) -
                      (recent != 0 ? 0 : 1);
    if (best.length == 0 || gain > best.gain) {
      best = {length, offset, recent, gain};
    }
  }

  void take(uint32_t at, const Match& match, ParsedBlock& block) {
    uint32_t length = match.length;
    if (length == kMaxCompared) {
      length += equal_bytes(&frame_[at + length], &frame_[at - match.offset + length], end_ - at - length);
    }
    // Literals before the match that would have matched as well.
    while (match.recent == 0 && at > anchor_ && at > match.offset &&
           frame_[at - 1] == frame_[at - 1 - match.offset]) {
      --at;
      ++length;
    }
    const uint32_t literals = at - anchor_;
    const uint32_t value = match.recent != 0 ? match.recent : match.offset + 3;
    block.literals.insert(block.literals.end(), frame_.begin() + anchor_, frame_.begin() + at);
    block.sequences.push_back({literals, length, value});
    recent_.use(value, literals, match.offset);
    anchor_ = at + length;
  }

  std::span<const uint8_t> frame_;
  const FrameLinks& links_;
  const ParseSettings& settings_;
  RecentOffsets recent_;
  uint32_t anchor_ = 0;
  uint32_t end_ = 0;
};

// `frame` has `before` bytes of a dictionary first.
std::vector<ParsedBlock> parse_blocks(std::span<const uint8_t> frame, size_t before, uint32_t block_bytes,
                                      const ParseSettings& settings, const FrameLinks& links) {
  BlockParser parser(frame, links, settings);
  std::vector<ParsedBlock> blocks;
  for (size_t begin = before; begin < frame.size(); begin += block_bytes) {
    const size_t end = std::min(begin + block_bytes, frame.size());
    blocks.push_back(parser.parse(static_cast<uint32_t>(begin), static_cast<uint32_t>(end)));
  }
  return blocks;
}

}  // namespace

ParseSettings settings_of(uint32_t level) {
  if (level <= 2) {
    return {.short_key = 5, .long_key = false, .chain = 1, .lazy = 0};
  }
  if (level <= 5) {
    return {.short_key = 4, .long_key = true, .chain = 1, .lazy = 2};
  }
  return {.short_key = 4, .long_key = true, .chain = level <= 8 ? 16u : 64u, .lazy = 2};
}

std::vector<ParsedBlock> parse_frame(std::span<const uint8_t> frame, uint32_t block_bytes,
                                     const ParseSettings& settings) {
  FrameLinks links;
  link_positions(frame, settings.short_key, links.by_short);
  if (settings.long_key) {
    link_positions(frame, kLongKey, links.by_long);
  }
  return parse_blocks(frame, 0, block_bytes, settings, links);
}

std::vector<ParsedBlock> parse_frame(std::span<const uint8_t> frame, uint32_t block_bytes,
                                     const ParseSettings& settings, std::span<const uint8_t> dictionary,
                                     DictionaryLinks& of_dictionary) {
  FrameLinks links;
  const EarlierLinks& by_short = of_dictionary.of(dictionary, settings.short_key);
  link_positions(frame, settings.short_key, by_short, links.by_short);
  if (settings.long_key) {
    link_positions(frame, kLongKey, of_dictionary.of(dictionary, kLongKey), links.by_long);
  }
  links.dictionary = by_short.previous;
  std::vector<uint8_t> both(dictionary.begin(), dictionary.end());
  both.insert(both.end(), frame.begin(), frame.end());
  return parse_blocks(both, dictionary.size(), block_bytes, settings, links);
}

}  // namespace bobbin::zstd
