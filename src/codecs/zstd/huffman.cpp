// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/huffman.hpp"

#include <bit>
#include <string>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/fse.hpp"
#include "core/bmi2.hpp"

namespace bobbin::zstd {
namespace {

constexpr uint32_t kMaxWeights = 255;  // one symbol's weight is implied
constexpr uint32_t kMaxWeightLog = 6;

struct Weights {
  std::array<uint8_t, kMaxWeights + 1> weight{};
  uint32_t count = 0;
};

Status damaged_huffman(const char* what) {
  return {StatusCode::corrupt, std::string("zstd: Huffman ") + what};
}

// Two states take turns until the stream has too few bits for the next step; the other state's symbol is then
// the last weight.
Status decode_weights(std::span<const uint8_t> bytes, Weights& weights) {
  size_t used = 0;
  BOBBIN_ASSIGN(const FseCounts counts, read_fse_counts(bytes, kMaxWeightLog, kMaxHuffmanBits + 1, used));
  std::array<FseState, size_t{1} << kMaxWeightLog> states{};
  build_fse_states(counts, states);
  // Loads of the backward reader touch bytes after the stream: the description has at most 127.
  std::array<uint8_t, 128 + 8> padded{};
  const auto stream = bytes.subspan(used);
  std::copy(stream.begin(), stream.end(), padded.begin());
  BackwardBits bits;
  if (!bits.start(padded.data(), stream.size())) {
    return damaged_huffman("weights: no end mark");
  }
  std::array<uint64_t, 2> state{};
  state[0] = bits.read(counts.log);
  state[1] = bits.read(counts.log);
  if (bits.position() < 0) {
    return damaged_huffman("weights: the stream ends too early");
  }
  for (uint32_t turn = 0;; turn ^= 1) {
    if (weights.count + 2 > kMaxWeights) {
      return damaged_huffman("weights: more than 255");
    }
    const FseState& now = states[state[turn]];
    weights.weight[weights.count++] = now.symbol;
    if (bits.position() < now.bits) {
      weights.weight[weights.count++] = states[state[turn ^ 1]].symbol;
      return {};
    }
    state[turn] = now.next + bits.read(now.bits);
  }
}

Status read_weights(std::span<const uint8_t> bytes, Weights& weights, size_t& used) {
  if (bytes.empty()) {
    return damaged_huffman("tree: missing");
  }
  const uint32_t header = bytes[0];
  if (header < 128) {
    if (header == 0 || header >= bytes.size()) {
      return damaged_huffman("tree: ends after its section");
    }
    used = 1 + header;
    return decode_weights(bytes.subspan(1, header), weights);
  }
  weights.count = header - 127;
  used = 1 + (weights.count + 1) / 2;
  if (used > bytes.size()) {
    return damaged_huffman("tree: ends after its section");
  }
  for (uint32_t i = 0; i < weights.count; ++i) {
    const uint32_t byte = bytes[1 + i / 2];
    weights.weight[i] = static_cast<uint8_t>(i % 2 == 0 ? byte >> 4 : byte & 15);
  }
  return {};
}

// The last symbol's weight fills the sum up to a power of two. Sets how many symbols have each weight.
Status complete_weights(Weights& weights, std::array<uint32_t, kMaxHuffmanBits + 2>& of_weight,
                        uint32_t& log) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < weights.count; ++i) {
    if (weights.weight[i] > kMaxHuffmanBits) {
      return damaged_huffman("tree: weight above 11");
    }
    ++of_weight[weights.weight[i]];
    sum += weights.weight[i] == 0 ? 0 : uint32_t{1} << (weights.weight[i] - 1);
  }
  log = static_cast<uint32_t>(std::bit_width(sum));
  if (sum == 0 || log > kMaxHuffmanBits) {
    return damaged_huffman("tree: codes longer than 11 bits, or none");
  }
  const uint32_t left = (uint32_t{1} << log) - sum;
  if (!std::has_single_bit(left)) {
    return damaged_huffman("tree: the weights leave no room for the last symbol");
  }
  const auto last = static_cast<uint32_t>(std::bit_width(left));
  weights.weight[weights.count++] = static_cast<uint8_t>(last);
  ++of_weight[last];
  // The longest codes have weight 1 and come in pairs.
  if (of_weight[1] < 2 || of_weight[1] % 2 != 0) {
    return damaged_huffman("tree: not a prefix code");
  }
  return {};
}

// A symbol of weight w fills 2^(w-1) entries; lighter symbols come first, equal ones in their order.
void fill_table(const Weights& weights, const std::array<uint32_t, kMaxHuffmanBits + 2>& of_weight,
                HuffmanTable& table) {
  std::array<uint32_t, kMaxHuffmanBits + 2> start{};
  for (uint32_t w = 1; w <= kMaxHuffmanBits; ++w) {
    start[w + 1] = start[w] + (of_weight[w] << (w - 1));
  }
  for (uint32_t s = 0; s < weights.count; ++s) {
    const uint32_t w = weights.weight[s];
    if (w == 0) {
      continue;
    }
    const auto entry = static_cast<uint16_t>(s << 8 | (table.log + 1 - w));
    const uint32_t count = uint32_t{1} << (w - 1);
    std::fill_n(table.entries.begin() + start[w], count, entry);
    start[w] += count;
  }
}

// How many symbols one load of 64 bits serves: 57 bits are there at any position.
constexpr uint32_t kPerLoad = 5;
constexpr int64_t kLoadBits = 57;

// One of the streams: `position` bits of it are left, and the next symbol goes to `to`.
struct SymbolStream {
  const uint8_t* bytes;
  int64_t position;
  uint8_t* to;
};

