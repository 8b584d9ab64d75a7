// SPDX-License-Identifier: Apache-2.0
// Checks what a chunk decodes to against the footer.
#pragma once

#include <cstdint>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "file/footer.hpp"

namespace bobbin::file {

// For a valid array, whose first string is row `first_row`. Dictionary strings are checked once each, not
// once per row: a few bytes can decode to gigabytes of strings.
[[nodiscard]] Status verify_strings(const Array& array, const StringZone& zone, uint64_t first_row,
                                    Backend backend);
// For a valid array of numbers.
[[nodiscard]] Status verify_numbers(const Array& array, const Chunk& chunk, Backend backend);

}  // namespace bobbin::file
