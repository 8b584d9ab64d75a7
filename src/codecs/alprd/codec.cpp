// SPDX-License-Identifier: Apache-2.0
#include "codecs/alprd/alprd.hpp"
#include "codecs/registry.hpp"
#include "codecs/shape.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::alprd {
namespace {

constexpr ChildShape kChildren[] = {{.name = "left parts", .type = ChildType::u16},
                                    {.name = "right parts", .type = ChildType::as_unsigned}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::alprd,
    .name = "alprd",
    .max_format = 2,
    .floats_only = true,
    // The metadata holds the dictionary of left parts.
    .shape = {.metadata_bytes = std::nullopt, .children = kChildren},
    .tree_buffers = 7,
    .device_cost = 1.2F,
    .estimate = &estimate,
    .encode = &encode,
    .describe = &describe,
    .validate = &validate,
    .decode = &decode,
    .reference = &reference,
    .slice = &slice_rows,
    .load_slice = &load_rows,
    .value_at = &value_at,
};

}  // namespace bobbin::codec::alprd
