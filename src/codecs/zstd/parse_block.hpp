// SPDX-License-Identifier: Apache-2.0
// The parse of one block: which match is best at a position, the same source for the CPU and for devices; and
// the parse by one thread. (Devices: parse_kernel.hpp.)
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/zstd/match.hpp"
#include "codecs/zstd/parse.hpp"
#include "core/portable.hpp"

namespace bobbin::zstd {

inline constexpr uint32_t kMinMatch = 4;
inline constexpr uint32_t kMinRecentMatch = 3;

struct Match {
  uint32_t length = 0;  // 0: none
  uint32_t offset = 0;
  uint32_t recent = 0;  // 1 to 3: the offset value that stands for a recent offset
  int32_t gain = 0;     // in quarters of a byte
};

// The recent offsets as this block knows them; 0 where it does not.
class RecentOffsets {
 public:
  // The offset that value 1, 2 or 3 means after `literals` literals; 0 where that is unknown.
  [[nodiscard]] BOBBIN_HD uint32_t at(uint32_t value, uint32_t literals) const {
    const uint32_t index = value - 1 + (literals == 0 ? 1 : 0);
    return index == 0 ? first_ : index == 1 ? second_ : index == 2 ? third_ : first_ - (first_ == 0 ? 0 : 1);
  }
  BOBBIN_HD void use(uint32_t value, uint32_t literals, uint32_t offset) {
    const uint32_t index = value > 3 ? 3 : value - 1 + (literals == 0 ? 1 : 0);
    if (index == 0) {
      return;
    }
    third_ = index == 1 ? third_ : second_;
    second_ = first_;
    first_ = offset;
  }

 private:
  uint32_t first_ = 0;
  uint32_t second_ = 0;
  uint32_t third_ = 0;
};

// Where a block's parse is, and the best match at a position. An Input has the frame's bytes and links:
//   word(p)                  four bytes
//   by_short(p) by_long(p)   the latest earlier position, or kNoPosition
//   next_by_short(p)         the same of an earlier position
//   equal(a, b, most)        how many bytes are the same, up to `most`
//   same_before(a, b)        whether the bytes before a and b are the same
template <class Input>
class MatchSearch {
 public:
  // A match of `gain` is left for one of the next position, or the one after, only if that gains more by:
  static constexpr int32_t kBetterByNext = 4;
  static constexpr int32_t kBetterByAfter = 7;

  BOBBIN_HD MatchSearch(Input& input, const ParseSettings& settings, uint32_t begin, uint32_t end)
      : input_(input), settings_(settings), anchor_(begin), end_(end) {}

  // Where the literals begin that no sequence has yet.
  [[nodiscard]] BOBBIN_HD uint32_t anchor() const { return anchor_; }
  [[nodiscard]] BOBBIN_HD bool may_match(uint32_t at) const { return at + kMinMatch <= end_; }

  // `passed`: an offset whose match is already in hand from an earlier position. It is shorter from here, so
  // it cannot win, except as a recent offset, which is cheaper.
  [[nodiscard]] BOBBIN_HD Match best_at(uint32_t at, uint32_t passed) const {
    const uint32_t literals = at - anchor_;
    const uint32_t word = input_.word(at);
    const uint32_t recent1 = recent_.at(1, literals);
    const uint32_t recent2 = recent_.at(2, literals);
    const uint32_t recent3 = recent_.at(3, literals);
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
    const uint32_t most = end_ - at < kMaxCompared ? end_ - at : kMaxCompared;
    if (alike1) {
      consider(at, recent1, most, 1, best);
    }
    if (alike2) {
      consider(at, recent2, most, 2, best);
    }
    if (alike3) {
      consider(at, recent3, most, 3, best);
    }
    if (by_long != kNoPosition && at - by_long != passed) {
      consider(at, at - by_long, most, 0, best);
    }
    uint32_t earlier = by_short;
    for (uint32_t i = 0; i < settings_.chain && earlier != kNoPosition; ++i) {
      if (earlier != by_long && at - earlier != passed && input_.word(earlier) == word) {
        consider(at, at - earlier, most, 0, best);
      }
      earlier = i + 1 < settings_.chain ? input_.next_by_short(earlier) : kNoPosition;
    }
    return best;
  }

