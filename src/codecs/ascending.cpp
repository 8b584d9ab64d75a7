// SPDX-License-Identifier: Apache-2.0
#include "codecs/ascending.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

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

// Finds vectors by their first numbers.
class VectorSearch {
 public:
  VectorSearch(const StoredNode& rows, Segments& segments) : rows_(rows), segments_(segments) {}

  // Returns the last vector from `first` on whose first number is below `bound`, or else `first`. Since
  // numbers ascend from 0 in a file, a number is never below its own index: that ends most searches for early
  // rows before anything is read. The search begins at `likely` and moves away from it in steps of twice the
  // size, until the vector is between two that were read.
  Result<uint64_t> last_below(uint64_t first, uint64_t likely, uint64_t bound) {
    uint64_t low = first;
    uint64_t high = std::max(first + 1, std::min(num_vectors(rows_.length), num_vectors(bound)));
    bool below = false;  // whether a vector was read that begins below the bound,
    bool above = false;  // and one that does not
    for (uint64_t middle = likely, step = 1; high - low > 1; step *= 2) {
      middle = below && above ? low + (high - low) / 2 : std::clamp(middle, low + 1, high - 1);
      BOBBIN_ASSIGN(const uint64_t number, first_number(middle));
      if (number < bound) {
        below = true;
        low = middle;
        middle += step;
      } else {
        above = true;
        high = middle;
        middle -= std::min(middle, step);
      }
    }
    return low;
  }

 private:
  // The last one that was read is kept: few rows mostly end where they begin, and then the next search needs
  // only that.
  Result<uint64_t> first_number(uint64_t vector) {
    if (vector != vector_) {
      BOBBIN_ASSIGN(const Array one, bobbin::load_slice(rows_, vector * kVectorLength, 1, segments_));
      BOBBIN_TRY(segments_.validate(one));
      number_ = find_codec(one.codec)->value_at(one, 0).bits;
      vector_ = vector;
    }
    return number_;
  }

  const StoredNode& rows_;
  Segments& segments_;
  uint64_t vector_ = UINT64_MAX;
  uint64_t number_ = 0;
};

// Where the numbers below `bound` end if all are evenly spread over the node's rows.
uint64_t likely_vector(const StoredNode& node, const StoredNode& rows, uint64_t bound) {
  const double share = static_cast<double>(bound) / static_cast<double>(std::max<uint64_t>(node.length, 1));
  return static_cast<uint64_t>(std::min(share, 1.0) * static_cast<double>(rows.length)) / kVectorLength;
}

// The numbers before each vector, where the encoding stores them: they show where to look, but are not
// checked against the numbers. Empty if there are none, or too many to read for a few rows.
Result<std::vector<uint32_t>> numbers_before_vectors(const StoredNode& rows, Segments& segments) {
  constexpr uint64_t kMostVectors = 4096;
  const uint64_t vectors = num_vectors(rows.length);
  std::vector<uint32_t> numbers;
  if (rows.type != DType::u32 || vectors > kMostVectors) {
    return numbers;
  }
  if (rows.codec == CodecId::diff && rows.children.size() == 2 && rows.children[1].type == DType::u32 &&
      rows.children[1].length == vectors) {
    BOBBIN_ASSIGN(const Array starts, load_whole(rows.children[1], segments));
    BOBBIN_TRY(segments.validate(starts));
    numbers.resize(vectors);
    find_codec(starts.codec)->decode(starts, numbers.data());
  } else if (rows.codec == CodecId::delta && rows.segments.size() == 1 &&
             std::ranges::equal(rows.metadata, std::array<uint8_t, 2>{1, 1}) &&  // order and stride
             segments.size(rows.segments[0]) == vectors * sizeof(uint32_t)) {
    BOBBIN_ASSIGN(const Buffer restarts, segments.read(rows.segments[0], 0, vectors * sizeof(uint32_t)));
    numbers.resize(vectors);
    std::memcpy(numbers.data(), restarts.bytes.data(), restarts.bytes.size());
  }
  return numbers;
}

// Vectors `first` to `last` of row numbers.
struct VectorRange {
  // The numbers of these vectors and the next one.
  [[nodiscard]] uint64_t entry() const { return first * kVectorLength; }
  [[nodiscard]] uint64_t stop(const StoredNode& rows) const {
    return std::min((last + 1) * kVectorLength + 1, rows.length);
  }

  uint64_t first = 0;
  uint64_t last = 0;
};

// The vectors in which numbers from `bound` to `end` are, if `before` are the numbers before each vector.
VectorRange vectors_between(std::span<const uint32_t> before, uint64_t bound, uint64_t end) {
  const auto vector_of = [&](uint64_t number) {
    const auto after = std::ranges::lower_bound(before.subspan(1), number);
    return static_cast<uint64_t>(after - before.begin()) - 1;
  };
  return {vector_of(bound), vector_of(end)};
}

