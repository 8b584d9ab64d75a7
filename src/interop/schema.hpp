// SPDX-License-Identifier: Apache-2.0
// The key-value text of Arrow's C data interface.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bobbin/file.hpp"

namespace bobbin::interop {

// A count, then for each pair the sizes and bytes of key and value; sizes are 32-bit integers.
[[nodiscard]] std::string pack_metadata(const Metadata& metadata);
// Null: none. Entries with a negative size end the list: nothing after them can be found.
[[nodiscard]] Metadata unpack_metadata(const char* packed);
// The same of bytes that may be anything; nothing if they are not what pack_metadata() writes.
[[nodiscard]] std::optional<Metadata> parse_metadata(std::string_view packed);

}  // namespace bobbin::interop
