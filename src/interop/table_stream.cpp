// SPDX-License-Identifier: Apache-2.0
// A table scan as an Arrow stream. Row groups are read by a few threads ahead of the receiver, and handed
// over in order.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <numeric>

#include "bobbin/arrow.hpp"
#include "bobbin/cancel.hpp"
#include "bobbin/text.hpp"
#include "core/parallel.hpp"
#include "device/thread_gpu.hpp"
#include "file/access.hpp"
#include "interop/calls.hpp"
#include "interop/export.hpp"
#include "table/group_slices.hpp"

namespace bobbin {
namespace interop {
namespace {

using arrow::Field;
using arrow::TableScanCounts;
using arrow::TableScanOptions;
using file::ReaderAccess;

constexpr uint64_t kAheadBytes = uint64_t{256} << 20;  // decoded rows that wait for the receiver
// A row group with more bytes of strings, or more rows, is decoded a slice at a time.
constexpr uint64_t kMostStringBytes = uint64_t{32} << 20;
constexpr uint64_t kMostSliceRows = uint64_t{1} << 20;
constexpr uint64_t kSliceStringBytes = uint64_t{8} << 20;

// Rows of one row group to look at.
struct Piece {
  size_t group = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// What was read of a piece: its first rows, and where more of them come from.
struct Loaded {
  ArrowColumns columns;
  uint64_t length = 0;
  bool was_read = false;
  std::optional<table::GroupSlices> more{};
  std::optional<Piece> rest{};  // rows after those
};

std::vector<size_t> columns_of(const Reader& reader, const TableScanOptions& options) {
  if (options.columns.has_value()) {
    return *options.columns;
  }
  std::vector<size_t> all(reader.columns().size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

std::vector<Piece> pieces_of(const Reader& reader, const TableScanOptions& options) {
  const auto& groups = ReaderAccess::footer(reader).row_groups;
  const uint64_t end = options.begin + std::min(options.num_rows, UINT64_MAX - options.begin);
  std::vector<Piece> pieces;
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto& wanted = options.row_groups;
    const Piece piece{g, std::max(options.begin, groups[g].first_row),
                      std::min(end, groups[g].first_row + groups[g].num_rows)};
    if (piece.begin < piece.end && (!wanted.has_value() || std::ranges::binary_search(*wanted, g))) {
      pieces.push_back(piece);
    }
  }
  return pieces;
}

// How many bytes of strings the columns of a row group have, according to the footer.
uint64_t string_bytes(const Reader& reader, size_t group, std::span<const size_t> columns) {
  uint64_t bytes = 0;
  for (const size_t column : columns) {
    const uint64_t own = is_string(reader.columns()[column].type)
                             ? ReaderAccess::footer(reader).row_groups[group].chunks[column].strings.num_bytes
                             : 0;
    bytes += std::min(own, UINT64_MAX - bytes);
  }
  return bytes;
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
        left_(options_.limit) {
    const unsigned threads = num_threads(options_.threads);
    const uint64_t fit = kAheadBytes / group_bytes(*reader_, columns_);
    // A limit is mostly reached in the first row group.
    const uint64_t most = options_.limit == UINT64_MAX ? threads : 1;
    ahead_ = std::clamp<uint64_t>(std::min<uint64_t>(fit, pieces_.size()), 1, most);
    inner_threads_ = std::max(1U, static_cast<unsigned>(threads / ahead_));
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
      current_.columns.clear();  // their memory lives as long as the receiver needs it
      current_.length = 0;
      at_ = 0;
    }
    report();
    return {};
  }

  [[nodiscard]] const char* error() const { return error_.empty() ? nullptr : error_.c_str(); }
  [[nodiscard]] std::string& error_text() { return error_; }

 private:
  void report() const {
    if (options_.report) {
      options_.report(counts_);
    }
  }

  void start_some() {
    while (waiting_.size() < ahead_ && started_ < pieces_.size()) {
      const Piece piece = pieces_[started_++];
      if (ahead_ == 1) {  // no second thread is needed
        waiting_.push_back(std::async(std::launch::deferred, [this, piece] { return load(piece); }));
        continue;
      }
      waiting_.push_back(std::async(std::launch::async, [this, piece]() -> Result<Loaded> {
        BOBBIN_TRY(gpu_.use());
        return load(piece);
      }));
    }
  }

  // Takes the next rows: of the current row group, if it has more, or of the next one; false after the last.
  Result<bool> load_next() {
    if (current_.more.has_value() || current_.rest.has_value()) {
      return load_more();
    }
    start_some();
    if (waiting_.empty()) {
      return false;
    }
    Result<Loaded> loaded = waiting_.front().get();
    waiting_.pop_front();
    if (!loaded.has_value()) {
      // A call that was cancelled can be repeated.
      const bool cancelled = loaded.error().code() == StatusCode::cancelled;
      started_ = cancelled ? started_ - 1 - waiting_.size() : pieces_.size();
      waiting_.clear();
      return loaded.error();
    }
    start_some();
    current_ = *std::move(loaded);
    at_ = 0;
    counts_.row_groups += current_.was_read ? 1 : 0;
    report();
    return true;
  }

  Result<bool> load_more() {
    const bool was_read = current_.was_read;
    Result<Loaded> loaded = current_.more.has_value() ? next_slice(*current_.more) : load(*current_.rest);
    if (!loaded.has_value()) {
      if (loaded.error().code() != StatusCode::cancelled) {
        current_ = {};
        started_ = pieces_.size();
        waiting_.clear();
      }
      return loaded.error();
    }
    if (current_.more.has_value()) {
      loaded->rest = current_.rest;
      if (loaded->length != 0) {
        loaded->more = std::move(current_.more);
      }
    }
    current_ = *std::move(loaded);
    current_.was_read = current_.was_read || was_read;
    counts_.row_groups += current_.was_read && !was_read ? 1 : 0;
    at_ = 0;
    return true;
  }

  Result<Loaded> load(const Piece& piece) const {
    if (cancelled_) {
      return Loaded{};
    }
    return options_.where.has_value() ? load_matches(piece) : load_all(piece);
  }

  Result<Loaded> load_all(const Piece& piece) const {
    const uint64_t length = piece.end - piece.begin;
    // Rows without columns are still counted.
    if (columns_.empty()) {
      return Loaded{.columns = {}, .length = length};
    }
    const uint64_t wanted = std::min(length, options_.limit);
    const file::RowGroup& group = ReaderAccess::footer(*reader_).row_groups[piece.group];
    // The footer's sizes are right for whole row groups, or reading them fails.
    if (wanted == group.num_rows && wanted <= kMostSliceRows &&
        string_bytes(*reader_, piece.group, columns_) <= kMostStringBytes) {
      BOBBIN_ASSIGN(std::vector<HostColumn> columns,
                    read_columns(*reader_, columns_, piece.begin, wanted, inner_threads_));
      return lay_out_all(std::move(columns), wanted);
    }
    const uint64_t begin = piece.begin - group.first_row;
    BOBBIN_ASSIGN(table::GroupSlices slices, table::GroupSlices::of(*reader_, piece.group, columns_, begin,
                                                                    begin + wanted, slice_options()));
    return first_slice(std::move(slices));
  }

  Result<Loaded> load_matches(const Piece& piece) const {
    const query::Query query = query::from(*reader_).where(*options_.where).on(options_.backend);
    query::QueryStats stats;
    std::vector<uint64_t> rows;
    const auto take = [&](size_t, std::span<const uint64_t> found) -> Result<bool> {
      rows.insert(rows.end(), found.begin(), found.end());
      return rows.size() < std::min(kMostSliceRows, options_.limit);
    };
    BOBBIN_TRY(query.visit_rows(take, piece.begin, piece.end, &stats));
    std::optional<Piece> rest;
    if (rows.size() >= kMostSliceRows && rows.back() + 1 < piece.end) {
      rest = Piece{piece.group, rows.back() + 1, piece.end};
    }
    rows.resize(std::min<uint64_t>(rows.size(), options_.limit));
    if (rows.empty() || columns_.empty()) {
      return Loaded{.columns = {}, .length = rows.size(), .was_read = stats.read != 0, .rest = rest};
    }
    BOBBIN_ASSIGN(Loaded loaded, rows.size() == piece.end - piece.begin
                                     ? load_all(piece)
                                     : load_rows(piece.group, std::move(rows)));
    loaded.rest = rest;
    return loaded;
  }

  Result<Loaded> load_rows(size_t group, std::vector<uint64_t> rows) const {
    const uint64_t first = ReaderAccess::footer(*reader_).row_groups[group].first_row;
    std::ranges::for_each(rows, [&](uint64_t& row) { row -= first; });
    BOBBIN_ASSIGN(table::GroupSlices slices,
                  table::GroupSlices::of(*reader_, group, columns_, std::move(rows), slice_options()));
    return first_slice(std::move(slices));
  }

  [[nodiscard]] table::GroupSlices::Options slice_options() const {
    return {.rows = kMostSliceRows, .string_bytes = kSliceStringBytes, .threads = inner_threads_};
  }

  Result<Loaded> first_slice(table::GroupSlices slices) const {
    BOBBIN_ASSIGN(Loaded loaded, next_slice(slices));
    loaded.more = std::move(slices);
    return loaded;
  }

  Result<Loaded> next_slice(table::GroupSlices& slices) const {
    BOBBIN_TRY(CancelScope::check());
    BOBBIN_ASSIGN(auto slice, slices.next());
    return slice.has_value() ? lay_out_all(std::move(slice->columns), slice->rows) : Result<Loaded>(Loaded{});
  }

  Result<Loaded> lay_out_all(std::vector<HostColumn> columns, uint64_t length) const {
    Loaded loaded{.columns = {}, .length = length, .was_read = true};
    for (size_t i = 0; i < columns.size(); ++i) {
      BOBBIN_ASSIGN(auto column, lay_out(std::move(columns[i]), fields_[i].format));
      loaded.columns.push_back(std::move(column));
    }
    return loaded;
  }

  std::shared_ptr<const Reader> reader_;
  TableScanOptions options_;
  std::vector<Field> fields_;
  std::vector<size_t> columns_;
  std::vector<Piece> pieces_;
  ThreadGpu gpu_;
  uint64_t ahead_ = 1;
  unsigned inner_threads_ = 1;
  uint64_t left_;
  size_t started_ = 0;
  Loaded current_;
  uint64_t at_ = 0;  // rows of it that were handed over
  TableScanCounts counts_;
  std::string error_;
  std::atomic<bool> cancelled_ = false;
  std::deque<std::future<Result<Loaded>>> waiting_;  // last member: destroyed before what the threads use
};

TableStream& state(ArrowArrayStream* stream) {
  return *static_cast<TableStream*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return guarded(state(stream).error_text(), [&] {
    state(stream).schema(out);
    return Status();
  });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return guarded(state(stream).error_text(), [&] { return state(stream).next(out); });
}

const char* get_last_error(ArrowArrayStream* stream) {
  return state(stream).error();
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
