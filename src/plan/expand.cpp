// SPDX-License-Identifier: Apache-2.0
#include "plan/expand.hpp"

#include <cstring>
#include <utility>

#include "array/array.hpp"
#include "codecs/ascending.hpp"
#include "core/lanes.hpp"
#include "plan/launch.hpp"

namespace bobbin::plan {
namespace {

Result<Bytes> decode(const Array& child, std::vector<DeviceBuffer>& kept, StreamView stream) {
  const size_t bytes = child.length * size_bytes(child.type);
  BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(bytes, stream));
  BOBBIN_TRY(array::decode_on_device(child, values.data(), stream));
  const Bytes there{values.as<std::byte>(), bytes};
  kept.push_back(std::move(values));
  return there;
}

}  // namespace

bool expands(const Array& array) {
  return (array.codec == CodecId::rle || array.codec == CodecId::sparse) && array.length != 0 &&
         ascending::rows_of(array).length <= array.length / 4 && ascending::rows_of(array).length != 0;
}

Result<ColumnPlan> expand_column(const Array& array, std::vector<DeviceBuffer>& kept, StreamView stream) {
  const bool runs = array.codec == CodecId::rle;
  ColumnPlan column = plain_column(array.type, 0, nullptr);
  column.form = ColumnForm::staged;
  Node& node = column.nodes[0];
  node.op = runs ? Op::expand : Op::place;
  BOBBIN_ASSIGN(node.patches.indices, decode(ascending::rows_of(array), kept, stream));
  BOBBIN_ASSIGN(node.patches.values, decode(ascending::values_of(array), kept, stream));
  node.last = static_cast<uint32_t>(ascending::first_row(array));
  if (!runs) {
    std::memcpy(&node.frames.base, array.metadata.data(), sizeof node.frames.base);
  }
  const uint64_t vectors = num_vectors(array.offset + array.length);
  const size_t bytes = (vectors + 1) * sizeof(uint32_t);
  BOBBIN_ASSIGN(DeviceBuffer starts, DeviceBuffer::create(bytes, stream));
  BOBBIN_ASSIGN(const Launchers* launch, launchers_of(stream));
  BOBBIN_TRY(launch->starts({.rows = view_as<uint32_t>(node.patches.indices),
                             .starts = {starts.as<uint32_t>(), vectors + 1},
                             .bound = node.last + (runs ? uint64_t{1} : 0)},
                            stream));
  node.patches.starts = {starts.as<std::byte>(), bytes};
  kept.push_back(std::move(starts));
  return column;
}

}  // namespace bobbin::plan
