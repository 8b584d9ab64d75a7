// SPDX-License-Identifier: Apache-2.0
// For tests that also run GPU kernels in the emulator, which a build may not have.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "device/backends.hpp"

namespace bobbin::testing {

// Those that need no GPU.
inline std::vector<Backend> backends_here() {
  return kHasEmulator ? std::vector{Backend::cpu, Backend::emulator} : std::vector{Backend::cpu};
}

}  // namespace bobbin::testing

// Must come first in a test of the emulator.
#define SKIP_WITHOUT_EMULATOR() \
  if (!::bobbin::kHasEmulator) GTEST_SKIP() << "this build has no emulator"
