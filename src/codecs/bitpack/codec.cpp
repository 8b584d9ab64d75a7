// SPDX-License-Identifier: Apache-2.0
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::bitpack {
namespace {

constexpr BufferShape kBuffers[] = {{.name = "packed bytes"}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::bitpack,
    .name = "bitpack",
    .max_format = 2,
    .reads_few_bytes = true,
    .shape = {.metadata_bytes = 1, .buffers = kBuffers},
    .tree_buffers = 1,
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

}  // namespace bobbin::codec::bitpack
