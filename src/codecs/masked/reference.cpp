// SPDX-License-Identifier: Apache-2.0
// The oracle: spec.md's "Decoding row i". A null decodes to the value in its place; callers check the
// validity.
#include "codecs/codec.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::masked {

void reference(const Array& array, void* out) {
  const Array& values = array.children[0];
  find_codec(values.codec)->reference(values, out);
}

}  // namespace bobbin::codec::masked
