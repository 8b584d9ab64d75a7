// SPDX-License-Identifier: Apache-2.0
#include "plan/count_codes.hpp"

#include "array/array.hpp"
#include "bobbin/memory.hpp"
#include "codecs/dict/dict.hpp"
#include "device/fetch.hpp"
#include "plan/batch_column.hpp"
#include "plan/launch.hpp"

namespace bobbin::plan {

std::vector<uint64_t> count_codes(const Array& codes, const uint32_t* rows, uint64_t entries) {
  std::vector<uint64_t> counts(entries);
  BatchValues batches(codes, codes.offset);
  const uint64_t end = codes.offset + codes.length;
  codec::dict::visit_codes(codes.type, [&]<class Code>(std::type_identity<Code>) {
    const Code last = codec::dict::last_code<Code>(entries);
    for (uint64_t first = 0; first < end; first += kBatchRows) {
      const RowBatch batch{first, std::max(first, codes.offset), std::min(first + kBatchRows, end)};
      const auto* const values = reinterpret_cast<const Code*>(batches.of(batch));
      for (uint64_t row = batch.begin; row < batch.end; ++row) {
        counts[std::min(values[row - first], last)] += rows[row / 32] >> (row % 32) & 1;
      }
    }
  });
  return counts;
}

Result<std::vector<uint64_t>> count_codes_on_device(const Array& codes, const uint32_t* rows,
                                                    uint64_t entries, StreamView stream) {
  std::vector<uint64_t> counts(entries);
  const size_t bytes = entries * sizeof(uint64_t);
  BOBBIN_ASSIGN(const DeviceBuffer found, DeviceBuffer::create(bytes, stream));
  BOBBIN_TRY(fill_async(found.data(), 0, bytes, stream));
  BOBBIN_ASSIGN(const DeviceBuffer decoded,
                DeviceBuffer::create(codes.length * size_bytes(codes.type), stream));
  BOBBIN_TRY(array::decode_on_device(codes, decoded.data(), stream));
  BOBBIN_ASSIGN(const Launchers* launch, launchers_of(stream));
  BOBBIN_TRY(codec::dict::visit_codes(codes.type, [&]<class Code>(std::type_identity<Code>) {
    return launch->count.of<Code>()(
        {.source = {{decoded.as<Code>(), codes.length}, codec::dict::last_code<Code>(entries)},
         .rows = {rows, num_vectors(codes.offset + codes.length) * 32},
         .first = codes.offset,
         .counts = {found.as<uint64_t>(), entries}},
        stream);
  }));
  BOBBIN_TRY(fetch(counts.data(), found.data(), bytes, stream));
  return counts;
}

}  // namespace bobbin::plan
