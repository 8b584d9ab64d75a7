// SPDX-License-Identifier: Apache-2.0
// Values and counts as people and as JSON read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/report.hpp"
#include "bobbin/types.hpp"

namespace bobbin::cli {

using bench::Json;

// A float as the shortest decimal that reads back as the same float of its type.
[[nodiscard]] std::string to_text(DType type, Scalar scalar);
// A number; text for infinity and NaN, which JSON's numbers lack.
[[nodiscard]] Json to_json(DType type, Scalar scalar);

// "1 column", "2 columns"
[[nodiscard]] std::string count(uint64_t number, std::string_view noun);
// raw / stored; 0 when nothing is stored.
[[nodiscard]] double ratio(uint64_t raw_bytes, uint64_t stored_bytes);
// "4.00"; "-" when there is nothing to compare.
[[nodiscard]] std::string ratio_text(uint64_t raw_bytes, uint64_t stored_bytes);

// Writes text to stdout; main checks stdout once, at the end.
void print(std::string_view text);

}  // namespace bobbin::cli
