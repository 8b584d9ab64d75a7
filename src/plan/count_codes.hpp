// SPDX-License-Identifier: Apache-2.0
// Counts rows by their dictionary code.
#pragma once

#include <cstdint>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "codecs/codec.hpp"

namespace bobbin::plan {

// How often each of `entries` codes (at least one) occurs among the rows that a bitmap selects; codes above
// the last count as the last. Bit offset + i of `rows` selects row i; there are words for whole vectors.
[[nodiscard]] std::vector<uint64_t> count_codes(const Array& codes, const uint32_t* rows, uint64_t entries);
// The same for codes and a bitmap in device memory. Waits for the stream.
[[nodiscard]] Result<std::vector<uint64_t>> count_codes_on_device(const Array& codes, const uint32_t* rows,
                                                                  uint64_t entries, StreamView stream);

}  // namespace bobbin::plan
