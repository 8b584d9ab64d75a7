// SPDX-License-Identifier: Apache-2.0
// The share of issue slots that parents and high priority used in the last whole window of cycles: assist
// warps of low priority wait while it is high.
#pragma once

#include <cstdint>

namespace bobbin::sim {

class ThrottleWindow {
 public:
  // Windows follow each other without gaps, whether or not anybody asks.
  ThrottleWindow(uint64_t cycles, uint32_t slots_per_cycle, uint32_t percent)
      : cycles_(cycles), most_(cycles * slots_per_cycle * percent) {}

  void note(uint64_t now, uint32_t slots_used) {
    advance(now);
    used_ += slots_used;
  }
  [[nodiscard]] bool is_busy(uint64_t now) {
    advance(now);
    return busy_;
  }

 private:
  void advance(uint64_t now) {
    const uint64_t window = now / cycles_;
    if (window == window_) {
      return;
    }
    // Nothing was issued in windows that nobody noted.
    busy_ = window == window_ + 1 && used_ * 100 > most_;
    used_ = 0;
    window_ = window;
  }

  uint64_t cycles_;
  uint64_t most_;  // slots, times 100
  uint64_t window_ = 0;
  uint64_t used_ = 0;
  bool busy_ = false;
};

}  // namespace bobbin::sim
