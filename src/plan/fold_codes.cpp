// SPDX-License-Identifier: Apache-2.0
#include "plan/fold_codes.hpp"

#include <algorithm>

#include "array/array.hpp"
#include "bobbin/memory.hpp"
#include "codecs/dict/dict.hpp"
#include "core/dispatch.hpp"
#include "device/backends.hpp"
#include "device/fetch.hpp"
#include "plan/batch_column.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {
namespace {

// Rows of a batch. T is the values' type.
template <class Code, class T>
void fold_batch(const RowBatch& batch, const Code* codes, const T* values, const uint32_t* rows, Code last,
                std::vector<CodeTotal>& totals) {
  for (uint64_t row = batch.begin; row < batch.end; ++row) {
    const uint32_t selected = rows[row / 32] >> (row % 32) & 1;
    CodeTotal& total = totals[std::min(codes[row - batch.first], last)];
    total.count += selected;
    total.sum += selected != 0 ? values[row - batch.first] : T{0};
  }
}

Result<DeviceBuffer> decode(const Array& array, StreamView stream) {
  BOBBIN_ASSIGN(DeviceBuffer decoded, DeviceBuffer::create(array.length * size_bytes(array.type), stream));
  BOBBIN_TRY(array::decode_on_device(array, decoded.data(), stream));
  return decoded;
}

template <class Code>
Status launch(const FoldCodesKernel<Code>& kernel, StreamView stream) {
  using Run = Status (*)(const FoldCodesKernel<Code>&, StreamView);
  const Run run =
      on_backend(stream.backend(), []<Backend kBackend>() -> Run { return &fold_codes_on<kBackend, Code>; });
  return run == nullptr ? missing_backend(stream.backend()) : run(kernel, stream);
}

}  // namespace

std::vector<CodeTotal> fold_codes(const Array& codes, const Array& values, const uint32_t* rows,
                                  uint64_t entries) {
  std::vector<CodeTotal> totals(entries);
  BatchValues code_batches(codes, codes.offset);
  BatchValues value_batches(values, codes.offset);
  const uint64_t end = codes.offset + codes.length;
  codec::dict::visit_codes(codes.type, [&]<class Code>(std::type_identity<Code>) {
    visit_integer(values.type, [&]<class T>(std::type_identity<T>) {
      for (uint64_t first = 0; first < end; first += kBatchRows) {
        const RowBatch batch{first, std::max(first, codes.offset), std::min(first + kBatchRows, end)};
        fold_batch(batch, reinterpret_cast<const Code*>(code_batches.of(batch)),
                   reinterpret_cast<const T*>(value_batches.of(batch)), rows,
                   codec::dict::last_code<Code>(entries), totals);
      }
    });
  });
  return totals;
}

Result<std::vector<CodeTotal>> fold_codes_on_device(const Array& codes, const Array& values,
                                                    const uint32_t* rows, uint64_t entries,
                                                    StreamView stream) {
  std::vector<uint64_t> words(entries * CodeTotalWords::kWords);
  const size_t bytes = words.size() * sizeof(uint64_t);
  BOBBIN_ASSIGN(const DeviceBuffer found, DeviceBuffer::create(bytes, stream));
  BOBBIN_TRY(fill_async(found.data(), 0, bytes, stream));
  BOBBIN_ASSIGN(const DeviceBuffer plain_codes, decode(codes, stream));
  BOBBIN_ASSIGN(const DeviceBuffer plain_values, decode(values, stream));
  BOBBIN_TRY(codec::dict::visit_codes(codes.type, [&]<class Code>(std::type_identity<Code>) {
    return launch(FoldCodesKernel<Code>{.source = {{plain_codes.as<Code>(), codes.length},
                                                   codec::dict::last_code<Code>(entries)},
                                        .values = {plain_values.as<std::byte>(), plain_values.size()},
                                        .bytes = static_cast<uint32_t>(size_bytes(values.type)),
                                        .is_signed = is_signed(values.type),
                                        .rows = {rows, num_vectors(codes.offset + codes.length) * 32},
                                        .first = codes.offset,
                                        .totals = {found.as<uint64_t>(), words.size()}},
                  stream);
  }));
  BOBBIN_TRY(fetch(words.data(), found.data(), bytes, stream));
  std::vector<CodeTotal> totals;
  for (size_t at = 0; at < words.size(); at += CodeTotalWords::kWords) {
    totals.push_back(
        {.count = words[at + CodeTotalWords::count],
         .sum = sum_of(values.type, {words[at + CodeTotalWords::low], words[at + CodeTotalWords::high]})});
  }
  return totals;
}

}  // namespace bobbin::plan
