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
    const uint32_t anchor = BlockParser<HostInput, HostSink>(input, sink, settings, static_cast<uint32_t>(begin),
                                                             static_cast<uint32_t>(end))
                                .parse();
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