  // Extends a match as far as it goes. Returns its sequence, whose literals begin where anchor() was.
  [[nodiscard]] BOBBIN_HD CodedSequence take(uint32_t at, const Match& match) {
    uint32_t length = match.length;
    if (length == kMaxCompared) {
      length += input_.equal(at + length, at - match.offset + length, end_ - at - length);
    }
    // Literals before the match that would have matched as well.
    while (match.recent == 0 && at > anchor_ && at > match.offset &&
           input_.same_before(at, at - match.offset)) {
      --at;
      ++length;
    }
    const uint32_t literals = at - anchor_;
    const uint32_t value = match.recent != 0 ? match.recent : match.offset + 3;
    recent_.use(value, literals, match.offset);
    anchor_ = at + length;
    return {literals, length, value};
  }

 private:
  // Lengths are compared up to this many bytes; the match that is taken is then extended as far as it goes.
  static constexpr uint32_t kMaxCompared = 64;

  // Whether three bytes at an offset are the same.
  [[nodiscard]] BOBBIN_HD bool starts_alike(uint32_t at, uint32_t offset, uint32_t word) const {
    const bool known = offset != 0 && offset <= at;
    return (input_.word(known ? at - offset : at) ^ word) << 8 == 0 && known;
  }

  BOBBIN_HD void consider(uint32_t at, uint32_t offset, uint32_t most, uint32_t recent, Match& best) const {
    const uint32_t length = input_.equal(at, at - offset, most);
    if (length < (recent != 0 ? kMinRecentMatch : kMinMatch)) {
      return;
    }
    const uint32_t value = recent != 0 ? recent : offset + 3;
    const int32_t gain =
        static_cast<int32_t>(4 * length) - (32 - std::countl_zero(value)) - (recent != 0 ? 0 : 1);
    if (best.length == 0 || gain > best.gain) {
      best = {length, offset, recent, gain};
    }
  }

  Input& input_;
  const ParseSettings& settings_;
  RecentOffsets recent_;
  uint32_t anchor_;
  uint32_t end_;
};

// One thread, one position after another. A Sink gets the block's sequences in order: sink.take(anchor,
// sequence), where the literals begin at anchor.
template <class Input, class Sink>
class BlockParser {
 public:
  BOBBIN_HD BlockParser(Input& input, Sink& sink, const ParseSettings& settings, uint32_t begin, uint32_t end)
      : search_(input, settings, begin, end), sink_(sink), lazy_(settings.lazy) {}

  // Returns where the literals after the last sequence begin.
  BOBBIN_HD uint32_t parse() {
    for (uint32_t at = search_.anchor(); search_.may_match(at);) {
      Match match = search_.best_at(at, 0);
      if (match.length == 0) {
        ++at;
        continue;
      }
      at = look_ahead(at, match);
      const uint32_t anchor = search_.anchor();
      sink_.take(anchor, search_.take(at, match));
      at = search_.anchor();
    }
    return search_.anchor();
  }

 private:
  using Search = MatchSearch<Input>;

  // A better match a little further on is worth a few literals.
  BOBBIN_HD uint32_t look_ahead(uint32_t at, Match& match) const {
    for (uint32_t step = 1; step <= lazy_ && search_.may_match(at + step);) {
      const Match later = search_.best_at(at + step, match.offset);
      const int32_t by = step == 1 ? Search::kBetterByNext : Search::kBetterByAfter;
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

  Search search_;
  Sink& sink_;
  uint32_t lazy_;
};

}  // namespace bobbin::zstd
