// SPDX-License-Identifier: Apache-2.0
// The headers that kernels compiled at run time include: those of this project and the shims of
// src/jit/shims, which replace the standard library. cmake/embed_headers.cmake generates the definitions at
// build time.
#pragma once

#include <span>

namespace bobbin::jit {

struct Header {
  const char* name;  // as #include lines write it
  const char* text;
};

[[nodiscard]] std::span<const Header> headers();

}  // namespace bobbin::jit
