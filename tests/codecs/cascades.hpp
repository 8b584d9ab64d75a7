// SPDX-License-Identifier: Apache-2.0
// Trees of codecs that build on each other in any way they may, whether an encoder of ours makes such trees
// or not.
#pragma once

#include <string>

#include "codecs/codec.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Up to three codecs on top of each other, of any type and up to a few thousand values, with nulls or
// without. It is valid.
[[nodiscard]] Array draw_cascade(Random& random);

// Such as "patched(alp(ffor))".
[[nodiscard]] std::string name_of(const Array& array);

}  // namespace bobbin::testing
