// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace bobbin {
namespace {

constexpr size_t kLongestQuoted = 64;

uint8_t byte_at(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

// The number of bytes of the well-formed sequence at `i`; 0 if there is none. RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF, all of which are visible in the second byte.
size_t sequence_length(std::string_view text, size_t i) {
  const uint8_t first = byte_at(text, i);
  if (first < 0x80) {
    return 1;
  }
  const size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() - i < length) {
    return 0;
  }
  const uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte_at(text, i + 1) < low || byte_at(text, i + 1) > high) {
    return 0;
  }
  for (size_t k = 2; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xc0) != 0x80) {
      return 0;
    }
  }
  return length;
}

// The first position from `i` on, in steps of 32 or of eight bytes, where not all bytes are ASCII.
size_t ascii_prefix(std::string_view text, size_t i) {
  constexpr uint64_t kOthers = 0x8080'8080'8080'8080;
  std::array<uint64_t, 4> words;
  while (text.size() - i >= sizeof words) {
    std::memcpy(words.data(), text.data() + i, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kOthers) != 0) {
      break;
    }
    i += sizeof words;
  }
  uint64_t word = 0;
  while (text.size() - i >= sizeof word) {
    std::memcpy(&word, text.data() + i, sizeof word);
    if ((word & kOthers) != 0) {
      break;
    }
    i += sizeof word;
  }
  return i;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (size_t i = ascii_prefix(text, 0); i < text.size(); i = ascii_prefix(text, i)) {
    const size_t length = sequence_length(text, i);
    if (length == 0) {
      return false;
    }
    i += length;
  }
  return true;
}

bool is_valid_name(std::string_view name) {
  return is_utf8(name) && name.find('\0') == std::string_view::npos;
}

size_t character_length(std::string_view text, size_t at) {
  const size_t length = sequence_length(text, at);
  return length == 0 ? 1 : length;
}

size_t character_start(std::string_view text, size_t at) {
  while (at > 0 && (byte_at(text, at) & 0xc0) == 0x80) {
    --at;
  }
  return at;
}

std::string printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(text, i);
    const uint8_t first = byte_at(text, i);
    // C1 controls (U+0080 to U+009F) affect terminals too.
    const bool c1 = length == 2 && first == 0xc2 && byte_at(text, i + 1) < 0xa0;
    if (length == 0 || first < 0x20 || first == 0x7f || c1) {
      out += fmt::format("\\x{:02x}", first);
      ++i;
    } else {
      out.append(text.substr(i, length));
      i += length;
    }
  }
  return out;
}

std::string quoted_text(std::string_view name) {
  if (name.size() <= kLongestQuoted) {
    return '"' + printable(name) + '"';
  }
  const size_t end = character_start(name, kLongestQuoted);  // do not split a character
  return '"' + printable(name.substr(0, end)) + "...\"";
}

}  // namespace bobbin
