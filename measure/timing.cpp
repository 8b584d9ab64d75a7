// SPDX-License-Identifier: Apache-2.0
#include "measure/timing.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "bobbin/memory.hpp"
#include "bobbin/stream.hpp"

namespace bobbin::bench {
namespace {

constexpr size_t kPage = 4096;
// Large enough for caches that the system does not report, small enough for a small machine.
constexpr uint64_t kMinFlushBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxFlushBytes = uint64_t{512} << 20;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "307200K", in the format of Linux.
uint64_t parse_size(const std::string& text) {
  char* end = nullptr;
  const uint64_t number = std::strtoull(text.c_str(), &end, 10);
  const char unit = end == nullptr ? '\0' : *end;
  return number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

uint64_t last_level_cache_bytes() {
  uint64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const std::string line =
        first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    largest = std::max(largest, line.empty() ? 0 : parse_size(line));
  }
  return largest;
}

// The name after the colon of the first line that starts with one of the keys.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const bool named = line.rfind("model name", 0) == 0 || line.rfind("Model", 0) == 0;
    const size_t colon = line.find(": ");
    if (named && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  utsname names{};
  return uname(&names) == 0 ? std::string(names.machine) + " CPU" : "unknown CPU";
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Larger than any GPU's cache so far (H200: 50 MiB).
constexpr size_t kDeviceFlushBytes = size_t{256} << 20;

}  // namespace

Sample summarize(std::vector<double> seconds) {
  if (seconds.empty()) {
    return {};
  }
  std::sort(seconds.begin(), seconds.end());
  Sample sample{.median_s = quantile(seconds, 0.5),
                .min_s = seconds.front(),
                .max_s = seconds.back(),
                .spread = 0,
                .runs = static_cast<int>(seconds.size())};
  if (sample.median_s > 0) {
    sample.spread = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / sample.median_s;
  }
  return sample;
}

Sample measure(const std::function<void()>& work, const Plan& plan) {
  using Clock = std::chrono::steady_clock;
  work();
  std::vector<double> seconds;
  double total = 0;
  const int enough = std::min(plan.runs, 3);
  for (int run = 0; run < plan.runs && (run < enough || total < plan.seconds); ++run) {
    if (plan.cache == Cache::cold) {
      flush_cpu_caches();
    }
    const Clock::time_point start = Clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total += seconds.back();
  }
  return summarize(std::move(seconds));
}

void flush_cpu_caches() {
  static const Bytes buffer(
      static_cast<size_t>(std::clamp(2 * last_level_cache_bytes(), kMinFlushBytes, kMaxFlushBytes)));
  static uint8_t value = 0;
  ++value;  // a different byte each time, so that the writes cannot be skipped
  auto* bytes = reinterpret_cast<volatile std::byte*>(buffer.data());
  for (size_t i = 0; i < buffer.size(); i += 64) {
    bytes[i] = std::byte{value};
  }
}

Bytes::Bytes(size_t size) : size_(size) {
  const size_t rounded = (size + kPage - 1) / kPage * kPage + kPage;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, rounded)));
  if (data_ == nullptr) {
    throw std::bad_alloc();  // only for tools, which catch it in main
  }
  std::memset(data_.get(), 0, rounded);
}

Machine describe_machine() {
  Machine machine{.cpu = cpu_model(),
                  .cores = std::max(1U, std::thread::hardware_concurrency()),
                  .last_level_cache_bytes = last_level_cache_bytes(),
                  .gpu = {},
                  .no_gpu = {}};
  const Result<std::vector<GpuInfo>> gpus = list_gpus();
  if (!gpus.has_value()) {
    machine.no_gpu = gpus.error().message();
  } else if (gpus->empty()) {
    machine.no_gpu = "no GPU found";
  } else {
    machine.gpu = gpus->front().name;
  }
  return machine;
}

Result<Sample> measure_in_stream(const std::function<Status()>& work, StreamView stream, const Plan& plan) {
  BOBBIN_ASSIGN(Event start, Event::create(stream.backend()));
  BOBBIN_ASSIGN(Event end, Event::create(stream.backend()));
  const bool flush = stream.backend() == Backend::cuda && plan.cache == Cache::cold;
  BOBBIN_ASSIGN(const DeviceBuffer scratch, DeviceBuffer::create(flush ? kDeviceFlushBytes : 256, stream));
  BOBBIN_TRY(work());
  std::vector<double> seconds;
  for (int run = 0; run < plan.runs; ++run) {
    if (flush) {
      BOBBIN_TRY(fill_async(scratch.data(), static_cast<uint8_t>(run), scratch.size(), stream));
    }
    BOBBIN_TRY(start.record(stream));
    BOBBIN_TRY(work());
    BOBBIN_TRY(end.record(stream));
    BOBBIN_TRY(end.synchronize());
    BOBBIN_ASSIGN(const double milliseconds, end.elapsed_ms_since(start));
    seconds.push_back(milliseconds / 1e3);
  }
  return summarize(std::move(seconds));
}

}  // namespace bobbin::bench
