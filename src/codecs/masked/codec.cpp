// SPDX-License-Identifier: Apache-2.0
#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::masked {
namespace {

constexpr ChildShape kChildren[] = {{.name = "values"},
                                    {.name = "validity", .type = ChildType::u32, .follows = Follows::other}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::masked,
    .name = "masked",
    .max_format = 2,
    .shape = {.children = kChildren},
    .tree_buffers = 6,
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
    .clear_nulls = &clear_nulls,
};

}  // namespace bobbin::codec::masked
