// SPDX-License-Identifier: Apache-2.0
// Encoding trees nested in any allowed way, whether or not our encoders make such trees.
#pragma once

#include <string>

#include "codecs/codec.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Up to three nested codecs, of any type and up to a few thousand values, with or without nulls. The array is
// valid.
[[nodiscard]] Array draw_cascade(Random& random);

// Such as "patched(alp(ffor))".
[[nodiscard]] std::string name_of(const Array& array);

}  // namespace bobbin::testing
