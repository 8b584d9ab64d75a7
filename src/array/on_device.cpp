// SPDX-License-Identifier: Apache-2.0
// Arrays in device memory: copies in both directions, and operations.
#include <string>

#include "array/array.hpp"
#include "array/compare_plain.hpp"
#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "device/backends.hpp"
#include "device/session.hpp"

namespace bobbin::array {
namespace {

// Kernels load 16 bytes at a time; the 128 bytes of a register also keep cache lines whole.
constexpr size_t kAlignment = kRegisterBytes;

Result<const DeviceOps*> ops_for(CodecId codec, StreamView stream) {
  const DeviceOps* ops = device_ops(stream.backend(), codec);
  if (ops == nullptr) {
    return missing_backend(stream.backend());
  }
  return ops;
}

size_t device_bytes(const Array& array) {
  size_t bytes = 0;
  for (const Buffer& buffer : array.buffers) {
    bytes += round_up(buffer.bytes.size(), kAlignment);
  }
  for (const Array& child : array.children) {
    bytes += device_bytes(child);
  }
  return bytes;
}

// Moves the buffers of a tree to device memory, by copy(to, bytes).
template <class Copy>
Status move_buffers(Array& array, std::byte*& to, const std::shared_ptr<DeviceBuffer>& memory, Copy&& copy) {
  for (Buffer& buffer : array.buffers) {
    const size_t size = buffer.bytes.size();
    BOBBIN_TRY(copy(to, buffer.bytes));
    buffer = {memory, {to, size}};
    to += round_up(size, kAlignment);
  }
  for (Array& child : array.children) {
    BOBBIN_TRY(move_buffers(child, to, memory, copy));
  }
  return {};
}

template <class Copy>
Result<OnDevice> to_device_by(const Array& array, StreamView stream, Copy&& copy) {
  BOBBIN_ASSIGN(DeviceBuffer fresh, DeviceBuffer::create(device_bytes(array), stream));
  auto memory = std::make_shared<DeviceBuffer>(std::move(fresh));
  OnDevice on_device{.array = array, .memory = memory};
  auto* to = memory->as<std::byte>();
  BOBBIN_TRY(move_buffers(on_device.array, to, memory, copy));
  return on_device;
}

// Copies the buffers of a tree to host memory with fetch(to, from), which waits, so that device memory may be
// freed.
template <class Fetch>
Status fetch_buffers(Array& array, Fetch&& fetch) {
  for (Buffer& buffer : array.buffers) {
    const NewBuffer host = make_buffer(buffer.bytes.size());
    BOBBIN_TRY(fetch(std::span(host.data, buffer.bytes.size()), buffer.bytes.data()));
    buffer = host.buffer;
  }
  for (Array& child : array.children) {
    BOBBIN_TRY(fetch_buffers(child, fetch));
  }
  return {};
}

// For codecs that only encode on the CPU.
Result<Array> encode_through_host(CodecId codec, DType type, const void* values, uint64_t length,
                                  StreamView stream) {
  const NewBuffer host = make_buffer(length * size_bytes(type));
  BOBBIN_TRY(copy_async(host.data, values, host.buffer.bytes.size(), stream));
  BOBBIN_TRY(stream.synchronize());
  BOBBIN_ASSIGN(const Array encoded, find_codec(codec)->encode({type, host.data, length}));
  BOBBIN_ASSIGN(const OnDevice there, to_device(encoded, stream));
  BOBBIN_TRY(stream.synchronize());
  return there.array;
}

}  // namespace

Result<OnDevice> to_device(const Array& array, StreamView stream) {
  return to_device_by(array, stream, [&](std::byte* to, std::span<const std::byte> bytes) {
    return copy_async(to, bytes.data(), bytes.size(), stream);
  });
}

Result<OnDevice> to_device(const Array& array, Session& session) {
  return to_device_by(array, session.stream(), [&](std::byte* to, std::span<const std::byte> bytes) {
    return session.upload(to, bytes);
  });
}

Result<Array> to_host(const Array& array, StreamView stream) {
  const auto fetch = [&](std::span<std::byte> to, const void* from) -> Status {
    BOBBIN_TRY(copy_async(to.data(), from, to.size(), stream));
    return stream.synchronize();
  };
  Array host = array;
  BOBBIN_TRY(fetch_buffers(host, fetch));
  return host;
}

Result<Array> to_host(const Array& array, Session& session) {
  Array host = array;
  BOBBIN_TRY(fetch_buffers(
      host, [&](std::span<std::byte> to, const void* from) { return session.download(to, from); }));
  return host;
}

Status decode_on_device(const Array& array, void* out, StreamView stream) {
  BOBBIN_ASSIGN(const DeviceOps* ops, ops_for(array.codec, stream));
  return ops->decode(array, out, stream);
}

Status compare_on_device(const Array& array, const ValueRange& range, uint32_t* bitmap, StreamView stream) {
  BOBBIN_ASSIGN(const DeviceOps* ops, ops_for(array.codec, stream));
  if (ops->clear_nulls != nullptr) {
    BOBBIN_TRY(compare_on_device(array.children[0], range, bitmap, stream));
    return ops->clear_nulls(array, bitmap, stream);
  }
  if (ops->compare != nullptr && (find_codec(array.codec)->compares_floats || !is_float(array.type))) {
    return ops->compare(array, range, bitmap, stream);
  }
  BOBBIN_ASSIGN(const DeviceBuffer values,
                DeviceBuffer::create(array.length * size_bytes(array.type), stream));
  BOBBIN_TRY(ops->decode(array, values.data(), stream));
  const auto compare_values =
      on_backend(stream.backend(), []<Backend kBackend>() { return &compare_plain_on<kBackend>; });
  return compare_values(array, values.data(), range, bitmap, stream);
}

Result<Array> encode_on_device(CodecId codec, DType type, const void* values, uint64_t length,
                               StreamView stream) {
  BOBBIN_ASSIGN(const DeviceOps* ops, ops_for(codec, stream));
  if (ops->encode == nullptr) {
    return encode_through_host(codec, type, values, length, stream);
  }
  return ops->encode(type, values, length, stream);
}

Status decode(const Array& array, std::span<std::byte> out, Backend backend) {
  if (backend == Backend::cpu) {
    return decode(array, out);
  }
  BOBBIN_RETURN_IF(out.size() != array.length * size_bytes(array.type), StatusCode::invalid_argument,
                   "the output does not fit the array");
  BOBBIN_ASSIGN(Session session, Session::borrow(backend));
  BOBBIN_ASSIGN(const OnDevice encoded, to_device(array, session));
  BOBBIN_ASSIGN(const DeviceBuffer values, DeviceBuffer::create(out.size(), session.stream()));
  BOBBIN_TRY(decode_on_device(encoded.array, values.data(), session.stream()));
  return session.download(out, values.data());
}

Result<Array> encode(CodecId codec, const Values& values, Backend backend) {
  // A dictionary's codes may be of another type than the cascade was checked for.
  BOBBIN_RETURN_IF(!find_codec(codec)->takes(values.type), StatusCode::unsupported,
                   "codec " + std::string(find_codec(codec)->name) + " does not support type " +
                       std::string(to_string(values.type)));
  if (backend == Backend::cpu) {
    return find_codec(codec)->encode(values);
  }
  BOBBIN_ASSIGN(Session session, Session::borrow(backend));
  BOBBIN_ASSIGN(const DeviceOps* ops, ops_for(codec, session.stream()));
  if (ops->encode == nullptr) {
    return find_codec(codec)->encode(values);  // the values are here already
  }
  const std::span bytes(static_cast<const std::byte*>(values.data), values.length * size_bytes(values.type));
  BOBBIN_ASSIGN(const DeviceBuffer input, DeviceBuffer::create(bytes.size(), session.stream()));
  BOBBIN_TRY(session.upload(input.data(), bytes));
  BOBBIN_ASSIGN(const Array encoded, ops->encode(values.type, input.data(), values.length, session.stream()));
  return to_host(encoded, session);
}

}  // namespace bobbin::array
