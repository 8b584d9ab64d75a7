// SPDX-License-Identifier: Apache-2.0
// zstd frames. The first byte says what the others are: from 0xF0 on one part of the format, as in kParts;
// otherwise all of a file, and content that is to be reproduced.
// Covers: src/codecs/zstd
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string_view>

#include "bobbin/zstd.hpp"
#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/frame_reference.hpp"
#include "codecs/zstd/fse_encode.hpp"
#include "codecs/zstd/huffman_encode.hpp"

namespace {

using namespace bobbin;
using Bytes = std::span<const uint8_t>;

constexpr uint64_t kMaxContent = uint64_t{1} << 22;
constexpr uint8_t kFirstPart = 0xF0;

void check(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// ---- Whole files ----

// The content of all frames that come in pieces, up to the first error.
uint64_t bytes_in_pieces(std::span<const std::byte> bytes) {
  uint64_t taken = 0;
  const auto take = [&](std::span<const std::byte> piece) -> Status {
    taken += piece.size();
    return taken <= kMaxContent ? Status() : Status(StatusCode::unsupported, "more than is wanted");
  };
  while (!bytes.empty()) {
    const auto extent = zstd::measure_frame(bytes);
    if (!extent.has_value() ||
        !zstd::decode_in_pieces(bytes, take, {.verify_checksums = false}).has_value()) {
      break;
    }
    bytes = bytes.subspan(extent->compressed_bytes);
  }
  return taken;
}

void read_file(std::span<const std::byte> bytes) {
  const auto decoded = zstd::decode_all(bytes, kMaxContent, {.verify_checksums = false});
  check(!decoded.has_value() || decoded->size() <= kMaxContent);
  check(!decoded.has_value() || bytes_in_pieces(bytes) == decoded->size());
  const auto frames = zstd::list_frames(bytes);
  if (frames.has_value() && !frames->empty()) {
    (void)zstd::decode_range(bytes, frames->back().content_begin, 1);
  }
  const auto dictionary = zstd::Dictionary::parse(bytes);
  if (dictionary.has_value()) {
    (void)zstd::decode_all(bytes, kMaxContent, {.magicless = true, .dictionary = &*dictionary});
  }
}

zstd::EncodeOptions options_of(uint8_t byte) {
  return {.level = 1 + byte % 9U,
          .frame_bytes = 256U << byte % 5,
          .block_bytes = 256,
          .checksum = (byte & 16) != 0,
          .seek_table = (byte & 32) != 0};
}

// We and libzstd read the same content from our frames, which are the same every time.
void round_trip(std::span<const std::byte> content, const zstd::EncodeOptions& options) {
  const auto frames = zstd::encode(content, options);
  check(frames.has_value() && *frames == *zstd::encode(content, options));
  const auto decoded = zstd::decode_all(*frames, content.size(), {.dictionary = options.dictionary});
  check(decoded.has_value() && std::ranges::equal(*decoded, content));
  if (options.dictionary == nullptr) {
    std::vector<std::byte> out(content.size() + 1);
    const size_t size = ZSTD_decompress(out.data(), out.size(), frames->data(), frames->size());
    check(size == content.size() && std::equal(content.begin(), content.end(), out.begin()));
  }
}

// ---- Parts of the format ----

void read_headers(Bytes bytes) {
  for (const bool magicless : {false, true}) {
    const zstd::DecodeOptions options{.max_window = UINT64_MAX, .magicless = magicless};
    const auto header = zstd::parse_frame_header(std::as_bytes(bytes), options);
    const auto extent = zstd::measure_frame(std::as_bytes(bytes), options);
    check(header.has_value() || !extent.has_value());
    check(!header.has_value() || header->header_bytes <= bytes.size());
    if (extent.has_value()) {
      check(extent->compressed_bytes <= bytes.size());
      check(extent->content_bound <= extent->num_blocks * header->max_block_bytes || header->skippable);
    }
  }
}

// What can be read can be written, and reads as the same.
void read_fse_table(Bytes bytes) {
  size_t used = 0;
  const auto counts = zstd::read_fse_counts(bytes, 9, 53, used);
  if (!counts.has_value()) {
    return;
  }
  check(used <= bytes.size() && counts->log <= 9 && counts->num_symbols <= 53);
  std::array<zstd::FseState, 512> states;
  zstd::build_fse_states(*counts, states);
  for (uint32_t i = 0; i < 1U << counts->log; ++i) {
    check(states[i].symbol < counts->num_symbols);
    check(states[i].next + (1U << states[i].bits) <= 1U << counts->log);
  }
  std::vector<uint8_t> written;
  zstd::write_fse_counts(*counts, written);
  const auto again = zstd::read_fse_counts(written, 9, 53, used);
  check(again.has_value() && again->count == counts->count && used == written.size());
}

void put_stream(const zstd::HuffmanCode& code, Bytes literals, std::vector<uint8_t>& out) {
  zstd::BitWriter bits(out, literals.size() * zstd::kMaxHuffmanBits / 8 + 2);
  for (size_t i = literals.size(); i-- > 0;) {
    const zstd::HuffmanCode::Symbol symbol = code.symbols[literals[i]];
    bits.put(symbol.code, symbol.bits);
  }
  bits.end_backward();
}

std::vector<uint8_t> four_streams(const zstd::HuffmanCode& code, Bytes literals) {
  const size_t share = (literals.size() + 3) / 4;
  std::vector<uint8_t> out(6);
  for (size_t i = 0; i < 4; ++i) {
    const size_t before = out.size();
    put_stream(code, literals.subspan(i * share, i < 3 ? share : literals.size() - 3 * share), out);
    if (i < 3) {
      const size_t size = out.size() - before;
      out[2 * i] = static_cast<uint8_t>(size);
      out[2 * i + 1] = static_cast<uint8_t>(size >> 8);
    }
  }
  return out;
}

// A tree, and then literals in its code: those it reads, it writes as the same bits.
void read_huffman(Bytes bytes) {
  zstd::HuffmanTable table;
  size_t used = 0;
  if (!zstd::read_huffman_table(bytes, table, used).ok()) {
    return;
  }
  check(used <= bytes.size() && table.log >= 1 && table.log <= zstd::kMaxHuffmanBits);
  const zstd::HuffmanCode code = zstd::code_of_table(table);
  const Bytes rest = bytes.subspan(used);
  std::vector<uint8_t> padded(rest.begin(), rest.end());
  padded.resize(rest.size() + 8);
  for (const bool four : {false, true}) {
    for (const size_t size : {size_t{6}, size_t{100}, rest.size()}) {
      std::vector<uint8_t> literals(size);
      const Bytes stream = Bytes(padded).first(rest.size());
      if ((four ? zstd::decode_four_streams(table, stream, literals)
                : zstd::decode_one_stream(table, stream, literals))
              .ok()) {
        std::vector<uint8_t> again;
        if (four) {
          again = four_streams(code, literals);
        } else {
          put_stream(code, literals, again);
        }
        check(std::ranges::equal(again, stream));
      }
    }
  }
}

// A compressed block after up to 255 bytes of content: as the decoder that was written from the
// specification alone reads it.
void read_block(Bytes bytes) {
  if (bytes.empty() || bytes[0] >= bytes.size()) {
    return;
  }
  const Bytes history = bytes.subspan(1, bytes[0]);
  const Bytes block = bytes.subspan(1 + history.size());
  std::vector<uint8_t> frame{0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38};
  const auto add = [&](uint32_t kind, bool last, Bytes stored) {
    const auto header = static_cast<uint32_t>(stored.size() << 3 | kind << 1 | (last ? 1 : 0));
    frame.insert(frame.end(), {static_cast<uint8_t>(header), static_cast<uint8_t>(header >> 8),
                               static_cast<uint8_t>(header >> 16)});
    frame.insert(frame.end(), stored.begin(), stored.end());
  };
  add(0, false, history);
  add(2, true, block);
  const auto ours = zstd::decode_all(std::as_bytes(std::span(frame)), kMaxContent);
  const auto expected =
      codec::zstd::frame_reference::decode(std::as_bytes(std::span(frame)), {.max_bytes = kMaxContent});
  check(ours.has_value() == expected.has_value());
  check(!ours.has_value() || *ours == *expected);
}

void read_dictionary(Bytes bytes) {
  const auto dictionary = zstd::Dictionary::parse(std::as_bytes(bytes));
  if (dictionary.has_value()) {
    constexpr std::string_view kText = "warp and weft, warp and weft: a bobbin holds the thread";
    round_trip(std::as_bytes(std::span(kText)), {.dictionary = &*dictionary});
    round_trip(std::as_bytes(bytes), {.level = 6, .dictionary = &*dictionary});
  }
}

void read_seek_table(Bytes bytes) {
  const auto in = std::as_bytes(bytes);
  const auto frames = zstd::list_frames(in);
  if (!frames.has_value()) {
    return;
  }
  for (const zstd::SeekEntry& frame : std::span(*frames).first(std::min<size_t>(frames->size(), 8))) {
    check(frame.compressed_begin + frame.compressed_bytes <= in.size());
    if (frame.content_bytes <= kMaxContent) {
      const auto part = zstd::decode_range(in, frame.content_begin, frame.content_bytes);
      check(!part.has_value() || part->size() == frame.content_bytes);
    }
  }
}

// Samples end with newlines.
void train(Bytes bytes) {
  std::vector<std::span<const std::byte>> samples;
  for (Bytes rest = bytes; !rest.empty();) {
    const auto size = static_cast<size_t>(std::ranges::find(rest, '\n') - rest.begin());
    samples.push_back(std::as_bytes(rest.first(size)));
    rest = rest.subspan(std::min(size + 1, rest.size()));
  }
  const auto trained = zstd::train_dictionary(samples, {.max_bytes = 2048});
  if (trained.has_value()) {
    const auto dictionary = zstd::Dictionary::parse(*trained);
    check(dictionary.has_value() && trained->size() <= 2048);
    round_trip(std::as_bytes(bytes), {.dictionary = &*dictionary});
  }
}

constexpr std::array kParts{&read_headers,    &read_fse_table,  &read_huffman, &read_block,
                            &read_dictionary, &read_seek_table, &train};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const Bytes bytes = std::span(data, size).subspan(1);
  if (data[0] >= kFirstPart) {
    kParts[(data[0] - kFirstPart) % kParts.size()](bytes);
    return 0;
  }
  read_file(std::as_bytes(bytes));
  round_trip(std::as_bytes(bytes), options_of(data[0]));
  return 0;
}
