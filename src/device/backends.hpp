// SPDX-License-Identifier: Apache-2.0
// The back ends of this build. Device operations of a layer are templates over the back end: declared in a
// header, and compiled from one .cu file, by nvcc for the GPU and by the host's compiler for the emulator.
#pragma once

#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

inline constexpr bool kHasCuda = BOBBIN_HAS_CUDA != 0;
inline constexpr bool kHasEmulator = BOBBIN_HAS_EMULATOR != 0;

[[nodiscard]] constexpr bool has_backend(Backend backend) {
  return backend == Backend::cpu || (backend == Backend::cuda ? kHasCuda : kHasEmulator);
}

// The error for a back end that is not in this build; it says how to configure one.
[[nodiscard]] Status missing_backend(Backend backend);

// The pointer that `pick.template operator()<kBackend>()` returns: a function or a table of functions for one
// device back end. Null for the CPU, and if the build does not have the back end.
template <class Pick>
auto on_backend(Backend backend, Pick pick) -> decltype(pick.template operator()<Backend::emulator>()) {
  if constexpr (kHasCuda) {
    if (backend == Backend::cuda) {
      return pick.template operator()<Backend::cuda>();
    }
  }
  if constexpr (kHasEmulator) {
    if (backend == Backend::emulator) {
      return pick.template operator()<Backend::emulator>();
    }
  }
  return nullptr;
}

}  // namespace bobbin
