// SPDX-License-Identifier: Apache-2.0
// XXH3-64, compiled for two kinds of CPU. Only plain types here: inline functions of a file compiled for AVX2
// must not become the copy that all files use.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace bobbin::file {

struct ChecksumKernels {
  uint64_t (*of)(const void* bytes, size_t size);
  void (*begin)(void* state);
  void (*add)(void* state, const void* bytes, size_t size);
  uint64_t (*value)(const void* state);
};

extern const ChecksumKernels kChecksumOnAnyCpu;
extern const ChecksumKernels kChecksumOnAvx2;  // on other processors than x86-64: the same as the other one

}  // namespace bobbin::file
