// SPDX-License-Identifier: Apache-2.0
#include "table/destination.hpp"

#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/masked/masked.hpp"
#include "table/batches.hpp"
#include "table/staging.hpp"

namespace bobbin::table {
namespace {

constexpr size_t kOutputAlignment = 16;  // for kernel output

Status decode_values(const Array& array, std::byte* to, StreamView stream) {
  if (reinterpret_cast<uintptr_t>(to) % kOutputAlignment == 0) {
    return array::decode_on_device(array, to, stream);
  }
  const size_t bytes = array.length * size_bytes(array.type);
  BOBBIN_ASSIGN(const DeviceBuffer values, DeviceBuffer::create(bytes, stream));
  BOBBIN_TRY(array::decode_on_device(array, values.data(), stream));
  return copy_async(to, values.data(), bytes, stream);
}

Status decode_validity(const Array& array, uint32_t* to, StreamView stream) {
  const uint64_t bytes = bitmap_bytes(array.length);
  if (!array::has_nulls(array)) {
    return fill_async(to, 0xff, bytes, stream);
  }
  const Array& validity = codec::masked::validity_of(array);
  BOBBIN_ASSIGN(const DeviceBuffer bits, DeviceBuffer::create(bytes, stream));
  BOBBIN_TRY(array::decode_on_device(validity, bits.data(), stream));
  return copy_async(to, bits.data(), bytes, stream);
}

}  // namespace

Status decode_numbers(const Array& array, const Destination& to, StreamView stream) {
  BOBBIN_TRY(decode_values(array, to.values, stream));
  return to.validity == nullptr ? Status() : decode_validity(array, to.validity, stream);
}

Status decode_strings(const Array& array, const StringFacts& facts, const Destination& to,
                      const std::shared_ptr<Stream>& stream, MemoryResource& memory) {
  BOBBIN_ASSIGN(const array::StringsOnDevice decoded,
                array::start_decoding_strings(array, facts.num_bytes, to.fault, stream->view(), memory));
  BOBBIN_RETURN_IF(facts.num_bytes.value_or(decoded.sizes.bytes) != decoded.sizes.bytes, StatusCode::corrupt,
                   "string byte count differs from the zone map");
  if (facts.check_content) {
    BOBBIN_TRY(array::check_content_on_device(array, decoded.out().offsets, to.fault, stream->view()));
  }
  to.strings->length = decoded.length;
  to.strings->wide = decoded.sizes.wide;
  to.strings->num_bytes = decoded.sizes.bytes;
  to.strings->offsets = with_stream(decoded.offsets, stream);
  to.strings->bytes = with_stream(decoded.bytes, stream);
  return {};
}

Status copy_validity(const StringFacts& facts, const Destination& to, const std::shared_ptr<Stream>& stream,
                     MemoryResource& memory) {
  if (facts.bits.empty()) {
    return {};
  }
  BOBBIN_ASSIGN(DeviceBuffer bits, DeviceBuffer::create(facts.bits.size(), stream->view(), memory));
  BOBBIN_TRY(copy_async(bits.data(), facts.bits.data(), facts.bits.size(), stream->view()));
  to.strings->validity = with_stream(std::make_shared<DeviceBuffer>(std::move(bits)), stream);
  return {};
}

}  // namespace bobbin::table
