// SPDX-License-Identifier: Apache-2.0
#include "codecs/stored.hpp"

#include <string>

#include "codecs/registry.hpp"
#include "codecs/shape.hpp"
#include "codecs/whole.hpp"
#include "core/lanes.hpp"

namespace bobbin {
namespace {

Array without_parts(const StoredNode& node) {
  return {.codec = node.codec,
          .type = node.type,
          .length = node.length,
          .offset = 0,
          .metadata = {node.metadata.begin(), node.metadata.end()},
          .buffers = {},
          .children = {}};
}

// Codecs load parts of a whole array, as a file has it.
Status check_node(const StoredNode& node, const Segments& segments) {
  BOBBIN_TRY(
      check_parts(*find_codec(node.codec), node.metadata.size(), node.segments.size(), node.children.size()));
  if (!tells_slices(node.codec)) {
    return {};
  }
  Array outline = without_parts(node);
  for (const uint32_t segment : node.segments) {
    outline.buffers.push_back({nullptr, {static_cast<const std::byte*>(nullptr), segments.size(segment)}});
  }
  return check_whole(outline);
}

}  // namespace

Result<Array> load_whole(const StoredNode& node, Segments& segments) {
  BOBBIN_TRY(check_node(node, segments));
  Array array = without_parts(node);
  for (const uint32_t segment : node.segments) {
    BOBBIN_ASSIGN(Buffer buffer, segments.read(segment, 0, segments.size(segment)));
    array.buffers.push_back(std::move(buffer));
  }
  for (const StoredNode& child : node.children) {
    BOBBIN_ASSIGN(Array loaded, load_whole(child, segments));
    array.children.push_back(std::move(loaded));
  }
  return array;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  BOBBIN_RETURN_IF(begin > node.length || length > node.length - begin, StatusCode::corrupt,
                   "slice of values " + std::to_string(begin) + " to " + std::to_string(begin + length) +
                       " exceeds the array's length " + std::to_string(node.length));
  if (length == node.length) {
    return load_whole(node, segments);
  }
  BOBBIN_TRY(check_node(node, segments));
  return find_codec(node.codec)->load_slice(node, begin, length, segments);
}

SliceLoader::SliceLoader(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments)
    : part(without_parts(node)),
      node_(node),
      segments_(segments),
      begin_(begin),
      first_vector_(begin / kVectorLength) {
  part.length = length;
  part.offset = begin % kVectorLength;
}

uint64_t SliceLoader::vectors() const {
  return num_vectors(part.offset + part.length);
}

Status SliceLoader::add_buffer(uint64_t offset, uint64_t bytes) {
  BOBBIN_ASSIGN(Buffer buffer, segments_.read(node_.segments[part.buffers.size()], offset, bytes));
  part.buffers.push_back(std::move(buffer));
  return {};
}

Status SliceLoader::add_buffer() {
  return add_buffer(0, buffer_bytes(part.buffers.size()));
}

Status SliceLoader::add_child(uint64_t begin, uint64_t length) {
  BOBBIN_ASSIGN(Array child,
                bobbin::load_slice(node_.children[part.children.size()], begin, length, segments_));
  part.children.push_back(std::move(child));
  return {};
}

Status SliceLoader::add_children() {
  for (const ChildShape& shape : find_codec(node_.codec)->shape.children) {
    BOBBIN_TRY(shape.follows == Follows::rows ? add_child(begin_, part.length) : add_child());
  }
  return {};
}

Status SliceLoader::add_child() {
  return add_child(0, node_.children[part.children.size()].length);
}

Result<Array> load_rows(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.add_children());
  return std::move(loader.part);
}

}  // namespace bobbin
