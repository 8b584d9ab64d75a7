// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/statistics.hpp"

#include "codecs/zstd/encode_blocks.hpp"

namespace bobbin::zstd {

void Statistics::add(std::span<const ParsedBlock> blocks) {
  for (const ParsedBlock& block : blocks) {
    for (const uint8_t literal : block.literals) {
      ++literals[literal];
    }
    for (const CodedSequence& sequence : block.sequences) {
      ++literal_lengths[Coded::literals(sequence.literals).symbol];
      ++offsets[Coded::offset(sequence.offset_value).symbol];
      ++match_lengths[Coded::match(sequence.match).symbol];
    }
  }
}

}  // namespace bobbin::zstd
