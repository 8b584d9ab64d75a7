// SPDX-License-Identifier: Apache-2.0
// A file's segments, read as a whole or in parts. No byte is returned before its checksum was checked.
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

// Memory for `size` bytes from the file: a size from a file must not lead to an exception.
[[nodiscard]] Result<NewBuffer> try_buffer(size_t size);

[[nodiscard]] StoredNode stored(const Node& node);

// Parts of segments that were recently read and checked, so that adjacent reads, and reads of one dictionary,
// do this once. Threads may share it.
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
  // Evicts the oldest entries if there is too much.
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

  // A whole segment, checked by its own checksum, bypassing the cache.
  [[nodiscard]] Result<Buffer> read_whole(uint32_t segment) const;

 private:
  [[nodiscard]] Result<Buffer> read_parts(const PartCache::Key& key) const;

  const Input& input_;
  const Footer& footer_;
  PartCache& cache_;
};

}  // namespace bobbin::file
