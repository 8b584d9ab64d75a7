// SPDX-License-Identifier: Apache-2.0
// Arrays of `ans` with short segments, so that few values are enough for large blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "codecs/ans/ans.hpp"
#include "tests/codecs/checks.hpp"

namespace bobbin::testing {

// Decodes such an array of some layout, and a slice of it, on a backend. Returns what is wrong.
inline std::string check_short_segments(Backend backend, uint32_t bits, uint64_t length, Random& random) {
  std::vector<uint8_t> values(length);
  for (uint8_t& value : values) {
    value = static_cast<uint8_t>(random.below(random.below(200) + 1));
  }
  const Array array =
      *codec::ans::encode_with({.bits = bits, .segment_log = 10}, {DType::u8, values.data(), values.size()});
  const uint64_t begin = random.below(1500);
  const std::string problem = check_any_array(array, backend);
  return !problem.empty()
             ? problem
             : check_any_array(*array::slice(array, begin, length - begin - random.below(1500)), backend);
}

}  // namespace bobbin::testing
