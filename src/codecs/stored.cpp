// SPDX-License-Identifier: Apache-2.0
#include "codecs/stored.hpp"

#include <string>

#include "codecs/registry.hpp"
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

using LoadSlice = Result<Array> (*)(const StoredNode&, uint64_t, uint64_t, Segments&);

LoadSlice loader_of(CodecId codec) {
  switch (codec) {
    case CodecId::bitpack:
      return &codec::bitpack::load_slice;
    case CodecId::ffor:
      return &codec::ffor::load_slice;
    case CodecId::delta:
      return &codec::delta::load_slice;
    case CodecId::fsst:
      return &codec::fsst::load_slice;
    case CodecId::patched:
      return &codec::patched::load_slice;
    case CodecId::alp:
      return &codec::alp::load_slice;
    case CodecId::alprd:
      return &codec::alprd::load_slice;
    case CodecId::masked:
      return &codec::masked::load_slice;
    case CodecId::constant:
      return &codec::constant::load_slice;
    case CodecId::dict:
      return &codec::dict::load_slice;
    case CodecId::zigzag:
      return &codec::zigzag::load_slice;
    case CodecId::rle:
    case CodecId::sparse:
      return &ascending::load_slice;
  }
  return nullptr;
}

}  // namespace

Result<Array> load_whole(const StoredNode& node, Segments& segments) {
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
                   "values " + std::to_string(begin) + " to " + std::to_string(begin + length) +
                       " of an array of " + std::to_string(node.length));
  if (length == node.length) {
    return load_whole(node, segments);
  }
  return loader_of(node.codec)(node, begin, length, segments);
}

SliceLoader::SliceLoader(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments)
    : part(without_parts(node)), node_(node), segments_(segments), first_vector_(begin / kVectorLength) {
  part.length = length;
  part.offset = begin % kVectorLength;
}

uint64_t SliceLoader::vectors() const {
  return num_vectors(part.offset + part.length);
}

Status SliceLoader::expect(size_t metadata_bytes, size_t buffers, size_t children) const {
  BOBBIN_RETURN_IF(node_.metadata.size() != metadata_bytes || node_.segments.size() != buffers ||
                       node_.children.size() != children,
                   StatusCode::corrupt, std::string(find_codec(node_.codec)->name) + ": parts are missing");
  return {};
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

Status SliceLoader::add_child() {
  return add_child(0, node_.children[part.children.size()].length);
}

}  // namespace bobbin