// Whether all numbers from `bound` to `end` are among those loaded, and all before them are below `bound`.
bool has_all(const Array& loaded, const StoredNode& rows, const VectorRange& range, uint64_t bound,
             uint64_t end) {
  const auto value_at = find_codec(loaded.codec)->value_at;
  return (range.first == 0 || value_at(loaded, 0).bits < bound) &&
         (range.stop(rows) == rows.length || value_at(loaded, loaded.length - 1).bits >= end);
}

// The row numbers from `bound` to `end` and some around them, with the vectors that they are. If the encoding
// shows where they are, these are loaded at once, and checked; otherwise they are searched for.
Result<std::pair<Array, VectorRange>> load_numbers(const StoredNode& node, uint64_t bound, uint64_t end,
                                                   Segments& segments) {
  const StoredNode& rows = node.children[0];
  const auto load = [&](const VectorRange& range) {
    return bobbin::load_slice(rows, range.entry(), range.stop(rows) - range.entry(), segments);
  };
  uint64_t likely = likely_vector(node, rows, bound);
  std::vector<uint32_t> before;
  if (num_vectors(end) > 1) {  // otherwise nothing is searched for: see last_below()
    BOBBIN_ASSIGN(before, numbers_before_vectors(rows, segments));
  }
  if (!before.empty()) {
    const VectorRange range = vectors_between(before, bound, end);
    BOBBIN_ASSIGN(Array loaded, load(range));
    BOBBIN_TRY(segments.validate(loaded));
    if (has_all(loaded, rows, range, bound, end)) {
      return std::pair{std::move(loaded), range};
    }
    likely = range.first;
  }
  // The last number below a bound is in the last vector that begins below it; the next number is in the same
  // vector or at the start of the next.
  VectorSearch search(rows, segments);
  VectorRange range;
  BOBBIN_ASSIGN(range.first, search.last_below(0, likely, bound));
  BOBBIN_ASSIGN(range.last, search.last_below(range.first, range.first + 1, end));
  BOBBIN_ASSIGN(Array loaded, load(range));
  return std::pair{std::move(loaded), range};
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
  const NewBuffer memory = make_buffer(std::min(kPiece, rows.length) * sizeof(uint32_t));
  auto* const piece = reinterpret_cast<uint32_t*>(memory.data);
  array.decoded = {};
  uint64_t lowest = least;
  for (uint64_t first = 0; first < rows.length; first += kPiece) {
    const uint64_t count = std::min(kPiece, rows.length - first);
    if (count == rows.length) {
      decoder.decode(rows, piece);
    } else {
      decoder.decode(decoder.slice(rows, first, count), piece);
    }
    for (uint64_t i = 0; i < count; ++i) {
      BOBBIN_RETURN_IF(piece[i] < lowest, StatusCode::corrupt,
                       std::string(find_codec(array.codec)->name) + ": row number " +
                           std::to_string(first + i) + " does not ascend");
      lowest = uint64_t{piece[i]} + 1;
    }
  }
  if (rows.length <= kPiece) {
    array.decoded = memory.buffer;
  }
  return {};
}

uint64_t count_below(const Array& array, uint64_t bound) {
  const std::span<const uint32_t> known = known_rows(array);
  if (!known.empty()) {
    return static_cast<uint64_t>(std::ranges::lower_bound(known, bound) - known.begin());
  }
  DecodedVector vector;
  find_vector(rows_of(array), bound, vector);
  return vector.count_below(bound);
}

// Few rows often begin and end in the same vector of numbers, which is then decoded once.
std::pair<uint64_t, uint64_t> count_below(const Array& array, uint64_t bound, uint64_t later_bound) {
  if (!known_rows(array).empty()) {
    return {count_below(array, bound), count_below(array, later_bound)};
  }
  const Array& rows = rows_of(array);
  DecodedVector vector;
  find_vector(rows, bound, vector);
  const bool has_later = vector.end() == rows.length || vector.numbers[vector.count - 1] >= later_bound;
  return {vector.count_below(bound),
          has_later ? vector.count_below(later_bound) : count_below(array, later_bound)};
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
  BOBBIN_ASSIGN(auto numbers, load_numbers(node, begin_row(part) + 1, end_row(part), segments));
  const VectorRange range = numbers.second;
  part.children.push_back(std::move(numbers.first));
  BOBBIN_TRY(loader.add_child(range.entry(), range.stop(rows) - range.entry()));
  return std::move(part);
}

}  // namespace bobbin::ascending
