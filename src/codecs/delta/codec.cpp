// SPDX-License-Identifier: Apache-2.0
#include "codecs/delta/delta.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::delta {
namespace {

constexpr BufferShape kBuffers[] = {{.name = "restarts"}};
constexpr ChildShape kChildren[] = {
    {.name = "residuals", .type = ChildType::as_signed, .codec = CodecId::ffor}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::delta,
    .name = "delta",
    .max_format = 2,
    .looks_back = true,
    .reads_few_bytes = true,
    .shape = {.metadata_bytes = 2, .buffers = kBuffers, .children = kChildren},
    .tree_buffers = 4,
    .device_cost = 1.2F,
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

}  // namespace bobbin::codec::delta
