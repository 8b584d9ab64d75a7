// SPDX-License-Identifier: Apache-2.0
// From bytes that may be anything to a footer that can be trusted, in two steps: FlatBuffers' verifier makes
// sure that every table, vector and string lies inside the bytes; then every number is checked while it is
// copied out.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "codecs/registry.hpp"
#include "core/value_text.hpp"
#include "file/footer.hpp"
#include "file/layout.hpp"
#include "file/text.hpp"
#include "footer_generated.h"

namespace bobbin::file {
namespace {

// Deeper than any tree we accept, so that our own message names a tree that is too deep.
constexpr flatbuffers::uoffset_t kVerifierDepth = 64;
// A table takes at least its vtable offset and the offset that leads to it. Tables reached twice count twice:
// a footer whose tables share children in order to grow when it is walked has more of them than bytes, and is
// refused.
constexpr size_t kMinTableBytes = 8;

Status corrupt(std::string message) {
  return {StatusCode::corrupt, std::move(message)};
}

bool is_type(uint8_t number) {
  return is_string(static_cast<DType>(number)) ||
         std::ranges::any_of(kAllTypes, [&](DType type) { return static_cast<uint8_t>(type) == number; });
}

class Parser {
 public:
  Parser(const fb::Footer& in, uint64_t footer_offset, uint64_t footer_bytes, uint32_t version)
      : in_(in), footer_offset_(footer_offset), budget_(footer_bytes), version_(version) {}

  Result<Footer> parse() {
    BOBBIN_TRY(parse_columns());
    BOBBIN_TRY(parse_segments());
    BOBBIN_TRY(parse_parts());
    BOBBIN_TRY(parse_row_groups());
    BOBBIN_TRY(parse_metadata());
    const auto unused = std::ranges::find(used_, false);
    if (unused != used_.end()) {
      return corrupt(fmt::format("segment {} belongs to no column", unused - used_.begin()));
    }
    return std::move(out_);
  }

 private:
  Status parse_columns();
  Status parse_segments();
  Status parse_parts();
  Status parse_row_groups();
  Status parse_metadata();
  Status parse_chunk(const fb::Chunk& in, size_t column, uint64_t num_rows, Chunk& out);
  Status parse_zone(const fb::Chunk& in, DType type, uint64_t num_rows, Chunk& out);
  Status parse_nulls(const fb::Chunk& in, const Column& column, uint64_t num_rows, Chunk& out) const;
  Result<std::string> parse_bytes(const flatbuffers::Vector<uint8_t>* bytes);
  // `before` is the root of the chunk before in the column, when the node is itself a root and there is one.
  Status parse_node(const fb::Node& in, uint32_t depth, const Node* before, Node& out);
  Status parse_codec(uint16_t number, Node& out) const;
  Status parse_type(uint8_t number, Node& out) const;
  Status parse_buffers(const fb::Node& in, const Node* before, Node& out);
  Status parse_children(const fb::Node& in, uint32_t depth, Node& out);
  Status spend(uint64_t bytes);

