// SPDX-License-Identifier: Apache-2.0
// Arrays in a file, and slices of them that are read without the rest. Nothing in a node has been checked
// yet: every read is checked against the segment's size, and the result has to pass validate().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin {

// An array without its bytes: its buffers are segments of the file, by index.
struct StoredNode {
  CodecId codec{};
  DType type{};
  uint64_t length = 0;
  std::span<const uint8_t> metadata;
  std::span<const uint32_t> segments;
  std::vector<StoredNode> children{};
};

class Segments {
 public:
  virtual ~Segments() = default;

  [[nodiscard]] virtual uint64_t size(uint32_t segment) const = 0;
  // Some bytes of a segment, checked against their checksums. Fails if they are not all inside it.
  [[nodiscard]] virtual Result<Buffer> read(uint32_t segment, uint64_t offset, uint64_t bytes) = 0;
  // array::validate(), for codecs that must decode a child to know what else they need.
  [[nodiscard]] virtual Status validate(const Array& array) = 0;
};

// Values begin .. begin+length-1 of an array.
[[nodiscard]] Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length,
                                       Segments& segments);
// Loads all of an array's bytes, without validation.
[[nodiscard]] Result<Array> load_whole(const StoredNode& node, Segments& segments);

// A slice being loaded, for codecs: buffers and children are added in order.
class SliceLoader {
 public:
  SliceLoader(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments);

  // Bytes of the node's next buffer.
  [[nodiscard]] Status add_buffer(uint64_t offset, uint64_t bytes);
  // The whole next buffer.
  [[nodiscard]] Status add_buffer();
  // Values of the node's next child.
  [[nodiscard]] Status add_child(uint64_t begin, uint64_t length);
  [[nodiscard]] Status add_child();
  // Adds all children: sliced if they have a value per row, otherwise whole.
  [[nodiscard]] Status add_children();

  [[nodiscard]] const StoredNode& node() const { return node_; }
  [[nodiscard]] Segments& segments() const { return segments_; }
  [[nodiscard]] uint64_t buffer_bytes(size_t index) const { return segments_.size(node_.segments[index]); }
  // The index of the slice's first vector in the array, and its number of vectors.
  [[nodiscard]] uint64_t first_vector() const { return first_vector_; }
  [[nodiscard]] uint64_t vectors() const;

  Array part;  // what has been added so far

 private:
  const StoredNode& node_;
  Segments& segments_;
  uint64_t begin_;
  uint64_t first_vector_;
};

// For Codec::load_slice of codecs without buffers, as slice_rows() is for Codec::slice.
[[nodiscard]] Result<Array> load_rows(const StoredNode& node, uint64_t begin, uint64_t length,
                                      Segments& segments);

}  // namespace bobbin
