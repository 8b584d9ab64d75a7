// SPDX-License-Identifier: Apache-2.0
// Rows are collected column by column; a full row group is encoded and written chunk by chunk, and only its
// part of the footer stays in memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <optional>

#include "bobbin/cancel.hpp"
#include "bobbin/file.hpp"
#include "bobbin/io.hpp"
#include "core/lanes.hpp"
#include "core/parallel.hpp"
#include "core/text.hpp"
#include "file/append.hpp"
#include "file/checksum.hpp"
#include "file/encode.hpp"
#include "file/footer.hpp"
#include "file/footer_pack.hpp"
#include "file/gather.hpp"
#include "file/layout.hpp"
#include "file/nulls.hpp"
#include "file/write_request.hpp"

namespace bobbin {

using namespace file;

namespace {

// A table this small, with less than one vector per column, is encoded twice: with and without general
// compression.
constexpr uint64_t kSmallTableBytes = uint64_t{16} << 10;

// Rows of one column that wait for their row group to fill.
struct Gathered {
  std::vector<std::byte> values;
  std::vector<uint8_t> validity;  // of values; empty if none is null
  Strings strings;
};

const StringsView& view_of(const void* column) {
  return *static_cast<const StringsView*>(column);
}

// What was appended to a numeric column.
NullableView numbers_of(const Column& column, const void* appended) {
  return column.nullable ? *static_cast<const NullableView*>(appended) : NullableView{.values = appended};
}

}  // namespace

struct Writer::Impl {
  Impl(std::string file_name, WriteOptions write_options, Output out)
      : name(std::move(file_name)), options(std::move(write_options)), output(std::move(out)) {}

  Status start();
  Status append(std::span<const void* const> columns, uint64_t rows);
  Status finish();
  // Keeps the first error, and removes the unfinished file.
  Status settle(const Status& status);

  Status check_append(std::span<const void* const> columns, uint64_t rows) const;
  [[nodiscard]] bool must_copy(std::span<const void* const> columns) const;
  [[nodiscard]] uint64_t rows_that_fit(std::span<const void* const> columns, uint64_t begin,
                                       uint64_t rows) const;
  [[nodiscard]] uint64_t bytes_of_rows(std::span<const void* const> columns, uint64_t begin,
                                       uint64_t rows) const;
  void gather(std::span<const void* const> columns, uint64_t begin, uint64_t rows);
  Status write_gathered();
  Status write_group(std::span<const void* const> columns, uint64_t begin, uint64_t rows);
  [[nodiscard]] Result<EncodedChunk> encode_column(size_t column, const void* appended, uint64_t begin,
                                                   uint64_t rows) const;
  Result<Chunk> write_chunk(size_t column, EncodedChunk encoded);
  // The number of the segment that already holds these symbols, if the previous chunk has the same.
  [[nodiscard]] std::optional<uint32_t> known_symbols(size_t column, const Array& array) const;
  Result<Node> write_node(const Array& array, std::optional<uint32_t> first_segment = {});
  Result<uint32_t> write_segment(std::span<const std::byte> bytes);
  void add_parts(std::span<const std::byte> bytes, std::span<const std::byte> padding);
  Status write_footer();

