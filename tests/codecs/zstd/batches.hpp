// SPDX-License-Identifier: Apache-2.0
// Batches of frames on a device, compared with the CPU; and frames to make them from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/zstd.hpp"

namespace bobbin::testing {

using Bytes = std::vector<std::byte>;

[[nodiscard]] Bytes bytes_in(std::string_view text);

// Text of few words, numbers, noise, long runs, records with little change, or bytes of which some are rare.
[[nodiscard]] Bytes draw_content(std::mt19937_64& random, size_t size);

struct LibzstdOptions {
  int level = 3;
  bool checksum = false;
  bool content_size = true;
  int window_log = 0;      // 0: the level's default
  size_t flush_every = 0;  // a block ends after this many bytes; 0: where libzstd ends it
};
[[nodiscard]] Bytes compress_by_libzstd(const Bytes& content, const LibzstdOptions& options = {});

// A frame by libzstd or by us, with random options.
[[nodiscard]] Bytes draw_frame(std::mt19937_64& random, const Bytes& content);

// Frames of zstd's own tests, from the folders `frames`, `valid` and `refused` in $BOBBIN_ZSTD_FRAMES. None
// if that is not set.
struct FoundFrame {
  std::filesystem::path path;
  Bytes frame;
  bool is_valid = true;
};
[[nodiscard]] std::vector<FoundFrame> frames_of_others();
constexpr const char* kNoFramesOfOthers = "BOBBIN_ZSTD_FRAMES does not name a folder";

// A frame of a batch, and the bytes of its output.
struct FrameCase {
  Bytes frame;
  uint64_t capacity = 0;
};

struct BatchOutcome {
  std::string error;  // empty: everything is correct
  uint64_t ok = 0;
  uint64_t refused = 0;
  uint64_t left_to_cpu = 0;
};

// Decodes all cases in one batch on a device. Frames and outputs begin at different alignments, and the bytes
// around outputs must not change.
[[nodiscard]] BatchOutcome check_batch_on(Backend backend, const std::vector<FrameCase>& cases,
                                          zstd::BatchOptions options = {});

}  // namespace bobbin::testing
