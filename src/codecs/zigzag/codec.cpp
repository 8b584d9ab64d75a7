// SPDX-License-Identifier: Apache-2.0
#include "codecs/registry.hpp"
#include "codecs/shape.hpp"
#include "codecs/smallest.hpp"
#include "codecs/stored.hpp"
#include "codecs/zigzag/zigzag.hpp"

namespace bobbin::codec::zigzag {
namespace {

constexpr ChildShape kChildren[] = {{.name = "codes", .type = ChildType::as_unsigned}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::zigzag,
    .name = "zigzag",
    .max_format = 2,
    .signed_only = true,
    .reads_few_bytes = true,
    .shape = {.children = kChildren},
    .estimate = &estimate_by<&split>,
    .encode = &encode_by<&split>,
    .split = &split,
    .describe = &describe,
    .decode = &decode,
    .reference = &reference,
    .slice = &slice_rows,
    .load_slice = &load_rows,
    .value_at = &value_at,
};

}  // namespace bobbin::codec::zigzag
