// SPDX-License-Identifier: Apache-2.0
// The rules for a footer, whatever the version it was stored in.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "codecs/registry.hpp"
#include "core/text.hpp"
#include "core/value_text.hpp"
#include "file/footer.hpp"
#include "file/layout.hpp"

namespace bobbin::file {
namespace {

bool is_type(DType type) {
  return is_string(type) || std::ranges::find(kAllTypes, type) != std::end(kAllTypes);
}

Status unknown_type(DType type) {
  return {StatusCode::unsupported, fmt::format("unknown type {} (newer file?)", static_cast<unsigned>(type))};
}

class Checks {
 public:
  explicit Checks(Footer& footer) : footer_(footer), used_(footer.segments.size()) {}

  Status run() {
    BOBBIN_TRY(columns());
    BOBBIN_TRY(row_groups());
    BOBBIN_TRY(metadata());
    const auto unused = std::ranges::find(used_, false);
    BOBBIN_RETURN_IF(unused != used_.end(), StatusCode::corrupt,
                     fmt::format("segment {} belongs to no column", unused - used_.begin()));
    return {};
  }

 private:
  [[nodiscard]] Status columns() const;
  Status row_groups();
  Status row_group(size_t index, RowGroup& group);
  [[nodiscard]] Status metadata() const;
  // `before` is the root of the column's previous chunk, if any.
  Status chunk(Chunk& chunk, const Column& column, uint64_t num_rows, const Node* before);
  [[nodiscard]] static Status zone(const Chunk& chunk, DType type, uint64_t num_rows);
  [[nodiscard]] static Status nulls(const Chunk& chunk, const Column& column, uint64_t num_rows);
  Status node(Node& node, uint32_t depth, const Node* before);
  [[nodiscard]] Status codec_and_type(const Node& node) const;
  [[nodiscard]] Status sizes(const Node& node) const;
  Status buffers(Node& node, const Node* before);
  Status children(Node& node, uint32_t depth);

