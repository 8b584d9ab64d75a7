// SPDX-License-Identifier: Apache-2.0
// The kernels of ascending_kernels.hpp, with RowValues from tile.hpp.
#pragma once

#include "codecs/ascending_kernels.hpp"
#include "codecs/sparse/tile.hpp"

namespace bobbin::codec::sparse {

// The codec's device functions for one executor.
template <class Executor>
using Plans = ascending::Plans<Executor, FilledValues>;

}  // namespace bobbin::codec::sparse
