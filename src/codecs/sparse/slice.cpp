// SPDX-License-Identifier: Apache-2.0
#include "codecs/ascending.hpp"
#include "codecs/sparse/sparse.hpp"

namespace bobbin::codec::sparse {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  return ascending::slice(array, begin, length);
}

}  // namespace bobbin::codec::sparse