  Footer& footer_;
  uint64_t group_rows_ = 0;  // of the current row group
  std::vector<bool> used_;
};

Status Checks::columns() const {
  for (size_t i = 0; i < footer_.columns.size(); ++i) {
    if (!is_type(footer_.columns[i].type)) {
      return unknown_type(footer_.columns[i].type).in(fmt::format("column {}", i));
    }
    const auto kind = static_cast<unsigned>(footer_.columns[i].logical.kind);
    BOBBIN_RETURN_IF(kind > static_cast<unsigned>(Logical::Kind::time), StatusCode::unsupported,
                     fmt::format("column {}: unknown logical type {} (newer file?)", i, kind));
  }
  return check_columns(footer_.columns);
}

Status Checks::row_groups() {
  uint64_t first_row = 0;
  for (size_t i = 0; i < footer_.row_groups.size(); ++i) {
    RowGroup& group = footer_.row_groups[i];
    BOBBIN_RETURN_IF(group.num_rows == 0, StatusCode::corrupt, fmt::format("row group {}: no rows", i));
    BOBBIN_RETURN_IF(
        group.num_rows > kMaxGroupRows, StatusCode::unsupported,
        fmt::format("row group {}: {} rows are above the limit of {}", i, group.num_rows, kMaxGroupRows));
    BOBBIN_RETURN_IF(group.num_rows > std::numeric_limits<uint64_t>::max() - first_row, StatusCode::corrupt,
                     fmt::format("row group {}: more than 2^64 rows", i));
    group.first_row = first_row;
    first_row += group.num_rows;
    BOBBIN_TRY(row_group(i, group));
  }
  return {};
}

Status Checks::row_group(size_t index, RowGroup& group) {
  BOBBIN_RETURN_IF(group.chunks.size() != footer_.columns.size(), StatusCode::corrupt,
                   fmt::format("row group {}: {} chunks for {} columns", index, group.chunks.size(),
                               footer_.columns.size()));
  group_rows_ = group.num_rows;
  for (size_t c = 0; c < group.chunks.size(); ++c) {
    const Node* before = index == 0 ? nullptr : &footer_.row_groups[index - 1].chunks[c].root;
    if (Status status = chunk(group.chunks[c], footer_.columns[c], group.num_rows, before); !status.ok()) {
      return status.in(chunk_place(index, footer_.columns[c]));
    }
  }
  return {};
}

Status Checks::metadata() const {
  BOBBIN_RETURN_IF(footer_.metadata.size() > kMaxKeys, StatusCode::unsupported,
                   fmt::format("{} keys are above the limit of {}", footer_.metadata.size(), kMaxKeys));
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : footer_.metadata) {
    BOBBIN_TRY(check_pair(key, value).in("metadata"));
    keys.push_back(key);
  }
  std::ranges::sort(keys);
  const auto twin = std::ranges::adjacent_find(keys);
  BOBBIN_RETURN_IF(twin != keys.end(), StatusCode::corrupt,
                   fmt::format("metadata: duplicate key {}", quoted_text(*twin)));
  return count_hidden(footer_.metadata, footer_.columns.size()).error().in("metadata");
}

Status Checks::chunk(Chunk& chunk, const Column& column, uint64_t num_rows, const Node* before) {
  BOBBIN_TRY(node(chunk.root, 1, before));
  BOBBIN_RETURN_IF(chunk.root.type != column.type, StatusCode::corrupt,
                   fmt::format("values of type {} in a column of type {}", to_string(chunk.root.type),
                               to_string(column.type)));
  BOBBIN_RETURN_IF(chunk.root.length != num_rows, StatusCode::corrupt,
                   fmt::format("{} values in a row group of {} rows", chunk.root.length, num_rows));
  BOBBIN_TRY(zone(chunk, column.type, num_rows));
  return is_string(column.type) ? Status{} : nulls(chunk, column, num_rows);
}

Status Checks::zone(const Chunk& chunk, DType type, uint64_t num_rows) {
  BOBBIN_RETURN_IF(
      chunk.strings.num_bytes > kMaxStringBytes, StatusCode::unsupported,
      fmt::format("{} bytes of strings are above the limit of {}", chunk.strings.num_bytes, kMaxStringBytes));
  const bool sound = is_string(type) ? chunk.zone == ZoneMap{} && is_sound(chunk.strings, num_rows)
                                     : chunk.strings == StringZone{} && is_sound(chunk.zone, type);
  BOBBIN_RETURN_IF(!sound, StatusCode::corrupt,
                   "the zone map's minimum and maximum are not a range of the column's type");
  return {};
}

Status Checks::nulls(const Chunk& chunk, const Column& column, uint64_t num_rows) {
  const bool masked = find_codec(chunk.root.codec)->has_nulls();
  BOBBIN_RETURN_IF((masked || chunk.null_count != 0) && !column.nullable, StatusCode::corrupt,
                   "nulls in a column that is not nullable");
  BOBBIN_RETURN_IF(chunk.null_count > num_rows, StatusCode::corrupt,
                   fmt::format("{} nulls in a row group of {} rows", chunk.null_count, num_rows));
  BOBBIN_RETURN_IF(chunk.null_count != 0 && !masked, StatusCode::corrupt,
                   fmt::format("{} nulls in an encoding without nulls", chunk.null_count));
  BOBBIN_RETURN_IF(chunk.null_count == num_rows && chunk.zone != ZoneMap{}, StatusCode::corrupt,
                   "the zone map has a minimum or maximum although all values are null");
  return {};
}

Status Checks::codec_and_type(const Node& node) const {
  const Codec* codec = find_codec(node.codec);
  BOBBIN_RETURN_IF(codec == nullptr, StatusCode::unsupported,
                   fmt::format("unknown codec {} (newer file?)", static_cast<unsigned>(node.codec)));
  BOBBIN_RETURN_IF(footer_.version < codec->min_format || footer_.version > codec->max_format,
                   StatusCode::corrupt,
                   fmt::format("codec {} is not part of format version {}", codec->name, footer_.version));
  if (!is_type(node.type)) {
    return unknown_type(node.type);
  }
  BOBBIN_RETURN_IF(
      !codec->holds(node.type), StatusCode::corrupt,
      fmt::format("codec {} does not hold values of type {}", codec->name, to_string(node.type)));
  return {};
}

Status Checks::sizes(const Node& node) const {
  BOBBIN_RETURN_IF(node.length > group_rows_ + kMaxMoreValues, StatusCode::corrupt,
                   fmt::format("{} values in a row group of {} rows", node.length, group_rows_));
  BOBBIN_RETURN_IF(
      node.metadata.size() > kMaxMetadataBytes, StatusCode::unsupported,
      fmt::format("{} bytes of metadata are above the limit of {}", node.metadata.size(), kMaxMetadataBytes));
  BOBBIN_RETURN_IF(node.segments.size() > kMaxBuffers, StatusCode::unsupported,
                   fmt::format("{} buffers are above the limit of {}", node.segments.size(), kMaxBuffers));
  BOBBIN_RETURN_IF(node.children.size() > kMaxChildren, StatusCode::unsupported,
                   fmt::format("{} children are above the limit of {}", node.children.size(), kMaxChildren));
  return {};
}

Status Checks::node(Node& node, uint32_t depth, const Node* before) {
  BOBBIN_RETURN_IF(depth > kMaxTreeDepth, StatusCode::unsupported,
                   fmt::format("the encoding tree is deeper than {}", kMaxTreeDepth));
  BOBBIN_TRY(codec_and_type(node));
  BOBBIN_RETURN_IF(depth > 1 && find_codec(node.codec)->has_nulls(), StatusCode::corrupt,
                   "an encoding with nulls inside another");
  BOBBIN_TRY(sizes(node));
  BOBBIN_TRY(buffers(node, before));
  return children(node, depth);
}

// Every segment belongs to exactly one buffer, so that reading all columns reads, and checks, all bytes. The
// only exceptions are symbols that chunks share.
Status Checks::buffers(Node& node, const Node* before) {
  for (size_t i = 0; i < node.segments.size(); ++i) {
    const uint32_t index = node.segments[i];
    BOBBIN_RETURN_IF(index >= used_.size(), StatusCode::corrupt,
                     fmt::format("segment {} of {} does not exist", index, used_.size()));
    const bool shared =
        i == 0 && before != nullptr && may_share_first(*before, node.codec) && before->segments[0] == index;
    BOBBIN_RETURN_IF(used_[index] && !shared, StatusCode::corrupt,
                     fmt::format("segment {} is used twice", index));
    node.first_is_shared = node.first_is_shared || shared;
    used_[index] = true;
  }
  return {};
}

Status Checks::children(Node& node, uint32_t depth) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (Status status = this->node(node.children[i], depth + 1, nullptr); !status.ok()) {
      return depth < kMaxTreeDepth ? status.in(fmt::format("child {}", i)) : status;
    }
  }
  return {};
}

}  // namespace

