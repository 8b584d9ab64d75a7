// SPDX-License-Identifier: Apache-2.0
// The one table: wire id to codec.
#pragma once

#include <span>

#include "codecs/codec.hpp"

namespace bobbin {

// Every codec of this build, by ascending id.
[[nodiscard]] std::span<const Codec* const> all_codecs();
// Those that encode values of one size by themselves: all but the ones for strings alone and for nulls.
[[nodiscard]] std::span<const Codec* const> value_codecs();

// Null for an id this build does not know.
[[nodiscard]] const Codec* find_codec(CodecId id);
[[nodiscard]] const Codec* find_codec(std::string_view name);

// What the codec offers on `cuda` or `emulator`. Null for `cpu`, and where the build does not have the
// backend.
[[nodiscard]] const DeviceOps* device_ops(Backend backend, CodecId id);

}  // namespace bobbin
