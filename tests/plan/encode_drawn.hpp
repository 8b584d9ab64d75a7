// SPDX-License-Identifier: Apache-2.0
// Columns of drawn values for the checks of queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Values that draw() returns.
template <class T, class Draw>
Array encode_drawn(CodecId codec, Draw&& draw, uint64_t rows) {
  std::vector<T> values(rows);
  for (T& value : values) {
    value = static_cast<T>(draw());
  }
  return *find_codec(codec)->encode({kDTypeOf<T>, values.data(), values.size()});
}

// A quarter of the rows are null.
inline Array with_nulls(Array values, Random& random) {
  std::vector<uint8_t> valid((values.length + 7) / 8);
  std::ranges::generate(valid, [&] { return static_cast<uint8_t>(random.next() | random.next()); });
  return *codec::masked::wrap(std::move(values), valid.data());
}

}  // namespace bobbin::testing
