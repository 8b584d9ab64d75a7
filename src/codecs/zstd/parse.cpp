// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/parse.hpp"

#include <algorithm>
#include <bit>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/match.hpp"
#include "codecs/zstd/parse_block.hpp"

namespace bobbin::zstd {
namespace {

constexpr uint32_t kLongKey = 8;

// A frame, after a dictionary if there is one, and the links of its positions.
struct HostInput {
  const uint8_t* frame;  // begins with the dictionary
  std::vector<uint32_t> short_links{};
  std::vector<uint32_t> long_links{};
  std::span<const uint32_t> dictionary{};  // its links, by the short key

  [[nodiscard]] BOBBIN_INLINE uint32_t word(uint32_t at) const { return load<uint32_t>(frame + at); }
  [[nodiscard]] BOBBIN_INLINE uint32_t by_short(uint32_t at) const {
    return short_links[at - dictionary.size()];
  }
  [[nodiscard]] BOBBIN_INLINE uint32_t by_long(uint32_t at) const {
    return long_links[at - dictionary.size()];
  }
  [[nodiscard]] BOBBIN_INLINE uint32_t next_by_short(uint32_t at) const {
    return at < dictionary.size() ? dictionary[at] : by_short(at);
  }
  [[nodiscard]] BOBBIN_INLINE bool same_before(uint32_t a, uint32_t b) const {
    return frame[a - 1] == frame[b - 1];
  }
  [[nodiscard]] BOBBIN_INLINE uint32_t equal(uint32_t a, uint32_t b, uint32_t most) const {
    uint32_t length = 0;
    for (; length + 8 <= most; length += 8) {
      const uint64_t differ = load<uint64_t>(frame + a + length) ^ load<uint64_t>(frame + b + length);
      if (differ != 0) {
        return length + static_cast<uint32_t>(std::countr_zero(differ)) / 8;
      }
    }
    while (length < most && frame[a + length] == frame[b + length]) {
      ++length;
    }
    return length;
  }
};

struct HostSink {
  const uint8_t* frame;
  ParsedBlock& block;

  void take(uint32_t anchor, const CodedSequence& sequence) {
    block.literals.insert(block.literals.end(), frame + anchor, frame + anchor + sequence.literals);
    block.sequences.push_back(sequence);
  }
};

// The parse of one block, one position after another.
class HostParser {
 public:
  HostParser(const HostInput& input, HostSink& sink, const ParseSettings& settings, uint32_t begin,
             uint32_t end)
      : input_(input), sink_(sink), settings_(settings), parse_{begin, end} {}

  // Returns where the literals after the last sequence begin.
  uint32_t parse() {
    for (uint32_t at = parse_.anchor; parse_.may_match(at);) {
      Match match = best_at(at, 0);
      if (match.length == 0) {
        ++at;
        continue;
      }
      at = look_ahead(at, match);
      const uint32_t anchor = parse_.anchor;
      sink_.take(anchor, parse_.take(input_, at, match));
      at = parse_.anchor;
    }
    return parse_.anchor;
  }

