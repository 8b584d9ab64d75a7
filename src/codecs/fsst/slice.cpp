// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::fsst {
namespace {

// Restart points reduced by `less`, which reduces all of the array's values by as much.
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

// The range of a slice's strings in the array's codes and output.
struct Extent {
  uint64_t code_begin = 0;
  uint64_t code_end = 0;
  uint64_t out_begin = 0;
  uint64_t out_end = 0;

  // From both children of the array, for strings `first` .. last-1.
  static Extent of(const Array& code_offsets, const Array& offsets, uint64_t first, uint64_t last) {
    return {.code_begin = delta::value_at(code_offsets, first).bits,
            .code_end = delta::value_at(code_offsets, last).bits,
            .out_begin = delta::value_at(offsets, first).bits,
            .out_end = delta::value_at(offsets, last).bits};
  }

  [[nodiscard]] uint64_t first_tile() const { return code_begin / kTileBytes; }
  [[nodiscard]] uint64_t code_base() const { return first_tile() * kTileBytes; }
  // The bytes of whole tiles, up to the end of the codes.
  [[nodiscard]] uint64_t code_bytes(uint64_t all) const {
    const uint64_t stop = std::min(all, round_up<uint64_t>(code_end, kTileBytes));
    return stop > code_base() ? stop - code_base() : 0;
  }
};

// Changes metadata and offsets to those of a slice.
void move_to(const Extent& extent, Array& part) {
  Header header = Header::parse(part.metadata);
  header.out_begin += extent.out_begin;
  header.out_bytes = extent.out_end - extent.out_begin;
  header.code_begin = extent.code_begin - extent.code_base();
  header.code_end = extent.code_end - extent.code_base();
  part.metadata = header.serialize();
  shift(part.children[0], extent.code_base());
  shift(part.children[1], extent.out_begin);
}

// The bytes that hold the bits of a slice's strings.
uint64_t validity_begin(uint64_t start) {
  return start / kVectorLength * (kVectorLength / 8);
}
uint64_t validity_bytes(const Array& part) {
  return ceil_div<uint64_t>(part.offset + part.length, 8);
}

}  // namespace

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const Parts parts(array);
  const Extent extent = Extent::of(*parts.code_offsets, *parts.offsets, begin, begin + length);
  Array part = array;
  part.length = length;
  part.offset = (array.offset + begin) % kVectorLength;
  const uint64_t codes = extent.code_bytes(parts.codes.size());
  part.buffers[1] = array.buffers[1].sub(std::min<uint64_t>(extent.code_base(), parts.codes.size()), codes);
  part.buffers[2] =
      array.buffers[2].sub(std::min<uint64_t>(extent.first_tile(), parts.tiles.size()) * sizeof(uint64_t),
                           num_tiles(codes) * sizeof(uint64_t));
  if (!parts.validity.empty()) {
    part.buffers[3] = array.buffers[3].sub(validity_begin(array.offset + begin), validity_bytes(part));
  }
  part.children[0] = delta::slice(array.children[0], begin, length + 1);
  part.children[1] = delta::slice(array.children[1], begin, length + 1);
  move_to(extent, part);
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  Array& part = loader.part;
  for (size_t i = 0; i < 2; ++i) {
    BOBBIN_TRY(loader.add_child(begin, length + 1));
    const auto& [codec, type] = std::pair(part.children[i].codec, part.children[i].type);
    BOBBIN_RETURN_IF(codec != CodecId::delta || (type != DType::u32 && type != DType::u64),
                     StatusCode::corrupt, "fsst: offsets are not delta");
    BOBBIN_TRY(segments.validate(part.children[i]));
  }
  const Extent extent = Extent::of(part.children[0], part.children[1], 0, length);
  const uint64_t codes = extent.code_bytes(loader.buffer_bytes(1));
  const bool has_nulls = loader.buffer_bytes(3) != 0;
  BOBBIN_TRY(loader.add_buffer());
  BOBBIN_TRY(loader.add_buffer(codes == 0 ? 0 : extent.code_base(), codes));
  BOBBIN_TRY(loader.add_buffer(codes == 0 ? 0 : extent.first_tile() * sizeof(uint64_t),
                               num_tiles(codes) * sizeof(uint64_t)));
  BOBBIN_TRY(loader.add_buffer(has_nulls ? validity_begin(begin) : 0, has_nulls ? validity_bytes(part) : 0));
  move_to(extent, part);
  return std::move(part);
}

}  // namespace bobbin::codec::fsst
