// SPDX-License-Identifier: Apache-2.0
// The process's memory.
#pragma once

#include <cstdint>

namespace bobbin::cli {

// For work on an input of this size: asks for a heap in large pages, which the system provides and clears in
// one step, where 4 KiB pages take a tenth of the time that a table of some megabytes takes. No effect on
// small inputs, or if the system has no such pages.
void use_large_pages(uint64_t input_bytes);

}  // namespace bobbin::cli
