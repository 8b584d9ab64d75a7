// SPDX-License-Identifier: Apache-2.0
#include "codecs/ascending.hpp"
#include "codecs/registry.hpp"
#include "codecs/smallest.hpp"
#include "codecs/sparse/sparse.hpp"

namespace bobbin::codec::sparse {
namespace {

constexpr ChildShape kChildren[] = {ascending::rows_shape(Follows::exceptions),
                                    ascending::values_shape(Follows::exceptions)};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::sparse,
    .name = "sparse",
    .max_format = 2,
    .reads_few_bytes = true,
    // The fill value, and the row at which the first vector starts.
    .shape = {.metadata_bytes = 2 * sizeof(uint64_t), .children = kChildren},
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

}  // namespace bobbin::codec::sparse
