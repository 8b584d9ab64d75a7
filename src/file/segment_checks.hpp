// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bobbin/status.hpp"
#include "file/checksum.hpp"
#include "file/footer.hpp"
#include "file/layout.hpp"

namespace bobbin::file {

// Holds segments that follow each other against their checksums, padding included, as their bytes come.
class SegmentChecks {
 public:
  SegmentChecks(const Footer& footer, std::vector<uint32_t> order)
      : footer_(footer), order_(std::move(order)) {}

  Status add(std::span<const std::byte> bytes) {
    for (; next_ < order_.size(); ++next_) {
      const Segment& segment = footer_.segments[order_[next_]];
      const size_t here = std::min<uint64_t>(bytes.size(), padded(segment.size) - seen_);
      sum_.add(bytes.first(here));
      seen_ += here;
      bytes = bytes.subspan(here);
      if (seen_ != padded(segment.size)) {
        return {};
      }
      BOBBIN_RETURN_IF(sum_.value() != segment.checksum, StatusCode::corrupt,
                       fmt::format("segment {} ({} bytes at {}): the checksum does not match", order_[next_],
                                   segment.size, segment.offset));
      sum_ = Checksum();
      seen_ = 0;
    }
    return {};
  }

 private:
  const Footer& footer_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
  uint64_t seen_ = 0;  // of the next one
  Checksum sum_;
};

}  // namespace bobbin::file
