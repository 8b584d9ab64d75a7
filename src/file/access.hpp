// SPDX-License-Identifier: Apache-2.0
// What lower layers may access of a reader and its users may not: encoded chunks, and the footer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "codecs/codec.hpp"
#include "file/footer.hpp"

namespace bobbin::file {

struct ReaderAccess {
  // Read, and checked against its checksums and, as array::validate_for() does, by its codecs. Errors name
  // the file and the chunk.
  static Result<Array> load_chunk(const Reader& reader, size_t row_group, size_t column, Backend backend);
  // The same on the CPU, kept for the next caller if there is room.
  static Result<Array> load_kept(const Reader& reader, size_t row_group, size_t column);
  // Rows begin .. begin+count-1 of a chunk, which must contain them: reads and checks only what they need.
  static Result<Array> load_rows(const Reader& reader, size_t row_group, size_t column, uint64_t begin,
                                 uint64_t count, Backend backend);
  // A whole chunk in steps, for several threads: first some of a chunk's chunk_bytes() bytes, its segments
  // one after another, each at a multiple of kAlignment;
  static Status read_chunk(const Reader& reader, size_t row_group, size_t column, uint64_t begin,
                           std::span<std::byte> to);
  // then, once all are in memory, their checksums.
  static Status check_chunk(const Reader& reader, size_t row_group, size_t column,
                            std::span<const std::byte> memory);
  // Both by one thread, for all bytes.
  static Status read_checked_chunk(const Reader& reader, size_t row_group, size_t column,
                                   std::span<std::byte> memory);
  // The array whose buffers are in memory, where they were checked. The caller has to do what
  // array::validate_content() checks.
  static Result<Array> chunk_in(const Reader& reader, size_t row_group, size_t column,
                                std::span<const std::byte> memory);
  static uint64_t chunk_bytes(const Reader& reader, size_t row_group, size_t column);
  // An error about a chunk, prefixed with the file and the chunk.
  static Status in_place(const Reader& reader, const Status& error, size_t row_group, size_t column);
  static const Footer& footer(const Reader& reader);
  // Including hidden ones.
  static const std::vector<Column>& columns(const Reader& reader) { return footer(reader).columns; }
  static const std::string& name(const Reader& reader);  // for messages
  static std::optional<Access> access(const Reader& reader);
};

}  // namespace bobbin::file
