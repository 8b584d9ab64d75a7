// SPDX-License-Identifier: Apache-2.0
#include "bobbin/encoded_array.hpp"

#include "array/array.hpp"
#include "codecs/registry.hpp"
#include "file/array_bytes.hpp"
#include "file/encoded_array_impl.hpp"
#include "select/select.hpp"

namespace bobbin {

namespace {

Cascade named(const Array& array) {
  Cascade cascade{.codec = std::string(find_codec(array.codec)->name)};
  for (const Array& child : array.children) {
    cascade.children.push_back(named(child));
  }
  return cascade;
}

Status array_in_wrong_memory(bool on_host) {
  return {StatusCode::invalid_argument,
          on_host ? "the encoded array is in device memory" : "the encoded array is in host memory"};
}

Status check_values(DType type, const void* values, uint64_t length) {
  BOBBIN_RETURN_IF(is_string(type), StatusCode::invalid_argument,
                   "an encoded array holds numbers, not strings");
  BOBBIN_RETURN_IF(values == nullptr && length > 0, StatusCode::invalid_argument, "there are no values");
  return {};
}

Result<Array> encode_values(const Values& values, const std::optional<Cascade>& cascade, Backend backend) {
  if (!cascade) {
    return select::encode(values, Goal{}, backend);
  }
  BOBBIN_ASSIGN(const select::ResolvedCascade parsed, select::parse_cascade(to_string(*cascade)));
  return select::encode(parsed, values, backend);
}

constexpr uintptr_t kLoadBytes = 16;  // kernels load this many at a time

// A copy that kernels can load, if the values begin at another address; otherwise empty memory.
Result<DeviceBuffer> aligned(DType type, const void* values, uint64_t length, StreamView stream) {
  const bool is_aligned = reinterpret_cast<uintptr_t>(values) % kLoadBytes == 0;
  BOBBIN_ASSIGN(DeviceBuffer copy, DeviceBuffer::create(is_aligned ? 0 : length * size_bytes(type), stream));
  BOBBIN_TRY(copy_async(copy.data(), values, copy.size(), stream));
  return copy;
}

// By each codec that the device encodes by itself; the first of the smallest is kept.
Result<Array> encode_smallest(DType type, const void* values, uint64_t length, StreamView stream) {
  std::optional<Array> best;
  for (const Codec* codec : value_codecs()) {
    const DeviceOps* const ops = device_ops(stream.backend(), codec->id);
    if (ops == nullptr || ops->encode == nullptr || !codec->takes(type)) {
      continue;
    }
    auto made = ops->encode(type, values, length, stream);
    if (!made.has_value() && made.error().code() == StatusCode::unsupported) {
      continue;
    }
    BOBBIN_TRY(made.error());
    if (!best.has_value() || array::encoded_bytes(*made) < array::encoded_bytes(*best)) {
      best = *std::move(made);
    }
  }
  BOBBIN_RETURN_IF(!best.has_value(), StatusCode::unavailable, "no device can encode these values");
  return *std::move(best);
}

}  // namespace

EncodedArray::EncodedArray(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<EncodedArray> EncodedArray::encode(DType type, const void* values, uint64_t length,
                                          const std::optional<Cascade>& cascade, Backend backend) {
  BOBBIN_TRY(check_values(type, values, length));
  BOBBIN_ASSIGN(Array array, encode_values({type, values, length}, cascade, backend));
  return EncodedArray(std::make_shared<const Impl>(Impl{.array = std::move(array)}));
}

Result<EncodedArray> EncodedArray::encode_on_device(const std::string& codec, DType type, const void* values,
                                                    uint64_t length, StreamView stream) {
  BOBBIN_TRY(check_values(type, values, length));
  BOBBIN_ASSIGN(const DeviceBuffer copy, aligned(type, values, length, stream));
  const void* const from = copy.data() != nullptr ? copy.data() : values;
  Array array;
  if (codec.empty()) {
    BOBBIN_ASSIGN(array, encode_smallest(type, from, length, stream));
  } else {
    BOBBIN_ASSIGN(const select::ResolvedCascade cascade, select::parse_cascade(codec));
    BOBBIN_TRY(select::check_cascade(cascade, type));
    BOBBIN_ASSIGN(array, array::encode_on_device(cascade.codec, type, from, length, stream));
  }
  return EncodedArray(
      std::make_shared<const Impl>(Impl{.array = std::move(array), .device = stream.backend()}));
}

DType EncodedArray::type() const {
  return impl_->array.type;
}

uint64_t EncodedArray::length() const {
  return impl_->array.length;
}

uint64_t EncodedArray::encoded_bytes() const {
  return array::encoded_bytes(impl_->array);
}

Cascade EncodedArray::cascade() const {
  return named(impl_->array);
}

Status EncodedArray::decode(std::span<std::byte> out, Backend backend) const {
  if (impl_->device) {
    return array_in_wrong_memory(true);
  }
  BOBBIN_RETURN_IF(out.size() != length() * size_bytes(type()), StatusCode::invalid_argument,
                   "decode: the output must have exactly as many bytes as the values");
  return array::decode(impl_->array, out, backend);
}

Result<EncodedArray> EncodedArray::slice(uint64_t begin, uint64_t length) const {
  if (impl_->device) {
    return array_in_wrong_memory(true);
  }
  const bool fits = begin <= this->length() && length <= this->length() - begin;
  BOBBIN_RETURN_IF(!fits, StatusCode::invalid_argument, "slice: the array has fewer values");
  BOBBIN_ASSIGN(Array part, array::slice(impl_->array, begin, length));
  return EncodedArray(std::make_shared<const Impl>(Impl{.array = std::move(part), .is_slice = true}));
}

Result<Scalar> EncodedArray::value_at(uint64_t index) const {
  if (impl_->device) {
    return array_in_wrong_memory(true);
  }
  BOBBIN_RETURN_IF(index >= length(), StatusCode::invalid_argument, "value_at: the array has fewer values");
  return array::value_at(impl_->array, index);
}

Status EncodedArray::take(std::span<const uint64_t> indices, std::span<std::byte> out) const {
  return impl_->device ? array_in_wrong_memory(true) : array::take(impl_->array, indices, out);
}

Result<std::vector<uint8_t>> EncodedArray::compare(Compare op, Scalar constant) const {
  if (impl_->device) {
    return array_in_wrong_memory(true);
  }
  BOBBIN_ASSIGN(const array::Bitmap found, array::compare(impl_->array, op, constant));
  std::vector<uint8_t> bits((length() + 7) / 8);
  for (uint64_t i = 0; i < length(); ++i) {
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | found.at(i) << (i % 8));
  }
  return bits;
}

Result<std::vector<std::byte>> EncodedArray::to_bytes() const {
  if (impl_->device) {
    return array_in_wrong_memory(true);
  }
  if (!impl_->is_slice) {
    return file::pack_array(impl_->array);
  }
  std::vector<std::byte> values(length() * size_bytes(type()));
  BOBBIN_TRY(array::decode(impl_->array, values));
  BOBBIN_ASSIGN(const Array whole, encode_values({type(), values.data(), length()}, {}, Backend::cpu));
  return file::pack_array(whole);
}

Result<EncodedArray> EncodedArray::from_bytes(std::span<const std::byte> bytes, uint64_t max_length) {
  BOBBIN_ASSIGN(Array array, file::unpack_array(bytes, max_length));
  return EncodedArray(std::make_shared<const Impl>(Impl{.array = std::move(array)}));
}

Result<EncodedArray> EncodedArray::to_device(StreamView stream) const {
  if (impl_->device) {
    return array_in_wrong_memory(true);
  }
  BOBBIN_ASSIGN(array::OnDevice copy, array::to_device(impl_->array, stream));
  BOBBIN_TRY(stream.synchronize());
  return EncodedArray(std::make_shared<const Impl>(
      Impl{.array = std::move(copy.array), .device = stream.backend(), .memory = std::move(copy.memory)}));
}

Result<EncodedArray> EncodedArray::to_host(StreamView stream) const {
  if (!impl_->device) {
    return array_in_wrong_memory(false);
  }
  BOBBIN_RETURN_IF(*impl_->device != stream.backend(), StatusCode::invalid_argument,
                   "the stream is of another device than the encoded array");
  BOBBIN_ASSIGN(Array copy, array::to_host(impl_->array, stream));
  return EncodedArray(std::make_shared<const Impl>(Impl{.array = std::move(copy)}));
}

Status EncodedArray::decode_on_device(void* out, StreamView stream) const {
  if (!impl_->device) {
    return array_in_wrong_memory(false);
  }
  return array::decode_on_device(impl_->array, out, stream);
}

}  // namespace bobbin
