// SPDX-License-Identifier: Apache-2.0
// Times work in a stream with events, cold: before each run the GPU's L2 is filled with other data, by
// reading, because dirty lines would be written back during the run. All runs are queued before the host
// waits for the first: a GPU that idles between runs, even for microseconds, is up to 10 % slower at first.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "measure/timing.hpp"

namespace bobbin::bench {

class GpuTimer {
 public:
  // `read` must read all of a buffer.
  using Read = std::function<Status(const DeviceBuffer&)>;

  static Result<GpuTimer> create(StreamView stream, Read read) {
    std::vector<Event> events;
    for (int i = 0; i < 2 * kRuns; ++i) {
      BOBBIN_ASSIGN(Event event, Event::create(stream.backend()));
      events.push_back(std::move(event));
    }
    BOBBIN_ASSIGN(DeviceBuffer flush, DeviceBuffer::create(kFlushBytes, stream));
    return GpuTimer(stream, std::move(read), std::move(events), std::move(flush));
  }

  // Some unmeasured runs, then kRuns measured ones. Work that waits for the stream itself is measured
  // including its waits.
  Result<Sample> measure(const std::function<Status()>& work) {
    for (int i = 0; i < kWarmUp; ++i) {
      BOBBIN_TRY(work());
    }
    for (size_t i = 0; i < events_.size(); i += 2) {
      BOBBIN_TRY(read_(flush_));
      BOBBIN_TRY(events_[i].record(stream_));
      BOBBIN_TRY(work());
      BOBBIN_TRY(events_[i + 1].record(stream_));
    }
    BOBBIN_TRY(stream_.synchronize());
    std::vector<double> seconds;
    for (size_t i = 0; i < events_.size(); i += 2) {
      BOBBIN_ASSIGN(const double ms, events_[i + 1].elapsed_ms_since(events_[i]));
      seconds.push_back(ms / 1e3);
    }
    return summarize(std::move(seconds));
  }

 private:
  static constexpr int kRuns = 15;
  static constexpr int kWarmUp = 20;
  static constexpr size_t kFlushBytes = size_t{256} << 20;

  GpuTimer(StreamView stream, Read read, std::vector<Event> events, DeviceBuffer flush)
      : stream_(stream), read_(std::move(read)), events_(std::move(events)), flush_(std::move(flush)) {}

  StreamView stream_;
  Read read_;
  std::vector<Event> events_;
  DeviceBuffer flush_;
};

}  // namespace bobbin::bench
