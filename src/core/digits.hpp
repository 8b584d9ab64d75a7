// SPDX-License-Identifier: Apache-2.0
// Parses decimal digits, eight at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bobbin {

static_assert(std::endian::native == std::endian::little, "the first character is the lowest byte");

inline constexpr uint64_t kPowersOfTen[] = {1,
                                            10,
                                            100,
                                            1'000,
                                            10'000,
                                            100'000,
                                            1'000'000,
                                            10'000'000,
                                            100'000'000,
                                            1'000'000'000,
                                            10'000'000'000,
                                            100'000'000'000,
                                            1'000'000'000'000,
                                            10'000'000'000'000,
                                            100'000'000'000'000,
                                            1'000'000'000'000'000,
                                            10'000'000'000'000'000,
                                            100'000'000'000'000'000,
                                            1'000'000'000'000'000'000,
                                            10'000'000'000'000'000'000U};

[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Up to eight characters in the high bytes of a word, padded with '0' in the low bytes.
[[nodiscard]] inline uint64_t load_digits(const char* text, size_t size) {
  uint64_t word = 0;
  if (size >= 4) {  // two overlapping halves
    uint32_t low = 0;
    uint32_t high = 0;
    std::memcpy(&low, text, 4);
    std::memcpy(&high, text + size - 4, 4);
    word = uint64_t{high} << 32 | uint64_t{low} << (8 * (8 - size));
  } else {
    for (size_t i = 0; i < size; ++i) {
      word = word >> 8 | uint64_t{static_cast<uint8_t>(text[i])} << 56;
    }
  }
  return size == 8 ? word : word | 0x3030'3030'3030'3030 >> (8 * size);
}

[[nodiscard]] constexpr bool all_digits(uint64_t word) {
  return (((word + 0x4646'4646'4646'4646) | (word - 0x3030'3030'3030'3030)) & 0x8080'8080'8080'8080) == 0;
}

// Eight digits as numbers from 0 to 9, the first in the lowest byte: combines pairs, then fours, then all
// eight.
[[nodiscard]] constexpr uint64_t join_digits(uint64_t digits) {
  digits = digits * 10 + (digits >> 8);
  const uint64_t low = (digits & 0x0000'00ff'0000'00ff) * 0x000f'4240'0000'0064;
  const uint64_t high = (digits >> 16 & 0x0000'00ff'0000'00ff) * 0x0000'2710'0000'0001;
  return (low + high) >> 32;
}

// The same for characters.
[[nodiscard]] constexpr uint64_t value_of_digits(uint64_t word) {
  return join_digits(word - 0x3030'3030'3030'3030);
}

// The value of 1 to 19 digits, which fits 64 bits. False if a character is not a digit.
[[nodiscard]] inline bool parse_digits(const char* text, size_t size, uint64_t& value) {
  value = 0;
  const size_t head = (size - 1) % 8 + 1;
  const uint64_t first = load_digits(text, head);
  bool fine = all_digits(first);
  value = value_of_digits(first);
  for (size_t i = head; i < size; i += 8) {
    const uint64_t word = load_digits(text + i, 8);
    fine = fine && all_digits(word);
    value = value * 100'000'000 + value_of_digits(word);
  }
  return fine;
}

}  // namespace bobbin
