// SPDX-License-Identifier: Apache-2.0
#include "cli/format.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace bobbin::cli {
namespace {

// A scalar holds its value's bits zero-extended: bring the sign to the top, and back down.
int64_t signed_value(DType type, Scalar value) {
  const uint32_t unused = 64 - size_bits(type);
  return static_cast<int64_t>(value.bits << unused) >> unused;
}

}  // namespace

std::string to_text(DType type, Scalar value) {
  return is_signed(type) ? std::to_string(signed_value(type, value)) : std::to_string(value.bits);
}

Json to_json(DType type, Scalar value) {
  return is_signed(type) ? Json(signed_value(type, value)) : Json(value.bits);
}

bool less(DType type, Scalar a, Scalar b) {
  return is_signed(type) ? signed_value(type, a) < signed_value(type, b) : a.bits < b.bits;
}

std::string count(uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

double ratio(uint64_t raw_bytes, uint64_t stored_bytes) {
  if (stored_bytes == 0) {
    return 0;
  }
  // Two digits, so that the text and the JSON say the same.
  return std::round(100 * static_cast<double>(raw_bytes) / static_cast<double>(stored_bytes)) / 100;
}

std::string ratio_text(uint64_t raw_bytes, uint64_t stored_bytes) {
  return raw_bytes == 0 || stored_bytes == 0 ? "-" : fmt::format("{:.2f}", ratio(raw_bytes, stored_bytes));
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace bobbin::cli