// Reads kPerLoad symbols. An entry's low byte is the number of bits it takes, so that a sum of whole entries
// has the sum of these numbers in its own low byte.
BOBBIN_INLINE void decode_load(const uint16_t* entries, uint32_t shift, SymbolStream& stream) {
  const int64_t byte = (stream.position - kLoadBits) >> 3;
  uint64_t window = load<uint64_t>(stream.bytes + byte) << (64 - (stream.position - 8 * byte));
  uint32_t sum = 0;
  for (uint32_t i = 0; i < kPerLoad; ++i) {
    const uint32_t entry = entries[window >> shift];
    window <<= entry % 64;
    sum += entry;
    stream.to[i] = static_cast<uint8_t>(entry >> 8);
  }
  stream.position -= sum % 256;
  stream.to += kPerLoad;
}

// All four streams advance by the same number of symbols while each has enough bits; the last is the
// shortest.
BOBBIN_INLINE void decode_four(const HuffmanTable& table, std::array<SymbolStream, 4>& streams,
                               const uint8_t* last_end) {
  const uint16_t* const entries = table.entries.data();
  const uint32_t shift = 64 - table.log;
  SymbolStream a = streams[0];
  SymbolStream b = streams[1];
  SymbolStream c = streams[2];
  SymbolStream d = streams[3];
  while (last_end - d.to >= kPerLoad && a.position >= kLoadBits && b.position >= kLoadBits &&
         c.position >= kLoadBits && d.position >= kLoadBits) {
    decode_load(entries, shift, a);
    decode_load(entries, shift, b);
    decode_load(entries, shift, c);
    decode_load(entries, shift, d);
  }
  streams = {a, b, c, d};
}

void decode_four_anywhere(const HuffmanTable& table, std::array<SymbolStream, 4>& streams,
                          const uint8_t* last_end) {
  decode_four(table, streams, last_end);
}

BOBBIN_BMI2 void decode_four_bmi2(const HuffmanTable& table, std::array<SymbolStream, 4>& streams,
                                  const uint8_t* last_end) {
  decode_four(table, streams, last_end);
}

// The last symbols of a stream, one at a time; it must end exactly where it starts.
bool finish_stream(const HuffmanTable& table, SymbolStream stream, const uint8_t* end) {
  for (; stream.to < end; ++stream.to) {
    if (stream.position <= 0) {
      return false;
    }
    const int64_t at = stream.position - table.log;
    const uint64_t word =
        at >= 0 ? load<uint64_t>(stream.bytes + at / 8) >> (at % 8) : load<uint64_t>(stream.bytes) << -at;
    const uint32_t entry = table.entries[word & ((uint64_t{1} << table.log) - 1)];
    stream.position -= entry % 256;
    *stream.to = static_cast<uint8_t>(entry >> 8);
  }
  return stream.position == 0;
}

bool start_stream(std::span<const uint8_t> bytes, uint8_t* to, SymbolStream& stream) {
  BackwardBits bits;
  if (!bits.start(bytes.data(), bytes.size())) {
    return false;
  }
  stream = {bytes.data(), bits.position(), to};
  return true;
}

}  // namespace

Status read_huffman_table(std::span<const uint8_t> bytes, HuffmanTable& table, size_t& used) {
  Weights weights;
  std::array<uint32_t, kMaxHuffmanBits + 2> of_weight{};
  table.log = 0;
  uint32_t log = 0;
  BOBBIN_TRY(read_weights(bytes, weights, used));
  BOBBIN_TRY(complete_weights(weights, of_weight, log));
  table.log = log;
  fill_table(weights, of_weight, table);
  return {};
}

Status decode_one_stream(const HuffmanTable& table, std::span<const uint8_t> bytes, std::span<uint8_t> out) {
  SymbolStream stream{};
  if (!start_stream(bytes, out.data(), stream)) {
    return damaged_huffman("stream: no end mark");
  }
  const uint8_t* const end = out.data() + out.size();
  while (stream.position >= kLoadBits && end - stream.to >= kPerLoad) {
    decode_load(table.entries.data(), 64 - table.log, stream);
  }
  return finish_stream(table, stream, end) ? Status() : damaged_huffman("stream: wrong length");
}

Status decode_four_streams(const HuffmanTable& table, std::span<const uint8_t> bytes,
                           std::span<uint8_t> out) {
  constexpr size_t kJumpBytes = 6;
  if (bytes.size() < kJumpBytes + 4 || out.size() < 6) {
    return damaged_huffman("streams: too short for four");
  }
  const size_t share = (out.size() + 3) / 4;
  std::array<SymbolStream, 4> streams{};
  size_t begin = kJumpBytes;
  for (size_t i = 0; i < 4; ++i) {
    const size_t left = bytes.size() - begin;
    const size_t size = i < 3 ? load<uint16_t>(bytes.data() + 2 * i) : left;
    if (size > left || !start_stream(bytes.subspan(begin, size), out.data() + i * share, streams[i])) {
      return damaged_huffman("streams: sizes exceed their section, or an end mark is missing");
    }
    begin += size;
  }
  const uint8_t* const last_end = out.data() + out.size();
  const auto decode = have_bmi2() ? &decode_four_bmi2 : &decode_four_anywhere;
  decode(table, streams, last_end);
  for (size_t i = 0; i < 4; ++i) {
    const uint8_t* const end = i < 3 ? out.data() + (i + 1) * share : last_end;
    if (!finish_stream(table, streams[i], end)) {
      return damaged_huffman("streams: wrong length");
    }
  }
  return {};
}

}  // namespace bobbin::zstd
