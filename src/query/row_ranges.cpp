// SPDX-License-Identifier: Apache-2.0
#include "query/row_ranges.hpp"

#include <algorithm>

#include "array/strings.hpp"
#include "codecs/dict/dict.hpp"
#include "query/decoded.hpp"

namespace bobbin::query {
namespace {

constexpr uint64_t kWindowRows = uint64_t{1} << 16;  // whose sizes are known at a time

// The bytes that a column's strings add to a range of rows.
class RowBytes {
 public:
  static Result<RowBytes> of(const Array& array) {
    RowBytes bytes(array);
    if (has_string_entries(array)) {
      const Array& dictionary = codec::dict::dictionary_of(array);
      BOBBIN_ASSIGN(bytes.sizes_, array::string_lengths(dictionary, Backend::cpu));
      bytes.range_of_entry_.resize(dictionary.length);
    }
    return bytes;
  }

  // The rows that the next calls are about, counted from `begin`.
  Status move_to(uint64_t begin, uint64_t count) {
    BOBBIN_ASSIGN(const Array part, array::slice(*array_, begin, count));
    if (range_of_entry_.empty()) {
      BOBBIN_ASSIGN(sizes_, array::string_lengths(part, Backend::cpu));
    } else {
      BOBBIN_ASSIGN(codes_, decode_string_codes(part));
    }
    return {};
  }

  // What the row adds to range number `range`, from 1 on, in which it then is.
  uint64_t add(uint64_t row, uint64_t range) {
    if (range_of_entry_.empty()) {
      return sizes_[row];
    }
    const uint32_t entry = codes_[row];
    const bool is_there = range_of_entry_[entry] == range;
    range_of_entry_[entry] = range;
    return is_there ? 0 : sizes_[entry];
  }

 private:
  explicit RowBytes(const Array& array) : array_(&array) {}

  const Array* array_;
  std::vector<uint64_t> sizes_;           // of the rows, or of the dictionary's entries
  std::vector<uint32_t> codes_;           // of the rows
  std::vector<uint64_t> range_of_entry_;  // the last one that an entry was added to; empty: no dictionary
};

// The columns whose strings may be too many for ranges of kPieceRows.
Result<std::vector<RowBytes>> large_columns(std::span<const Array* const> columns) {
  std::vector<RowBytes> large;
  uint64_t bytes = 0;
  for (const Array* column : columns) {
    if (!is_string(column->type)) {
      continue;
    }
    const bool coded = has_string_entries(*column);
    const uint64_t own = array::string_bytes(coded ? codec::dict::dictionary_of(*column) : *column);
    if (coded ? own > kMostEntryBytes : own != 0) {
      bytes += own;
      BOBBIN_ASSIGN(RowBytes one, RowBytes::of(*column));
      large.push_back(std::move(one));
    }
  }
  if (bytes <= kPieceBytes) {
    large.clear();
  }
  return large;
}

std::vector<RowRange> equal_ranges(uint64_t rows) {
  std::vector<RowRange> ranges;
  for (uint64_t begin = 0; begin < rows; begin += kPieceRows) {
    ranges.push_back({begin, std::min(rows, begin + kPieceRows)});
  }
  return ranges;
}

}  // namespace

Result<std::vector<RowRange>> cut_rows(std::span<const Array* const> columns, uint64_t rows) {
  BOBBIN_ASSIGN(std::vector<RowBytes> large, large_columns(columns));
  if (large.empty()) {
    return equal_ranges(rows);
  }
  std::vector<RowRange> ranges{{0, 0}};
  uint64_t bytes = 0;
  const auto add = [&](uint64_t row) {
    uint64_t own = 0;
    for (RowBytes& column : large) {
      own += column.add(row, ranges.size());
    }
    return own;
  };
  for (uint64_t window = 0; window < rows; window += kWindowRows) {
    const uint64_t count = std::min(kWindowRows, rows - window);
    for (RowBytes& column : large) {
      BOBBIN_TRY(column.move_to(window, count));
    }
    for (uint64_t row = 0; row < count; ++row) {
      bytes += add(row);
      RowRange& last = ranges.back();
      if ((bytes > kPieceBytes && last.size() > 0) || last.size() == kPieceRows) {
        ranges.push_back({window + row, window + row});
        bytes = add(row);
      }
      ranges.back().end = window + row + 1;
    }
  }
  return ranges;
}

}  // namespace bobbin::query
