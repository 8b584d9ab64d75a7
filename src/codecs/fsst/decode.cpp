// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/fsst/stream.hpp"
#include "codecs/shape.hpp"
#include "codecs/whole.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::fsst {
namespace {

Status damaged(const std::string& reason) {
  return {StatusCode::corrupt, "fsst: " + reason};
}

Status check_sizes(const Array& array, const Header& header) {
  uint64_t symbols = 0;
  uint64_t symbol_bytes = 0;
  for (uint32_t l = 0; l < kMaxSymbolBytes; ++l) {
    symbols += header.counts[l];
    symbol_bytes += uint64_t{header.counts[l]} * (l + 1);
  }
  BOBBIN_RETURN_IF(symbols > kMaxSymbols, StatusCode::corrupt,
                   "fsst: " + std::to_string(symbols) + " symbols, more than 255");
  const auto size = [&](size_t buffer) { return array.buffers[buffer].bytes.size(); };
  BOBBIN_RETURN_IF(
      size(0) != symbol_bytes, StatusCode::corrupt,
      "fsst: symbols have " + std::to_string(size(0)) + " bytes, expected " + std::to_string(symbol_bytes));
  const uint64_t tiles = num_tiles(size(1)) * sizeof(uint64_t);
  BOBBIN_RETURN_IF(
      size(2) != tiles, StatusCode::corrupt,
      "fsst: tiles have " + std::to_string(size(2)) + " bytes, expected " + std::to_string(tiles));
  const uint64_t validity = ceil_div<uint64_t>(array.offset + array.length, 8);
  BOBBIN_RETURN_IF(
      size(3) != 0 && size(3) != validity, StatusCode::corrupt,
      "fsst: validity has " + std::to_string(size(3)) + " bytes, expected " + std::to_string(validity));
  BOBBIN_RETURN_IF(header.code_begin > header.code_end || header.code_end > size(1), StatusCode::corrupt,
                   "fsst: code_begin and code_end are outside the codes");
  // A code decodes to at most eight bytes.
  BOBBIN_RETURN_IF(header.out_bytes > (header.code_end - header.code_begin) * kMaxSymbolBytes,
                   StatusCode::corrupt, "fsst: more output than the codes can produce");
  BOBBIN_RETURN_IF(header.out_begin >= kLiteralFirst - header.out_bytes, StatusCode::corrupt,
                   "fsst: out_begin too large");
  return {};
}

Status check_child(const Array& array, size_t index) {
  const Array& child = array.children[index];
  BOBBIN_RETURN_IF(child.type != array.children[0].type, StatusCode::corrupt,
                   "fsst: offsets of two different types");
  BOBBIN_RETURN_IF(
      child.length != array.length + 1 || child.offset != array.offset, StatusCode::corrupt,
      "fsst: " + std::to_string(child.length) + " offsets for " + std::to_string(array.length) + " strings");
  BOBBIN_TRY(check_shape(child));
  BOBBIN_RETURN_IF(delta::parameters_of(child) != delta::Parameters(1, 1), StatusCode::corrupt,
                   "fsst: offsets are not differences of order 1");
  return {};
}

// What is wrong with the offset after that of string i.
std::string offset_fault(const char* name, uint64_t i, bool descends) {
  return descends ? std::string("fsst: ") + name + " descend at string " + std::to_string(i)
                  : "fsst: string " + std::to_string(i) + " is null but not empty";
}

// Checks that offsets do not descend, and that nulls are empty. Offset 0 is that of string `first`.
template <class T>
Status check_ascending(std::span<const T> offsets, uint64_t first, const char* name, uint64_t first_bit,
                       std::span<const uint8_t> validity) {
  bool descends = false;
  for (size_t i = 1; i < offsets.size(); ++i) {  // without a way out: several at once
    descends |= offsets[i - 1] > offsets[i];
  }
  if (!descends && validity.empty()) {
    return {};
  }
  for (size_t i = 1; i < offsets.size(); ++i) {
    const uint64_t bit = first_bit + first + i - 1;
    if (!descends && bit % 8 == 0 && validity[bit / 8] == 0xff) {
      i += 7;  // none of eight is null
      continue;
    }
    const bool is_null = !validity.empty() && (validity[bit / 8] >> (bit % 8) & 1) == 0;
    const bool wrong = is_null ? offsets[i - 1] != offsets[i] : offsets[i - 1] > offsets[i];
    BOBBIN_RETURN_IF(wrong, StatusCode::corrupt,
                     offset_fault(name, first + i - 1, offsets[i - 1] > offsets[i]));
  }
  return {};
}

// Checks that the offsets go from `first` to `last` without descending, and that nulls are empty. A vector of
// them at a time stays in a cache.
template <class T>
Status check_offsets(const Array& child, uint64_t first, uint64_t last, const char* name,
                     std::span<const uint8_t> validity) {
  alignas(64) T buffer[64 + kVectorLength];  // with the last offset of the previous vector before each vector
  T* const vector = buffer + 64;
  const uint64_t end = child.offset + child.length;
  bool is_right = true;
  for (uint64_t at = child.offset; at < end;) {
    const uint64_t skip = at % kVectorLength;
    const uint64_t stop = std::min(at - skip + kVectorLength, end);
    delta::decode_vector(child, at / kVectorLength, vector);
    const std::span<const T> here(vector + skip, stop - at);
    is_right =
        is_right && (at != child.offset || here.front() == first) && (stop != end || here.back() == last);
    const uint64_t known = at == child.offset ? 0 : 1;
    BOBBIN_TRY(check_ascending(std::span<const T>(here.data() - known, here.size() + known),
                               at - child.offset - known, name, child.offset, validity));
    vector[-1] = here.back();
    at = stop;
  }
  BOBBIN_RETURN_IF(!is_right, StatusCode::corrupt,
                   std::string("fsst: ") + name + " have a wrong first or last value");
  return {};
}

Status check_offsets(const Array& child, uint64_t first, uint64_t last, const char* name,
                     std::span<const uint8_t> validity) {
  return child.type == DType::u64 ? check_offsets<uint64_t>(child, first, last, name, validity)
                                  : check_offsets<uint32_t>(child, first, last, name, validity);
}

Status check_tiles(const Parts& parts) {
  const Header& header = parts.header;
  uint64_t before = 0;
  for (size_t t = 0; t < parts.tiles.size(); ++t) {
    const uint64_t word = parts.tiles[t] & ~kLiteralFirst;
    BOBBIN_RETURN_IF(word < before || (t == 0 && word > parts.header.out_begin) ||
                         word > parts.header.out_begin + parts.header.out_bytes,
                     StatusCode::corrupt, "fsst: tile " + std::to_string(t) + " is out of order");
    before = word;
  }
  // The bytes before the first string were produced by codes before its own.
  BOBBIN_RETURN_IF(!parts.tiles.empty() && header.out_begin - (parts.tiles[0] & ~kLiteralFirst) >
                                               header.code_begin * kMaxSymbolBytes,
                   StatusCode::corrupt, "fsst: tile 0 is too far before the first string");
  return {};
}

}  // namespace

