// SPDX-License-Identifier: Apache-2.0
// Rows are gathered column by column; a full row group is encoded and written chunk by chunk, and of it only
// the footer's share stays in memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "array/array.hpp"
#include "bobbin/file.hpp"
#include "codecs/registry.hpp"
#include "file/footer.hpp"
#include "file/layout.hpp"
#include "file/output.hpp"
#include "file/text.hpp"
#include "select/select.hpp"

namespace bobbin {

using namespace file;

struct Writer::Impl {
  Impl(std::string file_name, WriteOptions write_options, Output out)
      : name(std::move(file_name)), options(std::move(write_options)), output(std::move(out)) {}

  Status start();
  Status append(std::span<const void* const> columns, uint64_t rows);
  Status finish();
  // Keeps the first error, and removes the unfinished file.
  Status settle(const Status& status);

  [[nodiscard]] bool must_copy(std::span<const void* const> columns) const;
  void gather(std::span<const void* const> columns, uint64_t begin, uint64_t rows);
  Status write_gathered();
  Status write_group(std::span<const void* const> columns, uint64_t begin, uint64_t rows);
  Result<Array> encode(const Values& values) const;
  Result<Node> write_node(const Array& array);
  Result<uint32_t> write_segment(std::span<const std::byte> bytes);
  Status write_footer();

  std::string name;  // for messages
  WriteOptions options;
  const Codec* codec = nullptr;  // the one asked for; null: the smallest
  Output output;
  Footer footer;
  uint64_t footer_bound = 0;
  uint64_t rows_before = 0;  // in the row groups already written
  uint64_t rows_gathered = 0;
  std::vector<std::vector<std::byte>> gathered;  // one a column
  bool finished = false;
  Status failure;
};

namespace {

Status check_request(std::span<const Column> columns, const WriteOptions& options) {
  if (const Status status = check_columns(columns); !status.ok()) {
    return {StatusCode::invalid_argument, status.message()};
  }
  for (const Column& column : columns) {
    BOBBIN_RETURN_IF(std::ranges::find(kAllTypes, column.type) == std::end(kAllTypes),
                     StatusCode::invalid_argument,
                     fmt::format("column {}: no such type", quoted(column.name)));
  }
  BOBBIN_RETURN_IF(
      options.rows_per_group == 0 || options.rows_per_group > kMaxGroupRows, StatusCode::invalid_argument,
      fmt::format("{} rows per row group: must be from 1 to {}", options.rows_per_group, kMaxGroupRows));
  BOBBIN_RETURN_IF(!options.codec.empty() && find_codec(options.codec) == nullptr,
                   StatusCode::invalid_argument,
                   fmt::format("there is no codec called {}", quoted(options.codec)));
  return {};
}

uint64_t columns_bytes_bound(std::span<const Column> columns) {
  uint64_t bytes = 0;
  for (const Column& column : columns) {
    bytes += column.name.size() + 64;
  }
  return bytes;
}

template <class T>
std::span<const std::byte> bytes_of(const T& object) {
  return std::as_bytes(std::span(&object, 1));
}

}  // namespace

Status Writer::Impl::start() {
  codec = options.codec.empty() ? nullptr : find_codec(options.codec);
  gathered.resize(footer.columns.size());
  footer_bound = columns_bytes_bound(footer.columns);
  return output.write(bytes_of(Header{}));
}

Status Writer::Impl::settle(const Status& status) {
  if (status.ok()) {
    return status;
  }
  output.discard();
  gathered.clear();
  failure = status.in(printable(name));
  return failure;
}

// Whether the values must pass through our own memory: codecs read them through pointers of their type.
bool Writer::Impl::must_copy(std::span<const void* const> columns) const {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (reinterpret_cast<uintptr_t>(columns[c]) % size_bytes(footer.columns[c].type) != 0) {
      return true;
    }
  }
  return false;
}

