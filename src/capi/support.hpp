// SPDX-License-Identifier: Apache-2.0
// What all functions of the C interface share: errors, and arguments that become C++ types.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "bobbin/bobbin.h"
#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/version.hpp"

namespace bobbin::capi {

// ---- Errors ----

struct LastError {
  std::string text;
  const char* shown = "";
};

inline LastError& last_error() {
  thread_local LastError error;
  return error;
}

inline bobbin_status fail(bobbin_status code, const char* message) noexcept {
  LastError& error = last_error();
  try {
    error.text = message;
    error.shown = error.text.c_str();
  } catch (...) {
    error.shown = "out of memory";
  }
  return code;
}

// Runs a function that returns a Status. Every function of the interface that can fail goes through here.
template <class F>
bobbin_status guarded(F body) noexcept {
  try {
    const Status status = body();
    return status.ok() ? bobbin_status{BOBBIN_OK}
                       : fail(static_cast<bobbin_status>(status.code()), status.message().c_str());
  } catch (const std::bad_alloc&) {
    return fail(BOBBIN_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(BOBBIN_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(BOBBIN_ERROR_INTERNAL, "an unknown exception");
  }
}

// ---- Arguments ----

// The enumerator with this number. Checked before the cast: 256 would become 0.
template <class E>
Result<E> to_enum(uint32_t number, E first, E last, const char* what) {
  BOBBIN_RETURN_IF(number < static_cast<uint32_t>(first) || number > static_cast<uint32_t>(last),
                   StatusCode::invalid_argument, std::to_string(number) + " is not a valid " + what);
  return static_cast<E>(number);
}

inline Result<StreamView> to_stream(bobbin_backend number, void* cuda_stream) {
  BOBBIN_ASSIGN(const Backend backend, to_enum(number, Backend::cpu, Backend::emulator, "backend"));
  BOBBIN_RETURN_IF(backend == Backend::cuda && cuda_stream == nullptr, StatusCode::invalid_argument,
                   "there is no default stream: give one, or cudaStreamLegacy");
  BOBBIN_RETURN_IF(backend != Backend::cuda && cuda_stream != nullptr, StatusCode::invalid_argument,
                   "a CUDA stream was given for the " + std::string(to_string(backend)) + " backend");
  return StreamView(backend, cuda_stream);
}

class CallersMemory final : public MemoryResource {
 public:
  explicit CallersMemory(const bobbin_memory_resource& functions) : functions_(functions) {}

  Result<void*> allocate(size_t bytes, StreamView stream) override {
    void* data = functions_.allocate(functions_.context, bytes, to_number(stream.backend()), stream.handle());
    BOBBIN_RETURN_IF(data == nullptr, StatusCode::out_of_memory,
                     "the caller's memory resource could not allocate " + std::to_string(bytes) + " bytes");
    if (reinterpret_cast<uintptr_t>(data) % kAlignment != 0) {
      deallocate(data, bytes, stream);
      return Status(StatusCode::invalid_argument,
                    "the caller's memory resource returned memory that is not aligned to 256 bytes");
    }
    return data;
  }
  void deallocate(void* data, size_t bytes, StreamView stream) noexcept override {
    functions_.deallocate(functions_.context, data, bytes, to_number(stream.backend()), stream.handle());
  }

 private:
  static constexpr uintptr_t kAlignment = 256;  // what MemoryResource promises

  static bobbin_backend to_number(Backend backend) { return static_cast<bobbin_backend>(backend); }

  bobbin_memory_resource functions_;
};

inline Result<std::optional<CallersMemory>> to_memory(const bobbin_memory_resource* functions) {
  if (functions == nullptr) {
    return std::optional<CallersMemory>();
  }
  BOBBIN_RETURN_IF(functions->allocate == nullptr || functions->deallocate == nullptr,
                   StatusCode::invalid_argument, "the memory resource lacks allocate or deallocate");
  return std::optional<CallersMemory>(*functions);
}

// ---- A struct that the caller may know from an older or newer header than ours ----

inline constexpr uint32_t kMaxOptionsSize = 4096;  // if larger, `size` was never set

// Fields missing from the caller's struct keep their defaults; fields unknown to us must be zero, which means
// the default too. `first_size` is the struct's size in the first version that had it.
template <class T>
Result<T> copy_options(const T* given, T options, uint32_t first_size, const std::string& what,
                       const char* initial) {
  if (given == nullptr) {
    return options;
  }
  const uint32_t size = given->size;
  BOBBIN_RETURN_IF(size < first_size || size > kMaxOptionsSize, StatusCode::invalid_argument,
                   what + ": size is " + std::to_string(size) + " instead of " +
                       std::to_string(sizeof(options)) + ": begin with " + initial);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  const bool unknown_set = size > sizeof(options) && std::any_of(bytes + sizeof(options), bytes + size,
                                                                 [](unsigned char b) { return b != 0; });
  BOBBIN_RETURN_IF(unknown_set, StatusCode::unsupported,
                   what + ": an option is set that version " BOBBIN_VERSION " does not have");
  std::memcpy(&options, given, std::min<size_t>(size, sizeof(options)));
  return options;
}

}  // namespace bobbin::capi
