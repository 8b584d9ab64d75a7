// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/fsst/stream.hpp"

namespace bobbin::codec::fsst {
namespace {

Status take_one(const Parts& parts, uint64_t index, StreamDecoder& decoder, Strings& out) {
  const uint64_t begin = delta::value_at(*parts.code_offsets, index).bits;
  const uint64_t end = delta::value_at(*parts.code_offsets, index + 1).bits;
  const uint64_t size =
      delta::value_at(*parts.offsets, index + 1).bits - delta::value_at(*parts.offsets, index).bits;
  // Both kinds of offsets are sound, but need not belong together.
  const bool possible = size <= (end - begin) * kMaxSymbolBytes;
  const size_t before = out.bytes.size();
  out.bytes.resize(before + (possible ? size : 0));
  decoder.set_room(out.bytes.data() + before, possible ? size : 0);
  const bool decoded = possible && decoder.decode(parts.codes.data() + begin, parts.codes.data() + end);
  BOBBIN_RETURN_IF(
      !decoded || decoder.literal_is_next() || decoder.position() != out.bytes.data() + out.bytes.size(),
      StatusCode::corrupt,
      "fsst: string " + std::to_string(index) + " is not of the size its codes stand for");
  out.finish_string();
  return {};
}

}  // namespace

Status take(const Array& array, std::span<const uint64_t> indices, Strings& out) {
  const Parts parts(array);
  StreamDecoder decoder(parts.table(), nullptr, 0);
  for (const uint64_t index : indices) {
    const uint64_t bit = array.offset + index;
    if (!parts.validity.empty() && (parts.validity[bit / 8] >> (bit % 8) & 1) == 0) {
      out.push_null();
    } else {
      BOBBIN_TRY(take_one(parts, index, decoder, out));
    }
  }
  return {};
}

}  // namespace bobbin::codec::fsst
