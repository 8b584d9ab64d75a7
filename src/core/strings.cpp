// SPDX-License-Identifier: Apache-2.0
#include "bobbin/strings.hpp"

#include <cstring>

namespace bobbin {

uint64_t StringsView::containing(uint64_t position) const {
  uint64_t low = 0;
  for (uint64_t high = length; low + 1 < high;) {
    const uint64_t middle = low + (high - low) / 2;
    (offset(middle) <= position ? low : high) = middle;
  }
  return low;
}

namespace {

void set_validity(Strings& strings, uint64_t i, bool valid) {
  if (valid && strings.validity.empty()) {
    return;  // no bits are stored as long as no string is null
  }
  const uint64_t before = strings.validity.size() * 8;
  strings.validity.resize(i / 8 + 1);
  if (before == 0) {
    for (uint64_t earlier = 0; earlier < i; ++earlier) {
      strings.validity[earlier / 8] =
          static_cast<uint8_t>(strings.validity[earlier / 8] | 1U << (earlier % 8));
    }
  }
  strings.validity[i / 8] = static_cast<uint8_t>(strings.validity[i / 8] | (valid ? 1U : 0U) << (i % 8));
}

}  // namespace

void Strings::push_back(std::span<const uint8_t> string) {
  if (!string.empty()) {
    const size_t before = bytes.size();
    bytes.resize(before + string.size());
    std::memcpy(bytes.data() + before, string.data(), string.size());
  }
  finish_string();
}

void Strings::finish_string() {
  set_validity(*this, length(), true);
  offsets.push_back(bytes.size());
}

void Strings::push_null() {
  set_validity(*this, length(), false);
  offsets.push_back(bytes.size());
}

}  // namespace bobbin
