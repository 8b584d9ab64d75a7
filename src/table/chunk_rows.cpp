// SPDX-License-Identifier: Apache-2.0
#include "table/chunk_rows.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "array/strings.hpp"
#include "core/lanes.hpp"
#include "file/access.hpp"
#include "file/gather.hpp"
#include "file/nulls.hpp"

namespace bobbin::table {
namespace {

using file::ReaderAccess;

// Reading a piece separately costs about as much as reading 16 vectors along with others: if all pieces would
// cost more than the whole chunk, the chunk is read as a whole.
constexpr uint64_t kVectorsPerPiece = 16;
// Up to one row in 64 is decoded individually; otherwise the whole piece is.
constexpr uint64_t kFew = 64;
constexpr uint64_t kLengthsAtOnce = uint64_t{1} << 16;
// From one row in 4 on, all are decoded at once, and the others left out.
constexpr uint64_t kMany = 4;
constexpr uint64_t kSliceBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxSliceRows = uint64_t{1} << 17;  // of 8 bytes: less than the caches of a core

struct Range {
  uint64_t begin = 0;
  uint64_t count = 0;
};

// Rows less than a vector apart are read together.
std::vector<Range> ranges_of(std::span<const uint64_t> rows) {
  std::vector<Range> ranges;
  for (const uint64_t row : rows) {
    if (!ranges.empty() && row - (ranges.back().begin + ranges.back().count) < kVectorLength) {
      ranges.back().count = row + 1 - ranges.back().begin;
    } else {
      ranges.push_back({row, 1});
    }
  }
  return ranges;
}

// The cost of reading ranges separately, in vectors.
uint64_t cost_of(std::span<const Range> ranges) {
  uint64_t vectors = 0;
  for (const Range& range : ranges) {
    vectors += kVectorsPerPiece + num_vectors(range.count);
  }
  return vectors;
}

void add_strings(Strings strings, uint64_t at, HostColumn& to) {
  if (at == 0) {
    to.strings = std::move(strings);
  } else {
    file::append_strings(to.strings, strings.view(), 0, strings.length());
  }
}

// The validity bits from `at` on.
void add_validity(const std::vector<uint8_t>& bits, uint64_t at, uint64_t count, HostColumn& to) {
  const size_t size = size_bytes(to.column.type);
  const file::ValidityBits validity{bits.data()};
  file::append_validity(to.validity, at, validity, count);
  file::zero_nulls(to.column.type, {to.values.get() + at * size, count * size}, validity);
}

std::vector<uint8_t> pick_bits(const array::Bitmap& bitmap, std::span<const uint64_t> indices) {
  std::vector<uint8_t> bits((indices.size() + 7) / 8);
  for (size_t i = 0; i < indices.size(); ++i) {
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | (bitmap.at(indices[i]) ? 1U << (i % 8) : 0U));
  }
  return bits;
}

template <class T>
Status decode_and_pick(const Array& array, std::span<const uint64_t> indices, std::span<std::byte> out) {
  const auto all = std::make_unique_for_overwrite<T[]>(array.length);
  BOBBIN_TRY(array::decode(array, std::as_writable_bytes(std::span(all.get(), array.length))));
  auto* const to = reinterpret_cast<T*>(out.data());
  for (size_t i = 0; i < indices.size(); ++i) {
    to[i] = all[indices[i]];
  }
  return {};
}

Status decode_and_pick(const Array& array, std::span<const uint64_t> indices, std::span<std::byte> out) {
  switch (size_bytes(array.type)) {
    case 1:
      return decode_and_pick<uint8_t>(array, indices, out);
    case 2:
      return decode_and_pick<uint16_t>(array, indices, out);
    case 4:
      return decode_and_pick<uint32_t>(array, indices, out);
    default:
      return decode_and_pick<uint64_t>(array, indices, out);
  }
}

// Rows `indices` of a numeric array.
Status take_numbers(const Array& array, std::span<const uint64_t> indices, std::span<std::byte> out) {
  if (indices.size() <= array.length / kFew + 1) {
    return array::take(array, indices, out);
  }
  if (indices.size() >= array.length / kMany) {
    return decode_and_pick(array, indices, out);
  }
  array::Bitmap selected{.words = std::vector<uint32_t>(ceil_div<uint64_t>(array.length, 32)),
                         .first = 0,
                         .length = array.length};
  for (const uint64_t index : indices) {
    selected.words[index / 32] |= 1U << (index % 32);
  }
  return array::filter(array, selected, out);
}

}  // namespace

