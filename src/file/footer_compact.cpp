// SPDX-License-Identifier: Apache-2.0
// Reads the footer of format version 2 from front to back: each step is bounded by the remaining bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/dispatch.hpp"
#include "core/scalar.hpp"
#include "core/value_text.hpp"
#include "file/footer.hpp"
#include "file/layout.hpp"

namespace bobbin::file {
namespace {

Status damaged(const char* what) {
  return {StatusCode::corrupt, fmt::format("its structure is damaged: {}", what)};
}

// Takes bytes from the front of a span.
class Source {
 public:
  explicit Source(std::span<const std::byte> bytes) : left_(bytes) {}

  [[nodiscard]] std::span<const std::byte> left() const { return left_; }

  Result<std::span<const std::byte>> take(uint64_t count) {
    if (count > left_.size()) {
      return damaged("it ends too early");
    }
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

  Result<uint8_t> byte() {
    BOBBIN_ASSIGN(const auto bytes, take(1));
    return std::to_integer<uint8_t>(bytes[0]);
  }

  // Little-endian.
  Result<uint64_t> word(size_t size) {
    BOBBIN_ASSIGN(const auto bytes, take(size));
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), size);
    return value;
  }

  Result<uint64_t> number() {
    if (!left_.empty() && std::to_integer<uint8_t>(left_[0]) < 128) {  // nearly all have one byte
      const auto only = std::to_integer<uint64_t>(left_[0]);
      left_ = left_.subspan(1);
      return only;
    }
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      BOBBIN_ASSIGN(const uint8_t next, byte());
      const uint64_t bits = next & 127;
      const bool last = (next & 128) == 0;
      if ((bits << shift) >> shift != bits || (last && bits == 0 && shift != 0)) {
        break;
      }
      value |= bits << shift;
      if (last) {
        return value;
      }
    }
    return damaged("a number has too many bytes");
  }

  // A count of items that take at least one byte each.
  Result<uint64_t> count(uint64_t most, const char* what) {
    BOBBIN_ASSIGN(const uint64_t value, number());
    if (value > most) {
      return Status(StatusCode::unsupported,
                    fmt::format("{} {} are above the limit of {}", value, what, most));
    }
    if (value > left_.size()) {
      return damaged("it ends too early");
    }
    return value;
  }

  Result<std::string> text() {
    BOBBIN_ASSIGN(const uint64_t size, number());
    BOBBIN_ASSIGN(const auto bytes, take(size));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

 private:
  std::span<const std::byte> left_;
};

class CompactParser {
 public:
  CompactParser(std::span<const std::byte> bytes, uint64_t footer_offset, uint32_t version)
      : in_(bytes), footer_offset_(footer_offset), position_(header_bytes(version)) {
    out_.version = version;
  }

  Result<Footer> parse() {
    BOBBIN_TRY(parse_columns());
    BOBBIN_TRY(parse_metadata());
    BOBBIN_TRY(parse_row_groups());
    BOBBIN_TRY(check_end_of_segments(position_, footer_offset_));
    if (in_.left().size() != inline_bytes_) {
      return damaged("the sizes of the segments in it do not fill its end");
    }
    out_.inline_bytes.assign(in_.left().begin(), in_.left().end());
    return std::move(out_);
  }

 private:
  Status parse_columns();
  Result<Column> parse_column();
  Status parse_metadata();
  Status parse_row_groups();
  Status parse_chunk(size_t column, uint64_t num_rows, Chunk& out);
  Result<ZoneMap> parse_zone(DType type);
  Status parse_zone(StringZone& out);
  // `before` is the root of the column's previous chunk, if the node is itself a root and there is one.
  Status parse_node(uint32_t depth, uint64_t expected_length, const Node* before, Node& out);
  // The number of buffers or children, of which the first bits are given.
  Result<uint64_t> parse_count(unsigned known, uint64_t most, const char* what);
  Status parse_segment(const Node* before, Node& out);