Status Writer::Impl::append(std::span<const void* const> columns, uint64_t rows) {
  BOBBIN_RETURN_IF(
      columns.size() != footer.columns.size(), StatusCode::invalid_argument,
      fmt::format("append: {} columns of values for {} columns", columns.size(), footer.columns.size()));
  if (rows == 0) {
    return {};
  }
  BOBBIN_RETURN_IF(std::ranges::find(columns, nullptr) != columns.end(), StatusCode::invalid_argument,
                   "append: a column without values");
  BOBBIN_RETURN_IF(rows > std::numeric_limits<uint64_t>::max() - rows_before - rows_gathered,
                   StatusCode::invalid_argument, "append: more than 2^64 rows");
  const bool copy = must_copy(columns);
  uint64_t done = 0;
  while (done < rows) {
    const uint64_t take = std::min(rows - done, options.rows_per_group - rows_gathered);
    if (take == options.rows_per_group && !copy) {
      BOBBIN_TRY(write_group(columns, done, take));
    } else {
      gather(columns, done, take);
      if (rows_gathered == options.rows_per_group) {
        BOBBIN_TRY(write_gathered());
      }
    }
    done += take;
  }
  return {};
}

void Writer::Impl::gather(std::span<const void* const> columns, uint64_t begin, uint64_t rows) {
  for (size_t c = 0; c < columns.size(); ++c) {
    const size_t size = size_bytes(footer.columns[c].type);
    const auto* from = static_cast<const std::byte*>(columns[c]) + begin * size;
    gathered[c].insert(gathered[c].end(), from, from + rows * size);
  }
  rows_gathered += rows;
}

Status Writer::Impl::write_gathered() {
  std::vector<const void*> columns;
  for (const std::vector<std::byte>& values : gathered) {
    columns.push_back(values.data());
  }
  BOBBIN_TRY(write_group(columns, 0, std::exchange(rows_gathered, 0)));
  for (std::vector<std::byte>& values : gathered) {
    values.clear();
  }
  return {};
}

Status Writer::Impl::write_group(std::span<const void* const> columns, uint64_t begin, uint64_t rows) {
  RowGroup group{.first_row = rows_before, .num_rows = rows};
  for (size_t c = 0; c < columns.size(); ++c) {
    const Column& column = footer.columns[c];
    const void* data = static_cast<const std::byte*>(columns[c]) + begin * size_bytes(column.type);
    const Values values{.type = column.type, .data = data, .length = rows};
    auto written = [&]() -> Result<Node> {
      BOBBIN_ASSIGN(const Array array, encode(values));
      return write_node(array);
    }();
    if (!written.has_value()) {
      const Status& error = written.error();  // a full disk has nothing to do with the column
      return error.code() == StatusCode::io ? error : error.in(chunk_place(footer.row_groups.size(), column));
    }
    group.chunks.push_back({.root = std::move(*written), .zone = zone_map_of(values)});
  }
  footer_bound += footer_bytes_bound(group);
  BOBBIN_RETURN_IF(
      footer_bound > kMaxFooterBytes, StatusCode::unsupported,
      fmt::format("footer: so many row groups and columns need more than {} bytes", kMaxFooterBytes));
  footer.row_groups.push_back(std::move(group));
  rows_before += rows;
  return {};
}

Result<Array> Writer::Impl::encode(const Values& values) const {
  return codec == nullptr ? select::encode(values, options.backend)
                          : array::encode(codec->id, values, options.backend);
}

Result<Node> Writer::Impl::write_node(const Array& array) {
  Node node{.codec = array.codec, .type = array.type, .length = array.length, .metadata = array.metadata};
  for (const Buffer& buffer : array.buffers) {
    BOBBIN_ASSIGN(const uint32_t index, write_segment(buffer.bytes));
    node.segments.push_back(index);
  }
  for (const Array& child : array.children) {
    BOBBIN_ASSIGN(Node written, write_node(child));
    node.children.push_back(std::move(written));
  }
  return node;
}