uint64_t slice_rows(size_t columns) {
  const uint64_t rows = kSliceBytes / (2 * sizeof(uint64_t) * std::max<size_t>(1, columns));
  return std::clamp(rows / kVectorLength * kVectorLength, uint64_t{kVectorLength}, kMaxSliceRows);
}

HostColumn make_column(const Column& column, uint64_t rows) {
  HostColumn made;
  made.column = column;
  made.length = rows;
  made.strings.type = column.type;
  if (!is_string(column.type)) {
    made.values = std::make_unique_for_overwrite<std::byte[]>(rows * size_bytes(column.type));
  }
  return made;
}

Status ChunkRows::add(uint64_t begin, uint64_t count) {
  // Checked completely here, so that a damaged chunk is refused before any of its slices is used.
  BOBBIN_ASSIGN(Array array, ReaderAccess::load_rows(*reader_, group_, column_, begin, count, Backend::cpu));
  pieces_.push_back({begin, std::move(array)});
  return {};
}

Result<ChunkRows> ChunkRows::load(const Reader& reader, size_t group, size_t column, uint64_t begin,
                                  uint64_t count) {
  ChunkRows chunk(reader, group, column);
  BOBBIN_TRY(chunk.add(begin, count));
  return chunk;
}

Result<ChunkRows> ChunkRows::load(const Reader& reader, size_t group, size_t column,
                                  std::span<const uint64_t> rows) {
  const uint64_t all = ReaderAccess::footer(reader).row_groups[group].num_rows;
  const std::vector<Range> ranges = ranges_of(rows);
  ChunkRows chunk(reader, group, column);
  if (cost_of(ranges) > num_vectors(all)) {
    BOBBIN_ASSIGN(Array array, ReaderAccess::load_kept(reader, group, column));
    chunk.pieces_.push_back({0, std::move(array)});
    return chunk;
  }
  for (const Range& range : ranges) {
    BOBBIN_TRY(chunk.add(range.begin, range.count));
  }
  return chunk;
}

Status ChunkRows::read(uint64_t begin, uint64_t count, uint64_t at, HostColumn& to, Backend backend) const {
  const Piece& piece = pieces_.front();
  const auto decode = [&](const Array& array) -> Status {
    if (is_string(array.type)) {
      BOBBIN_ASSIGN(Strings strings, array::decode_strings(array, backend));
      add_strings(std::move(strings), at, to);
      return {};
    }
    const size_t size = size_bytes(array.type);
    BOBBIN_TRY(array::decode(array, {to.values.get() + at * size, count * size}, backend));
    if (array::has_nulls(array)) {
      BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(array));
      std::vector<uint8_t> bits(ceil_div<uint64_t>(count, 8));
      const auto* const words = reinterpret_cast<const uint8_t*>(validity.words.data());
      file::copy_validity(bits, 0, {words, validity.first}, count);
      add_validity(bits, at, count, to);
    }
    return {};
  };
  const auto decode_rows = [&]() -> Status {
    if (count == piece.array.length) {
      return decode(piece.array);
    }
    BOBBIN_ASSIGN(const Array part, array::slice(piece.array, begin - piece.begin, count));
    return decode(part);
  };
  const Status status = decode_rows();
  return status.ok() ? status : ReaderAccess::in_place(*reader_, status, group_, column_);
}

