// SPDX-License-Identifier: Apache-2.0
#include "device/fetch.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "bobbin/memory.hpp"
#include "core/bits.hpp"

namespace bobbin {
namespace {

// Copies that do not fit are not small: waiting for them takes long in any case.
constexpr size_t kBytes = size_t{256} << 10;
constexpr size_t kAlignment = 16;

}  // namespace

struct Fetch::Memory {
  PinnedBuffer pinned;
  Backend backend{};
  size_t used = 0;
};

// Never destroyed: at exit the CUDA runtime may be gone before it.
struct Fetch::Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Memory>> free;

  static Pool& of_process() {
    static Pool* const pool = std::make_unique<Pool>().release();
    return *pool;
  }

  // Null if no memory can be pinned.
  std::unique_ptr<Memory> take(Backend backend) {
    {
      const std::scoped_lock lock(mutex);
      const auto found = std::ranges::find(free, backend, [](const auto& memory) { return memory->backend; });
      if (found != free.end()) {
        std::unique_ptr<Memory> memory = std::move(*found);
        free.erase(found);
        return memory;
      }
    }
    Result<PinnedBuffer> pinned = PinnedBuffer::create(kBytes, backend);
    return pinned.has_value()
               ? std::make_unique<Memory>(Memory{.pinned = std::move(*pinned), .backend = backend})
               : nullptr;
  }

  void put(std::unique_ptr<Memory> memory) {
    memory->used = 0;
    const std::scoped_lock lock(mutex);
    free.push_back(std::move(memory));
  }
};

Fetch::Fetch(StreamView stream) : stream_(stream) {}

Fetch::~Fetch() {
  if (is_pending_) {
    parts_.clear();  // where they should go may be gone
    static_cast<void>(wait());
  }
  if (memory_ != nullptr) {
    Pool::of_process().put(std::move(memory_));
  }
}

Status Fetch::add(void* to, const void* from, size_t bytes) {
  if (bytes == 0) {
    return {};
  }
  if (memory_ == nullptr && bytes <= kBytes) {
    memory_ = Pool::of_process().take(stream_.backend());
  }
  is_pending_ = true;
  if (memory_ == nullptr || bytes > kBytes - memory_->used) {
    return copy_async(to, from, bytes, stream_);
  }
  const size_t at =
      std::exchange(memory_->used, std::min(kBytes, round_up(memory_->used + bytes, kAlignment)));
  parts_.push_back({to, at, bytes});
  return copy_async(memory_->pinned.bytes().data() + at, from, bytes, stream_);
}

Status Fetch::finish() {
  BOBBIN_ASSIGN(Event done, Event::create(stream_.backend()));
  BOBBIN_TRY(done.record(stream_));
  done_ = std::move(done);  // before, wait() must wait for the stream
  return {};
}

Status Fetch::wait() {
  is_pending_ = false;
  BOBBIN_TRY(done_.has_value() ? done_->synchronize() : stream_.synchronize());
  for (const Part& part : parts_) {
    std::memcpy(part.to, memory_->pinned.bytes().data() + part.at, part.bytes);
  }
  parts_.clear();
  return {};
}

Status fetch(void* to, const void* from, size_t bytes, StreamView stream) {
  Fetch copy(stream);
  BOBBIN_TRY(copy.add(to, from, bytes));
  return copy.wait();
}

}  // namespace bobbin
