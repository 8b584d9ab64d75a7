// SPDX-License-Identifier: Apache-2.0
#include "file/checksum_kernels_inline.hpp"

namespace bobbin::file {

const ChecksumKernels kChecksumOnAvx2 = make_kernels();

}  // namespace bobbin::file
