// SPDX-License-Identifier: Apache-2.0
// What the workloads share: random numbers, runs of a few launches, loops, and comparison of results.
#pragma once

#include <fmt/format.h>

#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/workload.hpp"

namespace bobbin::sim {

using Random = std::mt19937_64;
using Words = Lanes<uint32_t>;
using Signed = Lanes<int32_t>;
using Floats = Lanes<float>;

inline constexpr uint32_t kBlockThreads = 256;

// The library's own distributions differ between machines.
[[nodiscard]] inline uint32_t below(Random& random, uint32_t end) {
  return static_cast<uint32_t>((random() >> 32) * end >> 32);
}
// From 0 to below 1, in steps of 2^-24.
[[nodiscard]] inline float unit(Random& random) {
  return static_cast<float>(random() >> 40) * 0x1p-24F;
}

// Threads in blocks of kBlockThreads; `threads` must be a multiple.
[[nodiscard]] inline Launch launch_of(uint32_t threads, uint32_t registers, Kernel kernel,
                                      uint32_t shared_bytes = 0) {
  return {threads / kBlockThreads, kBlockThreads, registers, shared_bytes, std::move(kernel)};
}

using Check = std::function<Status(const Memory&)>;

// Launches that are known before the run.
[[nodiscard]] inline WorkloadRun run_of(std::vector<Launch> launches, Check check) {
  return {
      .launch = [launches = std::move(launches)](uint32_t number, const Memory&) -> std::optional<Launch> {
        return number < launches.size() ? std::optional(launches[number]) : std::nullopt;
      },
      .check = std::move(check)};
}

// Two arrays that change roles after every launch.
template <class T>
struct Swapping {
  Array<T> first;
  Array<T> second;

  [[nodiscard]] const Array<T>& in(uint32_t launch) const { return launch % 2 == 0 ? first : second; }
  [[nodiscard]] const Array<T>& out(uint32_t launch) const { return launch % 2 == 0 ? second : first; }
};

template <class T>
[[nodiscard]] Status expect_equal(const Memory& memory, const Array<T>& array, std::span<const T> expected,
                                  std::string_view what) {
  const std::span<const T> found = memory.view(array);
  for (size_t i = 0; i < expected.size(); ++i) {
    // Bits, so that a NaN equals itself.
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) != 0) {
      return {StatusCode::corrupt, fmt::format("{}[{}] is {}, expected {}", what, i, found[i], expected[i])};
    }
  }
  return {};
}
template <class T>
[[nodiscard]] Status expect_equal(const Memory& memory, const Array<T>& array, const std::vector<T>& expected,
                                  std::string_view what) {
  return expect_equal(memory, array, std::span<const T>(expected), what);
}

// The end of a loop that counts: increment, comparison, branch.
[[nodiscard]] inline Warp::Waiting end_of_loop(Warp& w) {
  const Register counter = w.emit(Op::alu);
  w.emit(Op::alu, counter.id());
  return w.branch();
}

// An address with a constant offset, which is part of the instruction that uses it.
[[nodiscard]] inline Words plus(const Words& address, uint32_t offset) {
  Words out = address;
  for (uint32_t& value : out.value) {
    value += offset;
  }
  return out;
}

// Values of 8 bytes are pairs of registers: taking one apart and putting it together costs nothing.
[[nodiscard]] inline Words low_of(const Lanes<uint64_t>& pair) {
  Words out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    out.value[i] = static_cast<uint32_t>(pair[i]);
  }
  out.reg = pair.reg;
  return out;
}
[[nodiscard]] inline Words high_of(const Lanes<uint64_t>& pair) {
  Words out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    out.value[i] = static_cast<uint32_t>(pair[i] >> 32);
  }
  out.reg = pair.reg;
  return out;
}
[[nodiscard]] inline Lanes<uint64_t> pair_of(const Words& low, const Words& high) {
  Lanes<uint64_t> out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    out.value[i] = uint64_t{high[i]} << 32 | low[i];
  }
  out.reg = high.reg.id() != kNoRegister ? high.reg : low.reg;
  return out;
}

// Reads an array of 4-byte values as pairs.
template <class T>
[[nodiscard]] Array<uint64_t> as_pairs(const Array<T>& array) {
  static_assert(sizeof(T) == 4);
  return {array.base, array.count / 2};
}

}  // namespace bobbin::sim
