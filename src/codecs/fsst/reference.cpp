// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: string by string, byte by byte, after one pass over the codes that
// only checks the tiles' words.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "codecs/fsst/fsst.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::fsst {
namespace {

// read_number and the copy of offsets assume little-endian numbers.
static_assert(std::endian::native == std::endian::little);

using ByteSpan = std::span<const std::byte>;

constexpr uint64_t kCodesPerTile = 2048;
constexpr uint8_t kEscapeByte = 255;

// The array's parts, as spec.md names them.
struct PlainParts {
  uint64_t out_begin = 0;
  uint64_t out_bytes = 0;
  uint64_t code_begin = 0;
  uint64_t code_end = 0;
  std::vector<ByteSpan> symbols;  // by code
  ByteSpan codes;
  ByteSpan tiles;
  ByteSpan validity;
  std::vector<uint64_t> code_offsets;
  std::vector<uint64_t> offsets;
};

// Number `index` of those of `size` bytes at `bytes`, zero-extended.
uint64_t read_number(const void* bytes, uint64_t index, uint64_t size) {
  uint64_t value = 0;
  std::memcpy(&value, static_cast<const std::byte*>(bytes) + index * size, size);
  return value;
}

std::vector<uint64_t> read_child(const Array& child) {
  const uint64_t size = size_bytes(child.type);
  std::vector<std::byte> raw(child.length * size);
  find_codec(CodecId::delta)->reference(child, raw.data());
  std::vector<uint64_t> values(child.length);
  for (uint64_t i = 0; i < child.length; ++i) {
    values[i] = read_number(raw.data(), i, size);
  }
  return values;
}

// The symbols are stored one after another, by length: metadata byte L - 1 says how many have L bytes.
std::vector<ByteSpan> read_symbols(const Array& array) {
  std::vector<ByteSpan> symbols;
  uint64_t at = 0;
  for (uint64_t length = 1; length <= 8; ++length) {
    for (uint64_t i = 0; i < array.metadata[length - 1]; ++i) {
      symbols.push_back(array.buffers[0].bytes.subspan(at, length));
      at += length;
    }
  }
  return symbols;
}

PlainParts read_parts(const Array& array) {
  const uint8_t* numbers = array.metadata.data() + 8;
  return {.out_begin = read_number(numbers, 0, 8),
          .out_bytes = read_number(numbers, 1, 8),
          .code_begin = read_number(numbers, 2, 8),
          .code_end = read_number(numbers, 3, 8),
          .symbols = read_symbols(array),
          .codes = array.buffers[1].bytes,
          .tiles = array.buffers[2].bytes,
          .validity = array.buffers[3].bytes,
          .code_offsets = read_child(array.children[0]),
          .offsets = read_child(array.children[1])};
}

// validate() has checked this; repeated because it keeps each later step inside `codes` and the output.
Status check_bounds(const PlainParts& parts) {
  BOBBIN_RETURN_IF(parts.code_begin > parts.code_end || parts.code_end > parts.codes.size(),
                   StatusCode::corrupt, "fsst: code_begin and code_end are outside the codes");
  BOBBIN_RETURN_IF(
      parts.code_offsets.front() != parts.code_begin || parts.code_offsets.back() != parts.code_end,
      StatusCode::corrupt, "fsst: code offsets have a wrong first or last value");
  BOBBIN_RETURN_IF(parts.offsets.front() != 0 || parts.offsets.back() != parts.out_bytes, StatusCode::corrupt,
                   "fsst: offsets have a wrong first or last value");
  BOBBIN_RETURN_IF(!std::ranges::is_sorted(parts.code_offsets) || !std::ranges::is_sorted(parts.offsets),
                   StatusCode::corrupt, "fsst: offsets descend");
  return {};
}

// The state between two code bytes: the position in the output, in the numbering of the tiles' words, and
// whether the next code byte is a literal.
struct WalkState {
  uint64_t place = 0;
  bool literal = false;
};

WalkState read_tile(const PlainParts& parts, uint64_t tile) {
  const uint64_t word = read_number(parts.tiles.data(), tile, 8);
  return {.place = word & ~(uint64_t{1} << 63), .literal = word >> 63 != 0};
}

// An escape produces no byte, its literal one: if a tile ends between them, the byte belongs to the next
// tile.
Status step_over(const PlainParts& parts, uint64_t at, WalkState& state) {
  const auto code = std::to_integer<uint8_t>(parts.codes[at]);
  if (state.literal) {
    state = {.place = state.place + 1, .literal = false};
  } else if (code == kEscapeByte) {
    state.literal = true;
  } else {
    BOBBIN_RETURN_IF(code >= parts.symbols.size(), StatusCode::corrupt, "fsst: invalid code");
    state.place += parts.symbols[code].size();
  }
  return {};
}

// Starts at the first tile, so that it includes codes of strings that a slice left out: words count them.
// Codes after both code_end and the last tile's start are not covered by any word, and are not read.
Status check_tiles(const PlainParts& parts) {
  const uint64_t tiles = parts.tiles.size() / 8;
  if (tiles == 0) {
    return {};  // no codes
  }
  const uint64_t end = std::max(parts.code_end, (tiles - 1) * kCodesPerTile);
  WalkState state = read_tile(parts, 0);
  for (uint64_t at = 0; at <= end; ++at) {
    if (at % kCodesPerTile == 0 && at / kCodesPerTile < tiles) {
      const WalkState stored = read_tile(parts, at / kCodesPerTile);
      BOBBIN_RETURN_IF(stored.place != state.place, StatusCode::corrupt,
                       "fsst: a tile's offset disagrees with its codes");
      BOBBIN_RETURN_IF(stored.literal != state.literal, StatusCode::corrupt,
                       "fsst: a tile's first-byte bit is wrong");
    }
    if (at == parts.code_begin) {
      BOBBIN_RETURN_IF(state.literal, StatusCode::corrupt, "fsst: the first string begins with a literal");
      BOBBIN_RETURN_IF(state.place != parts.out_begin, StatusCode::corrupt,
                       "fsst: out_begin is not the position of the first string");
    }
    // Between code_begin and code_end, decoding the strings would also find an invalid code.
    if (at < end) {
      BOBBIN_TRY(step_over(parts, at, state));
    }
  }
  return {};
}

// Decodes the string of `codes`, which must have exactly `size` bytes.
Status decode_string(const PlainParts& parts, ByteSpan codes, uint8_t* out, uint64_t size) {
  uint64_t written = 0;
  for (uint64_t at = 0; at < codes.size(); ++at) {
    const auto code = std::to_integer<uint8_t>(codes[at]);
    ByteSpan piece;
    if (code == kEscapeByte) {
      ++at;
      BOBBIN_RETURN_IF(at == codes.size(), StatusCode::corrupt,
                       "fsst: a string ends with an escape without a literal");
      piece = codes.subspan(at, 1);
    } else {
      BOBBIN_RETURN_IF(code >= parts.symbols.size(), StatusCode::corrupt, "fsst: invalid code");
      piece = parts.symbols[code];
    }
    BOBBIN_RETURN_IF(piece.size() > size - written, StatusCode::corrupt,
                     "fsst: a string's codes decode to more bytes than its offsets say");
    std::memcpy(out + written, piece.data(), piece.size());
    written += piece.size();
  }
  BOBBIN_RETURN_IF(written != size, StatusCode::corrupt,
                   "fsst: a string's codes decode to fewer bytes than its offsets say");
  return {};
}

// `bit` is the string's index plus the array's offset.
bool is_null(ByteSpan validity, uint64_t bit) {
  return !validity.empty() && (std::to_integer<uint32_t>(validity[bit / 8]) >> (bit % 8) & 1) == 0;
}

}  // namespace

Status reference(const Array& array, const HostStringsOut& out) {
  const PlainParts parts = read_parts(array);
  BOBBIN_TRY(check_bounds(parts));
  BOBBIN_TRY(check_tiles(parts));

  BOBBIN_RETURN_IF(parts.offsets[array.length] != out.bytes.size(), StatusCode::corrupt,
                   "fsst: string byte count differs from what is expected");
  for (uint64_t i = 0; i < array.length; ++i) {
    out.ends[i] = out.base + parts.offsets[i + 1];
  }
  for (uint64_t i = 0; i < array.length; ++i) {
    const uint64_t begin = parts.code_offsets[i];
    const ByteSpan codes = parts.codes.subspan(begin, parts.code_offsets[i + 1] - begin);
    const uint64_t size = parts.offsets[i + 1] - parts.offsets[i];
    BOBBIN_RETURN_IF(is_null(parts.validity, array.offset + i) && (!codes.empty() || size != 0),
                     StatusCode::corrupt, "fsst: a null string has codes or bytes");
    BOBBIN_TRY(decode_string(parts, codes, out.bytes.data() + parts.offsets[i], size));
  }
  return {};
}

}  // namespace bobbin::codec::fsst
