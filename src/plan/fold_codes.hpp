// SPDX-License-Identifier: Apache-2.0
// Counts rows and sums integers by dictionary code.
#pragma once

#include <cstdint>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "codecs/codec.hpp"
#include "plan/fold_codes_kernel.hpp"

namespace bobbin::plan {

struct CodeTotal {
  uint64_t count = 0;
  Int128 sum = 0;  // exact

  friend bool operator==(const CodeTotal&, const CodeTotal&) = default;
};

// For each of `entries` codes (at least one), over the rows that a bitmap selects; codes above the last mean
// the last. Bit offset + i of `rows`, with the offset of `codes`, selects row i; there are words for whole
// vectors. `values` are integers without nulls, as many as codes.
[[nodiscard]] std::vector<CodeTotal> fold_codes(const Array& codes, const Array& values, const uint32_t* rows,
                                                uint64_t entries);
// The same for arrays and a bitmap in device memory. Waits for the stream.
[[nodiscard]] Result<std::vector<CodeTotal>> fold_codes_on_device(const Array& codes, const Array& values,
                                                                  const uint32_t* rows, uint64_t entries,
                                                                  StreamView stream);

// device_groups.cu
template <Backend kBackend, class Code>
Status fold_codes_on(const FoldCodesKernel<Code>& kernel, StreamView stream);

}  // namespace bobbin::plan
