// SPDX-License-Identifier: Apache-2.0
// What triggers an assist warp.
#pragma once

#include <cstdint>

#include "sim/machine.hpp"

namespace bobbin::sim {

enum class Routine : uint8_t { expansion, compression, prefetch };
inline constexpr uint32_t kRoutines = 3;

// What an assist warp is for, and who waits for it.
struct Trigger {
  enum class Kind : uint8_t {
    fill,      // a compressed line arrived: tag is the MSHR
    hit,       // a load hit a line that L1 keeps compressed: tag is the load
    store,     // a whole line waits to be compressed: tag is the entry of the store buffer
    expand,    // a partial write met a compressed line: tag is the entry of the store buffer
    prefetch,  // addresses ahead of a load
  };
  Kind kind = Kind::fill;
  ParentWarp parent;
  uint32_t tag = 0;
  uint32_t payload = kNone;  // with the image to expand
  uint64_t line = 0;
  int64_t stride = 0;
  uint64_t when = 0;   // the cycle
  uint64_t order = 0;  // among all of the SM

  // Those that never run at the same time for one parent.
  [[nodiscard]] Routine routine() const {
    return kind == Kind::store      ? Routine::compression
           : kind == Kind::prefetch ? Routine::prefetch
                                    : Routine::expansion;
  }
  [[nodiscard]] bool is_low() const { return kind == Kind::store || kind == Kind::prefetch; }
};

}  // namespace bobbin::sim
