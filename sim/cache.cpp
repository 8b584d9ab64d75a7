// SPDX-License-Identifier: Apache-2.0
#include "sim/cache.hpp"

#include <algorithm>
#include <bit>

namespace bobbin::sim {

Cache::Cache(uint32_t lines, uint32_t ways, uint32_t tags_per_way)
    : sets_(std::max(1U, lines / ways)),
      mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
      tags_(ways * tags_per_way),
      capacity_(ways * kLineBursts),
      lines_(sets_ * tags_) {}

CacheLine* Cache::find(uint64_t line, bool touch) {
  CacheLine* set = set_of(line);
  for (uint32_t i = 0; i < tags_; ++i) {
    if (set[i].valid && set[i].line == line) {
      set[i].used = touch ? ++clock_ : set[i].used;
      return &set[i];
    }
  }
  return nullptr;
}

Cache::Place Cache::place_for(uint64_t line, uint32_t segments) {
  CacheLine* set = set_of(line);
  victims_.clear();
  uint32_t taken = 0;
  CacheLine* tag = nullptr;
  for (uint32_t i = 0; i < tags_; ++i) {
    taken += set[i].valid ? set[i].segments : 0;
    tag = set[i].valid ? tag : &set[i];
  }
  // The least recently used go first, until there is a tag and room.
  while (tag == nullptr || taken + segments > capacity_) {
    CacheLine* oldest = nullptr;
    for (uint32_t i = 0; i < tags_; ++i) {
      const bool gone = std::find(victims_.begin(), victims_.end(), &set[i]) != victims_.end();
      if (set[i].valid && !set[i].pending && !gone && (oldest == nullptr || set[i].used < oldest->used)) {
        oldest = &set[i];
      }
    }
    if (oldest == nullptr) {
      return {};
    }
    victims_.push_back(oldest);
    taken -= oldest->segments;
    tag = tag == nullptr ? oldest : tag;
  }
  return {tag, &victims_};
}

void Cache::fill(CacheLine& tag, uint64_t line, uint32_t segments) {
  tag = {};
  tag.line = line;
  tag.used = ++clock_;
  tag.segments = static_cast<uint8_t>(segments);
  tag.valid = true;
}

void Cache::clear() {
  lines_.assign(lines_.size(), {});
}

}  // namespace bobbin::sim
