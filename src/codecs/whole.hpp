// SPDX-License-Identifier: Apache-2.0
// Arrays in a file are whole: what only a slice in memory may have is refused there. Most codecs have nothing
// of that kind besides the offset, which no file stores.
#pragma once

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin {

// Whether a node of this codec says if it is a slice.
[[nodiscard]] constexpr bool tells_slices(CodecId codec) {
  return codec == CodecId::ans || codec == CodecId::fsst || codec == CodecId::zstd;
}
// Checks a tree whose nodes have as many parts as their codecs say. Buffers may lack their bytes: then only
// their sizes count.
[[nodiscard]] Status check_whole(const Array& array);

namespace codec::ans {
[[nodiscard]] Status check_whole(const Array& array);
}
namespace codec::fsst {
[[nodiscard]] Status check_whole(const Array& array);
}
namespace codec::zstd {
[[nodiscard]] Status check_whole(const Array& array);
}

}  // namespace bobbin
