// SPDX-License-Identifier: Apache-2.0
// Lines of 128 bytes in the format of src/codecs/line, as hardware stores them: one definition of the format
// for the library and the simulator.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/config.hpp"

namespace bobbin::sim {

enum class Algorithm : uint8_t { none, bdi, fpc, cpack, best };

[[nodiscard]] std::string_view to_string(Algorithm algorithm);

inline constexpr uint32_t kRawCode = 0;
inline constexpr uint32_t kLineWords = kLineBytes / 4;

using LineBytes = std::array<uint8_t, kLineBytes>;
using ByteMask = std::bitset<kLineBytes>;

struct LineImage {
  uint32_t code = kRawCode;
  uint32_t size = kLineBytes;
  std::array<uint32_t, kLineWords> words{};
};

// The image that an algorithm makes of a line; raw if it saves no burst. `first_base`: BDI's base is always
// the first value, as in the paper's Algorithm 2.
[[nodiscard]] LineImage compress_line(std::span<const uint8_t, kLineBytes> line, Algorithm algorithm,
                                      bool first_base);

// Valid codes only: images here are made by compress_line() or by routines, whose results are checked.
[[nodiscard]] LineBytes expand_line(const LineImage& image);

[[nodiscard]] uint32_t image_size(uint32_t code);
[[nodiscard]] bool is_valid_image(const LineImage& image);

[[nodiscard]] constexpr uint32_t bursts_of(uint32_t size) {
  return size == 0 ? 1 : (size + kBurstBytes - 1) / kBurstBytes;
}

}  // namespace bobbin::sim
