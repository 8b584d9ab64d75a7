// SPDX-License-Identifier: Apache-2.0
// Reads the footer of format version 1, a FlatBuffer: the verifier makes sure that every table, vector and
// string is inside the bytes, which are then copied out.
#include <fmt/format.h>

#include <string_view>

#include "file/footer.hpp"
#include "file/layout.hpp"
#include "footer_generated.h"

namespace bobbin::file {
namespace {

// Deeper than any tree we accept, so that our own message reports a tree that is too deep.
constexpr flatbuffers::uoffset_t kVerifierDepth = 64;
// A table takes at least its vtable offset and the offset that refers to it. Tables that are reached twice
// count twice: a footer whose tables share children, so that it grows when traversed, has more of them than
// bytes, and is refused.
constexpr size_t kMinTableBytes = 8;

Status corrupt_footer(std::string message) {
  return {StatusCode::corrupt, std::move(message)};
}

class FlatParser {
 public:
  FlatParser(const fb::Footer& in, uint64_t footer_offset, uint64_t footer_bytes)
      : in_(in), footer_offset_(footer_offset), budget_(footer_bytes) {}

  Result<Footer> parse() {
    out_.version = 1;
    BOBBIN_TRY(parse_columns());
    BOBBIN_TRY(parse_segments());
    BOBBIN_TRY(parse_parts());
    BOBBIN_TRY(parse_row_groups());
    BOBBIN_TRY(parse_metadata());
    return std::move(out_);
  }

 private:
  Status parse_columns();
  Status parse_segments();
  Status parse_parts();
  Status parse_row_groups();
  Status parse_metadata();
  Status parse_chunk(const fb::Chunk& in, Chunk& out);
  Status parse_node(const fb::Node& in, Node& out);
  Result<std::string> parse_bytes(const flatbuffers::Vector<uint8_t>* bytes);
  Status spend(uint64_t bytes);

