// SPDX-License-Identifier: Apache-2.0
// Which strings have values: the bits that codecs of strings store. No bits: all have.
#pragma once

#include <cstdint>
#include <vector>

#include "bobbin/strings.hpp"
#include "codecs/codec.hpp"

namespace bobbin::codec {

// Bits for the strings only; empty if there are no nulls. Fails if a null has bytes.
[[nodiscard]] Result<std::vector<uint8_t>> tidy_validity(const StringsView& strings);
// The bits of an array's strings, from the buffer that holds them.
[[nodiscard]] std::vector<uint8_t> validity_in(const Array& array, size_t buffer);

}  // namespace bobbin::codec
