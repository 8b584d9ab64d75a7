// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/parse.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codecs/zstd/finder.hpp"
#include "codecs/zstd/parse_block.hpp"

namespace bobbin::zstd {
namespace {

// What a block's parse writes, with room for copies of a fixed size.
struct BlockSpace {
  static constexpr uint32_t kCopied = 16;

  explicit BlockSpace(uint32_t block_bytes)
      : literals(block_bytes + kCopied), sequences(block_bytes / kMinRecentMatch + 1) {}

  std::vector<uint8_t> literals;
  std::vector<CodedSequence> sequences;
};

// The three recent offsets, right after a match or after literals; 0 where unknown.
struct Recents {
  static constexpr uint32_t kCount = 3;
  std::array<int64_t, kCount> offsets{};
  uint32_t unknown = (1 << kCount) - 1;  // a bit for each

  BOBBIN_INLINE void set(const RecentOffsets& recent, uint32_t literals) {
    unknown = 0;
    for (uint32_t i = 0; i < kCount; ++i) {
      offsets[i] = recent.at(i + 1, literals);
      unknown |= static_cast<uint32_t>(offsets[i] == 0) << i;
    }
  }
};

// The parse of one block, one position after another. What decides its speed are branches that a CPU cannot
// predict: one branch finds that no candidate of a position begins with its bytes, or can be better than the
// match in hand.
template <class Finder, ParseSettings kSettings>
class HostParser {
 public:
  HostParser(const PaddedContent& content, const Finder& finder, uint32_t begin, uint32_t end)
      : content_{content.data()}, finder_(finder), parse_{begin, end} {}

  [[nodiscard]] ParsedBlock parse(BlockSpace& space) {
    uint8_t* literals = space.literals.data();
    CodedSequence* sequences = space.sequences.data();
    Recents after_match;
    Recents after_literals;
    const Recents* recents = &after_match;
    for (uint32_t at = parse_.anchor; parse_.may_match(at);) {
      const Found found = finder_.visit(at);
      const uint32_t alike = alike_at(at, found, *recents);
      Match match;
      if (alike == 0 || (match = best_of(at, found, *recents, alike)).length == 0) {
        ++at;
        recents = &after_literals;
        continue;
      }
      at = look_ahead(at, match, after_literals);
      const uint32_t anchor = parse_.anchor;
      const CodedSequence sequence = parse_.take(content_, at, match);
      literals = copy_literals(anchor, sequence.literals, literals);
      *sequences++ = sequence;
      after_match.set(parse_.recent, 0);
      after_literals.set(parse_.recent, 1);
      recents = &after_match;
      at = parse_.anchor;
    }
    literals = copy_literals(parse_.anchor, parse_.end - parse_.anchor, literals);
    return {{space.literals.data(), literals}, {space.sequences.data(), sequences}};
  }

  // As far as it has come.
  [[nodiscard]] const Finder& finder() const { return finder_; }

 private:
  static constexpr bool kChains = kSettings.chain > 1;
  // Candidates after those of recent offsets.
  static constexpr uint32_t kByLong = 3;
  static constexpr uint32_t kByShort = 4;

  BOBBIN_INLINE uint8_t* copy_literals(uint32_t from, uint32_t count, uint8_t* to) const {
    uint32_t i = 0;
    do {  // once at least: whether there are any cannot be predicted
      std::memcpy(to + i, content_.bytes + from + i, BlockSpace::kCopied);
      i += BlockSpace::kCopied;
    } while (i < count);
    return to + count;
  }

  // A better match a little further on is worth a few literals.
  BOBBIN_INLINE uint32_t look_ahead(uint32_t at, Match& match, const Recents& recents) {
    for (uint32_t step = 1; step <= kSettings.lazy && parse_.may_match(at + step);) {
      const int32_t least = match.gain + (step == 1 ? kBetterByNext : kBetterByAfter);
      const Match later = better_at(at + step, match.offset, recents, least);
      if (later.length != 0 && later.gain > least) {
        match = later;
        at += step;
        step = 1;
      } else {
        ++step;
      }
    }
    return at;
  }

  // The best match of a later position, or any one that does not gain more than `least`.
  [[nodiscard]] BOBBIN_INLINE Match better_at(uint32_t at, uint32_t offset, const Recents& recents,
                                              int32_t least) {
    const Found found = finder_.visit(at);
    if constexpr (kSettings.lazy_by_long) {
      if (!gains_by_long(at, found, least)) {
        return {};
      }
    }
    uint32_t alike = alike_at(at, found, recents);
    if constexpr (!kChains) {
      // The offset in hand gives a shorter match from here on.
      alike &= ~(static_cast<uint32_t>(at - found.by_long == offset) << kByLong);
      alike &= ~(static_cast<uint32_t>(at - found.by_short == offset) << kByShort);
    }
    return alike == 0 ? Match{} : best_of(at, found, recents, alike);
  }

  [[nodiscard]] BOBBIN_INLINE bool gains_by_long(uint32_t at, const Found& found, int32_t least) const {
    const uint32_t length = content_.equal(at, found.by_long, parse_.most_at(at));
    const int32_t gain = Match::gain_of(length, static_cast<uint32_t>(at - found.by_long), 0);
    return (gain > least) & (length >= kMinMatch) & (found.by_long >= 0);
  }

