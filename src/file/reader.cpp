// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "bobbin/file.hpp"
#include "codecs/registry.hpp"
#include "core/text.hpp"
#include "file/access.hpp"
#include "file/footer.hpp"
#include "file/gather.hpp"
#include "file/nulls.hpp"
#include "file/open_file.hpp"
#include "file/verify.hpp"

namespace bobbin {

using namespace file;

struct Reader::Impl : OpenFile {
  using OpenFile::OpenFile;

  Status check_rows(size_t column, bool strings, uint64_t begin, uint64_t count) const;
  Status check_output(size_t column, uint64_t count, std::span<std::byte> out) const;
  Status check_find(size_t column, size_t group) const;
  // Calls f(row group, first row in it, rows) for each row group that contains some of the rows; errors are
  // prefixed with the row group.
  template <class F>
  Status for_each_group(size_t column, uint64_t begin, uint64_t count, F&& f) const;
  Status read_from_group(size_t group, size_t column, uint64_t begin, std::span<std::byte> out,
                         Backend backend) const;
  // Starting at bit `at` of the bitmap.
  Status validity_from_group(size_t group, size_t column, uint64_t begin, uint64_t count,
                             std::span<uint8_t> bitmap, uint64_t at) const;
  Result<Strings> strings_from_group(size_t group, size_t column, uint64_t begin, uint64_t count,
                                     Backend backend) const;
  Status verify_chunk(size_t group, size_t column, Backend backend) const;
  // The matching strings: a chunk, and one bit per string. Empty if the zone map rules the chunk out.
  struct Found {
    Array array;
    array::Bitmap bitmap;
  };
  Result<std::optional<Found>> find(size_t column, size_t group, const StringQuery& query,
                                    Backend backend) const;
  [[nodiscard]] NodeInfo describe(const Node& node) const;
};

Status Reader::Impl::check_rows(size_t column, bool strings, uint64_t begin, uint64_t count) const {
  BOBBIN_RETURN_IF(column >= footer.columns.size(), StatusCode::invalid_argument,
                   fmt::format("read: column {} of {}", column, footer.columns.size()));
  const Column& asked = footer.columns[column];
  BOBBIN_RETURN_IF(
      is_string(asked.type) != strings, StatusCode::invalid_argument,
      fmt::format("read: column {} of type {} is {}", quoted_text(asked.name), to_string(asked.type),
                  strings ? "not a string column" : "not numeric; use read_strings"));
  BOBBIN_RETURN_IF(begin > num_rows || count > num_rows - begin, StatusCode::invalid_argument,
                   fmt::format("read: {} rows from row {} on, but there are {}", count, begin, num_rows));
  return {};
}

Status Reader::Impl::check_find(size_t column, size_t group) const {
  BOBBIN_TRY(check_rows(column, true, 0, 0));
  BOBBIN_RETURN_IF(group >= footer.row_groups.size(), StatusCode::invalid_argument,
                   fmt::format("find: row group {} of {} does not exist", group, footer.row_groups.size()));
  return {};
}

Status Reader::Impl::check_output(size_t column, uint64_t count, std::span<std::byte> out) const {
  const size_t size = size_bytes(footer.columns[column].type);
  BOBBIN_RETURN_IF(out.size() % size != 0 || out.size() / size != count, StatusCode::invalid_argument,
                   fmt::format("read: {} values of type {} do not fill {} bytes of output exactly", count,
                               to_string(footer.columns[column].type), out.size()));
  BOBBIN_RETURN_IF(reinterpret_cast<uintptr_t>(out.data()) % size != 0, StatusCode::invalid_argument,
                   fmt::format("read: the output is not aligned to {} bytes", size));
  return {};
}

template <class F>
Status Reader::Impl::for_each_group(size_t column, uint64_t begin, uint64_t count, F&& f) const {
  const auto after = std::ranges::upper_bound(footer.row_groups, begin, {}, &RowGroup::first_row);
  auto group = static_cast<size_t>(after - footer.row_groups.begin());
  for (group -= group > 0 ? 1 : 0; count > 0; ++group) {
    const RowGroup& rows = footer.row_groups[group];
    const uint64_t first = begin - rows.first_row;
    const uint64_t take = std::min(rows.num_rows - first, count);
    if (Status status = f(group, first, take); !status.ok()) {
      return status.in(chunk_place(group, footer.columns[column]));
    }
    begin += take;
    count -= take;
  }
  return {};
}

Status Reader::Impl::read_from_group(size_t group, size_t column, uint64_t begin, std::span<std::byte> out,
                                     Backend backend) const {
  const uint64_t count = out.size() / size_bytes(footer.columns[column].type);
  BOBBIN_ASSIGN(const Array array, load_rows(group, column, begin, count, backend));
  BOBBIN_TRY(array::decode(array, out, backend));
  if (array::has_nulls(array)) {
    BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(array));
    zero_nulls(array.type, out, bits_of(validity));
  }
  return {};
}

