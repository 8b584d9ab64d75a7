// SPDX-License-Identifier: Apache-2.0
// The choice of an encoding for a column chunk: the codec with the smallest estimate. Deterministic; ties go
// to the lower codec id.
#pragma once

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin::select {

[[nodiscard]] const Codec& choose(const Values& values);
// Encodes with the choice; the bytes are the same on every backend.
[[nodiscard]] Result<Array> encode(const Values& values, Backend backend);

}  // namespace bobbin::select
