// SPDX-License-Identifier: Apache-2.0
// The size of the file that a .bob file was made from, kept in its metadata.
#pragma once

#include <cstdint>
#include <optional>

#include "bobbin/file.hpp"

namespace bobbin::cli {

[[nodiscard]] Status note_source_bytes(Writer& writer, uint64_t bytes);
// Nothing where the metadata does not say, or has something else than a number.
[[nodiscard]] std::optional<uint64_t> source_bytes(const Metadata& metadata);

}  // namespace bobbin::cli
