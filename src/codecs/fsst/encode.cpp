// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/encode_kernel.hpp"
#include "codecs/fsst/fsst.hpp"
#include "core/parallel.hpp"

namespace bobbin::codec::fsst {
namespace {

// Codes of all strings, and where each string's end.
struct Encoded {
  std::vector<uint8_t> codes;
  std::vector<uint64_t> ends;
};

uint64_t load_word(const uint8_t* from) {
  uint64_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// Writes a code, and the literal an escape needs; which of both count, the length says.
BOBBIN_INLINE uint8_t* put(Match match, uint64_t word, uint8_t* to) {
  to[0] = match.code();
  to[1] = static_cast<uint8_t>(word);
  return to + 1 + (match.code() == kEscape ? 1 : 0);
}

BOBBIN_INLINE uint8_t* encode_piece(const Matcher& matcher, const uint8_t* from, size_t bytes, uint8_t* to) {
  const uint8_t* const end = from + bytes;
  while (end - from >= 8) {
    const uint64_t word = load_word(from);
    const Match match = matcher.longest(word);
    to = put(match, word, to);
    from += match.length();
  }
  uint64_t rest = static_cast<uint64_t>(end - from);
  uint64_t word = 0;
  std::memcpy(&word, from, rest);
  while (rest != 0) {
    const Match match = matcher.longest(word, rest);
    to = put(match, word, to);
    word = match.length() == 8 ? 0 : word >> (8 * match.length());
    rest -= match.length();
  }
  return to;
}

Encoded encode_range(const Matcher& matcher, const StringsView& strings, uint64_t begin, uint64_t end) {
  Encoded encoded;
  encoded.ends.reserve(end - begin);
  // Grown as needed: twice the bytes is the worst case, half of them the usual one.
  uint64_t used = 0;
  for (uint64_t i = begin; i < end; ++i) {
    const auto string = strings.string(i);  // a null has no bytes
    const uint64_t most = used + 2 * string.size() + 1;
    if (encoded.codes.size() < most) {
      encoded.codes.resize(std::max<uint64_t>(most, encoded.codes.size() + encoded.codes.size() / 2 + 65536));
    }
    uint8_t* const to = encoded.codes.data() + used;
    used += static_cast<uint64_t>(encode_string(matcher, string, to) - to);
    encoded.ends.push_back(used);
  }
  encoded.codes.resize(used);
  return encoded;
}

// Parts are worth a thread when they are of some size; the result does not depend on their number.
Encoded encode_all(const Matcher& matcher, const StringsView& strings) {
  const uint64_t parts = num_parts(strings.num_bytes(), uint64_t{1} << 20);
  std::vector<Encoded> encoded(parts);
  parallel_for(parts, [&](uint64_t p) {
    const auto cut = [&](uint64_t part) {
      return part == parts ? strings.length
                           : strings.containing(strings.offset(0) + strings.num_bytes() / parts * part);
    };
    encoded[p] = encode_range(matcher, strings, p == 0 ? 0 : cut(p), cut(p + 1));
  });
  Encoded all = std::move(encoded[0]);
  for (uint64_t p = 1; p < parts; ++p) {
    const uint64_t before = all.codes.size();
    all.codes.insert(all.codes.end(), encoded[p].codes.begin(), encoded[p].codes.end());
    for (const uint64_t end : encoded[p].ends) {
      all.ends.push_back(before + end);
    }
  }
  return all;
}

Buffer to_buffer(const void* data, size_t bytes) {
  const NewBuffer fresh = make_buffer(bytes);
  if (bytes != 0) {
    std::memcpy(fresh.data, data, bytes);
  }
  return fresh.buffer;
}

// The child of offsets, which begin with 0 and of which `end(i)` is the one behind string i.
template <class T, class End>
Result<Array> encode_offsets(uint64_t length, End&& end) {
  std::vector<T> offsets(length + 1);
  for (uint64_t i = 0; i < length; ++i) {
    offsets[i + 1] = static_cast<T>(end(i));
  }
  return delta::encode_with({kDTypeOf<T>, offsets.data(), offsets.size()}, {1, 1});
}

template <class End>
Result<Array> encode_offsets(bool wide, uint64_t length, End&& end) {
  return wide ? encode_offsets<uint64_t>(length, end) : encode_offsets<uint32_t>(length, end);
}

uint64_t encoded_size(const Matcher& matcher, const Pieces& pieces) {
  uint64_t size = 0;
  uint8_t codes[2 * kPieceBytes + 1];
  for (const auto& piece : pieces) {
    for (size_t at = 0; at < piece.size(); at += kPieceBytes) {
      const size_t bytes = std::min<size_t>(kPieceBytes, piece.size() - at);
      size += static_cast<uint64_t>(encode_piece(matcher, piece.data() + at, bytes, codes) - codes);
    }
  }
  return size;
}

}  // namespace

uint8_t* encode_string(const Matcher& matcher, std::span<const uint8_t> string, uint8_t* to) {
  for (size_t at = 0; at < string.size(); at += kPieceBytes) {
    to = encode_piece(matcher, string.data() + at, std::min<size_t>(kPieceBytes, string.size() - at), to);
  }
  return to;
}

Table choose_table(const Pieces& pieces, const Array* previous) {
  if (previous == nullptr) {
    return learn(pieces);
  }
  const Table old = Parts(*previous).table();
  const Table fresh = learn(pieces);
  // A new table takes space of its own, and readers keep one they have seen.
  constexpr double kWorthwhile = 0.99;
  const auto as_is = static_cast<double>(encoded_size(Matcher(old), pieces));
  return static_cast<double>(encoded_size(Matcher(fresh), pieces)) < kWorthwhile * as_is ? fresh : old;
}

Result<std::vector<uint64_t>> index_tiles(const Table& table, std::span<const uint8_t> codes) {
  std::vector<uint64_t> tiles;
  tiles.reserve(num_tiles(codes.size()));
  const uint32_t symbols = table.size();
  uint64_t out = 0;
  bool literal = false;
  for (size_t at = 0; at < codes.size(); at += kTileBytes) {
    tiles.push_back(out | (literal ? kLiteralFirst : 0));
    const size_t end = std::min<size_t>(at + kTileBytes, codes.size());
    for (size_t c = at; c < end; ++c) {
      const uint8_t code = codes[c];
      BOBBIN_RETURN_IF(!literal && code >= symbols && code != kEscape, StatusCode::corrupt,
                       "fsst: code " + std::to_string(code) + " of " + std::to_string(symbols));
      out += literal ? 1 : table.lengths[code];
      literal = !literal && code == kEscape;
    }
  }
  BOBBIN_RETURN_IF(literal, StatusCode::corrupt, "fsst: the codes end with an escape");
  return tiles;
}

void MatcherImage::make(const Table& table, MatcherImage& image) {
  const Matcher matcher(table);
  for (uint32_t i = 0; i < kSlots; ++i) {
    const Matcher::Slot& slot = matcher.slots()[i];
    const bool used = slot.match.length() > 2;
    image.symbols[i] = used ? slot.symbol : 0;
    image.slots[i] = used ? slot.match.both : uint16_t{0};
  }
  for (uint32_t w = 0; w < 65536; ++w) {
    image.pairs[w] = matcher.shorts()[w].code();
  }
  for (uint32_t b = 0; b < 256; ++b) {
    image.singles[b] = matcher.single(static_cast<uint8_t>(b)).code();
  }
  image.ones = table.counts[0];
}

double expected_share(const Table& table, const Pieces& sample) {
  uint64_t bytes = 0;
  for (const auto& piece : sample) {
    bytes += piece.size();
  }
  return bytes == 0 ? 0
                    : static_cast<double>(encoded_size(Matcher(table), sample)) / static_cast<double>(bytes);
}

Result<std::vector<uint8_t>> tidy_validity(const StringsView& strings) {
  std::vector<uint8_t> bits;
  for (uint64_t i = 0; i < strings.length && strings.validity != nullptr; ++i) {
    if (!strings.is_null(i)) {
      continue;
    }
    BOBBIN_RETURN_IF(strings.size(i) != 0, StatusCode::invalid_argument,
                     "string " + std::to_string(i) + " is null but has bytes");
    if (bits.empty()) {
      bits.assign(ceil_div<uint64_t>(strings.length, 8), 0xff);
    }
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] & ~(1U << (i % 8)));
  }
  if (!bits.empty() && strings.length % 8 != 0) {
    bits.back() = static_cast<uint8_t>(bits.back() & ((1U << (strings.length % 8)) - 1));
  }
  return bits;
}

