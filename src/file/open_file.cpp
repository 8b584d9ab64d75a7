// SPDX-License-Identifier: Apache-2.0
#include "file/open_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "bobbin/cancel.hpp"
#include "codecs/whole.hpp"
#include "file/checksum.hpp"
#include "file/footer_pack.hpp"
#include "file/layout.hpp"
#include "file/segment_checks.hpp"

namespace bobbin::file {
namespace {

// A tree's segments in the order of its buffers.
std::vector<uint32_t> segments_of(const Node& root) {
  std::vector<uint32_t> order;
  const auto add = [&](const auto& self, const Node& node) -> void {
    order.insert(order.end(), node.segments.begin(), node.segments.end());
    for (const Node& child : node.children) {
      self(self, child);
    }
  };
  add(add, root);
  return order;
}

template <class T>
Result<T> read_struct(const InputFile& input, uint64_t offset) {
  T object;
  BOBBIN_TRY(input.read_at(offset, std::as_writable_bytes(std::span(&object, 1))));
  return object;
}

// Checked; the file has room for a trailer after it.
Result<Header> read_header(const InputFile& input) {
  const auto check_size = [&](uint64_t header_size) -> Status {
    BOBBIN_RETURN_IF(input.size() < header_size + kTrailerBytes, StatusCode::corrupt,
                     fmt::format("header: {} bytes are too few for a .bob file", input.size()));
    return {};
  };
  BOBBIN_TRY(check_size(sizeof(Header)));
  BOBBIN_ASSIGN(const auto header, read_struct<Header>(input, 0));
  BOBBIN_TRY(check_header(header));
  BOBBIN_TRY(check_size(header_bytes(header.version)));
  std::vector<std::byte> rest(header_bytes(header.version) - sizeof(Header));
  BOBBIN_TRY(input.read_at(sizeof(Header), rest));
  BOBBIN_TRY(check_rest_of_header(rest));
  return header;
}

// Bytes of a tree's segments that are contiguous both in memory and in their source.
struct Run {
  uint64_t at = 0;  // in memory
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool in_footer = false;
};

std::vector<Run> runs_of(const Footer& footer, std::span<const uint32_t> order, uint32_t version) {
  std::vector<Run> runs;
  uint64_t at = 0;
  for (const uint32_t index : order) {
    const Segment& segment = footer.segments[index];
    const bool follows = !runs.empty() && !segment.in_footer && !runs.back().in_footer &&
                         runs.back().at + runs.back().bytes == at &&
                         runs.back().offset + runs.back().bytes == segment.offset;
    if (!follows) {
      runs.push_back({at, segment.offset, 0, segment.in_footer});
    }
    runs.back().bytes += segment.in_footer ? segment.size : occupied_bytes(segment.size, version);
    at += padded(segment.size);
  }
  return runs;
}

// With the bytes of each segment from `fetch`.
template <class Fetch>
Result<Array> load_node(const Node& node, Fetch&& fetch) {
  Array array = without_parts(node);
  for (const uint32_t index : node.segments) {
    BOBBIN_ASSIGN(Buffer buffer, fetch(index));
    array.buffers.push_back(std::move(buffer));
  }
  for (const Node& child : node.children) {
    BOBBIN_ASSIGN(Array loaded, load_node(child, fetch));
    array.children.push_back(std::move(loaded));
  }
  return array;
}

}  // namespace

Array without_parts(const Node& node) {
  return {.codec = node.codec,
          .type = node.type,
          .length = node.length,
          .offset = 0,
          .metadata = node.metadata,
          .buffers = {},
          .children = {}};
}

std::optional<size_t> ColumnNames::find(const std::vector<Column>& columns, std::string_view name) const {
  std::call_once(made_, [&] {
    for (size_t i = 0; i < columns.size(); ++i) {
      places_.emplace(columns[i].name, i);
    }
  });
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

Status OpenFile::open() {
  BOBBIN_ASSIGN(const Header header, read_header(input));
  const uint64_t size = input.size();
  BOBBIN_ASSIGN(const auto trailer, read_struct<Trailer>(input, size - kTrailerBytes));
  BOBBIN_TRY(check_trailer(trailer, header.version, size));
  version = header.version;

  const uint64_t footer_offset = size - kTrailerBytes - trailer.footer_bytes;
  BOBBIN_ASSIGN(const NewBuffer bytes, try_buffer(trailer.footer_bytes));
  BOBBIN_TRY(input.read_at(footer_offset, {bytes.data, trailer.footer_bytes}));
  BOBBIN_RETURN_IF(checksum(bytes.buffer.bytes) != trailer.footer_checksum, StatusCode::corrupt,
                   "footer: the checksum does not match");
  std::vector<std::byte> plain;
  if (trailer.plain_bytes != 0) {
    auto decompressed = unpack_footer(bytes.buffer.bytes, trailer.plain_bytes);
    BOBBIN_TRY(decompressed.has_value() ? Status{} : decompressed.error().in("footer"));
    plain = std::move(*decompressed);
  }
  auto parsed = parse_footer(plain.empty() ? bytes.buffer.bytes : plain, footer_offset, version);
  if (!parsed.has_value()) {
    return parsed.error().in("footer");
  }
  footer = std::move(*parsed);
  BOBBIN_ASSIGN(const size_t hidden, count_hidden(footer.metadata, footer.columns.size()));
  if (hidden > 0) {
    visible.assign(footer.columns.begin(), footer.columns.end() - static_cast<ptrdiff_t>(hidden));
  }
  BOBBIN_ASSIGN(inline_segments, InlineSegments::of(footer));
  footer_bytes = trailer.footer_bytes;
  footer_checksum = trailer.footer_checksum;
  plain_footer_bytes = plain.empty() ? footer_bytes : plain.size();
  if (!footer.row_groups.empty()) {
    num_rows = footer.row_groups.back().first_row + footer.row_groups.back().num_rows;
  }
  return {};
}

Result<Array> OpenFile::load_chunk(size_t group, size_t column, Backend backend) const {
  BOBBIN_TRY(CancelScope::check());
  const FileSegments segments(input, footer, inline_segments, cache);
  BOBBIN_ASSIGN(Array array, load_node(root_of(group, column),
                                       [&](uint32_t index) { return segments.read_whole(index); }));
  BOBBIN_TRY(array::validate_for(array, backend));
  BOBBIN_TRY(check_whole(array));
  return array;
}

Status OpenFile::read_chunk(size_t group, size_t column, uint64_t begin, std::span<std::byte> to) const {
  BOBBIN_TRY(CancelScope::check());
  const uint64_t end = begin + to.size();
  uint64_t done = begin;
  const auto clear_up_to = [&](uint64_t position) {  // where nothing is stored
    std::ranges::fill(to.subspan(done - begin, position - done), std::byte{0});
  };
  for (const Run& run : runs_of(footer, segments_of(root_of(group, column)), version)) {
    const uint64_t first = std::max(begin, run.at);
    const uint64_t last = std::min(end, run.at + run.bytes);
    if (first >= last) {
      continue;
    }
    clear_up_to(first);
    done = last;
    const auto piece = to.subspan(first - begin, last - first);
    const uint64_t offset = run.offset + (first - run.at);
    if (run.in_footer) {
      std::ranges::copy(std::span(footer.inline_bytes).subspan(offset, piece.size()), piece.begin());
    } else {
      BOBBIN_TRY(input.read_at(offset, piece));
    }
  }
  clear_up_to(end);
  return {};
}

Status OpenFile::check_chunk(size_t group, size_t column, std::span<const std::byte> memory) const {
  return check_segments(footer, segments_of(root_of(group, column)), memory);
}

Status OpenFile::read_checked_chunk(size_t group, size_t column, std::span<std::byte> memory) const {
  return read_checked(
      footer, segments_of(root_of(group, column)), memory,
      [&](size_t begin, std::span<std::byte> to) { return read_chunk(group, column, begin, to); });
}

Result<Array> OpenFile::chunk_in(size_t group, size_t column, std::span<const std::byte> memory) const {
  const Node& root = root_of(group, column);
  size_t used = 0;
  BOBBIN_ASSIGN(Array array, load_node(root, [&](uint32_t index) -> Result<Buffer> {
                  const uint64_t size = footer.segments[index].size;
                  const auto bytes = memory.subspan(used, size);
                  used += padded(size);
                  return Buffer{nullptr, bytes};
                }));
  BOBBIN_TRY(array::validate_but_content(array));
  BOBBIN_TRY(check_whole(array));
  return array;
}

uint64_t OpenFile::chunk_bytes(size_t group, size_t column) const {
  uint64_t bytes = 0;
  for (const uint32_t index : segments_of(root_of(group, column))) {
    bytes += padded(footer.segments[index].size);
  }
  return bytes;
}

Result<Array> OpenFile::load_kept(size_t group, size_t column) const {
  if (const auto known = chunks.find({group, column})) {
    return **known;
  }
  BOBBIN_ASSIGN(Array loaded, load_chunk(group, column, Backend::cpu));
  auto array = std::make_shared<const Array>(std::move(loaded));
  chunks.keep({group, column}, array, array::memory_bytes(*array));
  return *array;
}

// If a part is damaged, the whole chunk is read after all: its error says more, and does not depend on which
// rows were requested.
Result<Array> OpenFile::load_rows(size_t group, size_t column, uint64_t begin, uint64_t count,
                                  Backend backend) const {
  BOBBIN_TRY(CancelScope::check());
  const Node& root = root_of(group, column);
  if (const auto known = chunks.find({group, column})) {
    return count == root.length ? Result<Array>(**known) : array::slice(**known, begin, count);
  }
  if (count == root.length) {
    return load_chunk(group, column, backend);
  }
  FileSegments segments(input, footer, inline_segments, cache);
  Result<Array> slice = load_slice(stored(root), begin, count, segments);
  if (slice.has_value() && array::validate_for(*slice, backend).ok()) {
    return slice;
  }
  // Slicing relies on the content.
  BOBBIN_ASSIGN(const Array array, load_kept(group, column));
  return array::slice(array, begin, count);
}

}  // namespace bobbin::file
