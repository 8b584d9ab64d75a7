// SPDX-License-Identifier: Apache-2.0
// A file whose footer was read and checked, and the encoded chunks in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "file/footer.hpp"
#include "file/input.hpp"
#include "file/segments.hpp"

namespace bobbin::file {

// A node as an array that has neither buffers nor children yet.
[[nodiscard]] Array without_parts(const Node& node);

// The positions of columns by name, made when the first is asked for.
class ColumnNames {
 public:
  [[nodiscard]] std::optional<size_t> find(const std::vector<Column>& columns, std::string_view name) const;

 private:
  mutable std::once_flag made_;
  mutable std::unordered_map<std::string_view, size_t> places_;
};

struct OpenFile {
  OpenFile(std::string file_name, InputFile in) : name(std::move(file_name)), input(std::move(in)) {}

  // Must be called first. Nothing else may be used if it fails.
  Status open();
  // As in ReaderAccess, but errors do not name the file and the chunk.
  [[nodiscard]] Result<Array> load_chunk(size_t group, size_t column, Backend backend) const;
  [[nodiscard]] Result<Array> load_kept(size_t group, size_t column) const;
  [[nodiscard]] Result<Array> load_rows(size_t group, size_t column, uint64_t begin, uint64_t count,
                                        Backend backend) const;
  [[nodiscard]] Status read_chunk(size_t group, size_t column, uint64_t begin, std::span<std::byte> to) const;
  [[nodiscard]] Status check_chunk(size_t group, size_t column, std::span<const std::byte> memory) const;
  [[nodiscard]] Status read_checked_chunk(size_t group, size_t column, std::span<std::byte> memory) const;
  [[nodiscard]] Result<Array> chunk_in(size_t group, size_t column, std::span<const std::byte> memory) const;
  [[nodiscard]] uint64_t chunk_bytes(size_t group, size_t column) const;
  [[nodiscard]] Status in_place(const Status& error, size_t group, size_t column) const {
    return error.in(chunk_place(group, footer.columns[column])).in(name);
  }
  [[nodiscard]] const std::vector<Column>& visible_columns() const {
    return visible.empty() ? footer.columns : visible;
  }
  [[nodiscard]] const Node& root_of(size_t group, size_t column) const {
    return footer.row_groups[group].chunks[column].root;
  }

  std::string name;  // for messages
  InputFile input;
  uint32_t version = 0;
  Footer footer;
  // Copies of the columns that are not hidden; empty if none is.
  std::vector<Column> visible;
  ColumnNames names;
  InlineSegments inline_segments;
  uint64_t footer_bytes = 0;        // as stored,
  uint64_t plain_footer_bytes = 0;  // and decompressed
  uint64_t footer_checksum = 0;
  uint64_t num_rows = 0;
  // Room for a few dictionaries and the parts of some hundred columns.
  mutable PartCache cache{uint64_t{8} << 20, uint64_t{1} << 20};
  // Chunks that had to be read as a whole for some of their rows: reading and checking them again would take
  // longer than the rows. Room for the columns of some row groups.
  mutable CheckedCache<std::pair<size_t, size_t>, std::shared_ptr<const Array>> chunks{uint64_t{64} << 20,
                                                                                       uint64_t{16} << 20};
};

}  // namespace bobbin::file
