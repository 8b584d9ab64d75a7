// SPDX-License-Identifier: Apache-2.0
// Times work in a stream by events, cold: before each run the card's L2 is filled with other data, and clean, since
// lines still to be written back would be charged to the run.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "bench/harness.hpp"
#include "bobbin/status.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace bobbin::bench {

class GpuTimer {
 public:
  // `read` reads all of a buffer.
  using Read = std::function<Status(const DeviceBuffer&)>;

  static Result<GpuTimer> create(StreamView stream, Read read) {
    BOBBIN_ASSIGN(Event start, Event::create(stream.backend()));
    BOBBIN_ASSIGN(Event end, Event::create(stream.backend()));
    BOBBIN_ASSIGN(DeviceBuffer flush, DeviceBuffer::create(kFlushBytes, stream));
    return GpuTimer(stream, std::move(read), std::move(start), std::move(end), std::move(flush));
  }

  // A tenth of a second unmeasured (a card that has idled is slower at first, by some 10 %), then `runs`.
  Result<Sample> measure(const std::function<Status()>& work, int runs = 11) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100)) {
      BOBBIN_TRY(work());
      BOBBIN_TRY(stream_.synchronize());
    }
    std::vector<double> seconds;
    for (int i = 0; i < runs; ++i) {
      BOBBIN_TRY(read_(flush_));
      BOBBIN_TRY(start_.record(stream_));
      BOBBIN_TRY(work());
      BOBBIN_TRY(end_.record(stream_));
      BOBBIN_TRY(end_.synchronize());
      BOBBIN_ASSIGN(const double ms, end_.elapsed_ms_since(start_));
      seconds.push_back(ms / 1e3);
    }
    return summarize(std::move(seconds));
  }

 private:
  static constexpr size_t kFlushBytes = size_t{256} << 20;

  GpuTimer(StreamView stream, Read read, Event start, Event end, DeviceBuffer flush)
      : stream_(stream), read_(std::move(read)), start_(std::move(start)), end_(std::move(end)), flush_(std::move(flush)) {}

  StreamView stream_;
  Read read_;
  Event start_;
  Event end_;
  DeviceBuffer flush_;
};

}  // namespace bobbin::bench
