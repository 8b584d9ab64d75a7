// SPDX-License-Identifier: Apache-2.0
#include "jit/nvrtc.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <utility>
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
  if (const std::string named = named_nvrtc(); !named.empty()) {
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
  return find(library, "nvrtcVersion", to.get_version) &&
         find(library, "nvrtcGetErrorString", to.error_string) &&
         find(library, "nvrtcCreateProgram", to.create) && find(library, "nvrtcDestroyProgram", to.destroy) &&
         find(library, "nvrtcCompileProgram", to.compile) &&
         find(library, "nvrtcGetProgramLogSize", to.log_size) &&
         find(library, "nvrtcGetProgramLog", to.log) && find(library, "nvrtcGetCUBINSize", to.cubin_size) &&
         find(library, "nvrtcGetCUBIN", to.cubin);
}

// Why a library cannot be used, or nothing.
std::string use(void* library, const std::string& name, Nvrtc& to) {
  if (!find_all(library, to)) {
    return name + " lacks functions of NVRTC";
  }
  int major = 0;
  int minor = 0;
  to.get_version(&major, &minor);
  to.version = std::to_string(major) + '.' + std::to_string(minor);
  // Older ones do not know the kind of inline assembly that simt/cuda_atomic.cuh is made of.
  if (std::pair(major, minor) < std::pair(12, 8)) {
    return name + " is NVRTC " + to.version + ", and 12.8 is needed";
  }
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(to.get_version), &info) != 0;
  to.name = name;
  to.file = found && info.dli_fname != nullptr ? info.dli_fname : name;
  return {};
}

// The library is never closed: kernels may be compiled until the process ends.
Result<Nvrtc> load() {
  std::string reason;
  for (const std::string& name : candidates()) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const error = dlerror();
      reason = reason.empty() && error != nullptr ? error : reason;
      continue;
    }
    Nvrtc found;
    const std::string problem = use(library, name, found);
    if (problem.empty()) {
      return found;
    }
    reason = problem;
    dlclose(library);
  }
  return Status(StatusCode::unavailable,
                "kernels cannot be compiled at run time without libnvrtc, NVIDIA's run-time compiler (" +
                    reason + "); install it, or set BOBBIN_NVRTC to its path");
}

std::atomic<bool> is_loaded = false;

}  // namespace

std::string named_nvrtc() {
  const char* const named = std::getenv("BOBBIN_NVRTC");
  return named == nullptr ? "" : named;
}

Result<const Nvrtc*> nvrtc() {
  static const Result<Nvrtc> loaded = load();
  if (!loaded.has_value()) {
    return loaded.error();
  }
  is_loaded = true;
  return &*loaded;
}

bool nvrtc_is_loaded() {
  return is_loaded;
}

}  // namespace bobbin::jit
