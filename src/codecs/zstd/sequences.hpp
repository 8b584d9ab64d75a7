// SPDX-License-Identifier: Apache-2.0
// Sequences: how many literals to copy, and then how far back and how long a match to copy.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bobbin/status.hpp"
#include "codecs/zstd/fse.hpp"
#include "codecs/zstd/huffman.hpp"

namespace bobbin::zstd {

// A state of one of the three tables: its symbol's base value and extra bits, and where it goes.
struct SequenceState {
  uint32_t base = 0;
  uint16_t next = 0;
  uint8_t bits = 0;
  uint8_t extra = 0;
};

enum class SequenceField : uint8_t { literal_length, offset, match_length };

struct FieldLimits {
  uint32_t max_log;
  uint32_t num_symbols;
};
[[nodiscard]] FieldLimits limits_of(SequenceField field);
[[nodiscard]] FseCounts default_counts(SequenceField field);
// A symbol's base value and extra bits.
[[nodiscard]] SequenceState symbol_state(SequenceField field, uint32_t symbol);

struct SequenceTable {
  static constexpr uint32_t kMaxLog = 9;

  bool present = false;
  uint32_t log = 0;
  std::array<SequenceState, size_t{1} << kMaxLog> states;

  // Reads a description from the start of `bytes` and sets `used` to its size.
  [[nodiscard]] Status read(SequenceField field, std::span<const uint8_t> bytes, size_t& used);
  [[nodiscard]] Status repeat_symbol(SequenceField field, uint32_t symbol);
  void use_default(SequenceField field);

 private:
  void build(SequenceField field, const FseCounts& counts);
};

// What blocks of a frame hand on to the next, and dictionaries to the first.
struct Tables {
  HuffmanTable huffman;
  SequenceTable literal_length;
  SequenceTable offset;
  SequenceTable match_length;
  std::array<uint32_t, 3> recent_offsets{1, 4, 8};
};

// The same for encoders: how often each symbol is expected.
struct DictionaryTables : Tables {
  FseCounts literal_length_counts;
  FseCounts offset_counts;
  FseCounts match_length_counts;
};

// Bytes of a frame's content so far, and where the block's go.
struct Content {
  const uint8_t* begin = nullptr;  // of the frame
  uint8_t* at = nullptr;
  uint8_t* end = nullptr;  // nothing is written from here on
  uint64_t window_bytes = 0;
  std::span<const uint8_t> dictionary{};  // precedes the frame's first byte
};

// `literals` has kLiteralPadding more bytes that may be read; so have `bytes` 8.
inline constexpr size_t kLiteralPadding = 32;

// Decodes a block's sequences section and executes it. Writes at most `max_block_bytes`.
[[nodiscard]] Status run_sequences(std::span<const uint8_t> bytes, std::span<const uint8_t> literals,
                                   uint32_t max_block_bytes, Tables& tables, Content& content);

}  // namespace bobbin::zstd
