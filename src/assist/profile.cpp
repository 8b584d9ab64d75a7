// SPDX-License-Identifier: Apache-2.0
#include "assist/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "codecs/line/choose.hpp"
#include "core/bits.hpp"

namespace bobbin::assist {
namespace {

constexpr uint32_t kLineBytes = 128;
constexpr uint32_t kGroupLines = 32;

uint32_t code_of(const std::byte* bytes) {
  codec::line::Line<kLineBytes / 4> line{};
  std::memcpy(line.word, bytes, kLineBytes);
  return codec::line::choose<codec::line::kForReading>(line).code;
}

// Those for which with_simple_code() has a path.
bool is_fast(uint32_t code) {
  return code <= 7 && code != 5;
}

std::string class_name(uint32_t code) {
  namespace line = codec::line;
  if (line::is_bdi(code)) {
    const line::Bdi bdi = line::bdi_of(code);
    return fmt::format("base of {} bytes, deltas of {} bits", 1 << bdi.value_log, bdi.width);
  }
  switch (code) {
    case line::kRaw:
      return "raw";
    case line::kZeros:
      return "zeros";
    case line::kRepeat:
      return "repeated";
    case line::kCpack:
      return "dictionary";
    default:
      return "patterns";
  }
}

}  // namespace

Profile Profile::of(std::span<const std::byte> groups, LineLayout layout) {
  const uint64_t lines = groups.size() / kLineBytes;
  uint64_t moved = 0;
  uint64_t slow = 0;
  for (uint64_t first = 0; first + kGroupLines <= lines; first += kGroupLines) {
    const uint32_t code = code_of(groups.data() + first * kLineBytes);
    bool alike = true;
    for (uint64_t i = first; i < first + kGroupLines; ++i) {
      const uint32_t its_code = code_of(groups.data() + i * kLineBytes);
      const uint32_t bytes = codec::line::image_bytes(its_code, kLineBytes);
      moved +=
          1 + (layout == LineLayout::slots ? codec::line::sectors(bytes) * codec::line::kSectorBytes : bytes);
      alike = alike && its_code == code;
    }
    slow += alike && is_fast(code) ? 0 : 1;
  }
  if (moved == 0) {
    return {};
  }
  return {.ratio = static_cast<double>(lines * kLineBytes) / static_cast<double>(moved),
          .slow_share = static_cast<double>(slow * kGroupLines) / static_cast<double>(lines)};
}

std::string Profile::reason(LineLayout layout, bool is_timed) const {
  if (ratio < kLeastRatio) {
    return fmt::format("raw: the sample's ratio is {:.2f}, at least {:.2f} is needed", ratio, kLeastRatio);
  }
  if (!pays(is_timed)) {
    return fmt::format(
        "raw: {:.0f} % of the sample's groups have several classes, or one that is slow to read; at most "
        "{:.0f} % may",
        100 * slow_share, 100 * kMostSlow);
  }
  return fmt::format("{}: the sample's ratio is {:.2f}", to_string(layout), ratio);
}

std::vector<LineClass> count_classes(std::span<const uint8_t> codes) {
  std::array<uint64_t, 256> counts{};
  std::ranges::for_each(codes, [&](uint8_t code) { ++counts[code]; });
  std::vector<LineClass> classes;
  for (uint32_t code = 0; code < counts.size(); ++code) {
    const uint64_t lines = counts[code];
    if (lines == 0) {
      continue;
    }
    const uint32_t bytes = codec::line::image_bytes(code, kLineBytes);
    std::string name = class_name(code);
    if (classes.empty() || classes.back().name != name) {
      classes.push_back({.name = std::move(name)});
    }
    classes.back().lines += lines;
    classes.back().image_bytes += lines * bytes;
    classes.back().sector_bytes += lines * codec::line::sectors(bytes) * codec::line::kSectorBytes;
  }
  return classes;
}

}  // namespace bobbin::assist