 private:
  // A better match a little further on is worth a few literals.
  BOBBIN_INLINE uint32_t look_ahead(uint32_t at, Match& match) const {
    for (uint32_t step = 1; step <= settings_.lazy && parse_.may_match(at + step);) {
      const Match later = best_at(at + step, match.offset);
      const int32_t by = step == 1 ? kBetterByNext : kBetterByAfter;
      if (later.length != 0 && later.gain > match.gain + by) {
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
  [[nodiscard]] BOBBIN_INLINE Match best_at(uint32_t at, uint32_t passed) const {
    const uint32_t literals = at - parse_.anchor;
    const uint32_t word = input_.word(at);
    const uint32_t recent1 = parse_.recent.at(1, literals);
    const uint32_t recent2 = parse_.recent.at(2, literals);
    const uint32_t recent3 = parse_.recent.at(3, literals);
    const uint32_t by_long = settings_.long_key ? input_.by_long(at) : kNoPosition;
    const uint32_t by_short = input_.by_short(at);
    const bool alike1 = starts_alike(at, recent1, word);
    const bool alike2 = starts_alike(at, recent2, word);
    const bool alike3 = starts_alike(at, recent3, word);
    Match best;
    // Most positions have no match at all: one branch finds that out.
    const bool any = alike1 | alike2 | alike3 | (by_short != kNoPosition) | (by_long != kNoPosition);
    if (!any) {
      return best;
    }
    const uint32_t most = parse_.most_at(at);
    if (alike1) {
      best.consider(input_.equal(at, at - recent1, most), recent1, 1);
    }
    if (alike2) {
      best.consider(input_.equal(at, at - recent2, most), recent2, 2);
    }
    if (alike3) {
      best.consider(input_.equal(at, at - recent3, most), recent3, 3);
    }
    if (by_long != kNoPosition && at - by_long != passed) {
      best.consider(input_.equal(at, by_long, most), at - by_long, 0);
    }
    uint32_t earlier = by_short;
    for (uint32_t i = 0; i < settings_.chain && earlier != kNoPosition; ++i) {
      if (earlier != by_long && at - earlier != passed && input_.word(earlier) == word) {
        best.consider(input_.equal(at, earlier, most), at - earlier, 0);
      }
      earlier = i + 1 < settings_.chain ? input_.next_by_short(earlier) : kNoPosition;
    }
    return best;
  }

  // Whether three bytes at an offset are the same.
  [[nodiscard]] BOBBIN_INLINE bool starts_alike(uint32_t at, uint32_t offset, uint32_t word) const {
    const bool known = offset != 0 && offset <= at;
    return (input_.word(known ? at - offset : at) ^ word) << 8 == 0 && known;
  }

  const HostInput& input_;
  HostSink& sink_;
  const ParseSettings& settings_;
  BlockParse parse_;
};

// `size` bytes after those of the dictionary.
std::vector<ParsedBlock> parse_blocks(HostInput& input, size_t size, uint32_t block_bytes,
                                      const ParseSettings& settings) {
  std::vector<ParsedBlock> blocks;
  const size_t before = input.dictionary.size();
  for (size_t begin = before; begin < before + size; begin += block_bytes) {
    const size_t end = std::min(begin + block_bytes, before + size);
    ParsedBlock block;
    block.literals.reserve(end - begin);
    block.sequences.reserve((end - begin) / 8);
    HostSink sink{input.frame, block};
    const uint32_t anchor =
        HostParser(input, sink, settings, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)).parse();
    block.literals.insert(block.literals.end(), input.frame + anchor, input.frame + end);
    blocks.push_back(std::move(block));
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
  HostInput input{frame.data()};
  link_positions(frame, settings.short_key, input.short_links);
  if (settings.long_key) {
    link_positions(frame, kLongKey, input.long_links);
  }
  return parse_blocks(input, frame.size(), block_bytes, settings);
}

std::vector<ParsedBlock> parse_frame(std::span<const uint8_t> frame, uint32_t block_bytes,
                                     const ParseSettings& settings, std::span<const uint8_t> dictionary,
                                     DictionaryLinks& of_dictionary) {
  std::vector<uint8_t> both(dictionary.begin(), dictionary.end());
  both.insert(both.end(), frame.begin(), frame.end());
  HostInput input{both.data()};
  const EarlierLinks& by_short = of_dictionary.of(dictionary, settings.short_key);
  link_positions(frame, settings.short_key, by_short, input.short_links);
  if (settings.long_key) {
    link_positions(frame, kLongKey, of_dictionary.of(dictionary, kLongKey), input.long_links);
  }
  input.dictionary = by_short.previous;
  return parse_blocks(input, frame.size(), block_bytes, settings);
}

}  // namespace bobbin::zstd