Array join_parts(DType type, uint64_t length, const Table& table, uint64_t out_bytes,
                 std::vector<Buffer> buffers, std::vector<Array> children) {
  Array array;
  array.codec = CodecId::fsst;
  array.type = type;
  array.length = length;
  array.metadata = Header{.counts = table.counts,
                          .out_bytes = out_bytes,
                          .code_end = buffers[1].bytes.size(),
                          .canonical = true}
                       .serialize();
  array.buffers = std::move(buffers);
  array.children = std::move(children);
  return array;
}

Result<Array> encode(const StringsView& strings, const Array* previous) {
  BOBBIN_ASSIGN(const std::vector<uint8_t> validity, tidy_validity(strings));
  const Table table = choose_table(sample(strings), previous);
  const Encoded encoded = encode_all(Matcher(table), strings);
  BOBBIN_ASSIGN(const std::vector<uint64_t> tiles, index_tiles(table, encoded.codes));
  const std::vector<std::byte> symbols = table.serialize();
  const bool wide = needs_wide_offsets(strings.num_bytes(), encoded.codes.size());
  BOBBIN_ASSIGN(Array code_offsets,
                encode_offsets(wide, strings.length, [&](uint64_t i) { return encoded.ends[i]; }));
  const uint64_t base = strings.length == 0 ? 0 : strings.offset(0);
  BOBBIN_ASSIGN(Array offsets, encode_offsets(wide, strings.length,
                                              [&](uint64_t i) { return strings.offset(i + 1) - base; }));
  return join_parts(
      strings.type, strings.length, table, strings.num_bytes(),
      {to_buffer(symbols.data(), symbols.size()), to_buffer(encoded.codes.data(), encoded.codes.size()),
       to_buffer(tiles.data(), tiles.size() * sizeof(uint64_t)), to_buffer(validity.data(), validity.size())},
      {std::move(code_offsets), std::move(offsets)});
}

}  // namespace bobbin::codec::fsst
