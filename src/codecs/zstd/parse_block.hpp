// SPDX-License-Identifier: Apache-2.0
// What the parse of a block is on the CPU (parse.cpp) and on devices (parse_kernel.hpp): which match is best,
// and what is done with it. They differ in how candidates are compared.
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/zstd/match.hpp"
#include "codecs/zstd/parse.hpp"
#include "core/portable.hpp"

namespace bobbin::zstd {

inline constexpr uint32_t kMinMatch = 4;
inline constexpr uint32_t kMinRecentMatch = 3;
// Lengths are compared up to this many bytes; the match that is taken is then extended as far as it goes.
inline constexpr uint32_t kMaxCompared = 64;
// A match is left for one of the next position, or of the one after, if that gains more by this much.
inline constexpr int32_t kBetterByNext = 4;
inline constexpr int32_t kBetterByAfter = 7;

struct Match {
  uint32_t length = 0;  // 0: none
  uint32_t offset = 0;
  uint32_t recent = 0;  // 1 to 3: the offset value that stands for a recent offset
  int32_t gain = 0;     // in quarters of a byte

  [[nodiscard]] BOBBIN_HD static int32_t gain_of(uint32_t length, uint32_t offset, uint32_t recent) {
    const uint32_t value = recent != 0 ? recent : offset + 3;
    // With the lowest bit set, which no width depends on, a CPU need not ask whether there is any.
    return static_cast<int32_t>(4 * length) - (32 - std::countl_zero(value | 1)) - (recent != 0 ? 0 : 1);
  }

  // Becomes another match if that is long enough and gains more.
  BOBBIN_HD void consider(uint32_t other_length, uint32_t other_offset, uint32_t other_recent) {
    if (other_length < (other_recent != 0 ? kMinRecentMatch : kMinMatch)) {
      return;
    }
    const int32_t other_gain = gain_of(other_length, other_offset, other_recent);
    if (length == 0 || other_gain > gain) {
      *this = {other_length, other_offset, other_recent, other_gain};
    }
  }
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

// Where a block's parse is. An Input has the frame's bytes:
//   equal(a, b, most)         how many bytes are the same, up to `most`
//   equal_before(a, b, most)  the same for the bytes before them
struct BlockParse {
  uint32_t anchor;  // where the literals begin that no sequence has yet
  uint32_t end;
  RecentOffsets recent{};

  [[nodiscard]] BOBBIN_HD bool may_match(uint32_t at) const { return at + kMinMatch <= end; }
  // How far candidates are compared.
  [[nodiscard]] BOBBIN_HD uint32_t most_at(uint32_t at) const {
    return end - at < kMaxCompared ? end - at : kMaxCompared;
  }

  // Extends a match as far as it goes. Returns its sequence, whose literals begin where the anchor was.
  template <class Input>
  [[nodiscard]] BOBBIN_HD CodedSequence take(const Input& input, uint32_t at, const Match& match) {
    uint32_t length = match.length;
    if (length == kMaxCompared) {
      length += input.equal(at + length, at - match.offset + length, end - at - length);
    }
    // Literals before the match that would have matched as well.
    if (match.recent == 0) {
      const uint32_t from = at - match.offset;
      const uint32_t more = input.equal_before(at, from, at - anchor < from ? at - anchor : from);
      at -= more;
      length += more;
    }
    const uint32_t literals = at - anchor;
    const uint32_t value = match.recent != 0 ? match.recent : match.offset + 3;
    recent.use(value, literals, match.offset);
    anchor = at + length;
    return {literals, length, value};
  }
};

}  // namespace bobbin::zstd
