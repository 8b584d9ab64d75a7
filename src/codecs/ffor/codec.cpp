// SPDX-License-Identifier: Apache-2.0
#include "codecs/ffor/ffor.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::ffor {
namespace {

constexpr BufferShape kBuffers[] = {{.name = "references", .values_per_vector = 1},
                                    {.name = "entries", .bytes_per_vector = sizeof(Entry)},
                                    {.name = "packed bytes"}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::ffor,
    .name = "ffor",
    .max_format = 2,
    .reads_few_bytes = true,
    .shape = {.buffers = kBuffers},
    .tree_buffers = 3,
    .estimate = &estimate,
    .encode = &encode,
    .describe = &describe,
    .validate = &validate,
    .decode = &decode,
    .reference = &reference,
    .slice = &slice,
    .load_slice = &load_slice,
    .value_at = &value_at,
    .compare = &compare,
};

}  // namespace bobbin::codec::ffor
