// SPDX-License-Identifier: Apache-2.0
#include "table/batches.hpp"

#include <algorithm>
#include <utility>

#include "codecs/masked/masked.hpp"
#include "core/bits.hpp"
#include "file/access.hpp"

namespace bobbin::table {
namespace {

void add(Batch& batch, size_t part, uint64_t bytes, uint64_t bits_bytes) {
  batch.members.push_back({part, batch.bytes, bytes, batch.bits_bytes});
  batch.bytes += bytes;
  batch.bits_bytes += bits_bytes;
}

}  // namespace

uint64_t bitmap_bytes(uint64_t rows) {
  return ceil_div<uint64_t>(rows, codec::masked::kRowsPerWord) * sizeof(uint32_t);
}

std::vector<Batch> batches_of(const Reader& reader, std::span<const Part> parts, uint64_t batch_bytes) {
  const auto& groups = file::ReaderAccess::footer(reader).row_groups;
  std::vector<Batch> batches;
  std::vector<Batch> shared;
  Batch open;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const uint64_t bytes = file::ReaderAccess::chunk_bytes(reader, part.group, part.column);
    const bool strings = is_string(reader.columns()[part.column].type);
    const bool whole = part.count == groups[part.group].num_rows;
    if (!whole || bytes >= batch_bytes / 2) {
      Batch alone;
      alone.whole = whole;
      add(alone, i, bytes, strings ? bitmap_bytes(part.count) : 0);
      batches.push_back(std::move(alone));
      continue;
    }
    add(open, i, bytes, strings ? bitmap_bytes(part.count) : 0);
    if (open.bytes >= batch_bytes) {
      shared.push_back(std::exchange(open, {}));
    }
  }
  if (!open.members.empty()) {
    shared.push_back(std::move(open));
  }
  std::ranges::stable_sort(batches, std::ranges::greater{}, &Batch::bytes);
  std::ranges::move(shared, std::back_inserter(batches));
  return batches;
}

}  // namespace bobbin::table
