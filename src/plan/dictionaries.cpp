// SPDX-License-Identifier: Apache-2.0
#include "plan/dictionaries.hpp"

#include <utility>

#include "array/array.hpp"
#include "core/bits.hpp"
#include "device/fetch.hpp"

namespace bobbin::plan {

Status decode_dictionaries(std::span<const Dictionary> dictionaries, ColumnPlan& column,
                           std::vector<DeviceBuffer>& kept, StreamView stream) {
  for (const Dictionary& dictionary : dictionaries) {
    const Array& array = *dictionary.entries;
    const size_t bytes = array.length * size_bytes(array.type);
    BOBBIN_ASSIGN(DeviceBuffer entries, DeviceBuffer::create(bytes, stream));
    BOBBIN_TRY(array::decode_on_device(array, entries.data(), stream));
    column.nodes[dictionary.node].extra = {entries.as<std::byte>(), bytes};
    kept.push_back(std::move(entries));
  }
  return {};
}

Result<std::vector<uint64_t>> entries_on_host(const ColumnPlan& column, StreamView stream) {
  const Bytes& bytes = column.dictionary().extra;
  std::vector<uint64_t> memory(ceil_div<uint64_t>(bytes.size, sizeof(uint64_t)));
  BOBBIN_TRY(fetch(memory.data(), bytes.data, bytes.size, stream));
  return memory;
}

}  // namespace bobbin::plan
