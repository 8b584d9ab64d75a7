// SPDX-License-Identifier: Apache-2.0
// The metadata cache of a memory controller: 2 bits per line of memory say how many bursts it takes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/config.hpp"

namespace bobbin::sim {

class MetadataCache {
 public:
  static constexpr uint32_t kLinesPerByte = 4;

  explicit MetadataCache(const Config& config);

  // The metadata line of a line of this channel.
  [[nodiscard]] uint64_t md_line_of(uint64_t local) const { return local / lines_per_md_line_; }

  enum class Answer : uint8_t { hit, coming, miss };
  // A miss reserves the entry: the caller fetches it and calls arrived().
  [[nodiscard]] Answer look_up(uint64_t md_line, bool is_write);
  void arrived(uint64_t md_line);
  // After a miss: the dirty line that lost its place, if any.
  [[nodiscard]] bool take_victim(uint64_t& md_line);

 private:
  struct Entry {
    uint64_t md_line = 0;
    uint64_t used = 0;
    bool valid = false;
    bool coming = false;
    bool dirty = false;
  };

  uint64_t lines_per_md_line_;
  uint64_t sets_;
  uint32_t ways_;
  uint64_t clock_ = 0;
  std::vector<Entry> entries_;
  bool has_victim_ = false;
  uint64_t victim_ = 0;
};

}  // namespace bobbin::sim
