// SPDX-License-Identifier: Apache-2.0
#include "cli/format.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/scalar.hpp"

namespace bobbin::cli {
namespace {

// The double nearest to a float's shortest decimal: JSON's writer then shows that decimal again, where the
// float itself, seen as a double, would take seventeen digits.
double read_back(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string to_text(DType type, Scalar scalar) {
  return visit_type(type,
                    [&]<class T>(std::type_identity<T>) { return fmt::format("{}", value_of<T>(scalar)); });
}

Json to_json(DType type, Scalar scalar) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> Json {
    if constexpr (std::is_floating_point_v<T>) {
      const std::string text = to_text(type, scalar);
      return std::isfinite(value_of<T>(scalar)) ? Json(read_back(text)) : Json(text);
    } else {
      return value_of<T>(scalar);
    }
  });
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
