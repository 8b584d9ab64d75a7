// SPDX-License-Identifier: Apache-2.0
#include "codecs/line/array.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::line {
namespace {

constexpr BufferShape kBuffers[] = {{.name = "starts"}, {.name = "codes"}, {.name = "images"}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::line,
    .name = "line",
    .min_format = 2,
    .max_format = 2,
    .reads_few_bytes = true,
    .shape = {.metadata_bytes = 1, .buffers = kBuffers},
    .tree_buffers = 3,
    // Decoded about as fast as memory is copied, but also for every comparison and query: it has to be
    // clearly smaller than what those can read.
    .device_cost = 3,
    .estimate = &estimate,
    .exceeds = &exceeds,
    .encode = &encode,
    .describe = &describe,
    .validate = &validate,
    .decode = &decode,
    .reference = &reference,
    .slice = &slice,
    .load_slice = &load_slice,
    .value_at = &value_at,
};

}  // namespace bobbin::codec::line
