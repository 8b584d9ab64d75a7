// SPDX-License-Identifier: Apache-2.0
#include "table/group_slices.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "file/access.hpp"
#include "table/parts.hpp"

namespace bobbin::table {
namespace {

constexpr uint64_t kSizesAtOnce = uint64_t{1} << 16;

}  // namespace

template <class F>
Status GroupSlices::for_each_column(F&& f) const {
  FirstError error;
  parallel_tasks(columns_.size(), options_.threads, [&](uint64_t i) {
    if (!error.up_to(i)) {
      error.note(i, f(i));
    }
  });
  return error.status();
}

template <class Load>
Status GroupSlices::load_all(Load&& load) {
  std::vector<std::optional<ChunkRows>> loaded(columns_.size());
  BOBBIN_TRY(for_each_column([&](uint64_t i) -> Status {
    BOBBIN_ASSIGN(loaded[i], load(columns_[i]));
    return {};
  }));
  uint64_t bytes = 0;
  for (std::optional<ChunkRows>& chunk : loaded) {
    bytes += chunk->string_bytes();
    chunks_.push_back(std::move(*chunk));
  }
  fits_ = bytes <= options_.string_bytes;
  return {};
}

Result<GroupSlices> GroupSlices::of(const Reader& reader, size_t group, std::vector<size_t> columns,
                                    uint64_t begin, uint64_t end, const Options& options) {
  GroupSlices slices(reader, std::move(columns), options);
  slices.at_ = begin;
  slices.first_size_ = begin;
  slices.end_ = end;
  BOBBIN_TRY(slices.load_all(
      [&](size_t column) { return ChunkRows::load(reader, group, column, begin, end - begin); }));
  return slices;
}

Result<GroupSlices> GroupSlices::of(const Reader& reader, size_t group, std::vector<size_t> columns,
                                    std::vector<uint64_t> rows, const Options& options) {
  GroupSlices slices(reader, std::move(columns), options);
  slices.end_ = rows.size();
  slices.rows_ = std::move(rows);
  BOBBIN_TRY(
      slices.load_all([&](size_t column) { return ChunkRows::load(reader, group, column, *slices.rows_); }));
  return slices;
}

Status GroupSlices::find_sizes(uint64_t count) {
  sizes_.assign(count, 0);
  first_size_ = at_;
  for (const ChunkRows& chunk : chunks_) {
    if (chunk.has_strings()) {
      BOBBIN_TRY(rows_.has_value() ? chunk.add_lengths(std::span(*rows_).subspan(at_, count), sizes_)
                                   : chunk.add_lengths(at_, sizes_));
    }
  }
  return {};
}

Result<uint64_t> GroupSlices::rows_that_fit(uint64_t most) {
  if (fits_) {
    return most;
  }
  if (at_ == first_size_ + sizes_.size()) {
    BOBBIN_TRY(find_sizes(std::min(kSizesAtOnce, end_ - at_)));
  }
  const auto known = std::span<const uint64_t>(sizes_).subspan(at_ - first_size_);
  uint64_t rows = 0;
  for (uint64_t bytes = 0; rows < std::min<uint64_t>(most, known.size()); ++rows) {
    bytes += known[rows];
    if (bytes > options_.string_bytes && rows > 0) {
      break;
    }
  }
  return rows;
}

Result<std::optional<GroupSlices::Slice>> GroupSlices::next() {
  if (at_ == end_) {
    return std::optional<Slice>();
  }
  BOBBIN_ASSIGN(const uint64_t count, rows_that_fit(std::min(options_.rows, end_ - at_)));
  Slice slice{.columns = std::vector<HostColumn>(columns_.size()), .rows = count};
  BOBBIN_TRY(for_each_column([&](uint64_t i) {
    slice.columns[i] = make_column(file::ReaderAccess::columns(*reader_)[columns_[i]], count);
    return rows_.has_value()
               ? chunks_[i].take(std::span<const uint64_t>(*rows_).subspan(at_, count), 0, slice.columns[i])
               : chunks_[i].read(at_, count, 0, slice.columns[i], options_.backend);
  }));
  at_ += count;
  return std::optional(std::move(slice));
}

}  // namespace bobbin::table
