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

bool has_special(const char* begin, const char* end, const Marks& marks) {
  const Vector16 delimiter = sixteen(marks.delimiter);
  const Vector16 quote = sixteen(marks.quote);
  const Vector16 escape = sixteen(marks.escape);
  for (; end - begin >= static_cast<ptrdiff_t>(sizeof(Vector16)); begin += sizeof(Vector16)) {
    Vector16 bytes;
    std::memcpy(&bytes, begin, sizeof bytes);
    const Vector16 found = equal(bytes, delimiter) | equal(bytes, quote) | equal(bytes, escape) |
                           equal(bytes, sixteen('\n')) | equal(bytes, sixteen('\r'));
    if (bits_of(found) != 0) {
      return true;
    }
  }
  return std::any_of(begin, end, [&](char c) {
    return c == marks.delimiter || c == marks.quote || c == marks.escape || c == '\n' || c == '\r';
  });
}

}  // namespace bobbin::csv
