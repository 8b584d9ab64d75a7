// SPDX-License-Identifier: Apache-2.0
// Batches of frames on a device, compared with the CPU; and frames to make them of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/zstd.hpp"

namespace bobbin::testing {

using Bytes = std::vector<std::byte>;

[[nodiscard]] Bytes bytes_in(std::string_view text);

// Text of few words, numbers, noise, long runs, or records with little change.
[[nodiscard]] Bytes draw_content(std::mt19937_64& random, size_t size);

struct LibzstdOptions {
  int level = 3;
  bool checksum = false;
  bool content_size = true;
  int window_log = 0;      // 0: as the level has it
  size_t flush_every = 0;  // a block ends after this many bytes; 0: where libzstd ends it
};
[[nodiscard]] Bytes compress_by_libzstd(const Bytes& content, const LibzstdOptions& options = {});

// A frame by libzstd or by us, with options drawn.
[[nodiscard]] Bytes draw_frame(std::mt19937_64& random, const Bytes& content);

// A frame of a batch, and the bytes of its output.
struct FrameCase {
  Bytes frame;
  uint64_t capacity = 0;
};

struct BatchOutcome {
  std::string error;  // empty: everything was as it should be
  uint64_t ok = 0;
  uint64_t refused = 0;
  uint64_t left_to_cpu = 0;
};

// Decodes all cases in one batch on a device. Each frame and each output begins at an address of its own
// alignment, and the bytes around outputs must stay as they are.
[[nodiscard]] BatchOutcome check_batch_on(Backend backend, const std::vector<FrameCase>& cases,
                                          zstd::BatchOptions options = {});

}  // namespace bobbin::testing
