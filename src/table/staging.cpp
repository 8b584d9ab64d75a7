// SPDX-License-Identifier: Apache-2.0
#include "table/staging.hpp"

namespace bobbin::table {
namespace {

// The same array with its buffers moved from `from` to `to`.
void relocate(Array& array, const std::byte* from, const std::byte* to) {
  for (Buffer& buffer : array.buffers) {
    buffer = {nullptr, {to + (buffer.bytes.data() - from), buffer.bytes.size()}};
  }
  for (Array& child : array.children) {
    relocate(child, from, to);
  }
}

}  // namespace

std::shared_ptr<DeviceBuffer> with_stream(std::shared_ptr<DeviceBuffer> buffer,
                                          std::shared_ptr<Stream> stream) {
  DeviceBuffer* const data = buffer.get();
  return {data, [buffer = std::move(buffer), stream = std::move(stream)](DeviceBuffer* /*data*/) mutable {
            buffer.reset();  // before its stream
          }};
}

Result<Staging> Staging::create(Backend backend) {
  BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(PinnedBuffer memory, PinnedBuffer::create(0, backend));
  BOBBIN_ASSIGN(DeviceBuffer encoded, DeviceBuffer::create(0, stream.view()));
  BOBBIN_ASSIGN(Event copied, Event::create(backend));
  return Staging(std::make_shared<Stream>(std::move(stream)), std::move(memory), std::move(encoded),
                 std::move(copied));
}

Status Staging::make_ready(uint64_t bytes, uint64_t extra) {
  if (std::exchange(busy_, false)) {
    BOBBIN_TRY(copied_.synchronize());
  }
  // With 50 % slack: the next batch may be a little larger.
  if (memory_.bytes().size() < bytes + extra) {
    BOBBIN_ASSIGN(memory_, PinnedBuffer::create(bytes + extra + (bytes + extra) / 2, stream().backend()));
  }
  if (encoded_.size() < bytes) {
    BOBBIN_ASSIGN(encoded_, DeviceBuffer::create(bytes + bytes / 2, stream()));
  }
  bytes_ = bytes;
  return {};
}

Status Staging::copy() {
  return copy_async(encoded_.data(), memory_.bytes().data(), bytes_, stream());
}

Status Staging::mark_copied() {
  busy_ = true;
  return copied_.record(stream());
}

Array Staging::there(const Array& array) const {
  Array moved = array;
  relocate(moved, memory_.bytes().data(), encoded_.as<std::byte>());
  return moved;
}

StagingPool::StagingPool(std::span<Staging> stagings) {
  for (Staging& staging : stagings) {
    free_.push_back(&staging);
  }
}

Staging& StagingPool::take() {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [this] { return !free_.empty(); });
  Staging& staging = *free_.front();
  free_.pop_front();
  return staging;
}

void StagingPool::give_back(Staging& staging) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(&staging);
  }
  given_back_.notify_one();
}

}  // namespace bobbin::table