  std::string name;  // for messages
  WriteOptions options;
  std::vector<Recipe> recipes;  // one per column
  Output output;
  Footer footer;
  uint64_t footer_bound = 0;
  uint64_t rows_before = 0;  // in the row groups already written
  uint64_t rows_gathered = 0;
  uint64_t bytes_gathered = 0;
  std::vector<Gathered> gathered;                  // one per column
  std::vector<std::optional<Array>> last_strings;  // one per column: its last chunk, if it holds strings
  bool may_be_small = false;
  bool is_small = false;  // a small table: see kSmallTableBytes
  bool finished = false;
  Status failure;
};

namespace {

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
  gathered.resize(footer.columns.size());
  last_strings.resize(footer.columns.size());
  footer_bound = columns_bytes_bound(footer.columns) + kMaxInlineBytes;
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

// Whether the values must be copied to our own memory: codecs access them through pointers of their type, and
// expect validity bits to start at the first bit of a byte.
bool Writer::Impl::must_copy(std::span<const void* const> columns) const {
  for (size_t c = 0; c < columns.size(); ++c) {
    const Column& column = footer.columns[c];
    if (is_string(column.type)) {
      if (view_of(columns[c]).validity != nullptr) {
        return true;
      }
      continue;
    }
    const NullableView numbers = numbers_of(column, columns[c]);
    if (numbers.validity != nullptr ||
        reinterpret_cast<uintptr_t>(numbers.values) % size_bytes(column.type) != 0) {
      return true;
    }
  }
  return false;
}

Status Writer::Impl::check_append(std::span<const void* const> columns, uint64_t rows) const {
  BOBBIN_RETURN_IF(std::ranges::find(columns, nullptr) != columns.end(), StatusCode::invalid_argument,
                   "append: a column has no values");
  BOBBIN_RETURN_IF(rows > std::numeric_limits<uint64_t>::max() - rows_before - rows_gathered,
                   StatusCode::invalid_argument, "append: more than 2^64 rows");
  for (size_t c = 0; c < columns.size(); ++c) {
    const Column& column = footer.columns[c];
    BOBBIN_RETURN_IF(is_string(column.type) && view_of(columns[c]).length < rows,
                     StatusCode::invalid_argument,
                     fmt::format("append: column {}: {} strings for {} rows", quoted_text(column.name),
                                 view_of(columns[c]).length, rows));
    BOBBIN_RETURN_IF(!is_string(column.type) && numbers_of(column, columns[c]).values == nullptr,
                     StatusCode::invalid_argument,
                     fmt::format("append: column {}: no values", quoted_text(column.name)));
  }
  return {};
}

uint64_t Writer::Impl::bytes_of_rows(std::span<const void* const> columns, uint64_t begin,
                                     uint64_t rows) const {
  uint64_t bytes = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    const DType type = footer.columns[c].type;
    bytes += is_string(type) ? view_of(columns[c]).offset(begin + rows) - view_of(columns[c]).offset(begin)
                             : rows * size_bytes(type);
  }
  return bytes;
}

// How many of the rows from `begin` on the row group can still take; at least one if it is empty.
uint64_t Writer::Impl::rows_that_fit(std::span<const void* const> columns, uint64_t begin,
                                     uint64_t rows) const {
  const auto fits = [&](uint64_t count) {
    const uint64_t most = std::min(options.bytes_per_group, kMaxStringBytes);
    return bytes_gathered + bytes_of_rows(columns, begin, count) <= most;
  };
  uint64_t most = std::min(rows - begin, options.rows_per_group - rows_gathered);
  uint64_t least = rows_gathered == 0 ? 1 : 0;
  for (uint64_t guess = most; least < most; guess = most - (most - least) / 2) {  // usually all of them
    if (fits(guess)) {
      least = guess;
    } else {
      most = guess - 1;
    }
  }
  // A group that is ended by its bytes keeps its vectors whole if possible.
  const uint64_t over = (rows_gathered + least) % kVectorLength;
  const bool ends_early = least < std::min(rows - begin, options.rows_per_group - rows_gathered);
  return ends_early && over < least && over < rows_gathered + least ? least - over : least;
}

Status Writer::Impl::append(std::span<const void* const> columns, uint64_t rows) {
  BOBBIN_RETURN_IF(columns.size() != footer.columns.size(), StatusCode::invalid_argument,
                   fmt::format("append: expected {1} columns of values, found {0}", columns.size(),
                               footer.columns.size()));
  if (rows == 0) {
    return {};
  }
  BOBBIN_TRY(check_append(columns, rows));
  const bool copy = must_copy(columns);
  uint64_t done = 0;
  while (done < rows) {
    const uint64_t take = rows_that_fit(columns, done, rows);
    const bool full = done + take < rows || rows_gathered + take == options.rows_per_group;
    if (full && rows_gathered == 0 && !copy) {
      BOBBIN_TRY(write_group(columns, done, take));
    } else {
      gather(columns, done, take);
      if (full) {
        BOBBIN_TRY(write_gathered());
      }
    }
    done += take;
  }
  return {};
}

void Writer::Impl::gather(std::span<const void* const> columns, uint64_t begin, uint64_t rows) {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (is_string(footer.columns[c].type)) {
      append_strings(gathered[c].strings, view_of(columns[c]), begin, rows);
    } else {
      const size_t size = size_bytes(footer.columns[c].type);
      const NullableView numbers = numbers_of(footer.columns[c], columns[c]);
      const auto* from = static_cast<const std::byte*>(numbers.values) + begin * size;
      gathered[c].values.insert(gathered[c].values.end(), from, from + rows * size);
      append_validity(gathered[c].validity, rows_gathered, {numbers.validity, begin}, rows);
    }
  }
  rows_gathered += rows;
  bytes_gathered += bytes_of_rows(columns, begin, rows);
}

