// SPDX-License-Identifier: Apache-2.0
// A table scan as an Arrow stream. Row groups are opened (their matching rows found, their chunks read) and
// then decoded a slice at a time, both by a few threads ahead of the receiver, and handed over in order. A
// slice is so small that its memory is used again by a later one, instead of being requested from the system.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <numeric>

#include "array/array.hpp"
#include "bobbin/arrow.hpp"
#include "bobbin/cancel.hpp"
#include "bobbin/text.hpp"
#include "core/bits.hpp"
#include "core/parallel.hpp"
#include "device/thread_gpu.hpp"
#include "file/access.hpp"
#include "interop/calls.hpp"
#include "interop/export.hpp"
#include "interop/task.hpp"
#include "table/chunk_rows.hpp"
#include "table/group_slices.hpp"

namespace bobbin {
namespace interop {
namespace {

using arrow::Field;
using arrow::TableScanCounts;
using arrow::TableScanOptions;
using file::ReaderAccess;
using table::ChunkRows;

constexpr uint64_t kAheadBytes = uint64_t{256} << 20;   // decoded rows that wait for the receiver
constexpr uint64_t kMostPieceRows = uint64_t{1} << 20;  // whose numbers are in memory at once
// With more bytes of strings, rows are decoded as many at a time as have about the second number of bytes.
constexpr uint64_t kMostStringBytes = uint64_t{32} << 20;
constexpr uint64_t kSliceStringBytes = uint64_t{8} << 20;
constexpr uint64_t kManyBytes = uint64_t{1} << 40;  // so that no sum overflows
constexpr uint64_t kMany = 8;                       // from one row in 8 on, all rows of a slice are looked at

// Rows of one row group to look at.
struct Piece {
  size_t group = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// A piece whose rows are known and whose chunks are in memory, encoded. It is decoded step by step: a step is
// a row of the list if there is one, otherwise a row of the piece, which may be marked as one that is left
// out.
struct Opened {
  size_t group = 0;
  uint64_t first = 0;  // of the piece, in the row group
  uint64_t steps = 0;
  std::optional<std::vector<uint64_t>> rows{};  // in the row group
  std::optional<array::Bitmap> marks{};
  std::vector<ChunkRows> chunks{};  // one for each column
  bool was_read = false;
  // Instead of chunks, if the strings have many bytes: slices of a bounded size, one after another.
  mutable std::optional<table::GroupSlices> bounded{};
};

// Decoded rows.
struct Loaded {
  ArrowColumns columns;
  uint64_t length = 0;
  size_t group = 0;
  bool was_read = false;  // a column of the row group
  bool is_end = false;    // of bounded slices
};

std::vector<size_t> columns_of(const Reader& reader, const TableScanOptions& options) {
  if (options.columns.has_value()) {
    return *options.columns;
  }
  std::vector<size_t> all(reader.columns().size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

// Those of the rows that are in the piece.
std::span<const uint64_t> listed_rows(const std::vector<uint64_t>& rows, const Piece& piece) {
  const auto begin = std::ranges::lower_bound(rows, piece.begin);
  return {begin, std::lower_bound(begin, rows.end(), piece.end)};
}

std::vector<Piece> pieces_of(const Reader& reader, const TableScanOptions& options) {
  const auto& groups = ReaderAccess::footer(reader).row_groups;
  const uint64_t end = options.begin + std::min(options.num_rows, UINT64_MAX - options.begin);
  std::vector<Piece> pieces;
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto& wanted = options.row_groups;
    const Piece piece{g, std::max(options.begin, groups[g].first_row),
                      std::min(end, groups[g].first_row + groups[g].num_rows)};
    if (piece.begin < piece.end && (!wanted.has_value() || std::ranges::binary_search(*wanted, g)) &&
        (!options.rows.has_value() || !listed_rows(*options.rows, piece).empty())) {
      pieces.push_back(piece);
    }
  }
  return pieces;
}

// About how many bytes the columns of the largest row group take.
uint64_t group_bytes(const Reader& reader, std::span<const size_t> columns) {
  uint64_t most = 1;
  for (const file::RowGroup& group : ReaderAccess::footer(reader).row_groups) {
    uint64_t bytes = 0;
    for (const size_t column : columns) {
      const DType type = reader.columns()[column].type;
      bytes += group.num_rows * (is_string(type) ? sizeof(uint64_t) : size_bytes(type));
      bytes += is_string(type) ? group.chunks[column].strings.num_bytes : 0;
    }
    most = std::max(most, bytes);
  }
  return most;
}

class TableStream {
 public:
  TableStream(std::shared_ptr<const Reader> reader, TableScanOptions options, std::vector<Field> fields)
      : reader_(std::move(reader)),
        options_(std::move(options)),
        fields_(std::move(fields)),
        columns_(columns_of(*reader_, options_)),
        pieces_(pieces_of(*reader_, options_)),
        gpu_(options_.backend),
        slice_rows_(columns_.empty() ? uint64_t{INT64_MAX} : table::slice_rows(columns_.size())),
        left_(options_.limit) {
    // A limit is mostly reached in the first slice.
    const uint64_t most = options_.limit == UINT64_MAX ? num_threads(options_.threads) : 1;
    ahead_ = std::clamp<uint64_t>(num_slices(), 1, most);
    const uint64_t fit = kAheadBytes / group_bytes(*reader_, columns_);
    ahead_groups_ = std::clamp<uint64_t>(std::min<uint64_t>(fit, pieces_.size()), 1, ahead_);
  }
  TableStream(const TableStream&) = delete;
  TableStream& operator=(const TableStream&) = delete;
  ~TableStream() { cancelled_ = true; }

  void schema(ArrowSchema* out) const { arrow::export_schema(fields_, arrow::own_metadata(*reader_), out); }

  // The next rows; an array that is released already after the last.
  Status next(ArrowArray* out) {
    *out = {};
    BOBBIN_TRY(CancelScope::check());
    while (at_ == current_.length && left_ != 0) {
      BOBBIN_ASSIGN(const bool is_there, load_next());
      if (!is_there) {
        return {};
      }
    }
    if (left_ == 0) {
      return {};
    }
    const uint64_t length =
        std::min({current_.length - at_, std::max<uint64_t>(1, options_.batch_rows), left_});
    export_rows(current_.columns, at_, length, out);
    at_ += length;
    left_ -= length;
    counts_.rows += length;
    if (at_ == current_.length || left_ == 0) {
      current_ = {};  // its memory lives as long as the receiver needs it
      at_ = 0;
    }
    report();
    return {};
  }

  [[nodiscard]] const Status& error() const { return error_; }
  void keep(const Status& error) { error_ = error; }

 private:
  void report() const {
    if (options_.report) {
      options_.report(counts_);
    }
  }

  [[nodiscard]] uint64_t num_slices() const {
    return std::accumulate(pieces_.begin(), pieces_.end(), uint64_t{0},
                           [&](uint64_t sum, const Piece& piece) {
                             return sum + ceil_div(piece.end - piece.begin, slice_rows_);
                           });
  }

  template <class T>
  Task<T> task(std::function<Result<T>()> work) const {
    const bool on_own_thread = ahead_ != 1;
    return Task<T>(
        [this, on_own_thread, work = std::move(work)]() -> Result<T> {
          if (on_own_thread) {
            BOBBIN_TRY(gpu_.use());
          }
          return cancelled_ ? Result<T>(T{}) : work();
        },
        on_own_thread);
  }

  // The next row group, or a part of a large one.
  Piece next_piece() {
    Piece piece = pieces_[started_];
    piece.begin = std::max(piece.begin, cut_);
    const bool is_counted = columns_.empty() && !options_.where.has_value();
    if (piece.end - piece.begin > kMostPieceRows && !is_counted) {
      piece.end = cut_ = piece.begin + kMostPieceRows;
    } else {
      ++started_;
    }
    return piece;
  }

  void start_groups() {
    while (opening_.size() < ahead_groups_ && started_ < pieces_.size()) {
      const Piece piece = next_piece();
      opening_.push_back(task<std::shared_ptr<const Opened>>([this, piece] { return open(piece); }));
    }
  }

  // Starts slices of the group that is open; of the next one if it is ready or nothing else is left to wait
  // for.
  Status start_slices() {
    for (;;) {
      while (opened_ != nullptr && slices_.size() < ahead_) {
        const std::shared_ptr<const Opened> from = opened_;
        if (from->bounded.has_value()) {
          if (slices_.empty()) {  // otherwise the one before comes first
            slices_.push_back(task<Loaded>([this, from] { return load_bounded(*from); }));
          }
          return {};
        }
        const uint64_t begin = sliced_;
        const uint64_t end = std::min(from->steps, begin + slice_rows_);
        slices_.push_back(task<Loaded>([this, from, begin, end] { return load(*from, begin, end); }));
        sliced_ = end;
        opened_ = end == from->steps ? nullptr : opened_;
      }
      start_groups();
      const bool has_room = slices_.size() < ahead_ && !opening_.empty();
      if (!has_room || (!slices_.empty() && opening_.front().is_running())) {
        return {};
      }
      auto opened = opening_.front().get();
      if (opened.has_value()) {
        opened_ = *std::move(opened);
        sliced_ = 0;
        opening_.pop_front();
      } else if (opened.error().code() == StatusCode::cancelled) {
        return opened.error();
      } else {
        // The rows before come first, and nothing comes after.
        slices_.push_back(task<Loaded>([error = opened.error()]() -> Result<Loaded> { return error; }));
        opening_.clear();
        started_ = pieces_.size();
        return {};
      }
    }
  }

  // Takes the next slice, which has no rows if none of its row group match; false after the last.
  Result<bool> load_next() {
    if (const Status started = start_slices(); !started.ok()) {
      return failed(started);
    }
    if (slices_.empty()) {
      return false;
    }
    Result<Loaded> loaded = slices_.front().get();
    if (!loaded.has_value()) {
      return failed(loaded.error());
    }
    slices_.pop_front();
    current_ = *std::move(loaded);
    at_ = 0;
    opened_ = current_.is_end ? nullptr : opened_;
    if (current_.was_read && counted_ != current_.group) {
      counted_ = current_.group;
      ++counts_.row_groups;
    }
    report();
    if (ahead_ != 1) {
      (void)start_slices();  // nothing is cancelled on other threads, and other errors wait for their turn
    }
    return true;
  }

  // Nothing follows an error, but a call that was cancelled can be repeated.
  Status failed(const Status& error) {
    if (error.code() != StatusCode::cancelled) {
      started_ = pieces_.size();
      opened_ = nullptr;
      slices_.clear();
      opening_.clear();
    }
    return error;
  }

  Result<std::shared_ptr<const Opened>> open(const Piece& piece) const {
    const uint64_t first = ReaderAccess::footer(*reader_).row_groups[piece.group].first_row;
    Opened opened{.group = piece.group,
                  .first = piece.begin - first,
                  .steps = std::min(piece.end - piece.begin, options_.limit),
                  .was_read = !columns_.empty()};
    if (options_.rows.has_value()) {
      select(listed_rows(*options_.rows, piece), piece, opened);
    } else if (options_.where.has_value()) {
      BOBBIN_TRY(find_matches(piece, opened));
    }
    BOBBIN_TRY(load_chunks(piece.group, opened));
    return std::make_shared<const Opened>(std::move(opened));
  }

  Status find_matches(const Piece& piece, Opened& opened) const {
    const query::Query query = query::from(*reader_).where(*options_.where).on(options_.backend);
    query::QueryStats stats;
    std::vector<uint64_t> rows;
    const auto take = [&](size_t, std::span<const uint64_t> found) -> Result<bool> {
      rows.insert(rows.end(), found.begin(), found.end());
      return rows.size() < options_.limit;
    };
    BOBBIN_TRY(query.visit_rows(take, piece.begin, piece.end, &stats));
    select(rows, piece, opened);
    opened.was_read = stats.read != 0 || (opened.steps != 0 && !columns_.empty());
    return {};
  }

  // Many rows as marks, which take less memory than their numbers, few as a list.
  void select(std::span<const uint64_t> rows, const Piece& piece, Opened& opened) const {
    const uint64_t all = piece.end - piece.begin;
    rows = rows.first(std::min<uint64_t>(rows.size(), options_.limit));
    opened.steps = rows.size();
    if (rows.size() == all) {
      return;
    }
    if (!rows.empty() && rows.size() >= all / kMany) {
      opened.steps = all;
      opened.marks = array::Bitmap{
          .words = std::vector<uint32_t>(ceil_div<uint64_t>(all, 32)), .first = 0, .length = all};
      for (const uint64_t row : rows) {
        opened.marks->words[(row - piece.begin) / 32] |= 1U << ((row - piece.begin) % 32);
      }
      return;
    }
    opened.rows.emplace(rows.begin(), rows.end());
    std::ranges::for_each(*opened.rows,
                          [shift = piece.begin - opened.first](uint64_t& row) { row -= shift; });
  }

  Status load_chunks(size_t group, Opened& opened) const {
    for (size_t i = 0; i < columns_.size() && opened.steps != 0; ++i) {
      BOBBIN_ASSIGN(ChunkRows chunk,
                    opened.rows.has_value()
                        ? ChunkRows::load(*reader_, group, columns_[i], *opened.rows)
                        : ChunkRows::load(*reader_, group, columns_[i], opened.first, opened.steps));
      opened.chunks.push_back(std::move(chunk));
    }
    const uint64_t bytes = std::accumulate(opened.chunks.begin(), opened.chunks.end(), uint64_t{0},
                                           [](uint64_t sum, const ChunkRows& chunk) {
                                             return sum + std::min(chunk.string_bytes(), kManyBytes);
                                           });
    return bytes > kMostStringBytes ? bound(group, opened) : Status();
  }

  Status bound(size_t group, Opened& opened) const {
    opened.chunks.clear();
    const table::GroupSlices::Options options{.rows = slice_rows_, .string_bytes = kSliceStringBytes};
    auto rows = taken(opened, 0, opened.steps);
    auto slices = rows.has_value()
                      ? table::GroupSlices::of(*reader_, group, columns_, *std::move(rows), options)
                      : table::GroupSlices::of(*reader_, group, columns_, opened.first,
                                               opened.first + opened.steps, options);
    BOBBIN_TRY(slices.error());
    opened.bounded.emplace(*std::move(slices));
    return {};
  }

  Result<Loaded> load_bounded(const Opened& from) const {
    BOBBIN_TRY(CancelScope::check());
    BOBBIN_ASSIGN(auto slice, from.bounded->next());
    Loaded loaded{.columns = {},
                  .length = slice.has_value() ? slice->rows : 0,
                  .group = from.group,
                  .was_read = from.was_read,
                  .is_end = !slice.has_value()};
    for (size_t i = 0; i < columns_.size() && loaded.length != 0; ++i) {
      BOBBIN_ASSIGN(auto made, lay_out(std::move(slice->columns[i]), fields_[i].format));
      loaded.columns.push_back(std::move(made));
    }
    return loaded;
  }

  // The rows of some steps that are to be taken; nothing: all.
  static std::optional<std::vector<uint64_t>> taken(const Opened& from, uint64_t begin, uint64_t end) {
    if (from.rows.has_value()) {
      const auto at = from.rows->begin();
      return std::vector<uint64_t>(at + static_cast<ptrdiff_t>(begin), at + static_cast<ptrdiff_t>(end));
    }
    if (!from.marks.has_value()) {
      return std::nullopt;
    }
    std::vector<uint64_t> rows;
    rows.reserve(end - begin);
    for (uint64_t step = begin; step < end; ++step) {
      if (from.marks->at(step)) {
        rows.push_back(from.first + step);
      }
    }
    return rows;
  }

  Result<Loaded> load(const Opened& from, uint64_t begin, uint64_t end) const {
    const std::optional<std::vector<uint64_t>> rows = taken(from, begin, end);
    Loaded loaded{.columns = {},
                  .length = rows.has_value() ? rows->size() : end - begin,
                  .group = from.group,
                  .was_read = from.was_read};
    for (size_t i = 0; i < from.chunks.size() && loaded.length != 0; ++i) {
      HostColumn column = memory_->make_column(reader_->columns()[columns_[i]], loaded.length);
      BOBBIN_TRY(rows.has_value()
                     ? from.chunks[i].take(*rows, 0, column)
                     : from.chunks[i].read(from.first + begin, loaded.length, 0, column, Backend::cpu));
      BOBBIN_ASSIGN(auto made, lay_out(std::move(column), fields_[i].format, memory_));
      loaded.columns.push_back(std::move(made));
    }
    return loaded;
  }

  std::shared_ptr<const Reader> reader_;
  TableScanOptions options_;
  std::vector<Field> fields_;
  std::vector<size_t> columns_;
  std::vector<Piece> pieces_;
  ThreadGpu gpu_;
  std::shared_ptr<ColumnMemory> memory_ = std::make_shared<ColumnMemory>();
  uint64_t slice_rows_;
  uint64_t ahead_ = 1;         // slices that are decoded before they are needed
  uint64_t ahead_groups_ = 1;  // and row groups that are opened
  uint64_t left_;
  size_t started_ = 0;
  uint64_t cut_ = 0;  // where the next part of a large row group begins
  std::optional<size_t> counted_;
  std::shared_ptr<const Opened> opened_;
  uint64_t sliced_ = 0;  // rows of it that were begun
  Loaded current_;
  uint64_t at_ = 0;  // rows of it that were handed over
  TableScanCounts counts_;
  Status error_;
  std::atomic<bool> cancelled_ = false;
  // Last members: destroyed before what the threads use.
  std::deque<Task<Loaded>> slices_;
  std::deque<Task<std::shared_ptr<const Opened>>> opening_;
};

TableStream& state(ArrowArrayStream* stream) {
  return *static_cast<TableStream*>(stream->private_data);
}

// Runs a function of a stream, and keeps its error.
template <class F>
int run(ArrowArrayStream* stream, F&& function) {
  const Status status = without_exceptions([&] { return function(state(stream)); });
  state(stream).keep(status);
  return error_number(status);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return run(stream, [&](const TableStream& own) {
    own.schema(out);
    return Status();
  });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return run(stream, [&](TableStream& own) { return own.next(out); });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const Status& error = state(stream).error();
  return error.ok() ? nullptr : error.message().c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<TableStream*>(stream->private_data);
  stream->release = nullptr;
}

Status check_options(const Reader& reader, const TableScanOptions& options) {
  const size_t num_columns = reader.columns().size();
  for (const size_t column : columns_of(reader, options)) {
    BOBBIN_RETURN_IF(column >= num_columns, StatusCode::invalid_argument,
                     fmt::format("column {} of {}", column, num_columns));
  }
  if (options.row_groups.has_value()) {
    const std::vector<size_t>& groups = *options.row_groups;
    const bool ascend = std::ranges::adjacent_find(groups, std::greater_equal()) == groups.end();
    BOBBIN_RETURN_IF(!ascend, StatusCode::invalid_argument, "row groups do not ascend");
    BOBBIN_RETURN_IF(!groups.empty() && groups.back() >= reader.num_row_groups(),
                     StatusCode::invalid_argument,
                     fmt::format("row group {} of {}", groups.back(), reader.num_row_groups()));
  }
  if (options.rows.has_value()) {
    const std::vector<uint64_t>& rows = *options.rows;
    const bool ascend = std::ranges::adjacent_find(rows, std::greater_equal()) == rows.end();
    BOBBIN_RETURN_IF(!ascend || options.where.has_value(), StatusCode::invalid_argument,
                     "listed rows must ascend, and have no filter");
    BOBBIN_RETURN_IF(!rows.empty() && rows.back() >= reader.num_rows(), StatusCode::invalid_argument,
                     fmt::format("row {} of {}", rows.back(), reader.num_rows()));
  }
  return options.where.has_value() ? query::from(reader).where(*options.where).check() : Status();
}

}  // namespace
}  // namespace interop

namespace arrow {

Result<std::vector<Field>> table_scan_fields(const Reader& reader, const TableScanOptions& options) {
  BOBBIN_TRY(interop::check_options(reader, options));
  const std::vector<Field> all = fields_of(reader);
  std::vector<Field> fields;
  for (const size_t column : interop::columns_of(reader, options)) {
    fields.push_back(all[column]);
  }
  BOBBIN_RETURN_IF(!options.formats.empty() && options.formats.size() != fields.size(),
                   StatusCode::invalid_argument,
                   fmt::format("{} types for {} columns", options.formats.size(), fields.size()));
  for (size_t i = 0; i < options.formats.size(); ++i) {
    BOBBIN_RETURN_IF(!can_export_as(fields[i].column, options.formats[i]), StatusCode::invalid_argument,
                     fmt::format("column {} cannot be exported as {}", quoted_text(fields[i].column.name),
                                 quoted_text(options.formats[i])));
    fields[i].format = options.formats[i];
  }
  return fields;
}

std::optional<Status> stream_error(const ArrowArrayStream& stream) {
  if (stream.get_next != interop::get_next || stream.release == nullptr) {
    return std::nullopt;
  }
  return static_cast<const interop::TableStream*>(stream.private_data)->error();
}

Status export_table_scan(std::shared_ptr<const Reader> reader, TableScanOptions options,
                         ArrowArrayStream* out) {
  BOBBIN_ASSIGN(std::vector<Field> fields, table_scan_fields(*reader, options));
  auto made =
      std::make_unique<interop::TableStream>(std::move(reader), std::move(options), std::move(fields));
  *out = {.get_schema = interop::get_schema,
          .get_next = interop::get_next,
          .get_last_error = interop::get_last_error,
          .release = interop::release_stream,
          .private_data = made.release()};
  return {};
}

}  // namespace arrow
}  // namespace bobbin