Result<Footer> parse_footer(std::span<const std::byte> bytes, uint64_t offset, uint32_t version) {
  BOBBIN_ASSIGN(Footer footer, version == 1 ? parse_flat_footer(bytes, offset)
                                            : parse_compact_footer(bytes, offset, version));
  BOBBIN_TRY(check_footer(footer));
  return footer;
}

Status check_footer(Footer& footer) {
  return Checks(footer).run();
}

Status place_segment(size_t index, uint64_t size, uint32_t version, uint64_t end, uint64_t& position) {
  BOBBIN_RETURN_IF(size > end - position, StatusCode::corrupt,
                   fmt::format("segment {}: {} bytes at {} reach beyond the footer's start at {}", index,
                               size, position, end));
  BOBBIN_RETURN_IF(
      size > kMaxSegmentBytes, StatusCode::unsupported,
      fmt::format("segment {}: {} bytes are above the limit of {}", index, size, kMaxSegmentBytes));
  BOBBIN_RETURN_IF(occupied_bytes(size, version) > end - position, StatusCode::corrupt,
                   fmt::format("segment {}: its padding reaches beyond the footer's start", index));
  position += occupied_bytes(size, version);
  return {};
}

Status check_end_of_segments(uint64_t position, uint64_t end) {
  BOBBIN_RETURN_IF(position != end, StatusCode::corrupt,
                   fmt::format("{} bytes before it belong to no segment", end - position));
  return {};
}

