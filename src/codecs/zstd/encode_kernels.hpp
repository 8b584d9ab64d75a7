// SPDX-License-Identifier: Apache-2.0
// Encoding on a device: many frames of up to 64 KiB, with the bytes of the CPU encoder. Stages, for a slice
// of the content at a time:
//
//   link     one block of threads per frame   match_kernels.hpp, once per key
//   parse    eight lanes per block of content parse_kernel.hpp: links to sequences and literals
//   tables   one warp per frame               tables_kernel.hpp: occurrences, then entropy tables
//   blocks   one warp per frame               blocks_kernel.hpp: streams, block forms, the frame in scratch
//   place    one block of threads             place_kernels.hpp: where each frame goes
//   copy     one block of threads per frame   place_kernels.hpp: frames to their places
#pragma once

#include "codecs/zstd/blocks_kernel.hpp"
#include "codecs/zstd/match_kernels.hpp"
#include "codecs/zstd/parse_kernel.hpp"
#include "codecs/zstd/place_kernels.hpp"
#include "codecs/zstd/tables_kernel.hpp"
