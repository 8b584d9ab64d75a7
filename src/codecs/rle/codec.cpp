// SPDX-License-Identifier: Apache-2.0
#include "codecs/ascending.hpp"
#include "codecs/registry.hpp"
#include "codecs/rle/rle.hpp"
#include "codecs/smallest.hpp"

namespace bobbin::codec::rle {
namespace {

constexpr ChildShape kChildren[] = {ascending::rows_shape(Follows::runs),
                                    ascending::values_shape(Follows::runs)};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::rle,
    .name = "rle",
    .max_format = 2,
    .reads_few_bytes = true,
    // The row at which the first vector starts.
    .shape = {.metadata_bytes = sizeof(uint64_t), .children = kChildren},
    .device_cost = 1.2F,
    .estimate = &estimate_by<&split>,
    .encode = &encode_by<&split>,
    .split = &split,
    .describe = &describe,
    .validate = &validate,
    .validate_content = &validate_content,
    .decode = &decode,
    .reference = &reference,
    .slice = &ascending::slice,
    .load_slice = &ascending::load_slice,
    .value_at = &value_at,
    .compare = &compare,
};

}  // namespace bobbin::codec::rle
