// SPDX-License-Identifier: Apache-2.0
// A line on stderr with the progress, the speed and the remaining time: only on a terminal, and only after
// one second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bobbin::cli {

class Progress {
 public:
  Progress(std::string label, bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // erases the line

  void show_share(double share);  // 0 to 1
  void show_bytes(uint64_t bytes);
  // The share if the total is known, otherwise the bytes.
  void show(uint64_t done, uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool due();
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::string bar(double share) const;
  void print(const std::string& text);

  std::string label_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace bobbin::cli
