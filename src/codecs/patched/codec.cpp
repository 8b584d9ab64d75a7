// SPDX-License-Identifier: Apache-2.0
#include "codecs/patched/patched.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::patched {
namespace {

constexpr BufferShape kBuffers[] = {{.name = "starts"}, {.name = "blocks"}, {.name = "values"}};
constexpr ChildShape kChildren[] = {{.name = "values"}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::patched,
    .name = "patched",
    .max_format = 2,
    .reads_few_bytes = true,
    .shape = {.metadata_bytes = 1, .buffers = kBuffers, .optional_buffers = 1, .children = kChildren},
    .tree_buffers = 6,
    .device_cost = 1.05F,
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

}  // namespace bobbin::codec::patched