Status ChunkRows::take(const Piece& piece, std::span<const uint64_t> rows, uint64_t at,
                       HostColumn& to) const {
  // Only what lies between the first and the last row.
  BOBBIN_ASSIGN(const Array array,
                array::slice(piece.array, rows.front() - piece.begin, rows.back() + 1 - rows.front()));
  std::vector<uint64_t> indices(rows.begin(), rows.end());
  std::ranges::for_each(indices, [first = rows.front()](uint64_t& index) { index -= first; });
  if (is_string(array.type)) {
    BOBBIN_ASSIGN(Strings strings, array::take_strings(array, indices, Backend::cpu));
    add_strings(std::move(strings), at, to);
    return {};
  }
  const size_t size = size_bytes(array.type);
  BOBBIN_TRY(take_numbers(array, indices, {to.values.get() + at * size, rows.size() * size}));
  if (array::has_nulls(array)) {
    BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(array));
    add_validity(pick_bits(validity, indices), at, rows.size(), to);
  }
  return {};
}

template <class F>
Status ChunkRows::for_each_piece(std::span<const uint64_t> rows, F&& f) const {
  for (const Piece& piece : pieces_) {
    const auto first = std::ranges::lower_bound(rows, piece.begin);
    const auto last = std::ranges::lower_bound(rows, piece.begin + piece.array.length);
    if (first == last) {
      continue;
    }
    if (const Status status = f(piece, std::span<const uint64_t>(first, last)); !status.ok()) {
      return ReaderAccess::in_place(*reader_, status, group_, column_);
    }
  }
  return {};
}

Status ChunkRows::take(std::span<const uint64_t> rows, uint64_t at, HostColumn& to) const {
  return for_each_piece(rows, [&](const Piece& piece, std::span<const uint64_t> own) {
    return take(piece, own, std::exchange(at, at + own.size()), to);
  });
}

bool ChunkRows::has_strings() const {
  return is_string(ReaderAccess::columns(*reader_)[column_].type);
}

uint64_t ChunkRows::string_bytes() const {
  uint64_t bytes = 0;
  for (const Piece& piece : pieces_) {
    bytes += has_strings() ? array::string_bytes(piece.array) : 0;
  }
  return bytes;
}

Status ChunkRows::add_lengths(uint64_t begin, std::span<uint64_t> sizes) const {
  const Piece& piece = pieces_.front();
  const auto add = [&]() -> Status {
    BOBBIN_ASSIGN(const Array part, array::slice(piece.array, begin - piece.begin, sizes.size()));
    BOBBIN_ASSIGN(const std::vector<uint64_t> lengths, array::string_lengths(part, Backend::cpu));
    std::ranges::transform(sizes, lengths, sizes.begin(), std::plus());
    return {};
  };
  const Status status = add();
  return status.ok() ? status : ReaderAccess::in_place(*reader_, status, group_, column_);
}

Status ChunkRows::add_lengths(std::span<const uint64_t> rows, std::span<uint64_t> sizes) const {
  return for_each_piece(rows, [&](const Piece& piece, std::span<const uint64_t> own) -> Status {
    while (!own.empty()) {
      // Rows that are close together are looked at with all rows between them.
      const auto end = std::ranges::lower_bound(own, own.front() + kLengthsAtOnce);
      const auto near = own.first(static_cast<size_t>(end - own.begin()));
      BOBBIN_ASSIGN(const Array part,
                    array::slice(piece.array, near.front() - piece.begin, near.back() - near.front() + 1));
      BOBBIN_ASSIGN(const std::vector<uint64_t> lengths, array::string_lengths(part, Backend::cpu));
      for (size_t i = 0; i < near.size(); ++i) {
        sizes[i] += lengths[near[i] - near.front()];
      }
      sizes = sizes.subspan(near.size());
      own = own.subspan(near.size());
    }
    return {};
  });
}

}  // namespace bobbin::table
