// SPDX-License-Identifier: Apache-2.0
#include "bobbin/encoded_batch.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "array/array.hpp"
#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "core/byte_stream.hpp"
#include "core/lanes.hpp"
#include "core/parallel.hpp"
#include "file/array_bytes.hpp"
#include "file/encoded_array_impl.hpp"
#include "file/segments.hpp"
#include "simt/gathered.hpp"

namespace bobbin {

struct EncodedBatch::Impl {
  DType type{};
  std::vector<uint64_t> offsets;
  std::vector<Array> arrays;  // their buffers are in `memory` or in `on_device`, in order
  Buffer memory{};
  std::shared_ptr<DeviceBuffer> on_device{};
  std::optional<Backend> device{};
  // How a device decodes it: most arrays together, others one by one.
  simt::Gathered together{};
  std::vector<size_t> alone{};
};

namespace {

constexpr std::string_view kBatchMagic = "BOBBAT\x01\n";
constexpr size_t kAlignment = kRegisterBytes;  // of buffers, as kernels want it
constexpr size_t kDeviceAlignment = 16;        // of values in device memory

Status check_offsets(const void* values, std::span<const uint64_t> offsets) {
  const bool ascend = !offsets.empty() && offsets.front() == 0 && std::ranges::is_sorted(offsets);
  BOBBIN_RETURN_IF(!ascend, StatusCode::invalid_argument, "batch: offsets must begin with 0 and not descend");
  BOBBIN_RETURN_IF(values == nullptr && offsets.back() > 0, StatusCode::invalid_argument,
                   "batch: there are no values");
  return {};
}

// Calls f(buffer) for all buffers of a tree, in order.
template <class F>
void for_each_buffer(Array& array, F&& f) {
  std::ranges::for_each(array.buffers, f);
  for (Array& child : array.children) {
    for_each_buffer(child, f);
  }
}

// Moves the buffers of all arrays into one allocation.
Result<Buffer> gather(std::vector<Array>& arrays) {
  size_t bytes = 0;
  for (Array& array : arrays) {
    for_each_buffer(array, [&](const Buffer& buffer) { bytes += round_up(buffer.bytes.size(), kAlignment); });
  }
  BOBBIN_ASSIGN(const NewBuffer memory, file::try_buffer(bytes));
  std::ranges::fill(std::span(memory.data, bytes), std::byte{0});
  size_t at = 0;
  for (Array& array : arrays) {
    for_each_buffer(array, [&](Buffer& buffer) {
      const size_t size = buffer.bytes.size();
      std::ranges::copy(buffer.bytes, memory.data + at);
      buffer = memory.buffer.sub(at, size);
      at += round_up(size, kAlignment);
    });
  }
  return memory.buffer;
}

// Calls f(array) for each on several threads; the first error, in order.
template <class F>
Status for_each_array(size_t arrays, unsigned threads, F&& f) {
  std::vector<Status> done(arrays);
  std::atomic<bool> failed = false;
  parallel_tasks(arrays, threads, [&](uint64_t i) {
    if (!failed) {
      done[i] = CancelScope::check().ok() ? f(i) : CancelScope::check();
      failed = failed || !done[i].ok();
    }
  });
  const auto bad = std::ranges::find_if(done, [](const Status& status) { return !status.ok(); });
  return bad == done.end() ? Status() : bad->in("batch: array " + std::to_string(bad - done.begin()));
}

// Whether an array of the batch is decoded together with others.
bool gathers(const Array& array, uint64_t out, Backend backend, simt::Gathered& together) {
  const DeviceOps* const ops = device_ops(backend, array.codec);
  return array.length == 0 || (ops != nullptr && ops->gather != nullptr && ops->gather(array, out, together));
}

Status batch_in_wrong_memory(bool on_host) {
  return {StatusCode::invalid_argument,
          on_host ? "the encoded batch is in device memory" : "the encoded batch is in host memory"};
}

}  // namespace

EncodedBatch::EncodedBatch(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<EncodedBatch> EncodedBatch::encode(DType type, const void* values, std::span<const uint64_t> offsets,
                                          const std::optional<Cascade>& cascade, unsigned threads) {
  BOBBIN_TRY(check_offsets(values, offsets));
  Impl impl{.type = type, .offsets = {offsets.begin(), offsets.end()}, .arrays = {}};
  impl.arrays.resize(offsets.size() - 1);
  const auto* const bytes = static_cast<const std::byte*>(values);
  const auto encode_one = [&](uint64_t i) -> Status {
    BOBBIN_ASSIGN(const EncodedArray encoded,
                  EncodedArray::encode(type, bytes + offsets[i] * size_bytes(type),
                                       offsets[i + 1] - offsets[i], cascade));
    impl.arrays[i] = encoded.impl_->array;
    return {};
  };
  BOBBIN_TRY(for_each_array(impl.arrays.size(), threads, encode_one));
  BOBBIN_ASSIGN(impl.memory, gather(impl.arrays));
  return EncodedBatch(std::make_shared<const Impl>(std::move(impl)));
}

DType EncodedBatch::type() const {
  return impl_->type;
}

size_t EncodedBatch::size() const {
  return impl_->arrays.size();
}

std::span<const uint64_t> EncodedBatch::offsets() const {
  return impl_->offsets;
}

uint64_t EncodedBatch::encoded_bytes() const {
  uint64_t bytes = 0;
  std::ranges::for_each(impl_->arrays, [&](const Array& array) { bytes += array::encoded_bytes(array); });
  return bytes;
}

Result<EncodedArray> EncodedBatch::array(size_t index) const {
  BOBBIN_RETURN_IF(index >= size(), StatusCode::invalid_argument,
                   "batch: array " + std::to_string(index) + " of " + std::to_string(size()));
  return EncodedArray(std::make_shared<const EncodedArray::Impl>(EncodedArray::Impl{
      .array = impl_->arrays[index], .device = impl_->device, .memory = impl_->on_device}));
}

Status EncodedBatch::decode(std::span<std::byte> out, unsigned threads) const {
  if (impl_->device) {
    return batch_in_wrong_memory(true);
  }
  const size_t size = size_bytes(type());
  BOBBIN_RETURN_IF(out.size() != impl_->offsets.back() * size, StatusCode::invalid_argument,
                   "batch: the output must have exactly as many bytes as the values");
  return for_each_array(impl_->arrays.size(), threads, [&](uint64_t i) {
    const uint64_t begin = impl_->offsets[i];
    return array::decode(impl_->arrays[i], out.subspan(begin * size, (impl_->offsets[i + 1] - begin) * size));
  });
}

Result<std::vector<std::byte>> EncodedBatch::to_bytes() const {
  if (impl_->device) {
    return batch_in_wrong_memory(true);
  }
  std::vector<std::byte> out;
  const auto magic = std::as_bytes(std::span(kBatchMagic));
  out.insert(out.end(), magic.begin(), magic.end());
  put<uint8_t>(out, static_cast<uint8_t>(type()));
  put<uint64_t>(out, size());
  for (const Array& array : impl_->arrays) {
    put_bytes(out, file::pack_array(array));
  }
  return out;
}

Result<EncodedBatch> EncodedBatch::from_bytes(std::span<const std::byte> bytes, uint64_t max_length) {
  ByteInput input("encoded batch", bytes);
  const auto magic = std::as_bytes(std::span(kBatchMagic));
  if (bytes.size() < magic.size() || !std::ranges::equal(bytes.first(magic.size()), magic)) {
    return input.corrupt("the magic number is missing");
  }
  input = ByteInput("encoded batch", bytes.subspan(magic.size()));
  BOBBIN_ASSIGN(const uint8_t type, input.number<uint8_t>());
  BOBBIN_ASSIGN(const uint64_t arrays, input.count(sizeof(uint64_t)));
  if (type < static_cast<uint8_t>(DType::u8) || type > static_cast<uint8_t>(DType::f64)) {
    return input.corrupt("the type is unknown");
  }
  Impl impl{.type = static_cast<DType>(type), .offsets = {0}, .arrays = {}};
  for (uint64_t i = 0; i < arrays; ++i) {
    BOBBIN_ASSIGN(const std::span<const std::byte> packed, input.bytes());
    BOBBIN_ASSIGN(Array array, file::unpack_array(packed, max_length - impl.offsets.back()));
    if (array.type != impl.type) {
      return input.corrupt("an array has another type");
    }
    impl.offsets.push_back(impl.offsets.back() + array.length);
    impl.arrays.push_back(std::move(array));
  }
  if (!input.at_end()) {
    return input.corrupt("bytes follow the arrays");
  }
  BOBBIN_ASSIGN(impl.memory, gather(impl.arrays));
  return EncodedBatch(std::make_shared<const Impl>(std::move(impl)));
}

Result<EncodedBatch> EncodedBatch::to_device(StreamView stream) const {
  if (impl_->device) {
    return batch_in_wrong_memory(true);
  }
  const std::span<const std::byte> host = impl_->memory.bytes;
  BOBBIN_ASSIGN(DeviceBuffer fresh, DeviceBuffer::create(host.size(), stream));
  Impl impl{.type = impl_->type, .offsets = impl_->offsets, .arrays = impl_->arrays};
  impl.device = stream.backend();
  impl.on_device = std::make_shared<DeviceBuffer>(std::move(fresh));
  const auto* const base = impl.on_device->as<std::byte>();
  BOBBIN_TRY(copy_async(impl.on_device->as<std::byte>(), host.data(), host.size(), stream));
  for (Array& array : impl.arrays) {
    for_each_buffer(array, [&](Buffer& buffer) {
      buffer = {impl.on_device, {base + (buffer.bytes.data() - host.data()), buffer.bytes.size()}};
    });
  }
  for (size_t i = 0; i < impl.arrays.size(); ++i) {
    if (!gathers(impl.arrays[i], impl.offsets[i] * size_bytes(type()), stream.backend(), impl.together)) {
      impl.alone.push_back(i);
    }
  }
  BOBBIN_TRY(impl.together.upload(stream));
  return EncodedBatch(std::make_shared<const Impl>(std::move(impl)));
}

Status EncodedBatch::decode_on_device(void* out, StreamView stream) const {
  if (!impl_->device) {
    return batch_in_wrong_memory(false);
  }
  const size_t size = size_bytes(type());
  const auto begins = std::span(impl_->offsets).first(impl_->arrays.size());
  const bool aligned =
      std::ranges::all_of(begins, [&](uint64_t offset) { return offset * size % kDeviceAlignment == 0; });
  BOBBIN_RETURN_IF(!aligned, StatusCode::invalid_argument,
                   "batch: on a device, the values of each array must begin at a multiple of 16 bytes");
  BOBBIN_TRY(impl_->together.run(out, stream));
  for (const size_t i : impl_->alone) {
    auto* const to = static_cast<std::byte*>(out) + impl_->offsets[i] * size;
    BOBBIN_TRY(array::decode_on_device(impl_->arrays[i], to, stream));
  }
  return {};
}

}  // namespace bobbin
