// SPDX-License-Identifier: Apache-2.0
// A file's segments, read in whole or in parts. No byte is handed out before it has passed a checksum.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "codecs/stored.hpp"
#include "file/footer.hpp"
#include "file/input.hpp"

namespace bobbin::file {

// Memory for `size` bytes from the file: a size from outside must not end in an exception.
[[nodiscard]] Result<NewBuffer> try_buffer(size_t size);

[[nodiscard]] StoredNode stored(const Node& node);

// Parts of segments that were read and checked lately, so that reads next to each other, and those of one
// dictionary, do it once. Threads may share one.
class PartCache {
 public:
  // The parts from `first` to before `stop`, as one buffer.
  struct Key {
    uint32_t segment = 0;
    uint64_t first = 0;
    uint64_t stop = 0;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  [[nodiscard]] std::optional<Buffer> find(const Key& key) const;
  // Lets go of what was kept first when there is too much.
  void keep(const Key& key, const Buffer& buffer);

 private:
  mutable std::mutex mutex_;
  std::map<Key, Buffer> buffers_;
  std::deque<Key> order_;
  uint64_t bytes_ = 0;
};

// All three must outlive it. Several may read from one file at once.
class FileSegments final : public Segments {
 public:
  FileSegments(const Input& input, const Footer& footer, PartCache& cache)
      : input_(input), footer_(footer), cache_(cache) {}

  [[nodiscard]] uint64_t size(uint32_t segment) const override { return footer_.segments[segment].size; }
  [[nodiscard]] Result<Buffer> read(uint32_t segment, uint64_t offset, uint64_t bytes) override;
  [[nodiscard]] Status validate(const Array& array) override;

  // All of a segment, by its own checksum, and past the cache.
  [[nodiscard]] Result<Buffer> read_whole(uint32_t segment) const;

 private:
  [[nodiscard]] Result<Buffer> read_parts(const PartCache::Key& key) const;

  const Input& input_;
  const Footer& footer_;
  PartCache& cache_;
};

}  // namespace bobbin::file
