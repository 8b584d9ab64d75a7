// SPDX-License-Identifier: Apache-2.0
#include "bench/codecs.hpp"

#include <algorithm>
#include <cstring>

#include "array/array.hpp"
#include "bobbin/memory.hpp"
#include "core/lanes.hpp"
#include "select/select.hpp"

namespace bobbin::bench {
namespace {

const std::byte* bytes_of(const Values& values) {
  return static_cast<const std::byte*>(values.data);
}

size_t raw_bytes(const Values& values) {
  return static_cast<size_t>(values.length) * size_bytes(values.type);
}

Result<Array> encode_values(const Codec* codec, const Values& values) {
  return codec == nullptr ? select::encode(values, Goal{}, Backend::cpu) : codec->encode(values);
}

std::vector<Values> split(const Values& values) {
  std::vector<Values> chunks;
  for (uint64_t begin = 0; begin < values.length; begin += kRowsPerChunk) {
    chunks.push_back({values.type, bytes_of(values) + begin * size_bytes(values.type),
                      std::min(kRowsPerChunk, values.length - begin)});
  }
  return chunks;
}

Sample measure_decode(const std::vector<Array>& arrays, std::span<std::byte> out, const Plan& plan) {
  return measure(
      [&] {
        size_t place = 0;
        for (const Array& array : arrays) {
          const size_t size = array.length * size_bytes(array.type);
          // The sizes fit: they are those of the encoded chunks.
          static_cast<void>(array::decode(array, out.subspan(place, size)));
          place += size;
        }
      },
      plan);
}

Sample measure_compare(const Codec* codec, const std::vector<Array>& arrays, const Plan& plan) {
  if (codec == nullptr || codec->compare == nullptr || arrays.empty()) {
    return {};
  }
  const ValueRange range = ValueRange::of(arrays.front().type, Compare::lt, Scalar{100});
  std::vector<uint32_t> bitmap(kRowsPerChunk / 32);
  return measure(
      [&] {
        for (const Array& array : arrays) {
          codec->compare(array, range, bitmap.data());
        }
      },
      plan);
}

}  // namespace

Result<CodecResult> measure_codec(const Codec* codec, const Values& values, const Plan& plan,
                                  bool with_compare) {
  CodecResult result;
  const std::vector<Values> chunks = split(values);
  std::vector<Array> arrays;
  for (const Values& chunk : chunks) {
    BOBBIN_ASSIGN(Array array, encode_values(codec, chunk));
    BOBBIN_TRY(array::validate(array));
    result.bytes += array::encoded_bytes(array);
    arrays.push_back(std::move(array));
  }
  bool encoded = true;
  result.encode = measure(
      [&] {
        for (const Values& chunk : chunks) {
          encoded = encode_values(codec, chunk).has_value() && encoded;
        }
      },
      plan);
  const Bytes out(raw_bytes(values));
  result.decode = measure_decode(arrays, out.span(), plan);
  result.checked = encoded && std::equal(out.span().begin(), out.span().end(), bytes_of(values));
  if (with_compare) {
    result.compare = measure_compare(codec, arrays, plan);
  }
  return result;
}

Result<DeviceResult> measure_on_device(Backend backend, const Codec* codec, const Values& values,
                                       const Plan& plan) {
  DeviceResult result;
  BOBBIN_ASSIGN(const Stream owner, Stream::create(backend));
  const StreamView stream = owner.view();
  const size_t size = raw_bytes(values);
  BOBBIN_ASSIGN(const DeviceBuffer raw, DeviceBuffer::create(size, stream));
  BOBBIN_ASSIGN(const DeviceBuffer decoded, DeviceBuffer::create(size, stream));
  BOBBIN_TRY(copy_async(raw.data(), values.data, size, stream));

  BOBBIN_ASSIGN(const Array host, encode_values(codec, values));
  // The root may have another codec: `patched` over what `alp` made.
  const CodecId encoder =
      codec != nullptr ? codec->id : select::choose(values, Goal{}).candidates.front().cascade.codec;
  BOBBIN_TRY(array::validate(host));
  BOBBIN_ASSIGN(const array::OnDevice encoded, array::to_device(host, stream));
  BOBBIN_ASSIGN(
      result.copy,
      measure_in_stream([&] { return copy_async(decoded.data(), raw.data(), size, stream); }, stream, plan));
  BOBBIN_TRY(fill_async(decoded.data(), 0, size, stream));
  BOBBIN_ASSIGN(
      result.decode,
      measure_in_stream([&] { return array::decode_on_device(encoded.array, decoded.data(), stream); },
                        stream, plan));
  BOBBIN_ASSIGN(
      result.encode,
      measure_in_stream(
          [&]() -> Status {
            return array::encode_on_device(encoder, values.type, raw.data(), values.length, stream).error();
          },
          stream, plan));
  const Bytes back(size);
  BOBBIN_TRY(copy_async(back.data(), decoded.data(), size, stream));
  BOBBIN_TRY(stream.synchronize());
  result.checked = std::equal(back.span().begin(), back.span().end(), bytes_of(values));
  return result;
}

}  // namespace bobbin::bench
