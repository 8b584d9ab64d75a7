// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bobbin/text.hpp"
#include "cli/interrupt.hpp"
#include "measure/report.hpp"

namespace bobbin::cli {
namespace {

constexpr std::chrono::milliseconds kFirst{1000};
constexpr std::chrono::milliseconds kBetweenUpdates{100};
constexpr int kBarWidth = 30;
constexpr double kLeastShare = 0.001;  // from which the remaining time can be estimated

// "12 s", "3 min 05 s"
std::string duration(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string speed(uint64_t bytes, double seconds) {
  return bench::human_bytes(static_cast<uint64_t>(static_cast<double>(bytes) / std::max(seconds, 1e-3))) +
         "/s";
}

}  // namespace

Progress::Progress(std::string label, bool quiet)
    : label_(printable(label)),
      enabled_(!quiet && isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      next_(start_ + kFirst) {}

Progress::~Progress() {
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
    note_shown_line(false);
  }
}

bool Progress::due() {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || now < next_) {
    return false;
  }
  next_ = now + kBetweenUpdates;
  return true;
}

void Progress::print(const std::string& text) {
  std::fputs(fmt::format("\r\x1b[K{}: {}", label_, text).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
  note_shown_line(true);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::string Progress::bar(double share) const {
  const int full = static_cast<int>(share * kBarWidth);
  const std::string left =
      share < kLeastShare ? "" : fmt::format(", {} left", duration(seconds() * (1 - share) / share));
  return fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %{}", "", full, "", kBarWidth - full, 100 * share, left);
}

void Progress::show_share(double share) {
  if (due()) {
    print(bar(std::clamp(share, 0.0, 1.0)));
  }
}

void Progress::show_bytes(uint64_t bytes) {
  if (due()) {
    print(fmt::format("{}, {}", bench::human_bytes(bytes), speed(bytes, seconds())));
  }
}

void Progress::show(uint64_t done, uint64_t total) {
  if (total == 0) {
    show_bytes(done);
  } else if (due()) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    print(fmt::format("{}, {}", bar(share), speed(done, seconds())));
  }
}

}  // namespace bobbin::cli
