// SPDX-License-Identifier: Apache-2.0
#include "codecs/fsst/fsst.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::fsst {
namespace {

constexpr BufferShape kBuffers[] = {
    {.name = "symbols"}, {.name = "codes"}, {.name = "tiles"}, {.name = "validity"}};
// One more than strings.
constexpr ChildShape offsets_shape(std::string_view name) {
  return {.name = name, .type = ChildType::offset, .follows = Follows::other, .codec = CodecId::delta};
}
constexpr ChildShape kChildren[] = {offsets_shape("code offsets"), offsets_shape("offsets")};

constexpr StringOps kStrings{
    .encode = &encode,
    .sizes = &sizes,
    .decode = &decode,
    .reference = &reference,
    .check_each = &check_each,
    .validity = &validity,
    .lengths = &lengths,
    .take = &take,
    .match = &match,
};

}  // namespace

constexpr Codec kCodec{
    .id = CodecId::fsst,
    .name = "fsst",
    .max_format = 2,
    // Short chunks of one column share a table of symbols.
    .shares_first_buffer = true,
    .shape = {.metadata_bytes = Header::kBytes, .buffers = kBuffers, .children = kChildren},
    .describe = &describe,
    .validate = &validate,
    .validate_content = &validate_content,
    .slice = &slice,
    .load_slice = &load_slice,
    .strings = &kStrings};

}  // namespace bobbin::codec::fsst
