// SPDX-License-Identifier: Apache-2.0
// A file's segments, read as a whole or in parts. No byte is returned before its checksum was checked.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "codecs/stored.hpp"
#include "file/footer.hpp"
#include "file/input.hpp"

namespace bobbin::file {

// Memory for `size` bytes from the file: a size from a file must not lead to an exception.
[[nodiscard]] Result<NewBuffer> try_buffer(size_t size);

[[nodiscard]] StoredNode stored(const Node& node);

// What was recently read and checked, up to a total size, so that adjacent reads, and reads of one
// dictionary, do this once. Threads may share it.
template <class Key, class Value>
class CheckedCache {
 public:
  // What an entry takes besides its value's bytes, about; both count.
  static constexpr uint64_t kEntryBytes = 256;

  // How many bytes it keeps, and how many an entry may have: one that would evict most others is not kept.
  CheckedCache(uint64_t most_kept, uint64_t most_of_one) : most_kept_(most_kept), most_of_one_(most_of_one) {}

  [[nodiscard]] std::optional<Value> find(const Key& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? std::nullopt : std::optional(found->second.value);
  }

  // Replaces a smaller entry. Evicts the oldest entries if there is too much.
  void keep(const Key& key, Value value, uint64_t bytes) {
    if (bytes > most_of_one_) {
      return;
    }
    bytes += kEntryBytes;
    const std::scoped_lock lock(mutex_);
    const auto [entry, is_new] = entries_.try_emplace(key);
    if (!is_new && entry->second.bytes >= bytes) {
      return;  // another thread was faster
    }
    bytes_ += bytes - entry->second.bytes;
    entry->second = {std::move(value), bytes};
    if (is_new) {
      order_.push_back(key);
    }
    for (; bytes_ > most_kept_; order_.pop_front()) {
      const auto oldest = entries_.find(order_.front());
      bytes_ -= oldest->second.bytes;
      entries_.erase(oldest);
    }
  }

 private:
  struct Entry {
    Value value;
    uint64_t bytes = 0;
  };

  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::deque<Key> order_;
  uint64_t bytes_ = 0;
  uint64_t most_kept_;
  uint64_t most_of_one_;
};

// The parts of a segment from `first` to before `stop`; none for a whole segment.
struct PartKey {
  uint32_t segment = 0;
  uint64_t first = 0;
  uint64_t stop = 0;

  friend auto operator<=>(const PartKey&, const PartKey&) = default;
};
// Bytes of a segment from `begin` on: whole parts, or only bytes that were requested.
struct KeptBytes {
  [[nodiscard]] bool has(uint64_t offset, uint64_t bytes) const {
    return offset >= begin && offset + bytes <= begin + buffer.bytes.size();
  }
  [[nodiscard]] Buffer at(uint64_t offset, uint64_t bytes) const { return buffer.sub(offset - begin, bytes); }

  Buffer buffer;
  uint64_t begin = 0;
};
using PartCache = CheckedCache<PartKey, KeptBytes>;

// The segments in a footer, each where its values can be loaded.
class InlineSegments {
 public:
  [[nodiscard]] static Result<InlineSegments> of(const Footer& footer);
  [[nodiscard]] Buffer at(uint32_t segment, uint64_t size) const {
    return memory_.sub(begins_[segment], size);
  }

 private:
  Buffer memory_;
  std::vector<uint64_t> begins_;  // by segment
};

// All four must outlive it. Several may read from one file at once.
class FileSegments final : public Segments {
 public:
  FileSegments(const InputFile& input, const Footer& footer, const InlineSegments& inline_segments,
               PartCache& cache)
      : input_(input), footer_(footer), inline_segments_(inline_segments), cache_(cache) {}

  [[nodiscard]] uint64_t size(uint32_t segment) const override { return footer_.segments[segment].size; }
  [[nodiscard]] Result<Buffer> read(uint32_t segment, uint64_t offset, uint64_t bytes) override;
  [[nodiscard]] Status validate(const Array& array) override;

  // A whole segment, checked by its own checksum, bypassing the cache.
  [[nodiscard]] Result<Buffer> read_whole(uint32_t segment) const;

 private:
  // Both read whole parts to verify their checksums. read_parts() keeps all of their bytes; read_few() reads
  // one part that was not needed before, and keeps only the bytes that were requested.
  [[nodiscard]] Result<KeptBytes> read_parts(const PartKey& key) const;
  [[nodiscard]] Result<KeptBytes> read_few(const PartKey& key, uint64_t offset, uint64_t bytes) const;
  [[nodiscard]] Status fill(const PartKey& key, std::span<std::byte> to) const;

  const InputFile& input_;
  const Footer& footer_;
  const InlineSegments& inline_segments_;
  PartCache& cache_;
};

}  // namespace bobbin::file
