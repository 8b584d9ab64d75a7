// SPDX-License-Identifier: Apache-2.0
// The kernels are those of ascending_kernels.hpp, over what tile.hpp says of a row's value.
#pragma once

#include "codecs/ascending_kernels.hpp"
#include "codecs/sparse/tile.hpp"

namespace bobbin::codec::sparse {

// The codec's device functions for one executor.
template <class Executor>
using Plans = ascending::Plans<Executor, FilledValues>;

}  // namespace bobbin::codec::sparse
