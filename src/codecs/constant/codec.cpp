// SPDX-License-Identifier: Apache-2.0
#include "codecs/constant/constant.hpp"
#include "codecs/registry.hpp"
#include "codecs/shape.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::constant {

constexpr Codec kCodec{
    .id = CodecId::constant,
    .name = "constant",
    .max_format = 2,
    .all_alike = true,
    .reads_few_bytes = true,
    .shape = {.metadata_bytes = sizeof(Scalar::bits)},
    .device_cost = 0.5F,
    .estimate = &estimate,
    .encode = &encode,
    .describe = &describe,
    .validate = &validate,
    .decode = &decode,
    .reference = &reference,
    .slice = &slice_rows,
    .load_slice = &load_rows,
    .value_at = &value_at,
    .compare = &compare,
};

}  // namespace bobbin::codec::constant
