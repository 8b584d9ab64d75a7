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
      lines_(sets_ * tags_),
      numbers_(lines_.size(), kNoLine) {}

CacheLine* Cache::find(uint64_t line, bool touch) {
  const size_t first = set_of(line);
  for (size_t i = first; i < first + tags_; ++i) {
    if (numbers_[i] == line) {
      lines_[i].used = touch ? ++clock_ : lines_[i].used;
      return &lines_[i];
    }
  }
  return nullptr;
}

Cache::Place Cache::place_for(uint64_t line, uint32_t segments) {
  CacheLine* set = lines_.data() + set_of(line);
  victims_.clear();
  // The least recently used go first, until there is a tag and room.
  while (true) {
    uint32_t taken = 0;
    const bool has_victims = !victims_.empty();
    CacheLine* tag = has_victims ? victims_.front() : nullptr;
    CacheLine* oldest = nullptr;
    for (CacheLine* at = set; at != set + tags_; ++at) {
      if (!at->valid) {
        tag = at;
      } else if (!has_victims || std::find(victims_.begin(), victims_.end(), at) == victims_.end()) {
        taken += at->segments;
        oldest = !at->pending && (oldest == nullptr || at->used < oldest->used) ? at : oldest;
      }
    }
    if (tag != nullptr && taken + segments <= capacity_) {
      return {tag, &victims_};
    }
    if (oldest == nullptr) {
      return {};
    }
    victims_.push_back(oldest);
    if (tag == nullptr && taken - oldest->segments + segments <= capacity_) {
      return {oldest, &victims_};
    }
  }
}

void Cache::fill(CacheLine& tag, uint64_t line, uint32_t segments) {
  tag = {};
  tag.line = static_cast<uint32_t>(line);
  tag.used = ++clock_;
  tag.segments = static_cast<uint8_t>(segments);
  tag.valid = true;
  numbers_[static_cast<size_t>(&tag - lines_.data())] = tag.line;
}

void Cache::clear() {
  lines_.assign(lines_.size(), {});
  numbers_.assign(numbers_.size(), kNoLine);
}

}  // namespace bobbin::sim
