// SPDX-License-Identifier: Apache-2.0
// nvCOMP's batched zstd decoder, if its library is available: BOBBIN_NVCOMP names the file. Declared here
// from its documentation (version 6), loaded on request, never required.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>

#include "bobbin/status.hpp"

namespace bobbin::bench {

class Nvcomp {
 public:
  struct Options {
    int backend = 0;  // the library chooses
    char reserved[60] = {};
  };

  // Empty if it is not available.
  static Result<std::optional<Nvcomp>> load() {
    const char* const path = std::getenv("BOBBIN_NVCOMP");
    if (path == nullptr) {
      return std::optional<Nvcomp>();
    }
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    BOBBIN_RETURN_IF(library == nullptr, StatusCode::unavailable, std::string(dlerror()));
    Nvcomp nvcomp;
    nvcomp.temp_size_ = reinterpret_cast<TempSize>(dlsym(library, "nvcompBatchedZstdDecompressGetTempSize"));
    nvcomp.decompress_ = reinterpret_cast<Decompress>(dlsym(library, "nvcompBatchedZstdDecompressAsync"));
    BOBBIN_RETURN_IF(nvcomp.temp_size_ == nullptr || nvcomp.decompress_ == nullptr, StatusCode::unsupported,
                     std::string(path) + ": not nvCOMP 6");
    return std::optional<Nvcomp>(nvcomp);
  }

  [[nodiscard]] Result<size_t> temp_size(size_t chunks, size_t chunk_bytes, size_t all_bytes) const {
    size_t bytes = 0;
    const int status = temp_size_(chunks, chunk_bytes, Options{}, &bytes, all_bytes, nullptr);
    BOBBIN_RETURN_IF(status != 0, StatusCode::device, "nvCOMP: status " + std::to_string(status));
    return bytes;
  }

  // All arrays in device memory, as in its documentation.
  struct Batch {
    const void* const* in;
    const size_t* in_bytes;
    const size_t* out_bytes;
    size_t* decoded_bytes;
    void* const* out;
    int* statuses;
    size_t count;
    void* temp;
    size_t temp_bytes;
  };
  [[nodiscard]] Status decompress(const Batch& batch, cudaStream_t stream) const {
    const int status =
        decompress_(batch.in, batch.in_bytes, batch.out_bytes, batch.decoded_bytes, batch.count, batch.temp,
                    batch.temp_bytes, batch.out, Options{}, batch.statuses, stream);
    BOBBIN_RETURN_IF(status != 0, StatusCode::device, "nvCOMP: status " + std::to_string(status));
    return {};
  }

 private:
  using TempSize = int (*)(size_t chunks, size_t chunk_bytes, Options options, size_t* bytes,
                           size_t all_bytes, cudaStream_t stream);
  using Decompress = int (*)(const void* const* in, const size_t* in_bytes, const size_t* out_bytes,
                             size_t* decoded_bytes, size_t count, void* temp, size_t temp_bytes,
                             void* const* out, Options options, int* statuses, cudaStream_t stream);

  TempSize temp_size_ = nullptr;
  Decompress decompress_ = nullptr;
};

}  // namespace bobbin::bench
