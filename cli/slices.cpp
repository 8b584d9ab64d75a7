// SPDX-License-Identifier: Apache-2.0
#include "cli/slices.hpp"

#include "array/strings.hpp"
#include "file/access.hpp"

namespace bobbin::cli {
namespace {

using file::ReaderAccess;

std::vector<uint8_t> pick_bits(const array::Bitmap& bitmap, std::span<const uint64_t> indices) {
  std::vector<uint8_t> bits((indices.size() + 7) / 8);
  for (size_t i = 0; i < indices.size(); ++i) {
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | (bitmap.at(indices[i]) ? 1U << (i % 8) : 0U));
  }
  return bits;
}

}  // namespace

Result<Slice> read_slice(const Reader& reader, size_t column, uint64_t begin, uint64_t rows,
                         Backend backend) {
  const Column& asked = reader.columns()[column];
  Slice slice;
  if (is_string(asked.type)) {
    BOBBIN_ASSIGN(slice.strings, reader.read_strings(column, begin, rows, backend));
    return slice;
  }
  slice.values.resize(rows * size_bytes(asked.type));
  BOBBIN_TRY(reader.read(column, begin, rows, slice.values, backend));
  if (asked.nullable) {
    slice.validity.resize((rows + 7) / 8);
    BOBBIN_TRY(reader.read_validity(column, begin, rows, slice.validity));
  }
  return slice;
}

csv::Batch to_batch(const Reader& reader, std::span<const size_t> columns, std::span<const Slice> slices,
                    uint64_t rows) {
  csv::Batch batch{.columns = {}, .rows = rows};
  for (size_t i = 0; i < slices.size(); ++i) {
    const Column& column = reader.columns()[columns[i]];
    const uint8_t* const validity = slices[i].validity.empty() ? nullptr : slices[i].validity.data();
    batch.columns.push_back({.type = {column.type, column.logical},
                             .numbers = {slices[i].values.data(), validity},
                             .strings = slices[i].strings.view()});
  }
  return batch;
}

Result<LoadedGroup> LoadedGroup::create(const Reader& reader, size_t row_group,
                                        std::span<const size_t> columns) {
  LoadedGroup group(reader, row_group);
  const file::RowGroup& info = ReaderAccess::footer(reader).row_groups[row_group];
  group.first_row_ = info.first_row;
  group.num_rows_ = info.num_rows;
  for (const size_t column : columns) {
    Chunk chunk{.column = column, .array = {}, .validity = {}};
    BOBBIN_ASSIGN(chunk.array, ReaderAccess::load_chunk(reader, row_group, column));
    if (!is_string(chunk.array.type) && array::has_nulls(chunk.array)) {
      auto validity = array::validity(chunk.array);
      if (!validity.has_value()) {
        return ReaderAccess::in_place(reader, validity.error(), row_group, column);
      }
      chunk.validity = std::move(*validity);
    }
    group.chunks_.push_back(std::move(chunk));
  }
  return group;
}

Result<Slice> LoadedGroup::take(const Chunk& chunk, std::span<const uint64_t> indices,
                                const array::Bitmap& selected, Backend backend) const {
  Slice slice;
  if (is_string(chunk.array.type)) {
    BOBBIN_ASSIGN(slice.strings, array::take_strings(chunk.array, indices, backend));
    return slice;
  }
  slice.values.resize(indices.size() * size_bytes(chunk.array.type));
  BOBBIN_TRY(array::filter(chunk.array, selected, slice.values));
  if (!chunk.validity.words.empty()) {
    slice.validity = pick_bits(chunk.validity, indices);
  }
  return slice;
}

Result<std::vector<Slice>> LoadedGroup::take(std::span<const uint64_t> rows, Backend backend) const {
  array::Bitmap selected{.words = std::vector<uint32_t>((num_rows_ + 31) / 32), .length = num_rows_};
  std::vector<uint64_t> indices;
  for (const uint64_t row : rows) {
    const uint64_t index = row - first_row_;
    selected.words[index / 32] |= 1U << (index % 32);
    indices.push_back(index);
  }
  std::vector<Slice> slices;
  for (const Chunk& chunk : chunks_) {
    auto slice = take(chunk, indices, selected, backend);
    if (!slice.has_value()) {
      return ReaderAccess::in_place(*reader_, slice.error(), row_group_, chunk.column);
    }
    slices.push_back(std::move(*slice));
  }
  return slices;
}

}  // namespace bobbin::cli
