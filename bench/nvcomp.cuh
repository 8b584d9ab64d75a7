// SPDX-License-Identifier: Apache-2.0
// nvCOMP's batched zstd decoder and its ANS coder, if its library is available: BOBBIN_NVCOMP names the file.
// Declared here from its documentation (version 6), loaded on request, never required.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
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
    nvcomp.ans_temp_size_ =
        reinterpret_cast<TempSize>(dlsym(library, "nvcompBatchedANSDecompressGetTempSize"));
    nvcomp.ans_decompress_ = reinterpret_cast<Decompress>(dlsym(library, "nvcompBatchedANSDecompressAsync"));
    nvcomp.ans_compress_temp_size_ =
        reinterpret_cast<TempSize>(dlsym(library, "nvcompBatchedANSCompressGetTempSize"));
    nvcomp.ans_most_bytes_ =
        reinterpret_cast<MostBytes>(dlsym(library, "nvcompBatchedANSCompressGetMaxOutputChunkSize"));
    nvcomp.ans_compress_ = reinterpret_cast<Compress>(dlsym(library, "nvcompBatchedANSCompressAsync"));
    return std::optional<Nvcomp>(nvcomp);
  }

  [[nodiscard]] bool has_ans() const {
    return ans_temp_size_ != nullptr && ans_decompress_ != nullptr && ans_compress_temp_size_ != nullptr &&
           ans_most_bytes_ != nullptr && ans_compress_ != nullptr;
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
    return decompress_by(decompress_, batch, stream);
  }
  [[nodiscard]] Status ans_decompress(const Batch& batch, cudaStream_t stream) const {
    return decompress_by(ans_decompress_, batch, stream);
  }
  // `out_bytes` of the batch is not used; `decoded_bytes` receives the compressed sizes.
  [[nodiscard]] Status ans_compress(const Batch& batch, size_t chunk_bytes, cudaStream_t stream) const {
    return checked(ans_compress_(batch.in, batch.in_bytes, chunk_bytes, batch.count, batch.temp,
                                 batch.temp_bytes, batch.out, batch.decoded_bytes, Options{}, batch.statuses,
                                 stream));
  }
  // Scratch for both directions, and the most bytes of a compressed chunk.
  struct AnsSizes {
    size_t temp = 0;
    size_t chunk = 0;
  };
  [[nodiscard]] Result<AnsSizes> ans_sizes(size_t chunks, size_t chunk_bytes) const {
    AnsSizes sizes;
    size_t decompress = 0;
    BOBBIN_TRY(checked(ans_most_bytes_(chunk_bytes, Options{}, &sizes.chunk)));
    BOBBIN_TRY(checked(
        ans_compress_temp_size_(chunks, chunk_bytes, Options{}, &sizes.temp, chunks * chunk_bytes, nullptr)));
    BOBBIN_TRY(
        checked(ans_temp_size_(chunks, chunk_bytes, Options{}, &decompress, chunks * chunk_bytes, nullptr)));
    sizes.temp = std::max(sizes.temp, decompress);
    return sizes;
  }

 private:
  using TempSize = int (*)(size_t chunks, size_t chunk_bytes, Options options, size_t* bytes,
                           size_t all_bytes, cudaStream_t stream);
  using Decompress = int (*)(const void* const* in, const size_t* in_bytes, const size_t* out_bytes,
                             size_t* decoded_bytes, size_t count, void* temp, size_t temp_bytes,
                             void* const* out, Options options, int* statuses, cudaStream_t stream);
  using MostBytes = int (*)(size_t chunk_bytes, Options options, size_t* bytes);
  using Compress = int (*)(const void* const* in, const size_t* in_bytes, size_t chunk_bytes, size_t count,
                           void* temp, size_t temp_bytes, void* const* out, size_t* out_bytes,
                           Options options, int* statuses, cudaStream_t stream);

  static Status checked(int status) {
    BOBBIN_RETURN_IF(status != 0, StatusCode::device, "nvCOMP: status " + std::to_string(status));
    return {};
  }
  static Status decompress_by(Decompress decompress, const Batch& batch, cudaStream_t stream) {
    return checked(decompress(batch.in, batch.in_bytes, batch.out_bytes, batch.decoded_bytes, batch.count,
                              batch.temp, batch.temp_bytes, batch.out, Options{}, batch.statuses, stream));
  }

  TempSize temp_size_ = nullptr;
  Decompress decompress_ = nullptr;
  TempSize ans_temp_size_ = nullptr;
  Decompress ans_decompress_ = nullptr;
  TempSize ans_compress_temp_size_ = nullptr;
  MostBytes ans_most_bytes_ = nullptr;
  Compress ans_compress_ = nullptr;
};

}  // namespace bobbin::bench
