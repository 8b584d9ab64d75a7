// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/encode_kernel.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/fsst/stream.hpp"
#include "codecs/string_validity.hpp"
#include "core/parallel.hpp"

namespace bobbin::codec::fsst {
namespace {

// Codes of all strings, and where each string's codes end.
struct Encoded {
  Buffer buffer;
  std::span<const uint8_t> codes;
  std::vector<uint64_t> ends;
};

uint64_t load_word(const uint8_t* from) {
  uint64_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// Writes a code and the literal of an escape, but advances past the literal only for an escape.
BOBBIN_INLINE uint8_t* put(Match match, uint64_t word, uint8_t* to) {
  to[0] = match.code();
  to[1] = static_cast<uint8_t>(word);
  return to + 1 + (match.code() == kEscape ? 1 : 0);
}

uint64_t encoded_size(const Matcher& matcher, std::span<const uint8_t> piece) {
  uint64_t codes = 0;
  for (size_t at = 0; at < piece.size();) {
    const size_t rest = std::min(piece.size() - at, kPieceBytes - at % kPieceBytes);
    uint64_t word = 0;
    std::memcpy(&word, piece.data() + at, std::min<size_t>(rest, 8));
    const Match match = matcher.longest(word, rest);
    codes += match.code() == kEscape ? 2 : 1;
    at += match.length();
  }
  return codes;
}

// Encodes a run of strings, one code per step: each code depends on the previous one, so a core interleaves
// several lanes.
class Lane {
 public:
  // `ends` receives the end of each string's codes, counted from the lane's first.
  Lane(const Matcher& matcher, const StringsView& strings, uint64_t begin, uint64_t end, uint64_t* ends)
      : matcher_(&matcher), strings_(&strings), string_(begin), last_(end), ends_(ends) {
    if (begin < end) {
      safe_ = strings.bytes + strings.offset(strings.length);
      // The worst case is twice the bytes; untouched memory costs nothing.
      codes_ =
          std::make_unique_for_overwrite<uint8_t[]>(2 * (strings.offset(end) - strings.offset(begin)) + 1);
      to_ = codes_.get();
      start_string();
    }
  }

  [[nodiscard]] bool busy() const { return string_ < last_; }
  [[nodiscard]] std::span<const uint8_t> codes() const {
    return {codes_.get(), static_cast<size_t>(to_ - codes_.get())};
  }

  BOBBIN_INLINE void step() {
    const auto rest = static_cast<size_t>(end_ - from_);
    if (rest >= 8) {
      const uint64_t word = load_word(from_);
      take(matcher_->longest(word), word);
    } else {
      uint64_t word = 0;
      if (safe_ - from_ >= 8) [[likely]] {
        word = load_word(from_) & ((uint64_t{1} << (8 * rest)) - 1);
      } else {
        std::memcpy(&word, from_, rest);
      }
      take(matcher_->longest(word, rest), word);
    }
    if (from_ == end_) {
      start_next();
    }
  }

 private:
  BOBBIN_INLINE void take(Match match, uint64_t word) {
    to_ = put(match, word, to_);
    from_ += match.length();
  }

  // Starts the next string that is not empty.
  void start_string() {
    for (; string_ < last_; finish_string()) {
      const auto string = strings_->string(string_);  // a null has no bytes
      if (!string.empty()) {
        from_ = string.data();
        string_end_ = from_ + string.size();
        end_ = from_ + std::min<size_t>(string.size(), kPieceBytes);
        return;
      }
    }
  }
  void finish_string() { ends_[string_++] = static_cast<uint64_t>(to_ - codes_.get()); }
  void start_next() {
    if (end_ != string_end_) {
      end_ += std::min<ptrdiff_t>(string_end_ - end_, kPieceBytes);
    } else {
      finish_string();
      start_string();
    }
  }

  const Matcher* matcher_;
  const StringsView* strings_;
  uint64_t string_;
  uint64_t last_;
  uint64_t* ends_;
  std::unique_ptr<uint8_t[]> codes_;
  uint8_t* to_ = nullptr;
  const uint8_t* from_ = nullptr;
  const uint8_t* end_ = nullptr;         // of the piece
  const uint8_t* string_end_ = nullptr;  // of the string
  const uint8_t* safe_ = nullptr;        // reads must end here
};

constexpr uint64_t kLanes = 4;  // per thread

void run(std::span<Lane, kLanes> lanes) {
  while (lanes[0].busy() && lanes[1].busy() && lanes[2].busy() && lanes[3].busy()) {
    for (Lane& lane : lanes) {
      lane.step();
    }
  }
  for (Lane& lane : lanes) {
    while (lane.busy()) {
      lane.step();
    }
  }
}

// Concatenates the lanes' codes.
void join(const std::vector<Lane>& lanes, const std::vector<uint64_t>& cuts, Encoded& all) {
  uint64_t size = 0;
  for (const Lane& lane : lanes) {
    size += lane.codes().size();
  }
  const NewBuffer fresh = make_buffer(size);
  uint64_t before = 0;
  for (size_t r = 0; r < lanes.size(); ++r) {
    const auto codes = lanes[r].codes();
    std::ranges::copy(std::as_bytes(codes), fresh.data + before);
    for (uint64_t i = cuts[r]; i < cuts[r + 1]; ++i) {
      all.ends[i] += before;
    }
    before += codes.size();
  }
  all.buffer = fresh.buffer;
  all.codes = {reinterpret_cast<const uint8_t*>(fresh.data), size};
}

// Uses several threads if each has enough to do; the result does not depend on their number.
Encoded encode_all(const Matcher& matcher, const StringsView& strings) {
  Encoded all;
  all.ends.resize(strings.length);
  const uint64_t parts = num_parts(strings.num_bytes(), uint64_t{1} << 20);
  const uint64_t runs = parts * kLanes;
  std::vector<uint64_t> cuts(runs + 1, strings.length);
  for (uint64_t r = 0; r < runs && strings.length != 0; ++r) {
    cuts[r] = r == 0 ? 0 : strings.containing(strings.offset(0) + strings.num_bytes() / runs * r);
  }
  std::vector<Lane> lanes;
  for (uint64_t r = 0; r < runs; ++r) {
    lanes.emplace_back(matcher, strings, cuts[r], cuts[r + 1], all.ends.data());
  }
  parallel_for(parts, [&](uint64_t p) { run(std::span(lanes).subspan(p * kLanes).first<kLanes>()); });
  join(lanes, cuts, all);
  return all;
}

Buffer to_buffer(const void* data, size_t bytes) {
  const NewBuffer fresh = make_buffer(bytes);
  if (bytes != 0) {
    std::memcpy(fresh.data, data, bytes);
  }
  return fresh.buffer;
}

// Encodes a child of offsets: the first is 0, and `end(i)` is the one after string i.
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
  for (const auto& piece : pieces) {
    size += encoded_size(matcher, piece);
  }
  return size;
}

}  // namespace

SymbolTable choose_table(const Pieces& sample, const Array* previous) {
  if (previous == nullptr) {
    return learn(sample);
  }
  const SymbolTable old = Parts(*previous).table();
  const SymbolTable fresh = learn(sample);
  if (!could_be_learnt(old)) {
    return fresh;
  }
  // A new table takes space, and readers cache tables.
  constexpr double kWorthwhile = 0.99;
  const auto as_is = static_cast<double>(encoded_size(Matcher(old), sample));
  return static_cast<double>(encoded_size(Matcher(fresh), sample)) < kWorthwhile * as_is ? fresh : old;
}

Result<std::vector<uint64_t>> index_tiles(const SymbolTable& table, std::span<const uint8_t> codes) {
  std::vector<uint64_t> tiles;
  tiles.reserve(num_tiles(codes.size()));
  const uint32_t symbols = table.size();
  const SpecialBytes special = SpecialBytes::from(symbols);
  uint64_t out = 0;
  bool literal = false;
  for (size_t at = 0; at < codes.size(); at += kTileBytes) {
    tiles.push_back(out | (literal ? kLiteralFirst : 0));
    const size_t end = std::min<size_t>(at + kTileBytes, codes.size());
    for (size_t c = at; c < end;) {
      // Decodes eight symbols at a time where possible.
      if (end - c >= 8 && !literal && !special.any(load_word(&codes[c]))) {
        for (size_t i = 0; i < 8; ++i) {
          out += table.lengths[codes[c + i]];
        }
        c += 8;
        continue;
      }
      const uint8_t code = codes[c++];
      BOBBIN_RETURN_IF(
          !literal && code >= symbols && code != kEscape, StatusCode::corrupt,
          "fsst: code " + std::to_string(code) + " exceeds the number of symbols " + std::to_string(symbols));
      out += literal ? 1 : table.lengths[code];
      literal = !literal && code == kEscape;
    }
  }
  BOBBIN_RETURN_IF(literal, StatusCode::corrupt, "fsst: the codes end with an escape");
  return tiles;
}

void MatcherImage::make(const SymbolTable& table, MatcherImage& image) {
  const Matcher matcher(table);
  for (uint32_t i = 0; i < kSlots; ++i) {
    const Matcher::Slot& slot = matcher.slots()[i];
    const bool used = slot.match.length() > 2;
    image.symbols[i] = used ? slot.symbol : 0;
    image.slots[i] = used ? slot.match.both : uint16_t{0};
  }
  uint32_t code = table.counts[0];
  const uint32_t end = code + table.counts[1];
  for (uint32_t w = 0; w < MatcherImage::kPairWords; ++w) {
    image.pairs[w] = 0;
    image.first[w] = static_cast<uint8_t>(code);
    for (; code < end && table.symbols[code] / 32 == w; ++code) {
      image.pairs[w] |= uint32_t{1} << (table.symbols[code] % 32);
    }
  }
  for (uint32_t b = 0; b < 256; ++b) {
    image.singles[b] = matcher.single(static_cast<uint8_t>(b)).code();
  }
}

double expected_share(const SymbolTable& table, const Pieces& sample) {
  uint64_t bytes = 0;
  for (const auto& piece : sample) {
    bytes += piece.size();
  }
  return bytes == 0 ? 0
                    : static_cast<double>(encoded_size(Matcher(table), sample)) / static_cast<double>(bytes);
}

Array join_parts(DType type, uint64_t length, const SymbolTable& table, uint64_t out_bytes,
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
  const SymbolTable table = choose_table(sample(strings), previous);
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
      {to_buffer(symbols.data(), symbols.size()), encoded.buffer,
       to_buffer(tiles.data(), tiles.size() * sizeof(uint64_t)), to_buffer(validity.data(), validity.size())},
      {std::move(code_offsets), std::move(offsets)});
}

}  // namespace bobbin::codec::fsst
