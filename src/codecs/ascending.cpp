// SPDX-License-Identifier: Apache-2.0
#include "codecs/ascending.hpp"

#include <string>

#include "codecs/stored.hpp"
#include "core/lanes.hpp"

namespace bobbin::ascending {
namespace {

void set_first_row(Array& array, uint64_t row) {
  std::memcpy(array.metadata.data() + array.metadata.size() - sizeof row, &row, sizeof row);
}

// Whether one value can be read without reading many bytes. A dictionary is read whole.
bool is_cheap_to_search(const StoredNode& node) {
  constexpr uint64_t kMostEntries = 4096;
  const Codec& codec = *find_codec(node.codec);
  for (size_t i = 0; i < std::min(node.children.size(), codec.shape.children.size()); ++i) {
    if (codec.shape.children[i].follows == Follows::distinct && node.children[i].length > kMostEntries) {
      return false;
    }
  }
  return codec.reads_few_bytes && std::ranges::all_of(node.children, &is_cheap_to_search);
}

// Returns the last vector from `first` on whose first number is below `bound`, or else `first`. Since numbers
// ascend from 0 in a file, a number is never below its own index: that ends most searches for early rows
// before anything is read. The vector after `first` is tried first: few rows mostly end where they begin.
Result<uint64_t> last_vector_below(const StoredNode& rows, uint64_t first, uint64_t bound,
                                   Segments& segments) {
  uint64_t low = first;
  uint64_t high = std::max(first + 1, std::min(num_vectors(rows.length), num_vectors(bound)));
  for (bool is_first = first != 0; high - low > 1; is_first = false) {
    const uint64_t middle = is_first ? low + 1 : low + (high - low) / 2;
    BOBBIN_ASSIGN(const Array one, bobbin::load_slice(rows, middle * kVectorLength, 1, segments));
    BOBBIN_TRY(segments.validate(one));
    (find_codec(one.codec)->value_at(one, 0).bits < bound ? low : high) = middle;
  }
  return low;
}

// Row numbers from the one at `first` on.
struct DecodedVector {
  [[nodiscard]] uint64_t end() const { return first + count; }
  // All numbers before it are below the bound.
  [[nodiscard]] uint64_t count_below(uint64_t bound) const {
    return first + static_cast<uint64_t>(std::lower_bound(numbers, numbers + count, bound) - numbers);
  }

  uint64_t first = 0;
  uint64_t count = 0;
  uint32_t numbers[kVectorLength];
};

// Decodes the last vector that begins with a number below `bound`, or else the first one. Reading one number
// may decode its whole vector, so vectors are searched by their first numbers.
void find_vector(const Array& rows, uint64_t bound, DecodedVector& found) {
  const Codec& codec = *find_codec(rows.codec);
  const uint64_t before = rows.offset % kVectorLength;  // numbers of the first vector that are not in `rows`
  uint64_t low = 0;                                     // vectors
  uint64_t high = num_vectors(before + rows.length);
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (codec.value_at(rows, middle * kVectorLength - before).bits < bound ? low : high) = middle;
  }
  found.first = low == 0 ? 0 : low * kVectorLength - before;
  found.count = std::min((low + 1) * kVectorLength - before, rows.length) - found.first;
  codec.decode(codec.slice(rows, found.first, found.count), found.numbers);
}

}  // namespace

Status check_row_numbers(const Array& array) {
  const std::string name = std::string(find_codec(array.codec)->name) + ": ";
  BOBBIN_RETURN_IF(first_row(array) % kVectorLength != 0, StatusCode::corrupt,
                   name + "the first row is not the start of a vector");
  BOBBIN_RETURN_IF(first_row(array) > kMaxRows || array.length > kMaxRows || end_row(array) > kMaxRows,
                   StatusCode::corrupt, name + "more rows than 32 bits can count");
  BOBBIN_RETURN_IF(values_of(array).length != rows_of(array).length, StatusCode::corrupt,
                   name + std::to_string(values_of(array).length) + " values for " +
                       std::to_string(rows_of(array).length) + " rows");
  return {};
}

// Decodes in pieces, so that a child with a false length is read only up to the first number out of order.
Status check_ascending(const Array& array, uint32_t least) {
  const Array& rows = rows_of(array);
  constexpr uint64_t kPiece = 4096;
  const Codec& decoder = *find_codec(rows.codec);
  std::vector<uint32_t> piece(std::min(kPiece, rows.length));
  uint64_t lowest = least;
  for (uint64_t first = 0; first < rows.length; first += kPiece) {
    const uint64_t count = std::min(kPiece, rows.length - first);
    decoder.decode(decoder.slice(rows, first, count), piece.data());
    for (uint64_t i = 0; i < count; ++i) {
      BOBBIN_RETURN_IF(piece[i] < lowest, StatusCode::corrupt,
                       std::string(find_codec(array.codec)->name) + ": row number " +
                           std::to_string(first + i) + " does not ascend");
      lowest = uint64_t{piece[i]} + 1;
    }
  }
  return {};
}

uint64_t count_below(const Array& rows, uint64_t bound) {
  DecodedVector vector;
  find_vector(rows, bound, vector);
  return vector.count_below(bound);
}

// Few rows often begin and end in the same vector of numbers, which is then decoded once.
std::pair<uint64_t, uint64_t> count_below(const Array& rows, uint64_t bound, uint64_t later_bound) {
  DecodedVector vector;
  find_vector(rows, bound, vector);
  const bool has_later = vector.end() == rows.length || vector.numbers[vector.count - 1] >= later_bound;
  return {vector.count_below(bound),
          has_later ? vector.count_below(later_bound) : count_below(rows, later_bound)};
}

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  const uint64_t row = first_row(array) + start / kVectorLength * kVectorLength;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  set_first_row(part, row);
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  Array& part = loader.part;
  const StoredNode& rows = node.children[0];
  BOBBIN_RETURN_IF(!is_cheap_to_search(rows), StatusCode::unsupported,
                   "row numbers are too slow to search in this encoding");
  const uint64_t row = first_row(part) + loader.first_vector() * kVectorLength;
  set_first_row(part, row);
  // The last number below a bound is in the last vector that begins below it; the next number is in the same
  // vector or at the start of the next.
  BOBBIN_ASSIGN(const uint64_t first, last_vector_below(rows, 0, begin_row(part) + 1, segments));
  BOBBIN_ASSIGN(const uint64_t last, last_vector_below(rows, first, end_row(part), segments));
  const uint64_t entry = first * kVectorLength;
  const uint64_t stop = std::min((last + 1) * kVectorLength + 1, rows.length);
  BOBBIN_TRY(loader.add_child(entry, stop - entry));
  BOBBIN_TRY(loader.add_child(entry, stop - entry));
  return std::move(part);
}

}  // namespace bobbin::ascending
