// SPDX-License-Identifier: Apache-2.0
#include "sim/metadata.hpp"

#include <algorithm>

namespace bobbin::sim {

MetadataCache::MetadataCache(const Config& config)
    : lines_per_md_line_(uint64_t{config.md_line_bytes} * kLinesPerByte), ways_(config.md_ways) {
  const uint32_t bytes = config.md_shared != 0 ? config.md_bytes / config.dram_channels : config.md_bytes;
  sets_ = std::max<uint64_t>(1, bytes / config.md_line_bytes / ways_);
  entries_.resize(sets_ * ways_);
}

MetadataCache::Answer MetadataCache::look_up(uint64_t md_line, bool is_write) {
  Entry* set = entries_.data() + md_line % sets_ * ways_;
  Entry* oldest = nullptr;
  has_victim_ = false;
  for (Entry* entry = set; entry != set + ways_; ++entry) {
    if (entry->valid && entry->md_line == md_line) {
      entry->used = ++clock_;
      entry->dirty = entry->dirty || is_write;
      return entry->coming ? Answer::coming : Answer::hit;
    }
    const bool may_go = !entry->coming && (oldest == nullptr || entry->used < oldest->used);
    oldest = may_go ? entry : oldest;
  }
  if (oldest == nullptr) {
    return Answer::miss;  // every entry is coming: fetched without being kept
  }
  has_victim_ = oldest->valid && oldest->dirty;
  victim_ = oldest->md_line;
  *oldest = {md_line, ++clock_, true, true, is_write};
  return Answer::miss;
}

void MetadataCache::arrived(uint64_t md_line) {
  Entry* set = entries_.data() + md_line % sets_ * ways_;
  for (Entry* entry = set; entry != set + ways_; ++entry) {
    entry->coming = entry->coming && entry->md_line != md_line;
  }
}

bool MetadataCache::take_victim(uint64_t& md_line) {
  md_line = victim_;
  return std::exchange(has_victim_, false);
}

}  // namespace bobbin::sim
