// SPDX-License-Identifier: Apache-2.0
// Files made by hand: any footer, any segments, with valid checksums, so that later checks are reached.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "file/checksum.hpp"
#include "file/footer.hpp"
#include "file/footer_pack.hpp"
#include "file/layout.hpp"
#include "file/lz4_block.hpp"
#include "flat_footer.hpp"
#include "forged_file.hpp"
#include "support.hpp"

namespace bobbin::file_tests {

// A valid file with one column "value" of type u32 with the rows 1, 2, 3 in one row group: bitpack at width
// 2.
struct Forgery {
  file::Footer footer;
  Bytes body;

  Forgery() {
    body.resize(128);
    body[0] = std::byte{1};
    body[4] = std::byte{2};
    body[8] = std::byte{3};
    footer.columns = {{"value", DType::u32}};
    footer.segments = {{.offset = 128, .size = 128, .checksum = file::checksum(body)}};
    file::Node root{.codec = CodecId::bitpack,
                    .type = DType::u32,
                    .length = 3,
                    .metadata = {2},
                    .segments = {0},
                    .children = {}};
    footer.row_groups.push_back(
        {.first_row = 0, .num_rows = 3, .chunks = {{.root = root, .zone = {{1}, {3}}}}});
  }

  [[nodiscard]] file::Chunk& chunk() { return footer.row_groups[0].chunks[0]; }
  [[nodiscard]] file::Node& root() { return chunk().root; }
  [[nodiscard]] Bytes bytes(uint32_t version = 1) const {
    return assemble(body, version == 1 ? flat::build_footer(footer) : file::build_footer(footer), version);
  }
};

// The parts of a file; its footer before compression.
struct Frame {
  uint32_t version = 0;
  std::span<const std::byte> body;
  uint64_t end = 0;  // of the body
  Bytes footer;

  explicit Frame(std::span<const std::byte> file) {
    file::Header header;
    file::Trailer trailer;
    std::memcpy(&header, file.data(), sizeof header);
    std::memcpy(&trailer, file.data() + file.size() - sizeof trailer, sizeof trailer);
    version = header.version;
    const size_t at = file.size() - sizeof trailer - trailer.footer_bytes;
    body = file.subspan(file::header_bytes(version), at - file::header_bytes(version));
    end = at;
    const auto bytes = file.subspan(at, trailer.footer_bytes);
    footer = trailer.plain_bytes == 0 ? Bytes(bytes.begin(), bytes.end())
                                      : *file::unpack_footer(bytes, trailer.plain_bytes);
  }
};

// A parsed file of any version, to be changed and assembled again as one of version 1, with new segment
// checksums, or as one of version 2 with all segments in the footer.
struct Reworked {
  file::Footer footer;
  Bytes body;

  explicit Reworked(const Bytes& file) {
    const Frame frame(file);
    const auto parsed = file::parse_footer(frame.footer, frame.end, frame.version);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().message();
    footer = *parsed;
    for (file::Segment& segment : footer.segments) {
      const auto from = segment.in_footer ? std::span<const std::byte>(footer.inline_bytes) : std::span(file);
      const auto bytes = from.subspan(segment.offset, segment.size);
      segment = {.offset = 128 + body.size(), .size = segment.size};
      append_bytes(body, bytes);
      body.resize(file::occupied_bytes(body.size(), 1));
    }
    footer.inline_bytes.clear();
    footer.parts.clear();
    for (const file::Segment& segment : footer.segments) {
      for (uint64_t part = 0; part < file::num_parts(segment.size); ++part) {
        const uint64_t at = part * file::kPartBytes;
        const uint64_t bytes = std::min(file::kPartBytes, file::occupied_bytes(segment.size, 1) - at);
        footer.parts.push_back(file::checksum(std::span(body).subspan(segment.offset - 128 + at, bytes)));
      }
    }
  }

  [[nodiscard]] file::Chunk& chunk(size_t group = 0) { return footer.row_groups[group].chunks[0]; }
  [[nodiscard]] Bytes bytes() {
    for (file::Segment& segment : footer.segments) {
      segment.checksum = file::checksum(
          std::span(body).subspan(segment.offset - 128, file::occupied_bytes(segment.size, 1)));
    }
    return assemble(body, flat::build_footer(footer));
  }
  [[nodiscard]] Bytes inline_bytes() const {
    file::Footer changed = footer;
    for (file::Segment& segment : changed.segments) {
      const auto bytes = std::span(body).subspan(segment.offset - 128, segment.size);
      segment.in_footer = true;
      append_bytes(changed.inline_bytes, bytes);
    }
    return assemble({}, file::build_footer(changed), 2);
  }
};

}  // namespace bobbin::file_tests
