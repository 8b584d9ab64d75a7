// SPDX-License-Identifier: Apache-2.0
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "codecs/shape.hpp"
#include "codecs/smallest.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::dict {
namespace {

// Entries may be looked up one by one, so only codecs that find one value quickly are allowed.
constexpr CodecId kForCodes[] = {CodecId::bitpack, CodecId::ffor, CodecId::patched};
constexpr CodecId kForEntries[] = {CodecId::bitpack, CodecId::ffor, CodecId::alp};
constexpr ChildShape kChildren[] = {
    {.name = "codes", .type = ChildType::code, .candidates = kForCodes},
    {.name = "entries", .follows = Follows::distinct, .looked_up = true, .candidates = kForEntries}};

constexpr StringOps kStrings{
    .encode = &encode,
    .split = &split,
    .sizes = &sizes,
    .decode = &decode,
    .reference = &reference,
    .validity = &validity,
    .lengths = &lengths,
    .take = &take,
    .match = &match,
};

}  // namespace

constexpr Codec kCodec{.id = CodecId::dict,
                       .name = "dict",
                       .max_format = 2,
                       .compares_floats = true,
                       .reads_few_bytes = true,
                       .shape = {.children = kChildren},
                       .device_cost = 1.2F,
                       .estimate = &estimate_by<&split>,
                       .encode = &encode_by<&split>,
                       .split = &split,
                       .describe = &describe,
                       .validate = &validate,
                       .decode = &decode,
                       .reference = &reference,
                       .slice = &slice_rows,
                       .load_slice = &load_rows,
                       .value_at = &value_at,
                       .compare = &compare,
                       .strings = &kStrings};

}  // namespace bobbin::codec::dict
