// SPDX-License-Identifier: Apache-2.0
// Host and device memory for a batch on its way from the file to a device, and the stream that orders it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "codecs/codec.hpp"

namespace bobbin::table {

// The same buffer, sharing ownership of the stream in whose order its memory is released.
[[nodiscard]] std::shared_ptr<DeviceBuffer> with_stream(std::shared_ptr<DeviceBuffer> buffer,
                                                        std::shared_ptr<Stream> stream);

class Staging {
 public:
  static Result<Staging> create(Backend backend);

  // Makes room for as many bytes at least, so that make_ready() does not have to. Waits as it does.
  Status reserve(uint64_t bytes, uint64_t extra);
  // Makes room for `bytes` bytes that are copied to device memory, followed by `extra` bytes. Waits until the
  // previous contents have been copied.
  Status make_ready(uint64_t bytes, uint64_t extra);
  // The bytes that go to the device, and those after them.
  [[nodiscard]] std::span<std::byte> bytes() const { return memory_.bytes().first(bytes_); }
  [[nodiscard]] std::span<std::byte> extra() const { return memory_.bytes().subspan(bytes_); }
  // Queues the copy of all bytes.
  Status copy();
  // All copies out of this memory have been queued.
  Status mark_copied();
  // An array in bytes(), with its addresses in device memory.
  [[nodiscard]] Array there(const Array& array) const;

  [[nodiscard]] StreamView stream() const { return stream_->view(); }
  [[nodiscard]] const std::shared_ptr<Stream>& shared_stream() const { return stream_; }
  // Pinned memory that it has, used or not.
  [[nodiscard]] uint64_t capacity() const { return memory_.bytes().size(); }
  // The GPU that it was created for.
  [[nodiscard]] int gpu() const { return gpu_; }

 private:
  Staging(int gpu, std::shared_ptr<Stream> stream, PinnedBuffer memory, DeviceBuffer encoded, Event copied)
      : gpu_(gpu),
        stream_(std::move(stream)),
        memory_(std::move(memory)),
        encoded_(std::move(encoded)),
        copied_(std::move(copied)) {}

  int gpu_;
  std::shared_ptr<Stream> stream_;
  PinnedBuffer memory_;
  DeviceBuffer encoded_;  // the stream's order prevents early overwrites
  Event copied_;
  bool busy_ = false;
  uint64_t bytes_ = 0;
};

// Stagings that the process keeps between queries: to pin memory takes longer than to fill it. Up to
// kMostIdleBytes of pinned memory, and as much device memory, are kept.
inline constexpr uint64_t kMostIdleBytes = uint64_t{256} << 20;
[[nodiscard]] Result<std::vector<Staging>> borrow_stagings(Backend backend, size_t count);
// Their copies may still be on their way.
void keep_stagings(std::vector<Staging> stagings);

// Lends them out, the least recently returned first, because its copy is the first to finish.
class StagingPool {
 public:
  explicit StagingPool(std::span<Staging> stagings);

  // Waits for one to be returned if all are lent.
  [[nodiscard]] Staging& take();
  void give_back(Staging& staging);

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::deque<Staging*> free_;
};

}  // namespace bobbin::table