Header Header::parse(std::span<const uint8_t> metadata) {
  Header header;
  std::copy_n(metadata.begin(), kMaxSymbolBytes, header.counts.begin());
  std::memcpy(&header.out_begin, metadata.data() + 8, 8);
  std::memcpy(&header.out_bytes, metadata.data() + 16, 8);
  std::memcpy(&header.code_begin, metadata.data() + 24, 8);
  std::memcpy(&header.code_end, metadata.data() + 32, 8);
  header.canonical = metadata[40] != 0;
  return header;
}

std::vector<uint8_t> Header::serialize() const {
  std::vector<uint8_t> metadata(kBytes);
  std::ranges::copy(counts, metadata.begin());
  std::memcpy(metadata.data() + 8, &out_begin, 8);
  std::memcpy(metadata.data() + 16, &out_bytes, 8);
  std::memcpy(metadata.data() + 24, &code_begin, 8);
  std::memcpy(metadata.data() + 32, &code_end, 8);
  metadata[40] = canonical ? 1 : 0;
  return metadata;
}

Parts::Parts(const Array& array)
    : header(Header::parse(array.metadata)),
      symbols(array.buffers[0].bytes.data()),
      codes(reinterpret_cast<const uint8_t*>(array.buffers[1].bytes.data()), array.buffers[1].bytes.size()),
      tiles(reinterpret_cast<const uint64_t*>(array.buffers[2].bytes.data()),
            array.buffers[2].bytes.size() / sizeof(uint64_t)),
      validity(reinterpret_cast<const uint8_t*>(array.buffers[3].bytes.data()),
               array.buffers[3].bytes.size()),
      code_offsets(&array.children[0]),
      offsets(&array.children[1]) {}

