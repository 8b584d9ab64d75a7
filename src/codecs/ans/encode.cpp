// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>

#include "codecs/ans/tile.hpp"

namespace bobbin::codec::ans {
namespace {

using Symbols = std::array<Symbol, 256>;

Symbols symbols_of(const Frequencies& frequencies) {
  Symbols symbols;
  uint32_t begin = 0;
  for (size_t s = 0; s < symbols.size(); ++s) {
    symbols[s] = Symbol::of(frequencies[s], begin);
    begin += frequencies[s];
  }
  return symbols;
}

Counts count(std::span<const uint8_t> values) {
  // Four tables, because equal neighbours would wait for each other.
  std::array<Counts, 4> counts{};
  size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (size_t k = 0; k < 4; ++k) {
      ++counts[k][values[i + k]];
    }
  }
  for (; i < values.size(); ++i) {
    ++counts[0][values[i]];
  }
  for (size_t s = 0; s < counts[0].size(); ++s) {
    counts[0][s] += counts[1][s] + counts[2][s] + counts[3][s];
  }
  return counts[0];
}

// A segment while it is being encoded, last value first: words are written from the end.
class SegmentWriter {
 public:
  SegmentWriter(const Symbols& symbols, uint32_t bits) : symbols_(symbols), bits_(bits) {}

  void encode(std::span<const uint8_t> values) {
    words_.resize(most_words(static_cast<uint32_t>(values.size()), bits_));
    first_ = words_.size();
    const uint32_t coded = coded_groups(static_cast<uint32_t>(values.size()));
    start(values.subspan(size_t{coded} * kGroup));
    for (uint32_t group = coded; group-- != 0;) {
      encode_group(values.data() + size_t{group} * kGroup);
    }
  }

  [[nodiscard]] uint32_t units() const { return units_of(static_cast<uint32_t>(words_.size() - first_)); }
  void write(std::byte* to) const {
    const size_t words = words_.size() - first_;
    std::memset(to + (units() - 1) * kUnitBytes, 0, kUnitBytes);
    std::memcpy(to, states_.data(), kStateBytes);
    if (words != 0) {
      std::memcpy(to + kStateBytes, words_.data() + first_, words * sizeof(uint32_t));
    }
  }

 private:
  // States begin with the values of the last group.
  void start(std::span<const uint8_t> last) {
    std::array<uint8_t, kGroup> values{};
    std::ranges::copy(last, values.begin());
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      uint32_t run;
      std::memcpy(&run, values.data() + size_t{lane} * kRun, sizeof run);
      states_[lane] = kLeastState | run;
    }
  }

  void encode_group(const uint8_t* values) {
    for (uint32_t step = kRun; step != 0; step -= 2) {
      for (uint32_t lane = kLanes; lane-- != 0;) {
        const uint8_t* const pair = values + lane * kRun + step - 2;
        const Symbol& a = symbols_[pair[0]];
        const Symbol& b = symbols_[pair[1]];
        uint64_t state = states_[lane];
        if (overflows(state, a.frequency, b.frequency, bits_)) {
          words_[--first_] = static_cast<uint32_t>(state);
          state >>= kWordBits;
        }
        states_[lane] = a.next(b.next(state, bits_), bits_);
      }
    }
  }

  const Symbols& symbols_;
  uint32_t bits_;
  std::array<uint64_t, kLanes> states_{};
  std::vector<uint32_t> words_;
  size_t first_ = 0;
};

// What encode() makes of the values, except for the array itself.
struct Encoded {
  Preamble preamble;
  std::vector<std::byte> segments;
  std::vector<uint32_t> offsets;

  [[nodiscard]] uint64_t bytes() const {
    return Header::kBytes + preamble.stored.size() * sizeof(uint16_t) + segments.size() +
           offsets.size() * sizeof(uint32_t);
  }
};

// Not if there are too many bytes for the offsets.
Result<Encoded> encode_values(const Values& values, const Layout& layout) {
  const std::span<const uint8_t> bytes(static_cast<const uint8_t*>(values.data), values.length);
  if (bytes.empty()) {
    return Encoded{preamble_of({}, 0, layout), {}, {}};
  }
  const Frequencies frequencies = normalize(count(bytes), layout.bits);
  Encoded encoded{preamble_of(frequencies, bytes.size(), layout), {}, {0}};
  const Header& header = encoded.preamble.header;
  const Symbols symbols = symbols_of(frequencies);
  SegmentWriter writer(symbols, header.bits);
  for (uint64_t i = 0; i < header.num_segments(); ++i) {
    writer.encode(bytes.subspan(i * header.segment_values(), header.values_in(i)));
    const uint64_t end = uint64_t{encoded.offsets.back()} + writer.units();
    BOBBIN_RETURN_IF(end > UINT32_MAX, StatusCode::unsupported, "ans: more than 32 GiB of segments");
    encoded.segments.resize(end * kUnitBytes);
    writer.write(encoded.segments.data() + uint64_t{encoded.offsets.back()} * kUnitBytes);
    encoded.offsets.push_back(static_cast<uint32_t>(end));
  }
  return encoded;
}

// The buffer of a vector's items, without a copy.
template <class T>
Buffer to_buffer(std::vector<T> items) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(items));
  return {owner, std::as_bytes(std::span(*owner))};
}

}  // namespace

uint64_t estimate(const Values& values) {
  const Result<Encoded> encoded = encode_values(values, {});
  return encoded.has_value() ? encoded->bytes() : kNoEncoding;
}

Result<Array> encode(const Values& values) {
  return encode_with({}, values);
}

Result<Array> encode_with(const Layout& layout, const Values& values) {
  BOBBIN_ASSIGN(Encoded encoded, encode_values(values, layout));
  return Array{.codec = CodecId::ans,
               .type = values.type,
               .length = values.length,
               .offset = 0,
               .metadata = encoded.preamble.header.serialize(),
               .buffers = {to_buffer(std::move(encoded.preamble.stored)),
                           to_buffer(std::move(encoded.segments)), to_buffer(std::move(encoded.offsets))},
               .children = {}};
}

}  // namespace bobbin::codec::ans
