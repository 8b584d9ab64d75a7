// SPDX-License-Identifier: Apache-2.0
#include "table/batches.hpp"

#include "codecs/masked/masked.hpp"
#include "core/bits.hpp"
#include "file/access.hpp"

namespace bobbin::table {

uint64_t bitmap_bytes(uint64_t rows) {
  return ceil_div<uint64_t>(rows, codec::masked::kRowsPerWord) * sizeof(uint32_t);
}

std::vector<LoadBatch> batches_of(const Reader& reader, std::span<const Part> parts, uint64_t batch_bytes) {
  const auto& groups = file::ReaderAccess::footer(reader).row_groups;
  std::vector<LoadBatch> batches;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const uint64_t bytes = file::ReaderAccess::chunk_bytes(reader, part.group, part.column);
    const bool whole = part.count == groups[part.group].num_rows;
    if (batches.empty() || !whole || !batches.back().whole || batches.back().bytes + bytes > batch_bytes) {
      batches.emplace_back().whole = whole;
    }
    LoadBatch& batch = batches.back();
    const bool strings = is_string(file::ReaderAccess::columns(reader)[part.column].type);
    batch.members.push_back({i, batch.bytes, bytes, batch.bits_bytes});
    batch.bytes += bytes;
    batch.bits_bytes += strings ? bitmap_bytes(part.count) : 0;
  }
  return batches;
}

}  // namespace bobbin::table