  Source in_;
  uint64_t footer_offset_;
  uint64_t position_;  // of the next segment in the file
  uint64_t inline_bytes_ = 0;
  uint64_t nodes_ = 0;
  Footer out_;
};

Status CompactParser::parse_columns() {
  BOBBIN_ASSIGN(const uint64_t count, in_.count(kMaxColumns, "columns"));
  out_.columns.reserve(count);
  while (out_.columns.size() < count) {
    auto column = parse_column();
    if (!column.has_value()) {
      return column.error().in(fmt::format("column {}", out_.columns.size()));
    }
    out_.columns.push_back(std::move(*column));
  }
  return {};
}

Result<Column> CompactParser::parse_column() {
  Column column;
  BOBBIN_ASSIGN(column.name, in_.text());
  BOBBIN_ASSIGN(const uint8_t flags, in_.byte());
  column.type = static_cast<DType>(flags % 16);
  column.nullable = (flags & 16) != 0;
  column.logical.kind = static_cast<Logical::Kind>(flags >> 5);
  if (column.logical.kind == Logical::Kind::timestamp || column.logical.kind == Logical::Kind::time) {
    BOBBIN_ASSIGN(const uint8_t unit, in_.byte());
    column.logical.unit = static_cast<Logical::Unit>(unit);
  } else if (column.logical.kind == Logical::Kind::decimal) {
    BOBBIN_ASSIGN(column.logical.scale, in_.byte());
  }
  return column;
}

Status CompactParser::parse_metadata() {
  BOBBIN_ASSIGN(const uint64_t count, in_.count(kMaxKeys, "keys"));
  for (uint64_t i = 0; i < count; ++i) {
    BOBBIN_ASSIGN(std::string key, in_.text());
    BOBBIN_ASSIGN(std::string value, in_.text());
    out_.metadata.emplace_back(std::move(key), std::move(value));
  }
  return {};
}

Status CompactParser::parse_row_groups() {
  BOBBIN_ASSIGN(const uint64_t count, in_.count(kMaxRowGroups, "row groups"));
  out_.row_groups.reserve(count);
  while (out_.row_groups.size() < count) {
    const size_t index = out_.row_groups.size();
    RowGroup group;
    BOBBIN_ASSIGN(group.num_rows, in_.number());
    for (size_t c = 0; c < out_.columns.size(); ++c) {
      if (Status status = parse_chunk(c, group.num_rows, group.chunks.emplace_back()); !status.ok()) {
        return status.in(chunk_place(index, out_.columns[c]));
      }
    }
    out_.row_groups.push_back(std::move(group));
  }
  return {};
}

Status CompactParser::parse_chunk(size_t column, uint64_t num_rows, Chunk& out) {
  const DType type = out_.columns[column].type;
  uint64_t nulls = 0;
  if (is_string(type) || out_.columns[column].nullable) {
    BOBBIN_ASSIGN(nulls, in_.number());
  }
  (is_string(type) ? out.strings.null_count : out.null_count) = nulls;
  if (nulls < num_rows && is_string(type)) {
    BOBBIN_TRY(parse_zone(out.strings));
  } else if (nulls < num_rows) {
    BOBBIN_ASSIGN(out.zone, parse_zone(type));
  }
  const Node* before = out_.row_groups.empty() ? nullptr : &out_.row_groups.back().chunks[column].root;
  return parse_node(1, num_rows, before, out.root);
}

// The bits of an integer of a type, zero-extended; empty if it is outside the type's range.
std::optional<Scalar> narrowed(DType type, uint64_t value) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> std::optional<Scalar> {
    const auto narrow = static_cast<T>(static_cast<int64_t>(value));
    if (static_cast<uint64_t>(static_cast<int64_t>(narrow)) != value) {
      return std::nullopt;
    }
    return scalar_of(narrow);
  });
}

Result<ZoneMap> CompactParser::parse_zone(DType type) {
  if (std::ranges::find(kAllTypes, type) == std::end(kAllTypes)) {
    return Status(StatusCode::unsupported,
                  fmt::format("unknown type {} (newer file?)", static_cast<unsigned>(type)));
  }
  if (is_float(type)) {
    BOBBIN_ASSIGN(const uint64_t min, in_.word(size_bytes(type)));
    BOBBIN_ASSIGN(const uint64_t max, in_.word(size_bytes(type)));
    return ZoneMap{{min}, {max}};
  }
  BOBBIN_ASSIGN(const uint64_t first, in_.number());
  BOBBIN_ASSIGN(const uint64_t distance, in_.number());
  const uint64_t low = is_signed(type) ? (first >> 1) ^ (0 - (first & 1)) : first;
  const auto min = narrowed(type, low);
  const auto max = narrowed(type, low + distance);
  BOBBIN_RETURN_IF(!min.has_value() || !max.has_value(), StatusCode::corrupt,
                   "the zone map has a bound outside of the column's type");
  return ZoneMap{*min, *max};
}

Status CompactParser::parse_zone(StringZone& out) {
  BOBBIN_ASSIGN(out.min, in_.text());
  BOBBIN_ASSIGN(const uint64_t shared, in_.number());
  out.max_is_open = shared == 0;
  if (!out.max_is_open) {
    BOBBIN_RETURN_IF(shared - 1 > out.min.size(), StatusCode::corrupt,
                     "the zone map's maximum shares more bytes than the minimum has");
    BOBBIN_ASSIGN(const std::string rest, in_.text());
    out.max = out.min.substr(0, shared - 1) + rest;
  }
  BOBBIN_ASSIGN(out.num_bytes, in_.number());
  return {};
}

