// SPDX-License-Identifier: Apache-2.0
#include "codecs/ascending.hpp"

#include <string>

#include "core/lanes.hpp"

namespace bobbin::ascending {

Status check_parts(const Array& array, std::string_view codec, size_t metadata_bytes) {
  const std::string name = std::string(codec) + ": ";
  BOBBIN_RETURN_IF(array.metadata.size() != metadata_bytes, StatusCode::corrupt,
                   name + std::to_string(array.metadata.size()) + " bytes of metadata instead of " +
                       std::to_string(metadata_bytes));
  BOBBIN_RETURN_IF(!array.buffers.empty(), StatusCode::corrupt, name + "has buffers");
  BOBBIN_RETURN_IF(array.children.size() != 2, StatusCode::corrupt,
                   name + std::to_string(array.children.size()) + " children instead of 2");
  BOBBIN_RETURN_IF(array.offset >= kVectorLength, StatusCode::corrupt, name + "offset past the first vector");
  BOBBIN_RETURN_IF(first_row(array) % kVectorLength != 0, StatusCode::corrupt,
                   name + "the first row does not start a vector");
  BOBBIN_RETURN_IF(first_row(array) > kMaxRows || array.length > kMaxRows || end_row(array) > kMaxRows,
                   StatusCode::corrupt, name + "more rows than 32 bits can tell");
  BOBBIN_RETURN_IF(rows_of(array).type != DType::u32, StatusCode::corrupt,
                   name + "rows of type " + std::string(to_string(rows_of(array).type)));
  BOBBIN_RETURN_IF(values_of(array).type != array.type, StatusCode::corrupt,
                   name + "values of type " + std::string(to_string(values_of(array).type)));
  BOBBIN_RETURN_IF(values_of(array).length != rows_of(array).length, StatusCode::corrupt,
                   name + std::to_string(values_of(array).length) + " values for " +
                       std::to_string(rows_of(array).length) + " rows");
  return {};
}

// A piece at a time, so that a child that claims to be long is read no further than it ascends.
Status check_rows(const Array& rows, std::string_view codec, uint32_t least) {
  constexpr uint64_t kPiece = 4096;
  const Codec& decoder = *find_codec(rows.codec);
  std::vector<uint32_t> piece(std::min(kPiece, rows.length));
  uint64_t lowest = least;
  for (uint64_t first = 0; first < rows.length; first += kPiece) {
    const uint64_t count = std::min(kPiece, rows.length - first);
    decoder.decode(decoder.slice(rows, first, count), piece.data());
    for (uint64_t i = 0; i < count; ++i) {
      BOBBIN_RETURN_IF(piece[i] < lowest, StatusCode::corrupt,
                       std::string(codec) + ": row number " + std::to_string(first + i) + " does not ascend");
      lowest = uint64_t{piece[i]} + 1;
    }
  }
  return {};
}

uint64_t count_below(const Array& rows, uint64_t bound) {
  const Codec& codec = *find_codec(rows.codec);
  uint64_t low = 0;
  uint64_t high = rows.length;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (codec.value_at(rows, middle).bits < bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  const uint64_t row = first_row(array) + start / kVectorLength * kVectorLength;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  std::memcpy(part.metadata.data() + part.metadata.size() - sizeof row, &row, sizeof row);
  return part;
}

}  // namespace bobbin::ascending
