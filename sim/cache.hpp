// SPDX-License-Identifier: Apache-2.0
// Tags of a set-associative cache with LRU replacement. Lines take 1 to 4 segments of a burst each; with more
// tags than ways, a set holds more compressed lines than raw ones.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/config.hpp"

namespace bobbin::sim {

struct CacheLine {
  uint64_t used = 0;  // when last
  uint32_t line = 0;
  uint32_t mshr = 0;  // of a pending line
  uint8_t segments = 0;
  bool valid = false;
  bool pending = false;  // reserved for a fill
  bool dirty = false;
  bool compressed = false;  // as held here
  bool prefetched = false;  // and not used since
};

class Cache {
 public:
  Cache(uint32_t lines, uint32_t ways, uint32_t tags_per_way);

  // Null if it is not there. `touch` makes it the most recently used.
  [[nodiscard]] CacheLine* find(uint64_t line, bool touch = true);

  // Where a new line of this many segments could go: the tag, after the lines in `victims` are gone. Null if
  // all lines of the set are pending.
  struct Place {
    CacheLine* tag = nullptr;
    std::vector<CacheLine*>* victims = nullptr;
  };
  [[nodiscard]] Place place_for(uint64_t line, uint32_t segments);
  // Fills a tag; the victims must have been dropped.
  void fill(CacheLine& tag, uint64_t line, uint32_t segments);
  void drop(CacheLine& tag) {
    tag.valid = false;
    numbers_[static_cast<size_t>(&tag - lines_.data())] = kNoLine;
  }
  void clear();

 private:
  static constexpr uint32_t kNoLine = 0xffff'ffff;  // memory is smaller

  [[nodiscard]] size_t set_of(uint64_t line) const {
    return (mask_ != 0 ? line & mask_ : line % sets_) * tags_;
  }

  uint64_t sets_;
  uint64_t mask_;  // of sets, where they are a power of two
  uint32_t tags_;
  uint32_t capacity_;  // segments per set
  uint64_t clock_ = 0;
  std::vector<CacheLine> lines_;
  std::vector<uint32_t> numbers_;  // of the valid lines: a set of 16 is one cache line of the host
  std::vector<CacheLine*> victims_;
};

}  // namespace bobbin::sim
