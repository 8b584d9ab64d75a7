// SPDX-License-Identifier: Apache-2.0
// Memory in which a batch goes from the file to a device, here and there, and the stream in whose order it
// does.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "codecs/codec.hpp"

namespace bobbin::table {

// The same buffer, with a share in the stream in whose order its memory is given back.
[[nodiscard]] std::shared_ptr<DeviceBuffer> with_stream(std::shared_ptr<DeviceBuffer> buffer,
                                                        std::shared_ptr<Stream> stream);

class Staging {
 public:
  static Result<Staging> create(Backend backend);

  // Room for `bytes` bytes that go to the device's memory, and `extra` behind them. Waits until what was here
  // before has been copied.
  Status make_ready(uint64_t bytes, uint64_t extra);
  // Those that go to the device; and what lies behind them.
  [[nodiscard]] std::span<std::byte> bytes() const { return memory_.bytes().first(bytes_); }
  [[nodiscard]] std::span<std::byte> extra() const { return memory_.bytes().subspan(bytes_); }
  // Queues the copy of all bytes.
  Status copy();
  // All copies out of this memory have been queued.
  Status mark_copied();
  // An array that lies in bytes(), as it lies in the device's memory.
  [[nodiscard]] Array there(const Array& array) const;

  [[nodiscard]] StreamView stream() const { return stream_->view(); }
  [[nodiscard]] const std::shared_ptr<Stream>& shared_stream() const { return stream_; }

 private:
  Staging(std::shared_ptr<Stream> stream, PinnedBuffer memory, DeviceBuffer encoded, Event copied)
      : stream_(std::move(stream)),
        memory_(std::move(memory)),
        encoded_(std::move(encoded)),
        copied_(std::move(copied)) {}

  std::shared_ptr<Stream> stream_;
  PinnedBuffer memory_;
  DeviceBuffer encoded_;  // the stream's order keeps it from being written too early
  Event copied_;
  bool busy_ = false;
  uint64_t bytes_ = 0;
};

// Lends them out, the one that was given back first before the others: its copy is the first to be done.
class StagingPool {
 public:
  explicit StagingPool(std::span<Staging> stagings);

  // Waits for one to be given back when all are lent.
  [[nodiscard]] Staging& take();
  void give_back(Staging& staging);

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::deque<Staging*> free_;
};

}  // namespace bobbin::table
