// SPDX-License-Identifier: Apache-2.0
// Makes footers of format version 1, which the library reads but no longer writes.
#pragma once

#include "file/footer.hpp"
#include "footer_generated.h"

namespace bobbin::file_tests::flat {

using namespace file;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

template <class T>
auto vector_or_nothing(FlatBufferBuilder& builder, const std::vector<T>& items) {
  return items.empty() ? Offset<flatbuffers::Vector<T>>{} : builder.CreateVector(items);
}

inline Offset<fb::Node> build_node(FlatBufferBuilder& builder, const Node& node) {
  std::vector<Offset<fb::Node>> children;
  children.reserve(node.children.size());
  for (const Node& child : node.children) {
    children.push_back(build_node(builder, child));
  }
  const auto metadata = vector_or_nothing(builder, node.metadata);
  const auto segments = vector_or_nothing(builder, node.segments);
  const auto child_vector = vector_or_nothing(builder, children);
  return fb::CreateNode(builder, static_cast<uint16_t>(node.codec), static_cast<uint8_t>(node.type),
                        node.length, metadata, segments, child_vector);
}

inline Offset<flatbuffers::Vector<uint8_t>> bytes_or_nothing(FlatBufferBuilder& builder,
                                                             const std::string& bytes) {
  return vector_or_nothing(builder, std::vector<uint8_t>(bytes.begin(), bytes.end()));
}

inline Offset<fb::Chunk> build_chunk(FlatBufferBuilder& builder, const Chunk& chunk) {
  const auto root = build_node(builder, chunk.root);
  const StringZone& strings = chunk.strings;
  const auto min = bytes_or_nothing(builder, strings.min);
  const auto max = bytes_or_nothing(builder, strings.max);
  const uint64_t nulls = is_string(chunk.root.type) ? strings.null_count : chunk.null_count;
  return fb::CreateChunk(builder, root, chunk.zone.min.bits, chunk.zone.max.bits, min, max,
                         strings.max_is_open, nulls, strings.num_bytes);
}

inline Offset<fb::RowGroup> build_row_group(FlatBufferBuilder& builder, const RowGroup& group) {
  std::vector<Offset<fb::Chunk>> chunks;
  chunks.reserve(group.chunks.size());
  for (const Chunk& chunk : group.chunks) {
    chunks.push_back(build_chunk(builder, chunk));
  }
  const auto chunk_vector = builder.CreateVector(chunks);
  return fb::CreateRowGroup(builder, group.num_rows, chunk_vector);
}

inline std::vector<std::byte> build_footer(const Footer& footer) {
  FlatBufferBuilder builder;
  std::vector<Offset<fb::Column>> columns;
  for (const Column& column : footer.columns) {
    const auto name = builder.CreateString(column.name);
    const Logical& logical = column.logical;
    columns.push_back(fb::CreateColumn(builder, name, static_cast<uint8_t>(column.type), column.nullable,
                                       static_cast<uint8_t>(logical.kind), static_cast<uint8_t>(logical.unit),
                                       logical.scale));
  }
  std::vector<Offset<fb::RowGroup>> groups;
  groups.reserve(footer.row_groups.size());
  for (const RowGroup& group : footer.row_groups) {
    groups.push_back(build_row_group(builder, group));
  }
  std::vector<fb::Segment> segments;
  segments.reserve(footer.segments.size());
  for (const Segment& segment : footer.segments) {
    segments.emplace_back(segment.offset, segment.size, segment.checksum);
  }
  std::vector<Offset<fb::KeyValue>> pairs;
  for (const auto& [key, value] : footer.metadata) {
    const auto key_string = builder.CreateString(key);
    pairs.push_back(fb::CreateKeyValue(builder, key_string, bytes_or_nothing(builder, value)));
  }
  const auto column_vector = builder.CreateVector(columns);
  const auto group_vector = builder.CreateVector(groups);
  const auto segment_vector = builder.CreateVectorOfStructs(segments);
  const auto pair_vector = vector_or_nothing(builder, pairs);
  const auto part_vector = vector_or_nothing(builder, footer.parts);
  fb::FinishFooterBuffer(builder, fb::CreateFooter(builder, column_vector, group_vector, segment_vector,
                                                   pair_vector, part_vector));
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {data, data + builder.GetSize()};
}

}  // namespace bobbin::file_tests::flat
