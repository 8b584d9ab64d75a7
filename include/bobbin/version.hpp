// SPDX-License-Identifier: Apache-2.0
// The versions of the library and of the files that it writes.
#pragma once

#include "bobbin/version.h"

namespace bobbin {

// The container format this library writes, and the range it reads. Separate from the library's version.
inline constexpr unsigned kFormatVersion = 2;
inline constexpr unsigned kMinReadableFormat = 1;

}  // namespace bobbin