Status check_columns(std::span<const Column> columns) {
  BOBBIN_RETURN_IF(columns.size() > kMaxColumns, StatusCode::unsupported,
                   fmt::format("{} columns are above the limit of {}", columns.size(), kMaxColumns));
  std::vector<std::string_view> names;
  names.reserve(columns.size());
  for (const Column& column : columns) {
    const size_t index = names.size();
    BOBBIN_RETURN_IF(column.name.size() > kMaxNameBytes, StatusCode::unsupported,
                     fmt::format("column {}: a name of {} bytes is above the limit of {}", index,
                                 column.name.size(), kMaxNameBytes));
    BOBBIN_RETURN_IF(!is_valid_name(column.name), StatusCode::corrupt,
                     fmt::format("column {}: the name {} is not UTF-8", index, quoted_text(column.name)));
    BOBBIN_RETURN_IF(column.nullable && is_string(column.type), StatusCode::corrupt,
                     fmt::format("column {}: a string column must not be marked nullable", index));
    BOBBIN_RETURN_IF(!column.logical.fits(column.type), StatusCode::corrupt,
                     fmt::format("column {}: type {} cannot have the logical type {} (unit {}, scale {})",
                                 index, to_string(column.type), static_cast<unsigned>(column.logical.kind),
                                 static_cast<unsigned>(column.logical.unit), column.logical.scale));
    names.push_back(column.name);
  }
  // Sorted rather than hashed: an attacker chooses the names.
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  BOBBIN_RETURN_IF(twin != names.end(), StatusCode::corrupt,
                   fmt::format("duplicate column name {}", quoted_text(*twin)));
  return {};
}

Status check_pair(const std::string& key, const std::string& value) {
  BOBBIN_RETURN_IF(key.empty() || !is_valid_name(key), StatusCode::corrupt,
                   fmt::format("the key {} is empty or not UTF-8", quoted_text(key)));
  BOBBIN_RETURN_IF(key.size() > kMaxKeyBytes, StatusCode::unsupported,
                   fmt::format("a key of {} bytes is above the limit of {}", key.size(), kMaxKeyBytes));
  BOBBIN_RETURN_IF(value.size() > kMaxValueBytes, StatusCode::unsupported,
                   fmt::format("the value of {} has {} bytes, above the limit of {}", quoted_text(key),
                               value.size(), kMaxValueBytes));
  return {};
}

Result<size_t> count_hidden(const Metadata& metadata, size_t columns) {
  const auto found = std::ranges::find(metadata, kHiddenColumnsKey, &Metadata::value_type::first);
  if (found == metadata.end()) {
    return size_t{0};
  }
  const std::string& text = found->second;
  size_t hidden = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hidden);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && text.front() != '0';
  BOBBIN_RETURN_IF(!is_number || hidden >= columns, StatusCode::corrupt,
                   fmt::format("{} is {}; expected a number from 1 on, less than that of the columns, {}",
                               kHiddenColumnsKey, quoted_text(text), columns));
  return hidden;
}

std::string chunk_place(size_t row_group, const Column& column) {
  return fmt::format("row group {}, column {}", row_group, quoted_text(column.name));
}

}  // namespace bobbin::file