Status Reader::Impl::validity_from_group(size_t group, size_t column, uint64_t begin, uint64_t count,
                                         std::span<uint8_t> bitmap, uint64_t at) const {
  if (!find_codec(footer.row_groups[group].chunks[column].root.codec)->has_nulls()) {
    copy_validity(bitmap, at, {}, count);
    return {};
  }
  BOBBIN_ASSIGN(const Array array, load_rows(group, column, begin, count, Backend::cpu));
  BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(array));
  copy_validity(bitmap, at, bits_of(validity), count);
  return {};
}

Result<Strings> Reader::Impl::strings_from_group(size_t group, size_t column, uint64_t begin, uint64_t count,
                                                 Backend backend) const {
  BOBBIN_ASSIGN(const Array array, load_rows(group, column, begin, count, backend));
  Result<Strings> strings = array::decode_strings(array, backend);
  if (!strings.has_value() && strings.error().code() == StatusCode::corrupt && backend != Backend::cpu) {
    // What a device refuses is checked on the host too, for an error that does not depend on the rows.
    BOBBIN_ASSIGN(const Array checked, load_rows(group, column, begin, count, Backend::cpu));
  }
  return strings;
}

Result<std::optional<Reader::Impl::Found>> Reader::Impl::find(size_t column, size_t group,
                                                              const StringQuery& query,
                                                              Backend backend) const {
  const RowGroup& rows = footer.row_groups[group];
  if (!may_match(rows.chunks[column].strings, rows.num_rows, query)) {
    return std::optional<Found>();
  }
  BOBBIN_ASSIGN(Array array, load_chunk(group, column, backend));
  BOBBIN_ASSIGN(array::Bitmap bitmap, array::match_strings(array, query, backend));
  return std::optional(Found{std::move(array), std::move(bitmap)});
}

Status Reader::Impl::verify_chunk(size_t group, size_t column, Backend backend) const {
  const Chunk& chunk = footer.row_groups[group].chunks[column];
  BOBBIN_ASSIGN(const Array array, load_chunk(group, column, backend));
  return is_string(array.type)
             ? verify_strings(array, chunk.strings, footer.row_groups[group].first_row, backend)
             : verify_numbers(array, chunk, backend);
}

// The array in the form that a codec's describe() needs: sizes without bytes.
NodeInfo Reader::Impl::describe(const Node& node) const {
  const Codec* codec = find_codec(node.codec);
  NodeInfo info{.codec = std::string(codec->name),
                .detail = {},
                .type = node.type,
                .length = node.length,
                .bytes = 0,
                .children = {}};
  Array outline = without_parts(node);
  uint64_t in_footer = node.metadata.size();
  for (const uint32_t index : node.segments) {
    const bool counts_elsewhere = node.first_is_shared && outline.buffers.empty();
    const Segment& segment = footer.segments[index];
    if (segment.in_footer) {
      in_footer += counts_elsewhere ? 0 : segment.size;
    } else {
      info.bytes += counts_elsewhere ? 0 : occupied_bytes(segment.size, version);
    }
    outline.buffers.push_back({nullptr, {static_cast<const std::byte*>(nullptr), segment.size}});
  }
  for (const Node& child : node.children) {
    info.children.push_back(describe(child));
    outline.children.push_back(without_parts(child));
  }
  info.bytes += in_footer * footer_bytes / plain_footer_bytes;
  info.detail = codec->describe(outline);
  return info;
}

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const std::string& path) {
  auto input = InputFile::open(path);
  if (!input.has_value()) {
    return input.error().in(printable(path));
  }
  auto impl = std::make_unique<Impl>(printable(path), std::move(*input));
  BOBBIN_TRY(impl->open().in(impl->name));
  return Reader(std::move(impl));
}

Result<Reader> Reader::from_descriptor(int descriptor, std::string name) {
  auto input = InputFile::borrow(descriptor);
  if (!input.has_value()) {
    return input.error().in(printable(name));
  }
  auto impl = std::make_unique<Impl>(printable(name), std::move(*input));
  BOBBIN_TRY(impl->open().in(impl->name));
  return Reader(std::move(impl));
}

