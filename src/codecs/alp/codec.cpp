// SPDX-License-Identifier: Apache-2.0
#include "codecs/alp/alp.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::alp {
namespace {

constexpr BufferShape kBuffers[] = {{.name = "scales", .bytes_per_vector = sizeof(Scale)}};
constexpr ChildShape kChildren[] = {{.name = "integers", .type = ChildType::as_signed}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::alp,
    .name = "alp",
    .max_format = 2,
    .floats_only = true,
    .shape = {.buffers = kBuffers, .children = kChildren},
    .tree_buffers = 7,
    .device_cost = 1.1F,
    .estimate = &estimate,
    .encode = &encode,
    .describe = &describe,
    .validate = &validate,
    .decode = &decode,
    .reference = &reference,
    .slice = &slice,
    .load_slice = &load_slice,
    .value_at = &value_at,
};

}  // namespace bobbin::codec::alp
