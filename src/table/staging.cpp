// SPDX-License-Identifier: Apache-2.0
#include "table/staging.hpp"

#include <algorithm>
#include <iterator>

#include "device/thread_gpu.hpp"

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

// Never destroyed: at exit the CUDA runtime may be gone before it.
struct IdleStagings {
  std::mutex mutex;
  std::vector<Staging> stagings;

  static IdleStagings& of_process() {
    static IdleStagings* const idle = std::make_unique<IdleStagings>().release();
    return *idle;
  }

  void take(Backend backend, int gpu, size_t count, std::vector<Staging>& to) {
    const std::scoped_lock lock(mutex);
    const auto fits = [&](const Staging& staging) {
      return staging.stream().backend() == backend && staging.gpu() == gpu;
    };
    for (size_t i = stagings.size(); i-- > 0 && to.size() < count;) {
      if (fits(stagings[i])) {
        to.push_back(std::move(stagings[i]));
        stagings.erase(stagings.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  // Those that there is no room for are left.
  void put(std::vector<Staging>& from) {
    const std::scoped_lock lock(mutex);
    uint64_t bytes = 0;
    for (const Staging& staging : stagings) {
      bytes += staging.capacity();
    }
    for (; !from.empty() && bytes + from.back().capacity() <= kMostIdleBytes; from.pop_back()) {
      bytes += from.back().capacity();
      stagings.push_back(std::move(from.back()));
    }
  }
};

}  // namespace

Result<std::vector<Staging>> borrow_stagings(Backend backend, size_t count) {
  BOBBIN_ASSIGN(const int gpu, current_gpu(backend));
  std::vector<Staging> stagings;
  IdleStagings::of_process().take(backend, gpu, count, stagings);
  while (stagings.size() < count) {
    BOBBIN_ASSIGN(Staging staging, Staging::create(backend));
    stagings.push_back(std::move(staging));
  }
  return stagings;
}

void keep_stagings(std::vector<Staging> stagings) {
  IdleStagings::of_process().put(stagings);
  for (const Staging& staging : stagings) {
    // Its memory is released: nothing may use it any more. An error has been reported by who used it.
    static_cast<void>(staging.stream().synchronize());
  }
}

std::shared_ptr<DeviceBuffer> with_stream(std::shared_ptr<DeviceBuffer> buffer,
                                          std::shared_ptr<Stream> stream) {
  DeviceBuffer* const data = buffer.get();
  return {data, [buffer = std::move(buffer), stream = std::move(stream)](DeviceBuffer* /*data*/) mutable {
            buffer.reset();  // before its stream
          }};
}

Result<Staging> Staging::create(Backend backend) {
  BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(const int gpu, current_gpu(backend));
  BOBBIN_ASSIGN(PinnedBuffer memory, PinnedBuffer::create(0, backend));
  BOBBIN_ASSIGN(DeviceBuffer encoded, DeviceBuffer::create(0, stream.view()));
  BOBBIN_ASSIGN(Event copied, Event::create(backend));
  return Staging(gpu, std::make_shared<Stream>(std::move(stream)), std::move(memory), std::move(encoded),
                 std::move(copied));
}

Status Staging::reserve(uint64_t bytes, uint64_t extra) {
  if (std::exchange(busy_, false)) {
    BOBBIN_TRY(copied_.synchronize());
  }
  if (memory_.bytes().size() < bytes + extra) {
    BOBBIN_ASSIGN(memory_, PinnedBuffer::create(bytes + extra, stream().backend()));
  }
  if (encoded_.size() < bytes) {
    BOBBIN_ASSIGN(encoded_, DeviceBuffer::create(bytes, stream()));
  }
  return {};
}

Status Staging::make_ready(uint64_t bytes, uint64_t extra) {
  // With 50 % slack: the next batch may be a little larger.
  const bool fits = memory_.bytes().size() >= bytes + extra && encoded_.size() >= bytes;
  BOBBIN_TRY(fits ? reserve(0, 0) : reserve(bytes + bytes / 2, extra + extra / 2));
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
