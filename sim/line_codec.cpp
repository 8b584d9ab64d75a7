// SPDX-License-Identifier: Apache-2.0
#include "sim/line_codec.hpp"

#include <cstring>

#include "codecs/line/expand.hpp"
#include "codecs/line/write.hpp"

namespace bobbin::sim {
namespace {

namespace line = codec::line;

[[nodiscard]] line::Plan choose(const line::Line<kLineWords>& words, Algorithm algorithm, bool first_base) {
  switch (algorithm) {
    case Algorithm::none:
      return {};
    case Algorithm::bdi:
      return first_base ? line::choose<line::kBdiFirst>(words) : line::choose<line::kBdi>(words);
    case Algorithm::fpc:
      return line::choose<line::kFpcOnly>(words);
    case Algorithm::cpack:
      return line::choose<line::kCpackOnly>(words);
    case Algorithm::best:
      return line::choose<line::kBestFixed>(words);
  }
  return {};
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  constexpr std::string_view kNames[] = {"none", "bdi", "fpc", "cpack", "best"};
  return kNames[static_cast<size_t>(algorithm)];
}

LineImage compress_line(std::span<const uint8_t, kLineBytes> bytes, Algorithm algorithm, bool first_base) {
  line::Line<kLineWords> words;
  std::memcpy(words.word, bytes.data(), kLineBytes);
  line::Plan plan = choose(words, algorithm, first_base);
  if (bursts_of(image_size(plan.code)) == kLineBursts) {
    plan = {};
  }
  LineImage image;
  image.code = plan.code;
  image.size = image_size(plan.code);
  line::write_image(words, plan, [&](uint32_t i, uint32_t word) { image.words[i] = word; });
  return image;
}

LineBytes expand_line(const LineImage& image) {
  LineBytes bytes;
  for (uint32_t part = 0; part < kLineBytes / line::kPartBytes; ++part) {
    const line::Part words =
        line::expand_part(image.code, kLineBytes, part, [&](uint32_t i) { return image.words[i]; });
    std::memcpy(bytes.data() + part * line::kPartBytes, words.word, line::kPartBytes);
  }
  return bytes;
}

uint32_t image_size(uint32_t code) {
  return line::image_bytes(code, kLineBytes);
}

bool is_valid_image(const LineImage& image) {
  return line::is_valid(image.code, kLineBytes) && image.size == image_size(image.code) &&
         (image.code < line::kFpc || line::is_valid_fpc(image.words[0], image.code, kLineBytes));
}

}  // namespace bobbin::sim
