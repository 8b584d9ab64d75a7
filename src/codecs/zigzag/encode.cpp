// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/zigzag/zigzag.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::zigzag {

Result<Split> split(const Values& values) {
  BOBBIN_RETURN_IF(!is_signed(values.type), StatusCode::unsupported,
                   "zigzag: type " + std::string(to_string(values.type)) + " is not signed");
  const NewBuffer codes = make_buffer(values.length * size_bytes(values.type));
  visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    std::ranges::transform(values.as<T>(), reinterpret_cast<T*>(codes.data), &code_of<T>);
  });
  return Split{.node = {.codec = CodecId::zigzag,
                        .type = values.type,
                        .length = values.length,
                        .offset = 0,
                        .metadata = {},
                        .buffers = {},
                        .children = {}},
               .children = {{code_type(values.type), values.length, codes.buffer}}};
}

}  // namespace bobbin::codec::zigzag
