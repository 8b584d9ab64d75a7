// SPDX-License-Identifier: Apache-2.0
#include "file/checksum_kernels_inline.hpp"

namespace bobbin::file {

const ChecksumKernels kChecksumOnAnyCpu = make_kernels();

}  // namespace bobbin::file
