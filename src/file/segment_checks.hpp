// SPDX-License-Identifier: Apache-2.0
// Segments checked against their checksums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bobbin/status.hpp"
#include "file/checksum.hpp"
#include "file/footer.hpp"

namespace bobbin::file {

// Checks segments while memory is filled with them from the front. There they are contiguous, each padded to
// kAlignment.
class SegmentChecks {
 public:
  // Everything referred to must outlive it.
  SegmentChecks(const Footer& footer, std::span<const uint32_t> order, std::span<const std::byte> memory)
      : footer_(footer), order_(order), memory_(memory) {}

  // Checks what there is of the first `filled` bytes.
  Status up_to(size_t filled);
  // An error if memory was too small for all segments.
  [[nodiscard]] Status all_done() const {
    return order_.empty() ? Status()
                          : Status(StatusCode::corrupt, "a chunk has fewer bytes than its segments");
  }

 private:
  [[nodiscard]] Status finish(const Segment& segment, size_t end);

  const Footer& footer_;
  std::span<const uint32_t> order_;
  std::span<const std::byte> memory_;
  size_t begin_ = 0;  // of the first segment of `order_`
  size_t added_ = 0;  // where the bytes end that are in `checksum_`
  Checksum checksum_;
};

inline Status check_segments(const Footer& footer, std::span<const uint32_t> order,
                             std::span<const std::byte> memory) {
  SegmentChecks checks(footer, order, memory);
  BOBBIN_TRY(checks.up_to(memory.size()));
  return checks.all_done();
}

// Fills memory with segments, and checks them, a block at a time, while it is in the core's own cache.
// read(begin, to) reads some bytes.
template <class Read>
Status read_checked(const Footer& footer, std::span<const uint32_t> order, std::span<std::byte> memory,
                    Read&& read) {
  constexpr size_t kBlock = size_t{256} << 10;
  SegmentChecks checks(footer, order, memory);
  size_t begin = 0;
  do {
    const size_t bytes = std::min(kBlock, memory.size() - begin);
    BOBBIN_TRY(read(begin, memory.subspan(begin, bytes)));
    begin += bytes;
    BOBBIN_TRY(checks.up_to(begin));
  } while (begin < memory.size());
  return checks.all_done();
}

}  // namespace bobbin::file