const std::vector<Column>& Reader::columns() const {
  return impl_->visible_columns();
}
std::span<const Column> Reader::hidden_columns() const {
  return std::span<const Column>(impl_->footer.columns).subspan(columns().size());
}
std::optional<size_t> Reader::find_column(std::string_view name) const {
  return impl_->names.find(columns(), name);
}
uint64_t Reader::num_rows() const {
  return impl_->num_rows;
}
uint64_t Reader::file_bytes() const {
  return impl_->input.size();
}
unsigned Reader::format_version() const {
  return impl_->version;
}
uint64_t Reader::checksum() const {
  return impl_->footer_checksum;
}
const Metadata& Reader::metadata() const {
  return impl_->footer.metadata;
}
size_t Reader::num_row_groups() const {
  return impl_->footer.row_groups.size();
}

Result<RowGroupInfo> Reader::row_group(size_t index) const {
  BOBBIN_RETURN_IF(
      index >= num_row_groups(), StatusCode::invalid_argument,
      fmt::format("{}: row group {} does not exist: there are {}", impl_->name, index, num_row_groups()));
  const RowGroup& group = impl_->footer.row_groups[index];
  RowGroupInfo info{.first_row = group.first_row, .num_rows = group.num_rows, .chunks = {}};
  for (const Chunk& chunk : std::span(group.chunks).first(columns().size())) {
    info.chunks.push_back({.root = impl_->describe(chunk.root),
                           .min = chunk.zone.min,
                           .max = chunk.zone.max,
                           .null_count = chunk.null_count,
                           .strings = chunk.strings});
  }
  return info;
}

Status Reader::read(size_t column, uint64_t begin, uint64_t count, std::span<std::byte> out,
                    Backend backend) const {
  BOBBIN_TRY(impl_->check_rows(column, false, begin, count).in(impl_->name));
  BOBBIN_TRY(impl_->check_output(column, count, out).in(impl_->name));
  const size_t size = size_bytes(impl_->footer.columns[column].type);
  const auto read_part = [&](size_t group, uint64_t first, uint64_t rows) {
    const auto part = out.first(rows * size);
    out = out.subspan(rows * size);
    return impl_->read_from_group(group, column, first, part, backend);
  };
  return impl_->for_each_group(column, begin, count, read_part).in(impl_->name);
}

Status Reader::read_validity(size_t column, uint64_t begin, uint64_t count, std::span<uint8_t> bitmap) const {
  BOBBIN_TRY(impl_->check_rows(column, false, begin, count).in(impl_->name));
  BOBBIN_RETURN_IF(
      bitmap.size() != count / 8 + (count % 8 == 0 ? 0 : 1), StatusCode::invalid_argument,
      fmt::format("{}: read: a bitmap of {} bytes for {} rows", impl_->name, bitmap.size(), count));
  std::ranges::fill(bitmap, uint8_t{0});
  uint64_t done = 0;
  const auto read_part = [&](size_t group, uint64_t first, uint64_t rows) {
    return impl_->validity_from_group(group, column, first, rows, bitmap, std::exchange(done, done + rows));
  };
  return impl_->for_each_group(column, begin, count, read_part).in(impl_->name);
}

Result<Strings> Reader::read_strings(size_t column, uint64_t begin, uint64_t count, Backend backend) const {
  BOBBIN_TRY(impl_->check_rows(column, true, begin, count).in(impl_->name));
  Strings all;
  all.type = impl_->footer.columns[column].type;
  const auto read_part = [&](size_t group, uint64_t first, uint64_t rows) -> Status {
    BOBBIN_ASSIGN(Strings part, impl_->strings_from_group(group, column, first, rows, backend));
    if (all.length() == 0) {
      all = std::move(part);
    } else {
      append_strings(all, part.view(), 0, rows);
    }
    return {};
  };
  BOBBIN_TRY(impl_->for_each_group(column, begin, count, read_part).in(impl_->name));
  return all;
}

Result<StringMatches> Reader::find_strings(size_t column, size_t row_group, const StringQuery& query,
                                           Backend backend) const {
  BOBBIN_TRY(impl_->check_find(column, row_group).in(impl_->name));
  const auto find = [&]() -> Result<StringMatches> {
    BOBBIN_ASSIGN(const auto found, impl_->find(column, row_group, query, backend));
    StringMatches matches;
    matches.strings.type = impl_->footer.columns[column].type;
    for (uint64_t i = 0; found.has_value() && i < found->bitmap.length; ++i) {
      if (found->bitmap.at(i)) {
        matches.rows.push_back(i);
      }
    }
    if (!matches.rows.empty()) {
      BOBBIN_ASSIGN(matches.strings, array::take_strings(found->array, matches.rows, backend));
    }
    for (uint64_t& row : matches.rows) {
      row += impl_->footer.row_groups[row_group].first_row;
    }
    return matches;
  };
  Result<StringMatches> result = find();
  return result.has_value() ? result : impl_->in_place(result.error(), row_group, column);
}

