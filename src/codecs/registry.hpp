// SPDX-License-Identifier: Apache-2.0
// The table from wire ids to codecs.
#pragma once

#include <span>

#include "codecs/codec.hpp"

namespace bobbin {

// Every codec of this build, by ascending id.
[[nodiscard]] std::span<const Codec* const> all_codecs();
// Those that can encode fixed-size values: all but the ones only for strings and for nulls.
[[nodiscard]] std::span<const Codec* const> value_codecs();

// Null for an id this build does not know.
[[nodiscard]] const Codec* find_codec(CodecId id);
[[nodiscard]] const Codec* find_codec(std::string_view name);

// The codec's functions on `cuda` or `emulator`. Null for `cpu`, and if the build does not have the backend.
[[nodiscard]] const DeviceOps* device_ops(Backend backend, CodecId id);

}  // namespace bobbin
