// SPDX-License-Identifier: Apache-2.0
#include "codecs/diff/diff.hpp"
#include "codecs/registry.hpp"
#include "codecs/smallest.hpp"

namespace bobbin::codec::diff {
namespace {

constexpr ChildShape kChildren[] = {
    {.name = "differences", .type = ChildType::as_signed, .follows = Follows::whole_rows},
    {.name = "starts", .follows = Follows::vectors}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::diff,
    .name = "diff",
    .min_format = 2,
    .max_format = 2,
    .integers_only = true,
    .looks_back = true,
    .reads_few_bytes = true,
    .shape = {.children = kChildren},
    .estimate = &estimate_by<&split>,
    .encode = &encode_by<&split>,
    .split = &split,
    .describe = &describe,
    .decode = &decode,
    .reference = &reference,
    .slice = &slice,
    .load_slice = &load_slice,
    .value_at = &value_at,
};

}  // namespace bobbin::codec::diff
