// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/frame.hpp"
#include "codecs/zstd/zstd.hpp"

namespace bobbin::zstd {
namespace {

constexpr uint32_t kTableMagic = 0x184D2A5E;
constexpr uint32_t kFooterMagic = 0x8F92EAB1;
constexpr size_t kSeekHeaderBytes = 8;
constexpr size_t kFooterBytes = 9;
constexpr size_t kEntryBytes = 8;  // 12 with checksums
constexpr uint8_t kHasChecksums = 0x80;
constexpr uint8_t kReserved = 0x7C;

void put(uint32_t value, std::vector<std::byte>& out) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// The entries' bytes, and how many bytes one takes. Nothing where the input does not end with a table.
struct TableView {
  std::span<const uint8_t> entries;
  size_t entry_bytes;
  size_t table_begin;
};

Result<std::optional<TableView>> find_table(std::span<const uint8_t> in) {
  if (in.size() < kSeekHeaderBytes + kFooterBytes ||
      load<uint32_t>(in.data() + in.size() - sizeof(uint32_t)) != kFooterMagic) {
    return std::optional<TableView>();
  }
  const uint8_t* const footer = in.data() + in.size() - kFooterBytes;
  const uint64_t frames = load<uint32_t>(footer);
  const uint8_t descriptor = footer[4];
  BOBBIN_RETURN_IF((descriptor & kReserved) != 0, StatusCode::unsupported,
                   "zstd: the seek table uses reserved bits");
  const size_t entry_bytes = (descriptor & kHasChecksums) != 0 ? kEntryBytes + 4 : kEntryBytes;
  const uint64_t size = kSeekHeaderBytes + frames * entry_bytes + kFooterBytes;
  BOBBIN_RETURN_IF(size > in.size(), StatusCode::corrupt, "zstd: the seek table is larger than its file");
  const size_t begin = in.size() - size;
  BOBBIN_RETURN_IF(load<uint32_t>(in.data() + begin) != kTableMagic ||
                       load<uint32_t>(in.data() + begin + 4) != size - kSeekHeaderBytes,
                   StatusCode::corrupt, "zstd: the seek table's header and footer disagree");
  return std::optional(
      TableView{in.subspan(begin + kSeekHeaderBytes, frames * entry_bytes), entry_bytes, begin});
}

Result<std::vector<SeekEntry>> entries_of(const TableView& table) {
  std::vector<SeekEntry> entries;
  SeekEntry entry;
  for (size_t at = 0; at < table.entries.size(); at += table.entry_bytes) {
    entry.compressed_begin += entry.compressed_bytes;
    entry.content_begin += entry.content_bytes;
    entry.compressed_bytes = load<uint32_t>(table.entries.data() + at);
    entry.content_bytes = load<uint32_t>(table.entries.data() + at + 4);
    if (entry.content_bytes != 0) {
      entries.push_back(entry);
    }
  }
  BOBBIN_RETURN_IF(entry.compressed_begin + entry.compressed_bytes != table.table_begin, StatusCode::corrupt,
                   "zstd: the seek table's sizes do not add up to the file's");
  return entries;
}

Result<std::vector<SeekEntry>> walk(std::span<const std::byte> in, const DecodeOptions& options) {
  std::vector<SeekEntry> entries;
  SeekEntry entry;
  for (uint64_t at = 0; at < in.size();) {
    BOBBIN_ASSIGN(const FrameExtent extent, measure_frame(in.subspan(at), options));
    if (!extent.header.skippable) {
      BOBBIN_RETURN_IF(!extent.header.content_bytes.has_value(), StatusCode::unsupported,
                       "zstd: a frame without its content's size, and no seek table");
      entry.compressed_begin = at;
      entry.content_begin += entry.content_bytes;
      entry.compressed_bytes = extent.compressed_bytes;
      entry.content_bytes = *extent.header.content_bytes;
      BOBBIN_RETURN_IF(entry.content_bytes > UINT64_MAX - entry.content_begin, StatusCode::corrupt,
                       "zstd: the frames' sizes add up to more than 2^64 bytes");
      entries.push_back(entry);
    }
    at += extent.compressed_bytes;
  }
  return entries;
}

// The part of one frame's content that lies in begin .. end-1, appended to `out`.
Status append_part(std::span<const std::byte> frame, const SeekEntry& entry, uint64_t begin, uint64_t end,
                   const DecodeOptions& options, std::vector<std::byte>& out) {
  BOBBIN_ASSIGN(const std::vector<std::byte> content, decode_all(frame, entry.content_bytes, options));
  BOBBIN_RETURN_IF(content.size() != entry.content_bytes, StatusCode::corrupt,
                   "zstd: a frame's content has another size than the seek table says");
  const uint64_t from = std::max(begin, entry.content_begin) - entry.content_begin;
  const uint64_t to = std::min(end, entry.content_begin + entry.content_bytes) - entry.content_begin;
  out.insert(out.end(), content.begin() + static_cast<ptrdiff_t>(from),
             content.begin() + static_cast<ptrdiff_t>(to));
  return {};
}

}  // namespace

std::vector<std::byte> make_seek_table(std::span<const SeekEntry> frames) {
  std::vector<std::byte> out;
  put(kTableMagic, out);
  put(static_cast<uint32_t>(frames.size() * kEntryBytes + kFooterBytes), out);
  for (const SeekEntry& frame : frames) {
    put(static_cast<uint32_t>(frame.compressed_bytes), out);
    put(static_cast<uint32_t>(frame.content_bytes), out);
  }
  put(static_cast<uint32_t>(frames.size()), out);
  out.push_back(std::byte{0});
  put(kFooterMagic, out);
  return out;
}

Result<std::vector<SeekEntry>> list_frames(std::span<const std::byte> in, const DecodeOptions& options) {
  BOBBIN_ASSIGN(const std::optional<TableView> table, find_table(as_u8(in)));
  return table.has_value() ? entries_of(*table) : walk(in, options);
}

Result<std::vector<std::byte>> decode_range(std::span<const std::byte> in, uint64_t begin, uint64_t length,
                                            const DecodeOptions& options) {
  BOBBIN_ASSIGN(const std::vector<SeekEntry> entries, list_frames(in, options));
  const uint64_t all = entries.empty() ? 0 : entries.back().content_begin + entries.back().content_bytes;
  BOBBIN_RETURN_IF(begin > all || length > all - begin, StatusCode::invalid_argument,
                   "zstd: bytes " + std::to_string(begin) + " to " + std::to_string(begin + length) +
                       " of a content of " + std::to_string(all) + " bytes");
  const auto ends_after = [&](const SeekEntry& e) { return e.content_begin + e.content_bytes > begin; };
  std::vector<std::byte> out;
  for (auto entry = std::ranges::find_if(entries, ends_after);
       entry != entries.end() && entry->content_begin < begin + length; ++entry) {
    const auto frame = in.subspan(entry->compressed_begin, entry->compressed_bytes);
    BOBBIN_TRY(append_part(frame, *entry, begin, begin + length, options, out));
  }
  return out;
}

}  // namespace bobbin::zstd
