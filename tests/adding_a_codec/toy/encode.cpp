// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "codecs/toy/toy.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::toy {

Result<Split> split(const Values& values) {
  const NewBuffer flipped = make_buffer(values.length * size_bytes(values.type));
  visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    std::ranges::transform(values.as<T>(), reinterpret_cast<T*>(flipped.data),
                           [](T value) { return static_cast<T>(~value); });
  });
  return Split{.node = {.codec = CodecId::toy,
                        .type = values.type,
                        .length = values.length,
                        .offset = 0,
                        .metadata = {kMetadata},
                        .buffers = {},
                        .children = {}},
               .children = {{values.type, values.length, flipped.buffer}}};
}

}  // namespace bobbin::codec::toy
