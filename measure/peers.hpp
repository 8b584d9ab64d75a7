// SPDX-License-Identifier: Apache-2.0
// What a user would use instead, measured on the same bytes in the same run: memcpy, zstd -1, lz4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/timing.hpp"

namespace bobbin::bench {

struct PeerResult {
  std::string name;
  bool present = false;  // false: not in this build; the rest is not set
  bool checked = false;  // the bytes were reproduced
  uint64_t bytes = 0;    // after compression
  Sample compress;       // empty for memcpy
  Sample decompress;     // memcpy: the copy
};

[[nodiscard]] PeerResult measure_memcpy(std::span<const std::byte> bytes, const Plan& plan);
[[nodiscard]] PeerResult measure_zstd(std::span<const std::byte> bytes, const Plan& plan);
[[nodiscard]] PeerResult measure_lz4(std::span<const std::byte> bytes, const Plan& plan);
// The compressed size, without measuring speed; empty if the library is not in this build, or fails.
[[nodiscard]] std::optional<uint64_t> zstd_size(std::span<const std::byte> bytes, int level);
[[nodiscard]] std::optional<uint64_t> lz4_size(std::span<const std::byte> bytes);
// The frame that zstd makes; empty if it is not in this build, or fails.
[[nodiscard]] std::optional<std::vector<std::byte>> zstd_frame(std::span<const std::byte> bytes, int level);
// All three, in that order.
[[nodiscard]] std::vector<PeerResult> measure_peers(std::span<const std::byte> bytes, const Plan& plan);

}  // namespace bobbin::bench
