// SPDX-License-Identifier: Apache-2.0
// What a chunk of strings decodes to, held against what the footer says of it.
#pragma once

#include <cstdint>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin::file {

// Of a valid array, whose first string is row `first_row`. Strings of a dictionary are looked at once each,
// not once for each row: a few bytes can decode to gigabytes of strings.
[[nodiscard]] Status verify_strings(const Array& array, const StringZone& zone, uint64_t first_row,
                                    Backend backend);

}  // namespace bobbin::file
