// SPDX-License-Identifier: Apache-2.0
#include "plan/gather.hpp"

#include <string>
#include <vector>

#include "array/array.hpp"
#include "bobbin/scan.hpp"
#include "codecs/alp/alp.hpp"
#include "device/fetch.hpp"
#include "plan/dictionaries.hpp"
#include "plan/launch.hpp"

namespace bobbin::plan {
namespace {

// A column, and the parts of it that had to be decoded.
struct Opened {
  ColumnPlan column;
  std::vector<DeviceBuffer> kept;
};

Result<Opened> open(const Array& array, bool one_by_one, StreamView stream, QueryPath path) {
  BOBBIN_RETURN_IF(is_string(array.type), StatusCode::invalid_argument,
                   "plan: string columns are not supported");
  Opened opened;
  std::vector<Dictionary> dictionaries;
  if (make_column(array, path, opened.column, dictionaries) && (!one_by_one || can_fetch(opened.column))) {
    BOBBIN_TRY(decode_dictionaries(dictionaries, opened.column, opened.kept, stream));
    return opened;
  }
  BOBBIN_RETURN_IF(path != QueryPath::automatic && path != QueryPath::decoded, StatusCode::unsupported,
                   "plan: this encoding tree is not supported on this path");
  BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(array.length * size_bytes(array.type), stream));
  BOBBIN_TRY(array::decode_on_device(array, values.data(), stream));
  opened.column = plain_column(array.type, array.length, values.data());
  opened.kept.push_back(std::move(values));
  return opened;
}

Gather make_gather(const ColumnPlan& column, const Array& array, const void* out, uint64_t count) {
  return {.column = column,
          .begin = array.offset,
          .end = array.offset + array.length,
          .out = {static_cast<const std::byte*>(out), count * column.bytes},
          .powers = {codec::alp::kPowers<float>, codec::alp::kPowers<double>}};
}

}  // namespace

Status take_on_device(const Array& array, const uint64_t* indices, uint64_t count, void* out, uint32_t* fault,
                      StreamView stream, QueryPath path) {
  BOBBIN_ASSIGN(const Launchers* launch, launchers_of(stream));
  const Array& values = values_of(array);
  BOBBIN_ASSIGN(const Opened opened, open(values, true, stream, path));
  const TakeKernel kernel{make_gather(opened.column, values, out, count), {indices, count}, {fault, 1}};
  return launch->gather.take(kernel, stream);
}

Result<Selection> Selection::create(const uint32_t* bitmap, uint64_t offset, uint64_t length,
                                    StreamView stream) {
  BOBBIN_ASSIGN(const Launchers* launch, launchers_of(stream));
  const uint64_t end = offset + length;
  const uint64_t vectors = num_vectors(end);
  BOBBIN_ASSIGN(DeviceBuffer starts, DeviceBuffer::create((vectors + 1) * sizeof(uint64_t), stream));
  BOBBIN_TRY(fill_async(starts.as<uint64_t>() + vectors, 0, sizeof(uint64_t), stream));
  const CountKernel kernel{
      {bitmap, vectors * simt::kWarpSize}, offset, end, {starts.as<uint64_t>(), vectors}};
  BOBBIN_TRY(launch->gather.count(kernel, stream));
  BOBBIN_TRY(
      scan::run(DType::u64, scan::Kind::exclusive, starts.data(), starts.data(), vectors + 1, {}, stream));
  return Selection(bitmap, offset, length, std::move(starts));
}

Result<uint64_t> Selection::count(StreamView stream) const {
  uint64_t count = 0;
  const uint64_t vectors = starts_.size() / sizeof(uint64_t) - 1;
  BOBBIN_TRY(fetch(&count, starts_.as<uint64_t>() + vectors, sizeof count, stream));
  return count;
}

Status filter_on_device(const Array& array, const Selection& selection, void* out, uint64_t count,
                        StreamView stream, QueryPath path) {
  const Array& values = values_of(array);
  BOBBIN_RETURN_IF(values.length != selection.length_ || values.offset != selection.offset_,
                   StatusCode::invalid_argument,
                   "filter: the bitmap has " + std::to_string(selection.length_) + " rows at offset " +
                       std::to_string(selection.offset_) + ", the array has " +
                       std::to_string(values.length) + " at offset " + std::to_string(values.offset));
  BOBBIN_ASSIGN(const Opened opened, open(values, false, stream, path));
  const Gather gather = make_gather(opened.column, values, out, count);
  const uint64_t vectors = num_vectors(values.offset + values.length);
  const Global<const uint32_t> bitmap{selection.bitmap_, vectors * simt::kWarpSize};
  const Global<const uint64_t> starts{selection.starts_.as<uint64_t>(), vectors + 1};
  BOBBIN_ASSIGN(const Launchers* launch, launchers_of(stream));
  const bool few = can_fetch(opened.column);
  if (few) {
    BOBBIN_TRY(launch->gather.filter_few(FilterKernel<true>{gather, bitmap, starts, false}, stream));
  }
  return launch->gather.filter_many(FilterKernel<false>{gather, bitmap, starts, !few}, stream);
}

}  // namespace bobbin::plan
