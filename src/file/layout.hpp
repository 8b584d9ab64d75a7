// SPDX-License-Identifier: Apache-2.0
// The fixed parts of a .bob file and the limits of the format; see docs/format.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bobbin/status.hpp"
#include "bobbin/version.hpp"
#include "core/bits.hpp"

namespace bobbin::file {

// Like PNG's: a byte that is not ASCII, and line ends that a transfer in text mode would change.
inline constexpr std::array<uint8_t, 8> kMagic{0x89, 'B', 'O', 'B', '\r', '\n', 0x1a, '\n'};
inline constexpr uint32_t kOldestVersion = kMinReadableFormat;
inline constexpr uint32_t kNewestVersion = kFormatVersion;  // what is written

// Where a segment may start in memory.
inline constexpr uint64_t kAlignment = 128;
inline constexpr uint64_t kTrailerBytes = 32;
// Larger segments have a checksum for each piece of this size, which is what a read of a few rows has to
// check. Half of it saves little, because a read has a fixed cost; twice as much takes twice as long.
inline constexpr uint64_t kPartBytes = uint64_t{16} << 10;
// Segments up to this size are written into the footer, up to a total of kMaxInlineBytes per file: a reader
// has all of them in memory from the start.
inline constexpr uint64_t kInlineSegmentBytes = 512;
inline constexpr uint64_t kMaxInlineBytes = uint64_t{1} << 20;

// What a reader accepts. Every allocation size is checked against one of these limits, or against the actual
// size of the file.
inline constexpr uint64_t kMaxFooterBytes = uint64_t{1} << 28;
// A compressed footer must not decompress to much more than the file.
inline constexpr uint64_t kMaxPlainBytes = uint64_t{1} << 21;
// In a trailer's `plain_bytes`: the footer is a zstd frame, not an LZ4 block.
inline constexpr uint32_t kFooterIsFrame = uint32_t{1} << 31;
inline constexpr uint64_t kMaxRowGroups = uint64_t{1} << 22;
inline constexpr uint64_t kMaxNodes = uint64_t{1} << 22;
inline constexpr uint64_t kMaxSegments = uint64_t{1} << 24;
inline constexpr uint64_t kMaxColumns = uint64_t{1} << 20;
inline constexpr uint64_t kMaxNameBytes = uint64_t{1} << 16;
inline constexpr uint64_t kMaxGroupRows = uint64_t{1} << 24;
inline constexpr uint64_t kMaxSegmentBytes = uint64_t{1} << 30;
// A node has at most this many more values than the row group has rows: strings have one more offset than
// strings. So the decoded size of a tree, including intermediate results, is bounded by the rows.
inline constexpr uint64_t kMaxMoreValues = 1;
// All strings of a chunk: the most that the codes of a segment can decode to. A dictionary could decode to
// more.
inline constexpr uint64_t kMaxStringBytes = 8 * kMaxSegmentBytes;
inline constexpr uint64_t kMaxMetadataBytes = uint64_t{1} << 16;
inline constexpr uint64_t kMaxBuffers = 256;   // per node
inline constexpr uint64_t kMaxChildren = 256;  // per node
inline constexpr uint32_t kMaxTreeDepth = 16;
inline constexpr uint64_t kMaxZoneBytes = 64;  // per bound of a string
inline constexpr uint64_t kMaxKeys = 1024;     // in the file's metadata
inline constexpr uint64_t kMaxKeyBytes = 256;
inline constexpr uint64_t kMaxValueBytes = uint64_t{1} << 16;

struct Header {
  std::array<uint8_t, 8> magic = kMagic;
  uint32_t version = kNewestVersion;
  uint32_t reserved = 0;
};
static_assert(sizeof(Header) == 16);

struct Trailer {
  uint64_t footer_bytes = 0;
  uint64_t footer_checksum = 0;
  uint32_t version = kNewestVersion;
  // Decompressed size of a compressed footer, with kFooterIsFrame for a zstd frame; otherwise 0.
  uint32_t plain_bytes = 0;
  std::array<uint8_t, 8> magic = kMagic;
};
static_assert(sizeof(Trailer) == kTrailerBytes);

// The bytes before the first segment.
[[nodiscard]] constexpr uint64_t header_bytes(uint32_t version) {
  return version == 1 ? 128 : sizeof(Header);
}

// The bytes a segment occupies in a file.
[[nodiscard]] constexpr uint64_t occupied_bytes(uint64_t size, uint32_t version) {
  return round_up(size, version == 1 ? uint64_t{128} : uint64_t{16});
}

// The bytes a segment occupies in memory.
[[nodiscard]] constexpr uint64_t padded(uint64_t size) {
  return round_up(size, kAlignment);
}

// `rest` is what follows the header in the first header_bytes() bytes.
[[nodiscard]] Status check_header(const Header& header);
[[nodiscard]] Status check_rest_of_header(std::span<const std::byte> rest);
// Whether the trailer is valid by itself and fits a file of `file_bytes` bytes.
[[nodiscard]] Status check_trailer(const Trailer& trailer, uint32_t header_version, uint64_t file_bytes);

}  // namespace bobbin::file
