// SPDX-License-Identifier: Apache-2.0
#include "csv/blocks.hpp"

#include <algorithm>

namespace bobbin::csv {

size_t count_bytes(const char* begin, const char* end, char wanted) {
  size_t count = 0;
  constexpr ptrdiff_t kRun = 255 * sizeof(Vector16);  // as far as a byte can count
  while (end - begin >= static_cast<ptrdiff_t>(sizeof(Vector16))) {
    const char* const stop = begin + std::min<ptrdiff_t>(kRun, end - begin) / 16 * 16;
    Vector16 counts{};
    for (; begin < stop; begin += sizeof(Vector16)) {
      Vector16 bytes;
      std::memcpy(&bytes, begin, sizeof bytes);
      counts -= equal(bytes, sixteen(wanted));  // -1 where equal
    }
    for (size_t i = 0; i < sizeof(Vector16); ++i) {
      count += counts[i];
    }
  }
  return count + static_cast<size_t>(std::count(begin, end, wanted));
}

namespace {

// One bit for each of sixteen bytes.
uint64_t special_bits(const char* text, const Marks& marks) {
  Vector16 bytes;
  std::memcpy(&bytes, text, sizeof bytes);
  return bits_of(equal(bytes, sixteen(marks.delimiter)) | equal(bytes, sixteen(marks.quote)) |
                 equal(bytes, sixteen(marks.escape)) | equal(bytes, sixteen('\n')) |
                 equal(bytes, sixteen('\r')));
}

}  // namespace

bool has_special(const char* begin, const char* end, const Marks& marks) {
  for (; end - begin >= static_cast<ptrdiff_t>(sizeof(Vector16)); begin += sizeof(Vector16)) {
    if (special_bits(begin, marks) != 0) {
      return true;
    }
  }
  return std::any_of(begin, end, [&](char c) {
    return c == marks.delimiter || c == marks.quote || c == marks.escape || c == '\n' || c == '\r';
  });
}

bool has_special_in_buffer(const char* text, size_t size, const Marks& marks) {
  for (; size > sizeof(Vector16); text += sizeof(Vector16), size -= sizeof(Vector16)) {
    if (special_bits(text, marks) != 0) {
      return true;
    }
  }
  return (special_bits(text, marks) & ((uint64_t{1} << size) - 1)) != 0;
}

}  // namespace bobbin::csv
