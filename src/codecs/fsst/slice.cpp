// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/fsst.hpp"

namespace bobbin::codec::fsst {
namespace {

// Restart points with `less` taken from each: the array's values all become that much less.
template <class T>
Buffer shift_restarts(const Buffer& restarts, uint64_t less) {
  const NewBuffer shifted = make_buffer(restarts.bytes.size());
  for (size_t at = 0; at < restarts.bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, restarts.bytes.data() + at, sizeof(T));
    value = static_cast<T>(value - less);
    std::memcpy(shifted.data + at, &value, sizeof(T));
  }
  return shifted.buffer;
}

void shift(Array& offsets, uint64_t less) {
  offsets.buffers[0] = offsets.type == DType::u64 ? shift_restarts<uint64_t>(offsets.buffers[0], less)
                                                  : shift_restarts<uint32_t>(offsets.buffers[0], less);
}

}  // namespace

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const Parts parts(array);
  const auto code_offset = [&](uint64_t i) { return delta::value_at(*parts.code_offsets, i).bits; };
  const uint64_t out_first = delta::value_at(*parts.offsets, begin).bits;
  const uint64_t out_last = delta::value_at(*parts.offsets, begin + length).bits;
  const uint64_t first_tile = code_offset(begin) / kTileBytes;
  const uint64_t code_base = first_tile * kTileBytes;
  // Whole tiles, as far as they go.
  const uint64_t code_stop =
      std::min<uint64_t>(parts.codes.size(), round_up<uint64_t>(code_offset(begin + length), kTileBytes));

  Array part = array;
  part.length = length;
  part.offset = (array.offset + begin) % kVectorLength;
  Header header = parts.header;
  header.out_begin += out_first;
  header.out_bytes = out_last - out_first;
  header.code_begin = code_offset(begin) - code_base;
  header.code_end = code_offset(begin + length) - code_base;
  part.metadata = header.serialize();
  const uint64_t codes = code_stop > code_base ? code_stop - code_base : 0;
  part.buffers[1] = array.buffers[1].sub(std::min<uint64_t>(code_base, parts.codes.size()), codes);
  part.buffers[2] =
      array.buffers[2].sub(std::min<uint64_t>(first_tile, parts.tiles.size()) * sizeof(uint64_t),
                           num_tiles(codes) * sizeof(uint64_t));
  if (!parts.validity.empty()) {
    part.buffers[3] = array.buffers[3].sub((array.offset + begin) / kVectorLength * (kVectorLength / 8),
                                           ceil_div<uint64_t>(part.offset + length, 8));
  }
  part.children[0] = delta::slice(array.children[0], begin, length + 1);
  shift(part.children[0], code_base);
  part.children[1] = delta::slice(array.children[1], begin, length + 1);
  shift(part.children[1], out_first);
  return part;
}

}  // namespace bobbin::codec::fsst
