// SPDX-License-Identifier: Apache-2.0
// A file's segments, read in whole or in parts. No byte is handed out before it has passed a checksum.
#pragma once

#include <cstdint>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "codecs/stored.hpp"
#include "file/footer.hpp"
#include "file/input.hpp"

namespace bobbin::file {

// Memory for `size` bytes from the file: a size from outside must not end in an exception.
[[nodiscard]] Result<NewBuffer> try_buffer(size_t size);

[[nodiscard]] StoredNode stored(const Node& node);

// Both must outlive it. Holds nothing: several may read from one file at once.
class FileSegments final : public Segments {
 public:
  FileSegments(const Input& input, const Footer& footer) : input_(input), footer_(footer) {}

  [[nodiscard]] uint64_t size(uint32_t segment) const override { return footer_.segments[segment].size; }
  [[nodiscard]] Result<Buffer> read(uint32_t segment, uint64_t offset, uint64_t bytes) override;
  [[nodiscard]] Status validate(const Array& array) override;

  // All of a segment, by its own checksum.
  [[nodiscard]] Result<Buffer> read_whole(uint32_t segment) const;

 private:
  [[nodiscard]] Result<Buffer> read_parts(uint32_t segment, uint64_t first, uint64_t stop) const;

  const Input& input_;
  const Footer& footer_;
};

}  // namespace bobbin::file