Result<uint64_t> Reader::count_strings(size_t column, size_t row_group, const StringQuery& query,
                                       Backend backend) const {
  BOBBIN_TRY(impl_->check_find(column, row_group).in(impl_->name));
  const auto found = impl_->find(column, row_group, query, backend);
  if (!found.has_value()) {
    return impl_->in_place(found.error(), row_group, column);
  }
  return found->has_value() ? (*found)->bitmap.count() : uint64_t{0};
}

Status Reader::verify(Backend backend, const std::function<void(double)>& progress) const {
  const Footer& footer = impl_->footer;
  for (size_t g = 0; g < footer.row_groups.size(); ++g) {
    for (size_t c = 0; c < footer.columns.size(); ++c) {
      if (Status status = impl_->verify_chunk(g, c, backend); !status.ok()) {
        return impl_->in_place(status, g, c);
      }
      if (progress) {
        const auto done = static_cast<double>(g * footer.columns.size() + c + 1);
        progress(done / static_cast<double>(footer.row_groups.size() * footer.columns.size()));
      }
    }
  }
  return {};
}

namespace file {

Result<Array> ReaderAccess::load_chunk(const Reader& reader, size_t row_group, size_t column,
                                       Backend backend) {
  Result<Array> array = reader.impl_->load_chunk(row_group, column, backend);
  if (!array.has_value()) {
    return reader.impl_->in_place(array.error(), row_group, column);
  }
  return array;  // moved, not copied
}

Result<Array> ReaderAccess::load_kept(const Reader& reader, size_t row_group, size_t column) {
  Result<Array> array = reader.impl_->load_kept(row_group, column);
  if (!array.has_value()) {
    return reader.impl_->in_place(array.error(), row_group, column);
  }
  return array;  // moved, not copied
}

Result<Array> ReaderAccess::load_rows(const Reader& reader, size_t row_group, size_t column, uint64_t begin,
                                      uint64_t count, Backend backend) {
  Result<Array> array = reader.impl_->load_rows(row_group, column, begin, count, backend);
  if (!array.has_value()) {
    return reader.impl_->in_place(array.error(), row_group, column);
  }
  return array;  // moved, not copied
}

uint64_t ReaderAccess::chunk_bytes(const Reader& reader, size_t row_group, size_t column) {
  return reader.impl_->chunk_bytes(row_group, column);
}

Status ReaderAccess::read_chunk(const Reader& reader, size_t row_group, size_t column, uint64_t begin,
                                std::span<std::byte> to) {
  const Status status = reader.impl_->read_chunk(row_group, column, begin, to);
  return status.ok() ? status : reader.impl_->in_place(status, row_group, column);
}

Status ReaderAccess::check_chunk(const Reader& reader, size_t row_group, size_t column,
                                 std::span<const std::byte> memory) {
  const Status status = reader.impl_->check_chunk(row_group, column, memory);
  return status.ok() ? status : reader.impl_->in_place(status, row_group, column);
}

Status ReaderAccess::read_checked_chunk(const Reader& reader, size_t row_group, size_t column,
                                        std::span<std::byte> memory) {
  const Status status = reader.impl_->read_checked_chunk(row_group, column, memory);
  return status.ok() ? status : reader.impl_->in_place(status, row_group, column);
}

Result<Array> ReaderAccess::chunk_in(const Reader& reader, size_t row_group, size_t column,
                                     std::span<const std::byte> memory) {
  Result<Array> array = reader.impl_->chunk_in(row_group, column, memory);
  if (!array.has_value()) {
    return reader.impl_->in_place(array.error(), row_group, column);
  }
  return array;  // moved, not copied
}

Status ReaderAccess::in_place(const Reader& reader, const Status& error, size_t row_group, size_t column) {
  return reader.impl_->in_place(error, row_group, column);
}

const Footer& ReaderAccess::footer(const Reader& reader) {
  return reader.impl_->footer;
}

const std::string& ReaderAccess::name(const Reader& reader) {
  return reader.impl_->name;
}

std::optional<Access> ReaderAccess::access(const Reader& reader) {
  return reader.impl_->input.access();
}

}  // namespace file
}  // namespace bobbin