  const fb::Footer& in_;
  uint64_t footer_offset_;
  uint64_t budget_;
  uint32_t version_;
  uint64_t group_rows_ = 0;  // of the row group that is parsed
  Footer out_;
  std::vector<bool> used_;
};

// What is copied out of the footer cannot be more than the footer, unless its strings and vectors overlap.
Status Parser::spend(uint64_t bytes) {
  BOBBIN_RETURN_IF(bytes > budget_, StatusCode::corrupt, "its parts overlap");
  budget_ -= bytes;
  return {};
}

Status Parser::parse_columns() {
  BOBBIN_RETURN_IF(in_.columns()->size() > kMaxColumns, StatusCode::unsupported,
                   fmt::format("{} columns are above the limit of {}", in_.columns()->size(), kMaxColumns));
  out_.columns.reserve(in_.columns()->size());
  for (const fb::Column* column : *in_.columns()) {
    const std::string_view name = column->name()->string_view();
    const size_t index = out_.columns.size();
    BOBBIN_TRY(spend(name.size()).in(fmt::format("column {}", index)));
    if (!is_type(column->type())) {
      return {StatusCode::unsupported,
              fmt::format("column {}: unknown type {} (newer file?)", index, column->type())};
    }
    if (column->logical() > static_cast<uint8_t>(kTimeOfDay)) {
      return {StatusCode::unsupported,
              fmt::format("column {}: unknown logical type {} (newer file?)", index, column->logical())};
    }
    out_.columns.push_back({.name = std::string(name),
                            .type = static_cast<DType>(column->type()),
                            .nullable = column->nullable(),
                            .logical = {.kind = static_cast<Logical::Kind>(column->logical()),
                                        .unit = static_cast<Logical::Unit>(column->unit()),
                                        .scale = column->scale()}});
  }
  return check_columns(out_.columns);
}

// Segments stand one after another from the header's end to the footer's start: no gap, no overlap, no byte
// left over.
Status Parser::parse_segments() {
  const auto* segments = in_.segments();
  // The verifier checks where a vector of structs lies, but not that its elements are aligned.
  const bool aligned = reinterpret_cast<uintptr_t>(segments->Data()) % alignof(uint64_t) == 0;
  BOBBIN_RETURN_IF(segments->size() > 0 && !aligned, StatusCode::corrupt, "the segment table is not aligned");
  BOBBIN_TRY(spend(segments->size() * sizeof(fb::Segment)).in("segment table"));
  out_.segments.reserve(segments->size());
  uint64_t position = kHeaderBytes;
  for (const fb::Segment* segment : *segments) {
    const size_t index = out_.segments.size();
    BOBBIN_RETURN_IF(
        segment->offset() != position, StatusCode::corrupt,
        fmt::format("segment {}: at byte {}, expected at {}", index, segment->offset(), position));
    BOBBIN_RETURN_IF(segment->size() > footer_offset_ - position, StatusCode::corrupt,
                     fmt::format("segment {}: {} bytes at {} reach beyond the footer's start at {}", index,
                                 segment->size(), position, footer_offset_));
    BOBBIN_RETURN_IF(segment->size() > kMaxSegmentBytes, StatusCode::unsupported,
                     fmt::format("segment {}: {} bytes are above the limit of {}", index, segment->size(),
                                 kMaxSegmentBytes));
    const uint64_t occupied = padded(segment->size());
    BOBBIN_RETURN_IF(occupied > footer_offset_ - position, StatusCode::corrupt,
                     fmt::format("segment {}: its padding reaches beyond the footer's start", index));
    position += occupied;
    out_.segments.push_back({segment->offset(), segment->size(), segment->checksum()});
  }
  BOBBIN_RETURN_IF(position != footer_offset_, StatusCode::corrupt,
                   fmt::format("{} bytes before it belong to no segment", footer_offset_ - position));
  used_.resize(out_.segments.size());
  return {};
}

// All parts that segments have, or none at all.
Status Parser::parse_parts() {
  const auto* parts = in_.parts();
  if (parts == nullptr) {
    return {};
  }
  uint64_t expected = 0;
  for (Segment& segment : out_.segments) {
    segment.first_part = expected;
    expected += num_parts(segment.size);
  }
  BOBBIN_RETURN_IF(parts->size() != expected, StatusCode::corrupt,
                   fmt::format("{} checksums of parts instead of {}", parts->size(), expected));
  const bool aligned = reinterpret_cast<uintptr_t>(parts->Data()) % alignof(uint64_t) == 0;
  BOBBIN_RETURN_IF(expected > 0 && !aligned, StatusCode::corrupt, "the checksums of parts are not aligned");
  BOBBIN_TRY(spend(expected * sizeof(uint64_t)).in("checksums of parts"));
  out_.parts.assign(parts->begin(), parts->end());
  return {};
}

Status Parser::parse_row_groups() {
  uint64_t first_row = 0;
  out_.row_groups.reserve(in_.row_groups()->size());
  for (const fb::RowGroup* in : *in_.row_groups()) {
    const size_t index = out_.row_groups.size();
    const uint64_t num_rows = in->num_rows();
    BOBBIN_RETURN_IF(num_rows == 0, StatusCode::corrupt, fmt::format("row group {}: no rows", index));
    BOBBIN_RETURN_IF(
        num_rows > kMaxGroupRows, StatusCode::unsupported,
        fmt::format("row group {}: {} rows are above the limit of {}", index, num_rows, kMaxGroupRows));
    BOBBIN_RETURN_IF(num_rows > std::numeric_limits<uint64_t>::max() - first_row, StatusCode::corrupt,
                     fmt::format("row group {}: more than 2^64 rows", index));
    BOBBIN_RETURN_IF(in->chunks()->size() != out_.columns.size(), StatusCode::corrupt,
                     fmt::format("row group {}: {} chunks for {} columns", index, in->chunks()->size(),
                                 out_.columns.size()));
    RowGroup group{.first_row = first_row, .num_rows = num_rows};
    group_rows_ = num_rows;
    group.chunks.resize(out_.columns.size());
    for (uint32_t c = 0; c < in->chunks()->size(); ++c) {
      if (Status status = parse_chunk(*in->chunks()->Get(c), c, num_rows, group.chunks[c]); !status.ok()) {
        return status.in(chunk_place(index, out_.columns[c]));
      }
    }
    first_row += num_rows;
    out_.row_groups.push_back(std::move(group));
  }
  return {};
}

Status Parser::parse_metadata() {
  if (in_.metadata() == nullptr) {
    return {};
  }
  BOBBIN_RETURN_IF(in_.metadata()->size() > kMaxKeys, StatusCode::unsupported,
                   fmt::format("{} keys are above the limit of {}", in_.metadata()->size(), kMaxKeys));
  std::vector<std::string> keys;
  for (const fb::KeyValue* pair : *in_.metadata()) {
    BOBBIN_TRY(spend(pair->key()->size()).in("metadata"));
    std::string key = pair->key()->str();
    BOBBIN_ASSIGN(std::string value, parse_bytes(pair->value()));
    BOBBIN_TRY(check_pair(key, value).in("metadata"));
    keys.push_back(key);
    out_.metadata.emplace_back(std::move(key), std::move(value));
  }
  std::ranges::sort(keys);
  const auto twin = std::ranges::adjacent_find(keys);
  BOBBIN_RETURN_IF(twin != keys.end(), StatusCode::corrupt,
                   fmt::format("metadata: two keys are called {}", quoted(*twin)));
  return {};
}

Result<std::string> Parser::parse_bytes(const flatbuffers::Vector<uint8_t>* bytes) {
  if (bytes == nullptr) {
    return std::string();
  }
  BOBBIN_TRY(spend(bytes->size()));
  return std::string(bytes->begin(), bytes->end());
}

Status Parser::parse_chunk(const fb::Chunk& in, size_t column, uint64_t num_rows, Chunk& out) {
  const DType type = out_.columns[column].type;
  const Node* before = out_.row_groups.empty() ? nullptr : &out_.row_groups.back().chunks[column].root;
  BOBBIN_TRY(parse_node(*in.root(), 1, before, out.root));
  BOBBIN_RETURN_IF(
      out.root.type != type, StatusCode::corrupt,
      fmt::format("values of type {} in a column of type {}", to_string(out.root.type), to_string(type)));
  BOBBIN_RETURN_IF(out.root.length != num_rows, StatusCode::corrupt,
                   fmt::format("{} values in a row group of {} rows", out.root.length, num_rows));
  BOBBIN_TRY(parse_zone(in, type, num_rows, out));
  return is_string(type) ? Status{} : parse_nulls(in, out_.columns[column], num_rows, out);
}

Status Parser::parse_zone(const fb::Chunk& in, DType type, uint64_t num_rows, Chunk& out) {
  out.zone = {{in.min()}, {in.max()}};
  BOBBIN_ASSIGN(out.strings.min, parse_bytes(in.min_bytes()));
  BOBBIN_ASSIGN(out.strings.max, parse_bytes(in.max_bytes()));
  out.strings.max_is_open = in.max_is_open();
  out.strings.null_count = is_string(type) ? in.null_count() : 0;
  out.strings.num_bytes = in.num_bytes();
  BOBBIN_RETURN_IF(
      out.strings.num_bytes > kMaxStringBytes, StatusCode::unsupported,
      fmt::format("{} bytes of strings are above the limit of {}", out.strings.num_bytes, kMaxStringBytes));
  const bool sound = is_string(type) ? out.zone == ZoneMap{} && is_sound(out.strings, num_rows)
                                     : out.strings == StringZone{} && is_sound(out.zone, type);
  BOBBIN_RETURN_IF(!sound, StatusCode::corrupt,
                   "the zone map's minimum and maximum are no range of the column's type");
  return {};
}

Status Parser::parse_nulls(const fb::Chunk& in, const Column& column, uint64_t num_rows, Chunk& out) const {
  out.null_count = in.null_count();
  const bool masked = find_codec(out.root.codec)->has_nulls();
  BOBBIN_RETURN_IF((masked || out.null_count != 0) && !column.nullable, StatusCode::corrupt,
                   "nulls in a column that has none");
  BOBBIN_RETURN_IF(out.null_count > num_rows, StatusCode::corrupt,
                   fmt::format("{} nulls in a row group of {} rows", out.null_count, num_rows));
  BOBBIN_RETURN_IF(out.null_count != 0 && !masked, StatusCode::corrupt,
                   fmt::format("{} nulls in an encoding without nulls", out.null_count));
  BOBBIN_RETURN_IF(out.null_count == num_rows && out.zone != ZoneMap{}, StatusCode::corrupt,
                   "the zone map has a minimum or maximum where all values are null");
  return {};
}

Status Parser::parse_codec(uint16_t number, Node& out) const {
  out.codec = static_cast<CodecId>(number);
  const Codec* codec = find_codec(out.codec);
  BOBBIN_RETURN_IF(codec == nullptr, StatusCode::unsupported,
                   fmt::format("unknown codec {} (newer file?)", number));
  BOBBIN_RETURN_IF(version_ < codec->min_format || version_ > codec->max_format, StatusCode::corrupt,
                   fmt::format("codec {} is not part of format version {}", codec->name, version_));
  return {};
}

Status Parser::parse_type(uint8_t number, Node& out) const {
  BOBBIN_RETURN_IF(!is_type(number), StatusCode::unsupported,
                   fmt::format("unknown type {} (newer file?)", number));
  out.type = static_cast<DType>(number);
  const Codec* codec = find_codec(out.codec);
  BOBBIN_RETURN_IF(!codec->holds(out.type), StatusCode::corrupt,
                   fmt::format("codec {} does not hold values of type {}", codec->name, to_string(out.type)));
  return {};
}

Status Parser::parse_node(const fb::Node& in, uint32_t depth, const Node* before, Node& out) {
  BOBBIN_RETURN_IF(depth > kMaxTreeDepth, StatusCode::unsupported,
                   fmt::format("an encoding tree deeper than {}", kMaxTreeDepth));
  BOBBIN_TRY(parse_codec(in.codec(), out));
  BOBBIN_RETURN_IF(depth > 1 && find_codec(out.codec)->has_nulls(), StatusCode::corrupt,
                   "an encoding with nulls inside another");
  BOBBIN_TRY(parse_type(in.type(), out));
  BOBBIN_RETURN_IF(in.length() > group_rows_ + kMaxMoreValues, StatusCode::corrupt,
                   fmt::format("{} values in a row group of {} rows", in.length(), group_rows_));
  out.length = in.length();
  if (const auto* metadata = in.metadata(); metadata != nullptr) {
    BOBBIN_RETURN_IF(
        metadata->size() > kMaxMetadataBytes, StatusCode::unsupported,
        fmt::format("{} bytes of metadata are above the limit of {}", metadata->size(), kMaxMetadataBytes));
    BOBBIN_TRY(spend(metadata->size()));
    out.metadata.assign(metadata->begin(), metadata->end());
  }
  BOBBIN_TRY(parse_buffers(in, before, out));
  return parse_children(in, depth, out);
}

// Every segment belongs to exactly one buffer: then reading all columns reads, and checks, all bytes. Symbols
// that chunks share are the one exception.
Status Parser::parse_buffers(const fb::Node& in, const Node* before, Node& out) {
  const auto* segments = in.segments();
  if (segments == nullptr) {
    return {};
  }
  BOBBIN_RETURN_IF(segments->size() > kMaxBuffers, StatusCode::unsupported,
                   fmt::format("{} buffers are above the limit of {}", segments->size(), kMaxBuffers));
  out.segments.reserve(segments->size());
  for (const uint32_t index : *segments) {
    BOBBIN_RETURN_IF(index >= used_.size(), StatusCode::corrupt,
                     fmt::format("segment {} of {} does not exist", index, used_.size()));
    const bool shared = out.segments.empty() && before != nullptr && may_share_first(*before, out.codec) &&
                        before->segments[0] == index;
    BOBBIN_RETURN_IF(used_[index] && !shared, StatusCode::corrupt,
                     fmt::format("segment {} is used twice", index));
    out.first_is_shared = out.first_is_shared || shared;
    used_[index] = true;
    out.segments.push_back(index);
  }
  return {};
}

Status Parser::parse_children(const fb::Node& in, uint32_t depth, Node& out) {
  const auto* children = in.children();
  if (children == nullptr) {
    return {};
  }
  BOBBIN_RETURN_IF(children->size() > kMaxChildren, StatusCode::unsupported,
                   fmt::format("{} children are above the limit of {}", children->size(), kMaxChildren));
  out.children.resize(children->size());
  for (uint32_t i = 0; i < children->size(); ++i) {
    if (Status status = parse_node(*children->Get(i), depth + 1, nullptr, out.children[i]); !status.ok()) {
      return depth < kMaxTreeDepth ? status.in(fmt::format("child {}", i)) : status;
    }
  }
  return {};
}

}  // namespace

Result<Footer> parse_footer(std::span<const std::byte> bytes, uint64_t offset, uint32_t version) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / kMinTableBytes);
  flatbuffers::Verifier verifier(data, bytes.size(), kVerifierDepth, max_tables);
  if (!fb::VerifyFooterBuffer(verifier)) {
    return corrupt("its structure is damaged");
  }
  return Parser(*fb::GetFooter(data), offset, bytes.size(), version).parse();
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
                     fmt::format("column {}: the name {} is not UTF-8", index, quoted(column.name)));
    BOBBIN_RETURN_IF(column.nullable && is_string(column.type), StatusCode::corrupt,
                     fmt::format("column {}: strings need not be called nullable", index));
    BOBBIN_RETURN_IF(
        !column.logical.fits(column.type), StatusCode::corrupt,
        fmt::format("column {}: type {} does not go with the logical type {} (unit {}, scale {})", index,
                    to_string(column.type), static_cast<unsigned>(column.logical.kind),
                    static_cast<unsigned>(column.logical.unit), column.logical.scale));
    names.push_back(column.name);
  }
  // Sorted rather than hashed: an attacker chooses the names.
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  BOBBIN_RETURN_IF(twin != names.end(), StatusCode::corrupt,
                   fmt::format("two columns are called {}", quoted(*twin)));
  return {};
}

Status check_pair(const std::string& key, const std::string& value) {
  BOBBIN_RETURN_IF(key.empty() || !is_valid_name(key), StatusCode::corrupt,
                   fmt::format("the key {} is empty or not UTF-8", quoted(key)));
  BOBBIN_RETURN_IF(key.size() > kMaxKeyBytes, StatusCode::unsupported,
                   fmt::format("a key of {} bytes is above the limit of {}", key.size(), kMaxKeyBytes));
  BOBBIN_RETURN_IF(value.size() > kMaxValueBytes, StatusCode::unsupported,
                   fmt::format("the value of {} has {} bytes, above the limit of {}", quoted(key),
                               value.size(), kMaxValueBytes));
  return {};
}

std::string chunk_place(size_t row_group, const Column& column) {
  return fmt::format("row group {}, column {}", row_group, quoted(column.name));
}

}  // namespace bobbin::file
