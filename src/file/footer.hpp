// SPDX-License-Identifier: Apache-2.0
// The footer as plain structs: what the writer collects and what the reader trusts after parsing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "file/layout.hpp"
#include "file/zone_map.hpp"

namespace bobbin::file {

struct Segment {
  uint64_t offset = 0;    // in the file, or in the footer's inline bytes
  uint64_t size = 0;      // excluding padding
  uint64_t checksum = 0;  // including padding; 0 for an inline segment, which the footer's checksum covers
  bool in_footer = false;
  // Not stored: the index of its first part's checksum, if it has more than one part.
  uint64_t first_part = 0;
};

struct Node {
  CodecId codec{};
  DType type{};
  uint64_t length = 0;
  std::vector<uint8_t> metadata{};
  std::vector<uint32_t> segments{};  // one per buffer
  std::vector<Node> children{};
  // Not stored: the first segment is also that of the column's previous chunk.
  bool first_is_shared = false;
};

// Whether a chunk's first buffer may lie in the segment of the chunk before it in its column.
[[nodiscard]] inline bool may_share_first(const Node& before, CodecId codec) {
  const Codec* const found = find_codec(codec);
  return found != nullptr && found->shares_first_buffer && before.codec == codec && !before.segments.empty();
}

struct Chunk {
  Node root;
  ZoneMap zone;             // zero for strings
  StringZone strings{};     // empty for numbers
  uint64_t null_count = 0;  // for numbers; zero for strings, whose zone has it
};

struct RowGroup {
  uint64_t first_row = 0;  // not stored: the sum of the previous rows
  uint64_t num_rows = 0;
  std::vector<Chunk> chunks{};  // one per column
};

struct Footer {
  std::vector<Column> columns;
  std::vector<RowGroup> row_groups;
  std::vector<Segment> segments;
  Metadata metadata;
  uint32_t version = kNewestVersion;
  std::vector<std::byte> inline_bytes{};  // segments that are part of the footer, one after another
  // Checksums of parts, so that a part of a segment can be read and checked without the rest. Empty in files
  // of older writers.
  std::vector<uint64_t> parts{};
};

// The number of parts with their own checksums in a segment of `size` bytes: 0 if there is only one part.
[[nodiscard]] constexpr uint64_t num_parts(uint64_t size) {
  return size > kPartBytes ? ceil_div<uint64_t>(size, kPartBytes) : 0;
}

// The bytes of a footer of the newest version. Checks nothing. Segments must be numbered in the order of the
// trees that use them.
[[nodiscard]] std::vector<std::byte> build_footer(const Footer& footer);

// An upper bound of the bytes that a row group adds to the footer, excluding inline segments and checksums of
// parts.
[[nodiscard]] uint64_t footer_bytes_bound(const RowGroup& group);

// Parses and checks a footer from untrusted bytes (aligned to 8). `offset` is their position in the file.
// Everything the reader relies on later is checked here, except the contents of segments.
[[nodiscard]] Result<Footer> parse_footer(std::span<const std::byte> bytes, uint64_t offset,
                                          uint32_t version);
// Its steps: both parsers only make sure that all parts are inside the bytes and all segments before
// `offset`;
[[nodiscard]] Result<Footer> parse_flat_footer(std::span<const std::byte> bytes, uint64_t offset);
[[nodiscard]] Result<Footer> parse_compact_footer(std::span<const std::byte> bytes, uint64_t offset,
                                                  uint32_t version);
// the rest is the same for both.
[[nodiscard]] Status check_footer(Footer& footer);
// A segment of `size` bytes at `position`, which is advanced past it; `end` is where the footer starts.
[[nodiscard]] Status place_segment(size_t index, uint64_t size, uint32_t version, uint64_t end,
                                   uint64_t& position);
[[nodiscard]] Status check_end_of_segments(uint64_t position, uint64_t end);

// The rules for columns, when reading and when writing.
[[nodiscard]] Status check_columns(std::span<const Column> columns);

// The rules for one metadata pair, when reading and when writing.
[[nodiscard]] Status check_pair(const std::string& key, const std::string& value);

// How many columns at the end are hidden, by the metadata. An error if it says nonsense.
[[nodiscard]] Result<size_t> count_hidden(const Metadata& metadata, size_t columns);

// How messages name a chunk.
[[nodiscard]] std::string chunk_place(size_t row_group, const Column& column);

}  // namespace bobbin::file