Result<uint64_t> CompactParser::parse_count(unsigned known, uint64_t most, const char* what) {
  return known < 3 ? Result<uint64_t>(uint64_t{known}) : in_.count(most, what);
}

Status CompactParser::parse_node(uint32_t depth, uint64_t expected_length, const Node* before, Node& out) {
  BOBBIN_RETURN_IF(depth > kMaxTreeDepth, StatusCode::unsupported,
                   fmt::format("the encoding tree is deeper than {}", kMaxTreeDepth));
  BOBBIN_RETURN_IF(++nodes_ > kMaxNodes, StatusCode::unsupported,
                   fmt::format("more than {} nodes in all encoding trees", kMaxNodes));
  BOBBIN_ASSIGN(const uint64_t codec, in_.number());
  BOBBIN_RETURN_IF(codec / 2 > UINT16_MAX, StatusCode::unsupported,
                   fmt::format("unknown codec {} (newer file?)", codec / 2));
  out.codec = static_cast<CodecId>(codec / 2);
  BOBBIN_ASSIGN(const uint8_t shape, in_.byte());
  out.type = static_cast<DType>(shape % 16);
  BOBBIN_ASSIGN(const uint64_t buffers, parse_count(shape / 16 % 4, kMaxBuffers, "buffers"));
  BOBBIN_ASSIGN(const uint64_t children, parse_count(shape / 64, kMaxChildren, "children"));
  out.length = expected_length;
  if (codec % 2 == 0) {
    BOBBIN_ASSIGN(out.length, in_.number());
  }
  BOBBIN_ASSIGN(const uint64_t metadata_bytes, in_.count(kMaxMetadataBytes, "bytes of metadata"));
  BOBBIN_ASSIGN(const auto metadata, in_.take(metadata_bytes));
  const auto* data = reinterpret_cast<const uint8_t*>(metadata.data());
  out.metadata.assign(data, data + metadata.size());
  for (uint64_t i = 0; i < buffers; ++i) {
    BOBBIN_TRY(parse_segment(i == 0 ? before : nullptr, out));
  }
  out.children.resize(children);
  for (uint64_t i = 0; i < children; ++i) {
    if (Status status = parse_node(depth + 1, out.length, nullptr, out.children[i]); !status.ok()) {
      return depth < kMaxTreeDepth ? status.in(fmt::format("child {}", i)) : status;
    }
  }
  return {};
}

// Segments are numbered by their position in the trees.
Status CompactParser::parse_segment(const Node* before, Node& out) {
  const size_t index = out_.segments.size();
  BOBBIN_RETURN_IF(index == kMaxSegments, StatusCode::unsupported,
                   fmt::format("more than {} segments", kMaxSegments));
  BOBBIN_ASSIGN(const uint64_t entry, in_.number());
  if (entry == 0) {
    BOBBIN_RETURN_IF(before == nullptr || !may_share_first(*before, out.codec), StatusCode::corrupt,
                     "a buffer refers to that of the previous chunk, which is not possible here");
    out.segments.push_back(before->segments[0]);
    return {};
  }
  Segment segment{.size = (entry - 1) / 2, .in_footer = (entry - 1) % 2 != 0};
  if (segment.in_footer) {
    BOBBIN_RETURN_IF(segment.size > in_.left().size() - std::min<uint64_t>(inline_bytes_, in_.left().size()),
                     StatusCode::corrupt,
                     fmt::format("segment {}: {} bytes do not fit the footer", index, segment.size));
    segment.offset = inline_bytes_;
    inline_bytes_ += segment.size;
  } else {
    segment.offset = position_;
    BOBBIN_TRY(place_segment(index, segment.size, out_.version, footer_offset_, position_));
    BOBBIN_ASSIGN(segment.checksum, in_.word(sizeof segment.checksum));
    segment.first_part = out_.parts.size();
    for (uint64_t left = num_parts(segment.size); left > 0; --left) {
      BOBBIN_ASSIGN(const uint64_t part, in_.word(sizeof segment.checksum));
      out_.parts.push_back(part);
    }
  }
  out.segments.push_back(static_cast<uint32_t>(index));
  out_.segments.push_back(segment);
  return {};
}

}  // namespace

Result<Footer> parse_compact_footer(std::span<const std::byte> bytes, uint64_t offset, uint32_t version) {
  return CompactParser(bytes, offset, version).parse();
}

}  // namespace bobbin::file
