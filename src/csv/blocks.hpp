// SPDX-License-Identifier: Apache-2.0
// Positions of given bytes among 64, as a bit mask.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bobbin::csv {

inline constexpr size_t kBlockBytes = 64;

using Vector16 = uint8_t __attribute__((vector_size(16)));

// The lowest bit of each of 16 bytes that are all ones or all zeros.
[[nodiscard]] inline uint64_t bits_of(Vector16 truth) {
#if defined(__SSE2__)
  __m128i lanes;
  std::memcpy(&lanes, &truth, sizeof lanes);
  return static_cast<uint64_t>(_mm_movemask_epi8(lanes));
#else
  constexpr Vector16 kWeights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  truth &= kWeights;
  uint64_t words[2];
  std::memcpy(words, &truth, sizeof words);
  // The sum of eight bytes, no two of which have a common bit, is the product's highest byte.
  constexpr uint64_t kOnes = 0x0101'0101'0101'0101;
  return words[0] * kOnes >> 56 | words[1] * kOnes >> 56 << 8;
#endif
}

// All ones where two bytes are equal.
[[nodiscard]] inline Vector16 equal(Vector16 a, Vector16 b) {
  return std::bit_cast<Vector16>(a == b);
}

[[nodiscard]] constexpr Vector16 sixteen(char c) {
  const auto b = static_cast<uint8_t>(c);
  return Vector16{b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
}

struct BlockMasks {
  uint64_t quotes = 0;
  uint64_t delimiters = 0;
  uint64_t line_ends = 0;
  uint64_t escapes = 0;
};

// The characters that split a text. Those that a text does not have are set to its delimiter.
struct Marks {
  char delimiter = ',';
  char quote = '"';
  char line_end = '\n';
  char escape = ',';
  bool skips_blanks = false;  // before an opening quote

  [[nodiscard]] bool has_quote() const { return quote != delimiter; }
  [[nodiscard]] bool has_escape() const { return escape != delimiter; }
  // A blank that is not a mark itself.
  [[nodiscard]] bool is_blank(char c) const {
    return (c == ' ' || c == '\t') && c != delimiter && c != quote && c != escape;
  }
};

// The bits of one byte among 64.
[[nodiscard]] inline uint64_t find_in_block(const char* text, char wanted) {
  uint64_t found = 0;
  for (uint32_t i = 0; i < kBlockBytes; i += sizeof(Vector16)) {
    Vector16 bytes;
    std::memcpy(&bytes, text + i, sizeof bytes);
    found |= bits_of(equal(bytes, sixteen(wanted))) << i;
  }
  return found;
}

// For the 64 bytes starting at `text`.
[[nodiscard]] inline BlockMasks look_at_block(const char* text, const Marks& marks) {
  BlockMasks masks;
  const Vector16 quote = sixteen(marks.quote);
  const Vector16 delimiter = sixteen(marks.delimiter);
  const Vector16 line_end = sixteen(marks.line_end);
  for (uint32_t i = 0; i < kBlockBytes; i += sizeof(Vector16)) {
    Vector16 bytes;
    std::memcpy(&bytes, text + i, sizeof bytes);
    masks.quotes |= bits_of(equal(bytes, quote)) << i;
    masks.delimiters |= bits_of(equal(bytes, delimiter)) << i;
    masks.line_ends |= bits_of(equal(bytes, line_end)) << i;
  }
  if (!marks.has_quote()) {
    masks.quotes = 0;
  }
  if (marks.has_escape()) {
    masks.escapes = find_in_block(text, marks.escape);
  }
  return masks;
}

// The number of bytes equal to this one.
[[nodiscard]] size_t count_bytes(const char* begin, const char* end, char wanted);

// Whether one of the marks, CR or LF is among the bytes.
[[nodiscard]] bool has_special(const char* begin, const char* end, const Marks& marks);
// The same for a scanner's field, after which there are at least 15 readable bytes.
[[nodiscard]] bool has_special_in_buffer(const char* text, size_t size, const Marks& marks);

}  // namespace bobbin::csv
