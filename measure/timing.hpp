// SPDX-License-Identifier: Apache-2.0
// How Bobbin measures: medians of several runs, cold or warm, with the machine they ran on. Shared by the
// benchmarks, the demo and `bobbin bench`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin::bench {

// Several runs of one piece of work.
struct Sample {
  double median_s = 0;
  double min_s = 0;
  double max_s = 0;
  double spread = 0;  // interquartile range, relative to the median
  int runs = 0;

  // 0 if nothing was measured.
  [[nodiscard]] double bytes_per_second(uint64_t bytes) const {
    return median_s > 0 ? static_cast<double>(bytes) / median_s : 0;
  }
};

[[nodiscard]] Sample summarize(std::vector<double> seconds);

// warm: the data may still be in the cache from the previous run. cold: a buffer larger than the last-level
// cache is written between runs, outside of the measured time.
enum class Cache : uint8_t { warm, cold };

struct Plan {
  int runs = 7;
  double seconds = 2;  // stop after this much measured time, once there are three runs (or all, if fewer)
  Cache cache = Cache::cold;
};

// Runs `work` once unmeasured (page faults, tables, frequency), then as planned.
[[nodiscard]] Sample measure(const std::function<void()>& work, const Plan& plan);

// The same for work that is submitted to a stream, by events in it. cold: a buffer larger than any GPU's
// cache is written between runs.
[[nodiscard]] Result<Sample> measure_in_stream(const std::function<Status()>& work, StreamView stream,
                                               const Plan& plan);

// Evicts everything else from the CPU's caches.
void flush_cpu_caches();

// Page-aligned memory that has been touched, so that neither alignment nor page faults affect a figure.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(size_t size);

  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> span() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  size_t size_ = 0;
};

struct Machine {
  std::string cpu;
  unsigned cores = 0;
  uint64_t last_level_cache_bytes = 0;  // 0: unknown
  std::string gpu;                      // empty: none
  std::string no_gpu;                   // the reason, if there is none
};

[[nodiscard]] Machine describe_machine();

}  // namespace bobbin::bench