  // A bit for each candidate that begins with the position's bytes: three of a recent offset, four of others.
  // Those of keys may be set where there is no candidate.
  [[nodiscard]] BOBBIN_INLINE uint32_t alike_at(int64_t at, const Found& found,
                                                const Recents& recents) const {
    const uint32_t word = content_.word(at);
    uint32_t alike = 0;
    for (uint32_t i = 0; i < Recents::kCount; ++i) {
      alike |= static_cast<uint32_t>((content_.word(at - recents.offsets[i]) ^ word) << 8 == 0) << i;
    }
    alike &= ~recents.unknown;
    alike |= static_cast<uint32_t>(content_.word(found.by_long) == word) << kByLong;
    alike |= static_cast<uint32_t>(content_.word(found.by_short) == word) << kByShort;
    return kChains ? alike | 1 << kByShort : alike;
  }

  [[nodiscard]] BOBBIN_INLINE Match best_of(int64_t at, const Found& found, const Recents& recents,
                                            uint32_t alike) const {
    const int64_t offsets[] = {recents.offsets[0], recents.offsets[1], recents.offsets[2], at - found.by_long,
                               at - found.by_short};
    const bool follows = kChains || (found.by_short < 0) || (found.by_short == found.by_long);
    alike &= ~(static_cast<uint32_t>(found.by_long < 0) << kByLong);
    alike &= ~(static_cast<uint32_t>(follows) << kByShort);
    Match best;
    const uint32_t most = parse_.most_at(static_cast<uint32_t>(at));
    for (; alike != 0; alike &= alike - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(alike));
      best.consider(content_.equal(at, at - offsets[i], most), static_cast<uint32_t>(offsets[i]),
                    i < Recents::kCount ? i + 1 : 0);
    }
    if constexpr (kChains) {
      follow_chain(at, most, found, best);
    }
    return best;
  }

  BOBBIN_INLINE void follow_chain(int64_t at, uint32_t most, const Found& found, Match& best) const {
    const uint32_t word = content_.word(at);
    int64_t from = found.by_short;
    for (uint32_t i = 0; i < kSettings.chain && from >= 0; ++i) {
      if (from != found.by_long && content_.word(from) == word) {
        best.consider(content_.equal(at, from, most), static_cast<uint32_t>(at - from), 0);
      }
      from = finder_.next_in_chain(from);
    }
  }

  ContentView content_;
  Finder finder_;
  BlockParse parse_;
};

// `blocks` of a frame that begins after `before` bytes of the content.
template <ParseSettings kSettings, class Finder>
std::vector<ParsedBlock> parse_blocks(const PaddedContent& content, Finder finder, size_t before,
                                      uint32_t block_bytes) {
  // No larger than the frame: to clear the space of a whole block takes longer than to parse a short one.
  BlockSpace space(static_cast<uint32_t>(std::min<size_t>(block_bytes, content.size() - before)));
  std::vector<ParsedBlock> blocks;
  for (size_t begin = before; begin < content.size(); begin += block_bytes) {
    const size_t end = std::min<size_t>(begin + block_bytes, content.size());
    HostParser<Finder, kSettings> parser(content, finder, static_cast<uint32_t>(begin),
                                         static_cast<uint32_t>(end));
    blocks.push_back(parser.parse(space));
    finder = parser.finder();
  }
  return blocks;
}

template <ParseSettings kSettings>
std::vector<ParsedBlock> parse_with(std::span<const uint8_t> frame, uint32_t block_bytes,
                                    std::span<const uint8_t> dictionary, DictionaryLinks* links) {
  constexpr bool kChains = kSettings.chain > 1;
  using SmallFinder = Finder<uint16_t, kSettings.short_key, kSettings.long_key, kChains>;
  using LargeFinder = Finder<uint32_t, kSettings.short_key, kSettings.long_key, kChains>;
  const PaddedContent content(dictionary, frame);
  const auto size = static_cast<uint32_t>(frame.size());
  if (links == nullptr && SmallFinder::fits(size)) {
    auto tables = SmallFinder::make_tables(size);
    return parse_blocks<kSettings>(content, SmallFinder(content, tables), 0, block_bytes);
  }
  auto tables =
      links == nullptr ? LargeFinder::make_tables(size) : LargeFinder::make_tables(size, dictionary, *links);
  return parse_blocks<kSettings>(content, LargeFinder(content, tables), dictionary.size(), block_bytes);
}

std::vector<ParsedBlock> parse_frame(std::span<const uint8_t> frame, uint32_t block_bytes, uint32_t level,
                                     std::span<const uint8_t> dictionary, DictionaryLinks* links) {
  const auto parse = level <= 2   ? &parse_with<settings_of(1)>
                     : level == 3 ? &parse_with<settings_of(3)>
                     : level <= 5 ? &parse_with<settings_of(4)>
                     : level <= 8 ? &parse_with<settings_of(6)>
                                  : &parse_with<settings_of(9)>;
  return parse(frame, block_bytes, dictionary, links);
}

}  // namespace

std::vector<ParsedBlock> parse_frame(std::span<const uint8_t> frame, uint32_t block_bytes, uint32_t level) {
  return parse_frame(frame, block_bytes, level, {}, nullptr);
}

std::vector<ParsedBlock> parse_frame(std::span<const uint8_t> frame, uint32_t block_bytes, uint32_t level,
                                     std::span<const uint8_t> dictionary, DictionaryLinks& links) {
  return parse_frame(frame, block_bytes, level, dictionary, &links);
}

}  // namespace bobbin::zstd
