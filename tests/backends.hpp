// SPDX-License-Identifier: Apache-2.0
// Tests that also run GPU kernels in the emulator. A build may leave that out.
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

// First in a test that is about the emulator.
#define SKIP_WITHOUT_EMULATOR() \
  if (!::bobbin::kHasEmulator) GTEST_SKIP() << "this build has no emulator"