Status Writer::Impl::write_gathered() {
  std::vector<StringsView> strings(gathered.size());
  std::vector<NullableView> numbers(gathered.size());
  std::vector<const void*> columns;
  for (size_t c = 0; c < gathered.size(); ++c) {
    const Gathered& rows = gathered[c];
    strings[c] = rows.strings.view();
    numbers[c] = {rows.values.data(), rows.validity.empty() ? nullptr : rows.validity.data()};
    columns.push_back(is_string(footer.columns[c].type) ? static_cast<const void*>(&strings[c])
                      : footer.columns[c].nullable      ? static_cast<const void*>(&numbers[c])
                                                        : rows.values.data());
  }
  bytes_gathered = 0;
  BOBBIN_TRY(write_group(columns, 0, std::exchange(rows_gathered, 0)));
  for (Gathered& column : gathered) {
    column.values.clear();
    column.validity.clear();
    column.strings.bytes.clear();
    column.strings.offsets.resize(1);
    column.strings.validity.clear();
  }
  return {};
}

// Columns are encoded on several threads, and written one after another.
Status Writer::Impl::write_group(std::span<const void* const> columns, uint64_t begin, uint64_t rows) {
  RowGroup group{.first_row = rows_before, .num_rows = rows};
  std::vector<std::optional<Result<EncodedChunk>>> encoded(columns.size());
  parallel_tasks(columns.size(), options.threads,
                 [&](uint64_t c) { encoded[c].emplace(encode_column(c, columns[c], begin, rows)); });
  for (size_t c = 0; c < columns.size(); ++c) {
    auto written = encoded[c]->has_value() ? write_chunk(c, std::move(**encoded[c]))
                                           : Result<Chunk>(encoded[c]->error());
    encoded[c].reset();
    if (!written.has_value()) {
      const Status& error = written.error();  // a full disk has nothing to do with the column
      return error.code() == StatusCode::io
                 ? error
                 : error.in(chunk_place(footer.row_groups.size(), footer.columns[c]));
    }
    group.chunks.push_back(std::move(*written));
  }
  footer_bound += footer_bytes_bound(group);
  BOBBIN_RETURN_IF(
      footer_bound + footer.parts.size() * sizeof(uint64_t) > kMaxFooterBytes, StatusCode::unsupported,
      fmt::format("footer: the row groups and columns need more than {} bytes", kMaxFooterBytes));
  footer.row_groups.push_back(std::move(group));
  rows_before += rows;
  return {};
}

Result<EncodedChunk> Writer::Impl::encode_column(size_t c, const void* appended, uint64_t begin,
                                                 uint64_t rows) const {
  BOBBIN_TRY(CancelScope::check());
  const Column& column = footer.columns[c];
  if (is_string(column.type)) {
    return encode_strings(sub_view(view_of(appended), begin, rows, column.type),
                          last_strings[c].has_value() ? &*last_strings[c] : nullptr, rows_before, recipes[c]);
  }
  const NullableView numbers = numbers_of(column, appended);
  assert(numbers.validity == nullptr || begin == 0);  // ensured by must_copy()
  const void* data = static_cast<const std::byte*>(numbers.values) + begin * size_bytes(column.type);
  return encode_numbers({.type = column.type, .data = data, .length = rows}, numbers.validity, recipes[c]);
}

Result<Chunk> Writer::Impl::write_chunk(size_t column, EncodedChunk encoded) {
  const bool strings = is_string(footer.columns[column].type);
  BOBBIN_ASSIGN(Node root,
                write_node(encoded.array, strings ? known_symbols(column, encoded.array) : std::nullopt));
  if (strings) {
    last_strings[column] = std::move(encoded.array);
  }
  return Chunk{.root = std::move(root),
               .zone = encoded.zone,
               .strings = std::move(encoded.strings),
               .null_count = encoded.null_count};
}

