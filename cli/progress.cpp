// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bench/report.hpp"
#include "file/text.hpp"

namespace bobbin::cli {
namespace {

constexpr std::chrono::milliseconds kFirst{1000};
constexpr std::chrono::milliseconds kBetween{100};
constexpr int kBarWidth = 30;

}  // namespace

Progress::Progress(std::string label, bool quiet)
    : label_(file::printable(label)),
      enabled_(!quiet && isatty(STDERR_FILENO) != 0),
      next_(Clock::now() + kFirst) {}

Progress::~Progress() {
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
  }
}

bool Progress::due() {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || now < next_) {
    return false;
  }
  next_ = now + kBetween;
  return true;
}

void Progress::print(const std::string& text) {
  std::fputs(fmt::format("\r\x1b[K{}: {}", label_, text).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::show_share(double share) {
  if (due()) {
    const double clamped = std::clamp(share, 0.0, 1.0);
    const int full = static_cast<int>(clamped * kBarWidth);
    print(fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %", "", full, "", kBarWidth - full, 100 * clamped));
  }
}

void Progress::show_bytes(uint64_t bytes) {
  if (due()) {
    print(bench::human_bytes(bytes));
  }
}

void Progress::show(uint64_t done, uint64_t total) {
  if (total == 0) {
    show_bytes(done);
  } else {
    show_share(static_cast<double>(done) / static_cast<double>(total));
  }
}

}  // namespace bobbin::cli
