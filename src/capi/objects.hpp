// SPDX-License-Identifier: Apache-2.0
// Objects that the C interface hands out.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/bobbin.h"
#include "bobbin/encoded_array.hpp"
#include "bobbin/encoded_batch.hpp"
#include "bobbin/encoding.hpp"
#include "bobbin/status.hpp"
#include "capi/support.hpp"

// Names and namespace are given by the C header.
struct bobbin_bytes {  // NOLINT(readability-identifier-naming)
  std::vector<std::byte> bytes;
};

struct bobbin_array {  // NOLINT(readability-identifier-naming)
  bobbin::EncodedArray array;
  std::string codec;
};

struct bobbin_batch {  // NOLINT(readability-identifier-naming)
  bobbin::EncodedBatch batch;
};

namespace bobbin::capi {

// A new object for the caller.
template <class T>
T* new_object(T value) {
  return std::make_unique<T>(std::move(value)).release();
}

inline bobbin_array* handed_over(EncodedArray array) {
  std::string codec = to_string(array.cascade());
  return new_object(bobbin_array{std::move(array), std::move(codec)});
}
inline bobbin_batch* handed_over(EncodedBatch batch) {
  return new_object(bobbin_batch{std::move(batch)});
}
inline bobbin_bytes* handed_over(std::vector<std::byte> bytes) {
  return new_object(bobbin_bytes{std::move(bytes)});
}

// Runs a function that makes an object, where *to is null unless it succeeds.
template <class T, class F>
bobbin_status guarded_maker(T** to, F body) noexcept {
  return guarded([&]() -> Status {
    BOBBIN_RETURN_IF(to == nullptr, StatusCode::invalid_argument, "the pointer to the result is null");
    *to = nullptr;
    BOBBIN_ASSIGN(T * made, body());
    *to = made;
    return {};
  });
}

// Fails if a pointer that the caller has to give is null.
inline Status check_given(const void* pointer, const char* what) {
  BOBBIN_RETURN_IF(pointer == nullptr, StatusCode::invalid_argument, std::string(what) + " is null");
  return {};
}

inline Result<std::optional<Cascade>> to_cascade(const char* codec) {
  if (codec == nullptr) {
    return std::optional<Cascade>();
  }
  BOBBIN_ASSIGN(Cascade cascade, parse_cascade(codec));
  return std::optional(std::move(cascade));
}

// A stream of a device: the CPU has none.
inline Result<StreamView> to_device_stream(bobbin_backend backend, void* cuda_stream) {
  BOBBIN_ASSIGN(const StreamView stream, to_stream(backend, cuda_stream));
  BOBBIN_RETURN_IF(stream.backend() == Backend::cpu, StatusCode::invalid_argument,
                   "expected the cuda or the emulator backend, found cpu");
  return stream;
}

inline Status check_size(size_t given, uint64_t needed) {
  BOBBIN_RETURN_IF(given != needed, StatusCode::invalid_argument,
                   "the output has " + std::to_string(given) + " bytes, expected " + std::to_string(needed));
  return {};
}

// Memory for results, which may be null if it is empty.
inline Result<std::span<std::byte>> to_output(void* out, size_t bytes) {
  BOBBIN_RETURN_IF(out == nullptr && bytes > 0, StatusCode::invalid_argument, "the output is null");
  return std::span(static_cast<std::byte*>(out), bytes);
}
inline Result<std::span<const std::byte>> to_bytes(const void* in, size_t bytes) {
  BOBBIN_RETURN_IF(in == nullptr && bytes > 0, StatusCode::invalid_argument, "the input is null");
  return std::span(static_cast<const std::byte*>(in), bytes);
}

}  // namespace bobbin::capi
