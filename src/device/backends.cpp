// SPDX-License-Identifier: Apache-2.0
#include "device/backends.hpp"

#include <string>

namespace bobbin {

Status missing_backend(Backend backend) {
  const char* option = backend == Backend::cuda ? "BOBBIN_CUDA" : "BOBBIN_EMULATOR";
  return {StatusCode::unavailable, "the " + std::string(to_string(backend)) +
                                       " backend is not in this build; configure with -D" + option + "=ON"};
}

}  // namespace bobbin
