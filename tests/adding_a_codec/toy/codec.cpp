// SPDX-License-Identifier: Apache-2.0
#include "codecs/registry.hpp"
#include "codecs/smallest.hpp"
#include "codecs/toy/toy.hpp"

namespace bobbin::codec::toy {
namespace {

constexpr ChildShape kChildren[] = {{.name = "flipped values"}};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::toy,
    .name = "toy",
    .min_format = 2,
    .max_format = 2,
    .shape = {.metadata_bytes = sizeof kMetadata, .children = kChildren},
    .estimate = &estimate_by<&split>,
    .encode = &encode_by<&split>,
    .split = &split,
    .describe = &describe,
    .validate = &validate,
    .decode = &decode,
    .reference = &reference,
    .slice = &slice,
    .load_slice = &load_slice,
    .value_at = &value_at,
};

}  // namespace bobbin::codec::toy