Result<uint32_t> Writer::Impl::write_segment(std::span<const std::byte> bytes) {
  static constexpr std::array<std::byte, kAlignment> kZeros{};
  BOBBIN_RETURN_IF(
      bytes.size() > kMaxSegmentBytes, StatusCode::unsupported,
      fmt::format("a segment of {} bytes is above the limit of {}", bytes.size(), kMaxSegmentBytes));
  const size_t zeros = padded(bytes.size()) - bytes.size();
  const size_t index = footer.segments.size();
  footer.segments.push_back({output.position(), bytes.size(), checksum(bytes, zeros)});
  BOBBIN_TRY(output.write(bytes));
  BOBBIN_TRY(output.write(std::span(kZeros).first(zeros)));
  return static_cast<uint32_t>(index);  // the footer's limit keeps it far below 2^32
}

Status Writer::Impl::write_footer() {
  const std::vector<std::byte> bytes = build_footer(footer);
  // What our own reader would refuse must never get a name.
  const Result<Footer> parsed = parse_footer(bytes, output.position(), kNewestVersion);
  if (!parsed.has_value() || bytes.size() > kMaxFooterBytes) {
    return Status(StatusCode::unsupported, parsed.has_value() ? "too large" : parsed.error().message())
        .in("footer");
  }
  BOBBIN_TRY(output.write(bytes));
  return output.write(bytes_of(Trailer{.footer_bytes = bytes.size(), .footer_checksum = checksum(bytes)}));
}

Status Writer::Impl::finish() {
  if (rows_gathered > 0) {
    BOBBIN_TRY(write_gathered());
  }
  BOBBIN_TRY(write_footer());
  return output.commit();
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Result<Writer> Writer::create(const std::string& path, std::vector<Column> columns,
                              const WriteOptions& options) {
  if (const Status status = check_request(columns, options); !status.ok()) {
    return status.in(printable(path));
  }
  auto output = Output::create(path, options.overwrite);
  if (!output.has_value()) {
    return output.error().in(printable(path));
  }
  auto impl = std::make_unique<Impl>(path, options, std::move(*output));
  impl->footer.columns = std::move(columns);
  BOBBIN_TRY(impl->settle(impl->start()));
  return Writer(std::move(impl));
}

Result<Writer> Writer::to_descriptor(int descriptor, std::string name, std::vector<Column> columns,
                                     const WriteOptions& options) {
  if (const Status status = check_request(columns, options); !status.ok()) {
    return status.in(printable(name));
  }
  auto impl = std::make_unique<Impl>(std::move(name), options, Output::borrow(descriptor));
  impl->footer.columns = std::move(columns);
  BOBBIN_TRY(impl->settle(impl->start()));
  return Writer(std::move(impl));
}

Status Writer::append(std::span<const void* const> columns, uint64_t rows) {
  BOBBIN_RETURN_IF(impl_ == nullptr, StatusCode::invalid_argument, "append: the writer was moved away");
  BOBBIN_TRY(impl_->failure);
  BOBBIN_RETURN_IF(impl_->finished, StatusCode::invalid_argument,
                   printable(impl_->name) + ": append: the file is finished");
  return impl_->settle(impl_->append(columns, rows));
}

Status Writer::finish() {
  BOBBIN_RETURN_IF(impl_ == nullptr, StatusCode::invalid_argument, "finish: the writer was moved away");
  BOBBIN_TRY(impl_->failure);
  BOBBIN_RETURN_IF(impl_->finished, StatusCode::invalid_argument,
                   printable(impl_->name) + ": finish: the file is finished");
  BOBBIN_TRY(impl_->settle(impl_->finish()));
  impl_->finished = true;
  return {};
}

uint64_t Writer::bytes_written() const {
  return impl_ == nullptr ? 0 : impl_->output.position();
}

}  // namespace bobbin
