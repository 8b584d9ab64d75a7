// SPDX-License-Identifier: Apache-2.0
// Chunks that are copied to a device together: per byte, a copy of half a megabyte takes twice as long as one
// of eight (docs/perf/table.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/file.hpp"
#include "table/parts.hpp"

namespace bobbin::table {

struct LoadBatch {
  // One part, and where its chunk's bytes are in the batch's memory.
  struct Member {
    size_t part = 0;
    uint64_t begin = 0;
    uint64_t bytes = 0;
    uint64_t bits_begin = 0;  // room for one bit per string, after all chunks
  };

  std::vector<Member> members;
  uint64_t bytes = 0;       // of all chunks
  uint64_t bits_bytes = 0;  // of all bits
  bool whole = true;        // otherwise its only member is a partial chunk
};

// Bytes for one bit per row, in whole words.
[[nodiscard]] uint64_t bitmap_bytes(uint64_t rows);

// In file order; batches of up to this many bytes, or of one chunk.
[[nodiscard]] std::vector<LoadBatch> batches_of(const Reader& reader, std::span<const Part> parts,
                                                uint64_t batch_bytes);

}  // namespace bobbin::table