std::string describe(const Array& array) {
  if (array.metadata.size() != Header::kBytes) {
    return "damaged";
  }
  uint32_t symbols = 0;
  for (uint32_t l = 0; l < kMaxSymbolBytes; ++l) {
    symbols += array.metadata[l];
  }
  return std::to_string(symbols) + " symbols";
}

StringSizes sizes(const Array& array) {
  return {.wide = array.children[1].type == DType::u64, .bytes = Header::parse(array.metadata).out_bytes};
}

Status validate(const Array& array) {
  BOBBIN_RETURN_IF(array.metadata[Header::kBytes - 1] > 1, StatusCode::corrupt, "fsst: unknown flags");
  const Header header = Header::parse(array.metadata);
  BOBBIN_TRY(check_sizes(array, header));
  BOBBIN_TRY(check_child(array, 0));
  BOBBIN_TRY(check_child(array, 1));
  return check_tiles(Parts(array));
}

Status check_whole(const Array& array) {
  const Header header = Header::parse(array.metadata);
  uint64_t first_tile = 0;
  if (const auto tiles = array.buffers[2].bytes;
      tiles.data() != nullptr && tiles.size() >= sizeof first_tile) {
    std::memcpy(&first_tile, tiles.data(), sizeof first_tile);
  }
  const bool whole = header.out_begin == 0 && header.code_begin == 0 &&
                     header.code_end == array.buffers[1].bytes.size() && first_tile == 0;
  return whole ? Status{} : Status(StatusCode::corrupt, "fsst: a slice in a file");
}

Status validate_content(const Array& array) {
  const Parts parts(array);
  const Header& header = parts.header;
  BOBBIN_TRY(
      check_offsets(*parts.code_offsets, header.code_begin, header.code_end, "code offsets", parts.validity));
  return check_offsets(*parts.offsets, 0, header.out_bytes, "offsets", parts.validity);
}

Status decode(const Array& array, const HostStringsOut& out) {
  const Parts parts(array);
  const Header& header = parts.header;
  if (header.out_bytes != out.bytes.size()) {
    return damaged(std::to_string(header.out_bytes) + " string bytes, expected " +
                   std::to_string(out.bytes.size()));
  }
  StreamDecoder decoder(parts.table(), out.bytes.data(), header.out_bytes);
  uint64_t at = header.code_begin;
  // Strings begin at code_begin, so no escape is right before it. From there on, tile words are checked
  // against the codes.
  while (at < header.code_end) {
    const uint64_t end = std::min(header.code_end, round_up<uint64_t>(at + 1, kTileBytes));
    if (!decoder.decode(parts.codes.data() + at, parts.codes.data() + end)) {
      return damaged("invalid code or too much output before code byte " + std::to_string(end));
    }
    at = end;
    if (at < header.code_end) {
      const uint64_t word = parts.tiles[at / kTileBytes];
      const auto made = static_cast<uint64_t>(decoder.position() - out.bytes.data());
      if ((word & ~kLiteralFirst) != header.out_begin + made ||
          (word >= kLiteralFirst) != decoder.literal_is_next()) {
        return damaged("tile " + std::to_string(at / kTileBytes) + "'s offset disagrees with its codes");
      }
    }
  }
  if (decoder.literal_is_next()) {
    return damaged("the codes end with an escape");
  }
  if (static_cast<uint64_t>(decoder.position() - out.bytes.data()) != header.out_bytes) {
    return damaged("the codes decode to fewer bytes than the array says");
  }
  delta::decode_ends(*parts.offsets, out.base, out.ends);
  return {};
}

}  // namespace bobbin::codec::fsst
