// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/statistics.hpp"

namespace bobbin::zstd {

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
