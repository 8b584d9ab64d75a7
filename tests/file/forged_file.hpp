// SPDX-License-Identifier: Apache-2.0
// A file as trees of arrays, which can be changed freely: bytes() makes a file of them with a valid layout
// and valid checksums, so that only the forgery itself can be detected. Without GoogleTest, because fuzz
// targets use it too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "file/checksum.hpp"
#include "file/encode.hpp"
#include "file/footer.hpp"
#include "file/layout.hpp"

namespace bobbin::file_tests {

inline void append_bytes(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T>
void append_object(std::vector<std::byte>& to, const T& object) {
  append_bytes(to, std::as_bytes(std::span(&object, 1)));
}

// Header, `body` (segments with their padding), footer and trailer.
inline std::vector<std::byte> assemble(std::span<const std::byte> body, std::span<const std::byte> footer,
                                       uint32_t version = 1, uint32_t plain_bytes = 0) {
  std::vector<std::byte> bytes;
  append_object(bytes, file::Header{.version = version});
  bytes.resize(file::header_bytes(version));
  append_bytes(bytes, body);
  append_bytes(bytes, footer);
  append_object(bytes, file::Trailer{.footer_bytes = footer.size(),
                                     .footer_checksum = file::checksum(footer),
                                     .version = version,
                                     .plain_bytes = plain_bytes});
  return bytes;
}

struct ForgedGroup {
  uint64_t num_rows = 0;
  std::vector<file::EncodedChunk> chunks{};  // one per column
};

struct ForgedFile {
  std::vector<Column> columns;
  std::vector<ForgedGroup> groups;

  [[nodiscard]] std::vector<std::byte> bytes() const {
    std::vector<std::byte> body;
    file::Footer footer;
    footer.columns = columns;
    for (const ForgedGroup& group : groups) {
      file::RowGroup row_group{.first_row = 0, .num_rows = group.num_rows};
      for (const file::EncodedChunk& chunk : group.chunks) {
        row_group.chunks.push_back({.root = add(chunk.array, body, footer),
                                    .zone = chunk.zone,
                                    .strings = chunk.strings,
                                    .null_count = chunk.null_count});
      }
      footer.row_groups.push_back(std::move(row_group));
    }
    return assemble(body, file::build_footer(footer), file::kNewestVersion);
  }

 private:
  static file::Node add(const Array& array, std::vector<std::byte>& body, file::Footer& footer) {
    file::Node node{
        .codec = array.codec, .type = array.type, .length = array.length, .metadata = array.metadata};
    for (const Buffer& buffer : array.buffers) {
      const size_t at = body.size();
      append_bytes(body, buffer.bytes);
      body.resize(file::occupied_bytes(body.size(), file::kNewestVersion));
      node.segments.push_back(static_cast<uint32_t>(footer.segments.size()));
      const auto occupied = std::span<const std::byte>(body).subspan(at);
      footer.segments.push_back({.offset = file::header_bytes(file::kNewestVersion) + at,
                                 .size = buffer.bytes.size(),
                                 .checksum = file::checksum(occupied),
                                 .first_part = footer.parts.size()});
      for (uint64_t part = 0; part < file::num_parts(buffer.bytes.size()); ++part) {
        const auto rest = occupied.subspan(part * file::kPartBytes);
        footer.parts.push_back(file::checksum(rest.first(std::min<uint64_t>(rest.size(), file::kPartBytes))));
      }
    }
    for (const Array& child : array.children) {
      node.children.push_back(add(child, body, footer));
    }
    return node;
  }
};

}  // namespace bobbin::file_tests
