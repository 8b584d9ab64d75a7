// SPDX-License-Identifier: Apache-2.0
#include "codecs/whole.hpp"

namespace bobbin {
namespace {

Status check_whole_node(const Array& node) {
  switch (node.codec) {
    case CodecId::ans:
      return codec::ans::check_whole(node);
    case CodecId::fsst:
      return codec::fsst::check_whole(node);
    case CodecId::zstd:
      return codec::zstd::check_whole(node);
    default:
      return {};
  }
}

}  // namespace

Status check_whole(const Array& array) {
  BOBBIN_TRY(check_whole_node(array));
  for (const Array& child : array.children) {
    BOBBIN_TRY(check_whole(child));
  }
  return {};
}

}  // namespace bobbin