std::optional<uint32_t> Writer::Impl::known_symbols(size_t column, const Array& array) const {
  const std::optional<Array>& last = last_strings[column];
  if (!last.has_value() || !may_share_first(footer.row_groups.back().chunks[column].root, array.codec) ||
      !std::ranges::equal(last->buffers[0].bytes, array.buffers[0].bytes)) {
    return std::nullopt;
  }
  return footer.row_groups.back().chunks[column].root.segments[0];
}

Result<Node> Writer::Impl::write_node(const Array& array, std::optional<uint32_t> first_segment) {
  Node node{.codec = array.codec, .type = array.type, .length = array.length, .metadata = array.metadata};
  node.first_is_shared = first_segment.has_value();
  for (const Buffer& buffer : array.buffers) {
    if (node.segments.empty() && first_segment.has_value()) {
      node.segments.push_back(*first_segment);
      continue;
    }
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
  const auto index = static_cast<uint32_t>(footer.segments.size());  // the footer's limit keeps it below 2^32
  std::vector<std::byte>& inline_bytes = footer.inline_bytes;
  if (bytes.size() <= kInlineSegmentBytes && inline_bytes.size() + bytes.size() <= kMaxInlineBytes) {
    footer.segments.push_back({.offset = inline_bytes.size(), .size = bytes.size(), .in_footer = true});
    inline_bytes.insert(inline_bytes.end(), bytes.begin(), bytes.end());
    return index;
  }
  const auto padding = std::span(kZeros).first(occupied_bytes(bytes.size(), kNewestVersion) - bytes.size());
  Checksum sum;
  sum.add(bytes);
  sum.add(padding);
  footer.segments.push_back({.offset = output.position(),
                             .size = bytes.size(),
                             .checksum = sum.value(),
                             .first_part = footer.parts.size()});
  add_parts(bytes, padding);
  BOBBIN_TRY(output.write(bytes));
  BOBBIN_TRY(output.write(padding));
  return index;
}

void Writer::Impl::add_parts(std::span<const std::byte> bytes, std::span<const std::byte> padding) {
  for (uint64_t left = num_parts(bytes.size()); left > 0; --left) {
    const auto part = bytes.first(std::min<size_t>(bytes.size(), kPartBytes));
    Checksum sum;
    sum.add(part);
    if (left == 1) {
      sum.add(padding);
    }
    footer.parts.push_back(sum.value());
    bytes = bytes.subspan(part.size());
  }
}

Status Writer::Impl::write_footer() {
  std::vector<std::byte> bytes = build_footer(footer);
  // A file that our own reader would refuse must never get a name.
  const Result<Footer> parsed = parse_footer(bytes, output.position(), kNewestVersion);
  if (!parsed.has_value() || bytes.size() > kMaxFooterBytes) {
    return Status(StatusCode::unsupported, parsed.has_value() ? "too large" : parsed.error().message())
        .in("footer");
  }
  const PackedFooter packed = pack_footer(std::move(bytes), is_small);
  BOBBIN_TRY(output.write(packed.bytes));
  return output.write(bytes_of(Trailer{.footer_bytes = packed.bytes.size(),
                                       .footer_checksum = checksum(packed.bytes),
                                       .plain_bytes = packed.plain_bytes}));
}

Status Writer::Impl::finish() {
  if (rows_gathered > 0) {
    is_small = may_be_small && rows_before == 0 && rows_gathered < kVectorLength &&
               bytes_gathered <= kSmallTableBytes;
    for (Recipe& recipe : recipes) {
      recipe.small_table = is_small;
    }
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
  auto recipes = check_request(columns, options);
  if (!recipes.has_value()) {
    return recipes.error().in(printable(path));
  }
  auto output = Output::create(path, options.overwrite);
  if (!output.has_value()) {
    return output.error().in(printable(path));
  }
  std::ranges::for_each(options.sources, [&](const Access& source) { output->restrict_to(source); });
  auto impl = std::make_unique<Impl>(path, options, std::move(*output));
  impl->footer.columns = std::move(columns);
  impl->recipes = std::move(*recipes);
  BOBBIN_TRY(impl->settle(impl->start()));
  return Writer(std::move(impl));
}

Result<Writer> Writer::to_descriptor(int descriptor, std::string name, std::vector<Column> columns,
                                     const WriteOptions& options) {
  auto recipes = check_request(columns, options);
  if (!recipes.has_value()) {
    return recipes.error().in(printable(name));
  }
  auto impl = std::make_unique<Impl>(std::move(name), options, Output::borrow(descriptor));
  impl->footer.columns = std::move(columns);
  impl->recipes = std::move(*recipes);
  BOBBIN_TRY(impl->settle(impl->start()));
  return Writer(std::move(impl));
}

Status WriterAccess::append(Writer& writer, std::span<const void* const> columns, uint64_t rows) {
  Writer::Impl* const impl = writer.impl_.get();
  BOBBIN_RETURN_IF(impl == nullptr, StatusCode::invalid_argument, "append: the writer was moved from");
  BOBBIN_TRY(impl->failure);
  BOBBIN_RETURN_IF(impl->finished, StatusCode::invalid_argument,
                   printable(impl->name) + ": append: the file is finished");
  return impl->settle(impl->append(columns, rows));
}

void WriterAccess::allow_small_table(Writer& writer) {
  writer.impl_->may_be_small = true;
}

Status Writer::append(std::span<const ColumnView> columns) {
  BOBBIN_RETURN_IF(impl_ == nullptr, StatusCode::invalid_argument, "append: the writer was moved from");
  const std::vector<Column>& expected = impl_->footer.columns;
  if (const Status status = check_views(columns, expected); !status.ok()) {
    return status.in(printable(impl_->name));
  }
  std::vector<NullableView> numbers(columns.size());
  std::vector<const void*> pointers;
  for (size_t c = 0; c < columns.size(); ++c) {
    numbers[c] = {columns[c].values(), columns[c].validity()};
    pointers.push_back(is_string(expected[c].type) ? static_cast<const void*>(&columns[c].strings())
                       : expected[c].nullable      ? static_cast<const void*>(&numbers[c])
                                                   : columns[c].values());
  }
  return WriterAccess::append(*this, pointers, columns.empty() ? 0 : columns.front().length());
}

Status Writer::finish() {
  BOBBIN_RETURN_IF(impl_ == nullptr, StatusCode::invalid_argument, "finish: the writer was moved from");
  BOBBIN_TRY(impl_->failure);
  BOBBIN_RETURN_IF(impl_->finished, StatusCode::invalid_argument,
                   printable(impl_->name) + ": finish: the file is finished");
  BOBBIN_TRY(impl_->settle(impl_->finish()));
  impl_->finished = true;
  return {};
}

Status Writer::set_metadata(std::string key, std::string value) {
  BOBBIN_RETURN_IF(impl_ == nullptr, StatusCode::invalid_argument, "set_metadata: the writer was moved from");
  BOBBIN_RETURN_IF(impl_->finished, StatusCode::invalid_argument,
                   printable(impl_->name) + ": set_metadata: the file is finished");
  if (const Status status = check_pair(key, value); !status.ok()) {
    return Status(StatusCode::invalid_argument, status.message()).in(printable(impl_->name));
  }
  if (const auto hidden = count_hidden({{key, value}}, impl_->footer.columns.size()); !hidden.has_value()) {
    return Status(StatusCode::invalid_argument, hidden.error().message()).in(printable(impl_->name));
  }
  Metadata& metadata = impl_->footer.metadata;
  const auto known = std::ranges::find(metadata, key, &Metadata::value_type::first);
  if (known != metadata.end()) {
    known->second = std::move(value);
    return {};
  }
  BOBBIN_RETURN_IF(metadata.size() == kMaxKeys, StatusCode::invalid_argument,
                   fmt::format("{}: set_metadata: more than {} keys", printable(impl_->name), kMaxKeys));
  metadata.emplace_back(std::move(key), std::move(value));
  return {};
}

uint64_t Writer::bytes_written() const {
  return impl_ == nullptr ? 0 : impl_->output.position();
}

}  // namespace bobbin
