// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace bobbin::cli {
namespace {

constexpr size_t kUsualWidth = 80;
constexpr std::string_view kMore = "...";

bool shows_styles(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(descriptor) != 0 && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
         std::string_view(term) != "dumb";
}

struct Range {
  char32_t first;
  char32_t last;
};

// Blocks of Unicode 15 whose characters are combining marks or have no width.
constexpr std::array kNarrow = {Range{0x0300, 0x036f}, Range{0x0483, 0x0489}, Range{0x0591, 0x05bd},
                                Range{0x0610, 0x061a}, Range{0x064b, 0x065f}, Range{0x1ab0, 0x1aff},
                                Range{0x1dc0, 0x1dff}, Range{0x200b, 0x200f}, Range{0x20d0, 0x20ff},
                                Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}, Range{0xfeff, 0xfeff}};
// Blocks whose characters are wide or fullwidth.
constexpr std::array kWide = {Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0xa4cf},
                              Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
                              Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f},
                              Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};

template <size_t kSize>
bool is_in(const std::array<Range, kSize>& ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return range.first <= c && c <= range.last; });
}

// Consumes one character of the text; a byte that is not UTF-8 counts as one.
char32_t take_character(std::string_view& text) {
  const auto first = static_cast<uint8_t>(text.front());
  const size_t size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  char32_t c = size == 1 ? first : first & (0x7fU >> size);
  for (size_t i = 1; i < std::min(size, text.size()); ++i) {
    c = c << 6 | (static_cast<uint8_t>(text[i]) & 0x3fU);
  }
  text.remove_prefix(std::min(size, text.size()));
  return c;
}

size_t width_of(char32_t c) {
  if (c < 0x300) {
    return 1;
  }
  return is_in(kNarrow, c) ? 0 : is_in(kWide, c) ? 2 : 1;
}

}  // namespace

size_t terminal_width() {
  if (isatty(STDOUT_FILENO) == 0) {
    return 0;
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return kUsualWidth;
}

std::string styled(std::string_view text, Style style, int descriptor) {
  constexpr std::array<std::string_view, 4> kCodes = {"1", "2", "1;31", "32"};
  if (!shows_styles(descriptor)) {
    return std::string(text);
  }
  return "\x1b[" + std::string(kCodes[static_cast<size_t>(style)]) + "m" + std::string(text) + "\x1b[0m";
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    width += width_of(take_character(text));
  }
  return width;
}

std::string fitted(std::string_view text, size_t most) {
  if (text.size() <= most || display_width(text) <= most) {
    return std::string(text);
  }
  const size_t room = most - std::min(most, kMore.size());
  std::string_view rest = text;
  size_t width = 0;
  size_t taken = 0;
  while (!rest.empty()) {
    width += width_of(take_character(rest));
    if (width > room) {
      break;
    }
    taken = text.size() - rest.size();
  }
  return std::string(text.substr(0, taken)) + std::string(kMore.substr(0, most));
}

}  // namespace bobbin::cli
