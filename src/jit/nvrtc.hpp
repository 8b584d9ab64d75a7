// SPDX-License-Identifier: Apache-2.0
// NVIDIA's run-time compiler, libnvrtc: loaded when first needed, so that a build or machine without it
// works.
#pragma once

#include <cstddef>
#include <string>

#include "bobbin/status.hpp"

namespace bobbin::jit {

// The functions of libnvrtc that we call, with nvrtc.h's types written out: a build needs no CUDA toolkit.
struct Nvrtc {
  using Program = void*;

  int (*get_version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  int (*create)(Program* program, const char* source, const char* name, int num_headers,
                const char* const* headers, const char* const* header_names) = nullptr;
  int (*destroy)(Program* program) = nullptr;
  int (*compile)(Program program, int num_options, const char* const* options) = nullptr;
  int (*log_size)(Program program, size_t* size) = nullptr;
  int (*log)(Program program, char* log) = nullptr;
  int (*cubin_size)(Program program, size_t* size) = nullptr;
  int (*cubin)(Program program, char* cubin) = nullptr;

  std::string name;     // what was loaded, for messages
  std::string file;     // the same as a path
  std::string version;  // "13.0"
};

// The value of BOBBIN_NVRTC, the path of the library to load; empty if it is not set.
[[nodiscard]] std::string named_nvrtc();

// The library, loaded by the first call: BOBBIN_NVRTC if that is set, otherwise the first of the usual names
// and folders. `unavailable` if there is none; later calls then return the same error. Loading takes about 20
// ms.
[[nodiscard]] Result<const Nvrtc*> nvrtc();
[[nodiscard]] bool nvrtc_is_loaded();

}  // namespace bobbin::jit