  const fb::Footer& in_;
  uint64_t footer_offset_;
  uint64_t budget_;
  Footer out_;
};

// What is copied out of the footer cannot be larger than the footer, unless its strings and vectors overlap.
Status FlatParser::spend(uint64_t bytes) {
  BOBBIN_RETURN_IF(bytes > budget_, StatusCode::corrupt, "its parts overlap");
  budget_ -= bytes;
  return {};
}

Status FlatParser::parse_columns() {
  BOBBIN_RETURN_IF(in_.columns()->size() > kMaxColumns, StatusCode::unsupported,
                   fmt::format("{} columns are above the limit of {}", in_.columns()->size(), kMaxColumns));
  out_.columns.reserve(in_.columns()->size());
  for (const fb::Column* column : *in_.columns()) {
    const std::string_view name = column->name()->string_view();
    BOBBIN_TRY(spend(name.size()).in(fmt::format("column {}", out_.columns.size())));
    out_.columns.push_back({.name = std::string(name),
                            .type = static_cast<DType>(column->type()),
                            .nullable = column->nullable(),
                            .logical = {.kind = static_cast<Logical::Kind>(column->logical()),
                                        .unit = static_cast<Logical::Unit>(column->unit()),
                                        .scale = column->scale()}});
  }
  return {};
}

// Segments are contiguous from the end of the header to the start of the footer: no gap, no overlap, no byte
// left over.
Status FlatParser::parse_segments() {
  const auto* segments = in_.segments();
  // The verifier checks that a vector of structs is inside the bytes, but not that its elements are aligned.
  const bool aligned = reinterpret_cast<uintptr_t>(segments->Data()) % alignof(uint64_t) == 0;
  BOBBIN_RETURN_IF(segments->size() > 0 && !aligned, StatusCode::corrupt, "the segment table is not aligned");
  BOBBIN_TRY(spend(segments->size() * sizeof(fb::Segment)).in("segment table"));
  out_.segments.reserve(segments->size());
  uint64_t position = header_bytes(out_.version);
  for (const fb::Segment* segment : *segments) {
    const size_t index = out_.segments.size();
    BOBBIN_RETURN_IF(
        segment->offset() != position, StatusCode::corrupt,
        fmt::format("segment {}: at byte {}, expected at {}", index, segment->offset(), position));
    BOBBIN_TRY(place_segment(index, segment->size(), out_.version, footer_offset_, position));
    out_.segments.push_back({segment->offset(), segment->size(), segment->checksum()});
  }
  return check_end_of_segments(position, footer_offset_);
}

// The checksums of all parts of all segments, or none at all.
Status FlatParser::parse_parts() {
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

Status FlatParser::parse_row_groups() {
  out_.row_groups.reserve(in_.row_groups()->size());
  for (const fb::RowGroup* in : *in_.row_groups()) {
    RowGroup group{.num_rows = in->num_rows()};
    group.chunks.resize(in->chunks()->size());
    for (uint32_t c = 0; c < in->chunks()->size(); ++c) {
      BOBBIN_TRY(parse_chunk(*in->chunks()->Get(c), group.chunks[c]));
    }
    out_.row_groups.push_back(std::move(group));
  }
  return {};
}

Status FlatParser::parse_metadata() {
  if (in_.metadata() == nullptr) {
    return {};
  }
  for (const fb::KeyValue* pair : *in_.metadata()) {
    BOBBIN_TRY(spend(pair->key()->size()).in("metadata"));
    BOBBIN_ASSIGN(std::string value, parse_bytes(pair->value()));
    out_.metadata.emplace_back(pair->key()->str(), std::move(value));
  }
  return {};
}

Result<std::string> FlatParser::parse_bytes(const flatbuffers::Vector<uint8_t>* bytes) {
  if (bytes == nullptr) {
    return std::string();
  }
  BOBBIN_TRY(spend(bytes->size()));
  return std::string(bytes->begin(), bytes->end());
}

Status FlatParser::parse_chunk(const fb::Chunk& in, Chunk& out) {
  BOBBIN_TRY(parse_node(*in.root(), out.root));
  out.zone = {{in.min()}, {in.max()}};
  BOBBIN_ASSIGN(out.strings.min, parse_bytes(in.min_bytes()));
  BOBBIN_ASSIGN(out.strings.max, parse_bytes(in.max_bytes()));
  out.strings.max_is_open = in.max_is_open();
  out.strings.num_bytes = in.num_bytes();
  (is_string(out.root.type) ? out.strings.null_count : out.null_count) = in.null_count();
  return {};
}

Status FlatParser::parse_node(const fb::Node& in, Node& out) {
  out.codec = static_cast<CodecId>(in.codec());
  out.type = static_cast<DType>(in.type());
  out.length = in.length();
  if (const auto* metadata = in.metadata(); metadata != nullptr) {
    BOBBIN_TRY(spend(metadata->size()));
    out.metadata.assign(metadata->begin(), metadata->end());
  }
  if (const auto* segments = in.segments(); segments != nullptr) {
    BOBBIN_TRY(spend(segments->size() * sizeof(uint32_t)));
    out.segments.assign(segments->begin(), segments->end());
  }
  if (const auto* children = in.children(); children != nullptr) {
    out.children.resize(children->size());
    for (uint32_t i = 0; i < children->size(); ++i) {
      BOBBIN_TRY(parse_node(*children->Get(i), out.children[i]));
    }
  }
  return {};
}

}  // namespace

Result<Footer> parse_flat_footer(std::span<const std::byte> bytes, uint64_t offset) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / kMinTableBytes);
  flatbuffers::Verifier verifier(data, bytes.size(), kVerifierDepth, max_tables);
  if (!fb::VerifyFooterBuffer(verifier)) {
    return corrupt_footer("its structure is damaged");
  }
  return FlatParser(*fb::GetFooter(data), offset, bytes.size()).parse();
}

}  // namespace bobbin::file
