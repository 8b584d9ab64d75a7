// SPDX-License-Identifier: Apache-2.0
// The chunks of a row group: read, ahead or when they are needed, checked, placed on the device, decoded.
#include <algorithm>

#include "array/strings.hpp"
#include "codecs/dict/dict.hpp"
#include "core/lanes.hpp"
#include "file/access.hpp"
#include "query/row_group.hpp"

namespace bobbin::query {
namespace {

using file::ReaderAccess;

// What a device needs of a column: of strings, only the codes.
const Array& values_on_device(const Array& array) {
  return is_string(array.type) ? codec::dict::codes_of(array) : array;
}

}  // namespace

Result<RowGroupQuery::LoadedChunk> RowGroupQuery::read_chunk(uint32_t column) {
  const auto ahead = ahead_ != nullptr ? ahead_->find(index_, column) : std::nullopt;
  if (ahead.has_value()) {
    return LoadedChunk{.array = *ahead->array, .ahead = ahead};
  }
  // On the CPU, rows of the column are often read next.
  BOBBIN_ASSIGN(Array array, on_cpu() ? ReaderAccess::load_kept(reader_, index_, column)
                                      : ReaderAccess::load_chunk(reader_, index_, column, stream_.backend()));
  return LoadedChunk{.array = std::move(array)};
}

Result<const RowGroupQuery::LoadedChunk*> RowGroupQuery::load_unchecked(uint32_t column) {
  auto found = chunks_.find(column);
  if (found == chunks_.end()) {
    BOBBIN_ASSIGN(LoadedChunk chunk, read_chunk(column));
    chunk.is_checked = !array::checks_content_on_device(chunk.array, stream_.backend());
    found = chunks_.emplace(column, std::move(chunk)).first;
  }
  return &found->second;
}

Result<const Array*> RowGroupQuery::load(uint32_t column) {
  BOBBIN_ASSIGN(const LoadedChunk* chunk, load_unchecked(column));
  BOBBIN_TRY(check_content(column));
  return &chunk->array;
}

Status RowGroupQuery::check_content(uint32_t column) {
  LoadedChunk& chunk = chunks_.at(column);
  if (chunk.is_checked) {
    return {};
  }
  const Status status = array::validate_content(chunk.array);
  chunk.is_checked = status.ok();
  return status.ok() ? status : ReaderAccess::in_place(reader_, status, index_, column);
}

Result<const Array*> RowGroupQuery::place(uint32_t column) {
  BOBBIN_ASSIGN(const Array* array, load(column));
  const Array& values = values_on_device(*array);
  if (on_cpu()) {
    return &values;
  }
  LoadedChunk& chunk = chunks_.at(column);
  if (!chunk.there.has_value() && chunk.ahead.has_value()) {
    chunk.there = {.array = chunk.ahead->there(values), .memory = nullptr};
  } else if (!chunk.there.has_value()) {
    BOBBIN_ASSIGN(chunk.there, array::to_device(values, stream_));
  }
  return &chunk.there->array;
}

Result<plan::Source> RowGroupQuery::place(const Operand& operand, bool on_host) {
  const auto* codes = std::get_if<CodesOf>(&operand);
  const uint32_t column = codes != nullptr ? codes->column : std::get<uint32_t>(operand);
  BOBBIN_ASSIGN(const Array* array, on_host ? load(column) : place(column));
  const Array* const host = &values_on_device(chunks_.at(column).array);
  return plan::Source{.array = on_host ? host : array, .bitmap = nullptr, .host = host, .column = column};
}

Result<std::vector<RowRange>> RowGroupQuery::pieces(std::span<const uint32_t> columns) {
  std::vector<const Array*> strings;
  for (const uint32_t column : columns) {
    if (is_string(reader_.columns()[column].type)) {
      BOBBIN_ASSIGN(const Array* array, load(column));
      strings.push_back(array);
    }
  }
  return cut_rows(strings, info_.num_rows);
}

Result<BitmapWords> RowGroupQuery::collect_bits(std::span<const uint32_t> columns, const TestPiece& test) {
  BOBBIN_ASSIGN(const std::vector<RowRange> ranges, pieces(columns));
  BOBBIN_ASSIGN(BitmapWords all, collect_bits(ranges, info_.num_rows, test));
  all.resize(num_vectors(info_.num_rows) * (kVectorLength / 32));
  return all;
}

Result<BitmapWords> RowGroupQuery::collect_bits(std::span<const RowRange> ranges, uint64_t rows,
                                                const TestPiece& test) {
  BitmapWords all((rows + 31) / 32);
  for (const RowRange& range : ranges) {
    BOBBIN_ASSIGN(const BitmapWords words, test(range));
    copy_bits(reinterpret_cast<uint8_t*>(all.data()), range.begin,
              reinterpret_cast<const uint8_t*>(words.data()), 0, range.size());
  }
  return all;
}

Result<Array> RowGroupQuery::load(uint32_t column, RowRange piece) {
  BOBBIN_ASSIGN(const Array* array, load(column));
  return array::slice(*array, piece.begin, piece.size());
}

Result<std::shared_ptr<const StringEntries>> RowGroupQuery::entries(uint32_t column, uint64_t rows) {
  constexpr uint64_t kLookUp = 32;  // looking up one entry takes as long as decoding about this many
  LoadedChunk& chunk = chunks_.at(column);
  const bool helps =
      has_string_entries(chunk.array) && codec::dict::dictionary_of(chunk.array).length / kLookUp <= rows;
  if (chunk.entries == nullptr && helps) {
    auto entries = string_entries(chunk.array);
    if (!entries.has_value()) {
      return ReaderAccess::in_place(reader_, entries.error(), index_, column);
    }
    chunk.entries = *std::move(entries);
  }
  return chunk.entries;
}

Result<const DecodedColumn*> RowGroupQuery::decoded(uint32_t column, RowRange piece) {
  BOBBIN_ASSIGN(const Array* whole, load(column));
  LoadedChunk& chunk = chunks_.at(column);
  if (!chunk.decoded.has_value() || chunk.decoded_piece != piece) {
    chunk.decoded.reset();
    BOBBIN_ASSIGN(const Array array, array::slice(*whole, piece.begin, piece.size()));
    BOBBIN_ASSIGN(auto known, entries(column, piece.size()));
    auto values = DecodedColumn::of(array, std::move(known));
    if (!values.has_value()) {
      return ReaderAccess::in_place(reader_, values.error(), index_, column);
    }
    chunk.decoded = std::move(*values);
    chunk.decoded_piece = piece;
  }
  return &*chunk.decoded;
}

Result<DecodedColumn> RowGroupQuery::take(uint32_t column, std::span<const uint64_t> rows) {
  BOBBIN_ASSIGN(const Array* array, load(column));
  BOBBIN_ASSIGN(auto known, entries(column, rows.size()));
  auto values = DecodedColumn::of(*array, rows, std::move(known));
  if (!values.has_value()) {
    return ReaderAccess::in_place(reader_, values.error(), index_, column);
  }
  return values;
}

Result<table::GroupSlices> RowGroupQuery::slices(std::vector<size_t> columns, std::vector<uint64_t> rows) {
  reads_rows_ = true;
  return table::GroupSlices::of(reader_, index_, std::move(columns), std::move(rows),
                                {.rows = 1024, .string_bytes = uint64_t{1} << 20});
}

}  // namespace bobbin::query
