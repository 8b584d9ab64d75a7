// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/statistics.hpp"

#include <bit>

#include "codecs/zstd/sequences.hpp"

namespace bobbin::zstd {

Coded code_literals(uint32_t value) {
  static constexpr std::array<uint8_t, 48> kFrom16{
      16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 20, 20, 21, 21, 21, 21, 22, 22, 22, 22, 22, 22, 22, 22,
      23, 23, 23, 23, 23, 23, 23, 23, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24};
  const uint32_t symbol = value < 16   ? value
                          : value < 64 ? kFrom16[value - 16]
                                       : static_cast<uint32_t>(std::bit_width(value)) + 18;
  const SequenceState state = symbol_state(SequenceField::literal_length, symbol);
  return {symbol, value - state.base, state.extra};
}

Coded code_match(uint32_t value) {
  static constexpr std::array<uint8_t, 96> kFrom32{
      32, 32, 33, 33, 34, 34, 35, 35, 36, 36, 36, 36, 37, 37, 37, 37, 38, 38, 38, 38, 38, 38, 38, 38,
      39, 39, 39, 39, 39, 39, 39, 39, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
      41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 42, 42, 42, 42, 42, 42, 42, 42,
      42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42};
  const uint32_t above = value - 3;
  const uint32_t symbol = above < 32    ? above
                          : above < 128 ? kFrom32[above - 32]
                                        : static_cast<uint32_t>(std::bit_width(above)) + 35;
  const SequenceState state = symbol_state(SequenceField::match_length, symbol);
  return {symbol, value - state.base, state.extra};
}

Coded code_offset(uint32_t value) {
  const auto bits = static_cast<uint32_t>(std::bit_width(value)) - 1;
  return {bits, value - (uint32_t{1} << bits), bits};
}

void Statistics::add(std::span<const ParsedBlock> blocks) {
  for (const ParsedBlock& block : blocks) {
    for (const uint8_t literal : block.literals) {
      ++literals[literal];
    }
    for (const CodedSequence& sequence : block.sequences) {
      ++literal_lengths[code_literals(sequence.literals).symbol];
      ++offsets[code_offset(sequence.offset_value).symbol];
      ++match_lengths[code_match(sequence.match).symbol];
    }
  }
}

}  // namespace bobbin::zstd
