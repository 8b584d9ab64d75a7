// SPDX-License-Identifier: Apache-2.0
// Files made by hand: any footer, any segments, with checksums that are right, so that the checks behind them
// are reached.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "file/checksum.hpp"
#include "file/footer.hpp"
#include "file/layout.hpp"
#include "forged_file.hpp"
#include "support.hpp"

namespace bobbin::file_tests {

// A sound file of one column "value" of type u32 with the rows 1, 2, 3 in one row group: bitpack at width 2.
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
  [[nodiscard]] Bytes bytes() const { return assemble(body, file::build_footer(footer)); }
};

// A file taken apart, to be changed and put together again; checksums of segments are made anew.
struct Reworked {
  file::Footer footer;
  Bytes body;

  explicit Reworked(const Bytes& file) {
    file::Trailer trailer;
    std::memcpy(&trailer, file.data() + file.size() - sizeof trailer, sizeof trailer);
    const size_t at = file.size() - sizeof trailer - trailer.footer_bytes;
    const auto parsed = file::parse_footer(std::span(file).subspan(at, trailer.footer_bytes), at, 1);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().message();
    footer = *parsed;
    body.assign(file.begin() + 128, file.begin() + static_cast<ptrdiff_t>(at));
  }

  [[nodiscard]] file::Chunk& chunk(size_t group = 0) { return footer.row_groups[group].chunks[0]; }
  [[nodiscard]] Bytes bytes() {
    for (file::Segment& segment : footer.segments) {
      segment.checksum =
          file::checksum(std::span(body).subspan(segment.offset - 128, file::padded(segment.size)));
    }
    return assemble(body, file::build_footer(footer));
  }
};

}  // namespace bobbin::file_tests
