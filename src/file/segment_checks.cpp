// SPDX-License-Identifier: Apache-2.0
#include "file/segment_checks.hpp"

#include <fmt/format.h>

#include "file/layout.hpp"

namespace bobbin::file {

Status SegmentChecks::up_to(size_t filled) {
  for (; !order_.empty(); order_ = order_.subspan(1)) {
    const Segment& segment = footer_.segments[order_.front()];
    const size_t end = begin_ + occupied_bytes(segment.size, footer_.version);
    if (filled < end) {
      if (filled > added_ && !segment.in_footer) {
        checksum_.add(memory_.subspan(added_, filled - added_));
        added_ = filled;
      }
      return {};
    }
    BOBBIN_TRY(finish(segment, end));
    begin_ += padded(segment.size);
    added_ = begin_;
  }
  return {};
}

Status SegmentChecks::finish(const Segment& segment, size_t end) {
  if (segment.in_footer) {
    return {};
  }
  const auto rest = memory_.subspan(added_, end - added_);
  uint64_t sum = 0;
  if (added_ == begin_) {
    sum = checksum(rest);
  } else {
    checksum_.add(rest);
    sum = checksum_.value();
    checksum_ = Checksum();
  }
  BOBBIN_RETURN_IF(sum != segment.checksum, StatusCode::corrupt,
                   fmt::format("segment {} ({} bytes at {}): the checksum does not match", order_.front(),
                               segment.size, segment.offset));
  return {};
}

}  // namespace bobbin::file
