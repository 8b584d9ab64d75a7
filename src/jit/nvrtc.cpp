// SPDX-License-Identifier: Apache-2.0
#include "jit/nvrtc.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace bobbin::jit {
namespace {

// The folder that contains the folder of this library or program: NVIDIA's Python packages are installed next
// to ours.
std::string folder_of_packages() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&nvrtc), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::string_view path = info.dli_fname;
  for (int i = 0; i < 2; ++i) {
    path = path.substr(0, std::string_view::npos == path.rfind('/') ? 0 : path.rfind('/'));
  }
  return std::string(path);
}

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("BOBBIN_NVRTC"); named != nullptr && *named != '\0') {
    return {named};
  }
  std::vector<std::string> names{"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
  for (const char* folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"}) {
    names.push_back(std::string(folder) + "libnvrtc.so");
  }
  if (const std::string packages = folder_of_packages(); !packages.empty()) {
    names.push_back(packages + "/nvidia/cu13/lib/libnvrtc.so.13");
    names.push_back(packages + "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  }
  return names;
}

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

// False if one is missing.
bool find_all(void* library, Nvrtc& to) {
  return find(library, "nvrtcVersion", to.version) && find(library, "nvrtcGetErrorString", to.error_string) &&
         find(library, "nvrtcCreateProgram", to.create) && find(library, "nvrtcDestroyProgram", to.destroy) &&
         find(library, "nvrtcCompileProgram", to.compile) &&
         find(library, "nvrtcGetProgramLogSize", to.log_size) &&
         find(library, "nvrtcGetProgramLog", to.log) && find(library, "nvrtcGetCUBINSize", to.cubin_size) &&
         find(library, "nvrtcGetCUBIN", to.cubin);
}

// The library is never closed: kernels may be compiled until the process ends.
Result<Nvrtc> load() {
  const std::vector<std::string> names = candidates();
  std::string reason;
  for (const std::string& name : names) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const error = dlerror();
      reason = reason.empty() && error != nullptr ? error : reason;
      continue;
    }
    Nvrtc found;
    if (find_all(library, found)) {
      found.path = name;
      return found;
    }
    reason = name + " lacks functions of NVRTC 12";
    dlclose(library);
  }
  return Status(StatusCode::unavailable,
                "kernels cannot be compiled at run time without libnvrtc, NVIDIA's run-time compiler (" +
                    reason + "); install it, or set BOBBIN_NVRTC to its path");
}

}  // namespace

Result<const Nvrtc*> nvrtc() {
  static const Result<Nvrtc> loaded = load();
  if (!loaded.has_value()) {
    return loaded.error();
  }
  return &*loaded;
}

}  // namespace bobbin::jit
