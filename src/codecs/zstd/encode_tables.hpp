// SPDX-License-Identifier: Apache-2.0
// A frame's entropy tables, for the encoder: from how often symbols occur to codes, states and descriptions.
// One thread builds them, on the CPU and on a device: the same source, in integers only, so that the same
// content gives the same bytes everywhere.
#pragma once

#include "codecs/zstd/chain_kernel.hpp"
#include "codecs/zstd/fse_encode.hpp"
#include "codecs/zstd/huffman.hpp"

namespace bobbin::zstd {

// The CPU as a Cta of one thread: what building and using tables requires of one.
struct SerialCta {
  template <class T, uint32_t N>
  [[nodiscard]] BOBBIN_INLINE T load(const simt::Shared<T, N>& s, uint32_t i) const {
    return s.data[i];
  }
  template <class T, uint32_t N>
  BOBBIN_INLINE void store(simt::Shared<T, N>& s, uint32_t i, T v) const {
    s.data[i] = v;
  }
};

inline constexpr uint32_t kMaxTreeBytes = 128;
inline constexpr uint32_t kMaxTableBytes = 112;  // of a description: 4 bits, and at most 16 bits per symbol
inline constexpr uint32_t kLiteralSymbols = 256;

// The predefined tables of all fields.
[[nodiscard]] DefaultCounts all_default_counts();

// How often each symbol occurs in a frame; those of the three fields of sequences are kMaxTableSymbols apart.
struct Occurrences {
  simt::Shared<uint32_t, kLiteralSymbols> literals;
  simt::Shared<uint32_t, kFields * kMaxTableSymbols> fields;
};

enum TableMode : uint32_t { kPredefinedTable, kRleTable, kDescribedTable, kRepeatedTable };

// Where a field's states begin.
[[nodiscard]] BOBBIN_HD constexpr uint32_t first_state(uint32_t field) {
  return field == kLiteralField ? 0 : field == kOffsetField ? 512 : 768;
}

// Everything that a frame's blocks are written with.
struct EncoderTables {
  simt::Shared<uint16_t, kLiteralSymbols> codes;  // bits << 11 | code; 0: does not occur
  simt::Shared<uint8_t, kMaxTreeBytes> tree;      // its description
  simt::Shared<uint16_t, 1280> next;
  simt::Shared<uint32_t, kFields * kMaxTableSymbols> bits_bias;
  simt::Shared<uint32_t, kFields * kMaxTableSymbols> state_bias;
  simt::Shared<uint8_t, kFields * kMaxTableBytes> described;
  simt::Shared<uint32_t, 12> shape;

  enum ShapeIndex : uint32_t { kTreeBytes, kLog, kMode = kLog + kFields, kDescribedBytes = kMode + kFields };
};

// What building them takes.
struct TableWork {
  simt::Shared<uint32_t, kLiteralSymbols> leaves;  // counts, ascending
  simt::Shared<uint8_t, kLiteralSymbols> symbols;  // of the leaves
  simt::Shared<uint32_t, 1024> items;              // two levels of package-merge
  simt::Shared<uint32_t, kMaxHuffmanBits * 16> packages;
  simt::Shared<uint16_t, 16> taken;
  simt::Shared<uint8_t, kLiteralSymbols> weights;
  simt::Shared<uint32_t, 16> weight_counts;
  simt::Shared<int16_t, kMaxTableSymbols> counts;
  simt::Shared<uint16_t, kMaxTableSymbols> first;
  simt::Shared<uint8_t, 512> spread;
  simt::Shared<uint16_t, 64> weight_next;
  simt::Shared<uint32_t, 16> weight_bits;
  simt::Shared<uint32_t, 16> weight_states;
  simt::Shared<uint8_t, 2 * kMaxTreeBytes + 16> description;
};

// The leaf's place among all that occur: by count, then by symbol. For the symbols first, first + step, ...
template <class Cta>
BOBBIN_HD uint32_t sort_leaves(Cta& cta, const Occurrences& occurrences, TableWork& work, uint32_t first,
                               uint32_t step) {
  uint32_t total = 0;
  uint32_t used = 0;
  for (uint32_t s = 0; s < kLiteralSymbols; ++s) {
    const uint32_t count = cta.load(occurrences.literals, s);
    total += count;
    used += count != 0 ? 1 : 0;
  }
  // Sums of package-merge, of up to 11 times the total, stay below 2^32.
  const uint32_t shift = total >> 28 == 0 ? 0 : 4;
  for (uint32_t s = first; s < kLiteralSymbols; s += step) {
    const uint32_t count = cta.load(occurrences.literals, s);
    uint32_t rank = 0;
    for (uint32_t t = 0; count != 0 && t < kLiteralSymbols; ++t) {
      const uint32_t other = cta.load(occurrences.literals, t);
      // Without branches, which a CPU could not predict.
      rank += static_cast<uint32_t>((other != 0) & ((other < count) | ((other == count) & (t < s))));
    }
    if (count != 0) {
      cta.store(work.leaves, rank, count >> shift == 0 ? 1 : count >> shift);
      cta.store(work.symbols, rank, static_cast<uint8_t>(s));
    }
  }
  return used;
}

// Bits to an array of bytes, from a byte's lowest one on.
template <class Cta, class Array>
struct ArrayBits {
  Cta& cta;
  Array& bytes;
  uint32_t at = 0;
  uint64_t pending = 0;
  uint32_t filled = 0;

  BOBBIN_HD void put(uint64_t value, uint32_t count) {
    pending |= value << filled;
    filled += count;
    for (; filled >= 8; filled -= 8) {
      cta.store(bytes, at++, static_cast<uint8_t>(pending));
      pending >>= 8;
    }
  }
  BOBBIN_HD void end() { put(0, (8 - filled) % 8); }
  BOBBIN_HD void end_backward() {
    put(1, 1);
    end();
  }
};

// States of one table, which may be a part of arrays that hold several.
template <class Next, class Bias>
struct FseCoder {
  Next& next;
  Bias& bits_bias;
  Bias& state_bias;
  uint32_t first_next = 0;
  uint32_t first_symbol = 0;
  uint32_t log = 0;

  // From counts to states, as many as 2^log. `spread` and `first` are for the work.
  template <class Cta>
  BOBBIN_HD void build(Cta& cta, const simt::Shared<int16_t, kMaxTableSymbols>& counts, uint32_t num_symbols,
                       simt::Shared<uint8_t, 512>& spread, simt::Shared<uint16_t, kMaxTableSymbols>& first) {
    const uint32_t size = uint32_t{1} << log;
    uint32_t high = size;  // symbols of less than one occurrence get one state each, from the end
    uint32_t total = 0;
    for (uint32_t s = 0; s < num_symbols; ++s) {
      const int32_t given = cta.load(counts, s);
      const uint32_t count = given < 0 ? 1 : static_cast<uint32_t>(given);
      if (given < 0) {
        cta.store(spread, --high, static_cast<uint8_t>(s));
      }
      cta.store(first, s, static_cast<uint16_t>(total));
      // A state in [size, 2 size) gives up bits until it lies in [count, 2 count); one bit more or less
      // depends on where the state lies, which the bias turns into an addition and a shift.
      const uint32_t most = log - (count == 1 ? 0 : BackwardStream::bit_width(count - 1) - 1);
      cta.store(bits_bias, first_symbol + s, count == 0 ? 0 : (most << 16) - (count << most));
      cta.store(state_bias, first_symbol + s, total - count);
      total += count;
    }
    uint32_t at = 0;
    for (uint32_t s = 0; s < num_symbols; ++s) {
      const int32_t count = cta.load(counts, s);
      for (int32_t i = 0; i < count; ++i) {
        cta.store(spread, at, static_cast<uint8_t>(s));
        do {
          at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1);
        } while (at >= high);
      }
    }
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t s = cta.load(spread, i);
      const uint16_t to = cta.load(first, s);
      cta.store(first, s, static_cast<uint16_t>(to + 1));
      cta.store(next, first_next + to, static_cast<uint16_t>(size + i));
    }
  }

  // A state from which a decoder reads this symbol last.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t start(Cta& cta, uint32_t symbol) const {
    const uint32_t bias = cta.load(bits_bias, first_symbol + symbol);
    const uint32_t bits = (bias + (uint32_t{1} << 15)) >> 16;
    const uint32_t value = ((bits << 16) - bias) >> bits;
    return cta.load(next, first_next + value + cta.load(state_bias, first_symbol + symbol));
  }
  // Puts the bits that lead from the symbol's state to `state`; returns the symbol's state.
  template <class Cta, class Bits>
  [[nodiscard]] BOBBIN_HD uint32_t put(Cta& cta, uint32_t state, uint32_t symbol, Bits& bits) const {
    const uint32_t count = (state + cta.load(bits_bias, first_symbol + symbol)) >> 16;
    bits.put(low_bits(state, count), count);
    return cta.load(next, first_next + (state >> count) + cta.load(state_bias, first_symbol + symbol));
  }
  template <class Bits>
  BOBBIN_HD void finish(uint32_t state, Bits& bits) const {
    bits.put(state - (uint32_t{1} << log), log);
  }
};

// FSE counts: from occurrences to a table's shares, and to their description.
struct FseShares {
  // In 1/256 of a bit, rounded down.
  [[nodiscard]] BOBBIN_HD static uint32_t log2_of(uint32_t value) {
    const uint32_t whole = BackwardStream::bit_width(value) - 1;
    uint64_t x = uint64_t{value} << (31 - whole);
    uint32_t result = whole;
    for (uint32_t i = 0; i < 8; ++i) {
      x = x * x >> 31;
      const auto bit = static_cast<uint32_t>(x >> 32);
      x >>= bit;
      result = result << 1 | bit;
    }
    return result;
  }

  // The accuracy that suits this many symbols.
  [[nodiscard]] BOBBIN_HD static uint32_t choose_log(uint32_t total, uint32_t used, uint32_t max_log) {
    const uint32_t enough = BackwardStream::bit_width(total - 1) - (total > 64 ? 2 : 0);
    const uint32_t needed = BackwardStream::bit_width(used - 1) + 1;
    const uint32_t wanted = enough < needed ? needed : enough;
    return wanted < 5 ? 5 : wanted < max_log ? wanted : max_log;
  }

  // Scales occurrences to a sum of 2^log, where each symbol that occurs keeps one at least. Two symbols or
  // more must occur, and no more than 2^log. Returns the number of symbols.
  template <class Cta, class Array>
  BOBBIN_HD static uint32_t normalise(Cta& cta, const Array& occurrences, uint32_t at, uint32_t num_symbols,
                                      uint32_t log, simt::Shared<int16_t, kMaxTableSymbols>& counts) {
    uint64_t total = 0;
    for (uint32_t s = 0; s < num_symbols; ++s) {
      total += cta.load(occurrences, at + s);
    }
    uint32_t last = 0;
    uint32_t largest = 0;
    uint32_t most = 0;
    int32_t excess = -(int32_t{1} << log);
    for (uint32_t s = 0; s < num_symbols; ++s) {
      const uint64_t own = cta.load(occurrences, at + s);
      const uint64_t share = ((2 * own << log) + total) / (2 * total);
      const auto count = static_cast<int16_t>(own == 0 ? 0 : share == 0 ? 1 : share);
      cta.store(counts, s, count);
      excess += count;
      last = own != 0 ? s : last;
      largest = own > most ? s : largest;
      most = own > most ? static_cast<uint32_t>(own) : most;
    }
    if (excess < 0) {
      cta.store(counts, largest, static_cast<int16_t>(cta.load(counts, largest) - excess));
    }
    for (; excess > 0; --excess) {
      take_one(cta, occurrences, at, last + 1, counts);
    }
    return last + 1;
  }

  // Takes one from the symbol that loses least by it: occurrences / (count - 1/2).
  template <class Cta, class Array>
  BOBBIN_HD static void take_one(Cta& cta, const Array& occurrences, uint32_t at, uint32_t num_symbols,
                                 simt::Shared<int16_t, kMaxTableSymbols>& counts) {
    uint32_t best = num_symbols;
    uint64_t best_occurs = 0;
    uint64_t best_count = 1;
    for (uint32_t s = 0; s < num_symbols; ++s) {
      const int32_t count = cta.load(counts, s);
      const uint64_t occurs = cta.load(occurrences, at + s);
      const auto twice = static_cast<uint64_t>(2 * count - 1);
      if (count > 1 && (best == num_symbols || occurs * best_count < best_occurs * twice)) {
        best = s;
        best_occurs = occurs;
        best_count = twice;
      }
    }
    cta.store(counts, best, static_cast<int16_t>(cta.load(counts, best) - 1));
  }

  template <class Cta, class Bits>
  BOBBIN_HD static void describe(Cta& cta, const simt::Shared<int16_t, kMaxTableSymbols>& counts,
                                 uint32_t num_symbols, uint32_t log, Bits& bits) {
    put_fse_counts(bits, num_symbols, log, [&](uint32_t s) -> int32_t { return cta.load(counts, s); });
  }

  // In 1/256 of a bit; kNoCost where a symbol that occurs has no share.
  static constexpr uint64_t kNoCost = UINT64_MAX;
  template <class Cta, class Array, class Count>
  [[nodiscard]] BOBBIN_HD static uint64_t cost(Cta& cta, const Array& occurrences, uint32_t at,
                                               uint32_t num_symbols, uint32_t log, Count&& count_of) {
    uint64_t sum = 0;
    for (uint32_t s = 0; s < num_symbols; ++s) {
      const uint64_t occurs = cta.load(occurrences, at + s);
      if (occurs == 0) {
        continue;
      }
      const int32_t count = count_of(s);
      if (count == 0) {
        return kNoCost;
      }
      sum += occurs * ((log << 8) - log2_of(count < 0 ? 1 : static_cast<uint32_t>(count)));
    }
    return sum;
  }
};

using FieldCoder = FseCoder<simt::Shared<uint16_t, 1280>, simt::Shared<uint32_t, kFields * kMaxTableSymbols>>;
template <class Cta>
[[nodiscard]] BOBBIN_HD FieldCoder field_coder(Cta& cta, EncoderTables& tables, uint32_t field) {
  return {tables.next,        tables.bits_bias,         tables.state_bias,
          first_state(field), field * kMaxTableSymbols, cta.load(tables.shape, EncoderTables::kLog + field)};
}

// Builds the tables of a frame. By one thread.
template <class Cta>
class TableBuilder {
 public:
  BOBBIN_HD TableBuilder(Cta& cta, const Occurrences& occurrences, TableWork& work, EncoderTables& tables)
      : cta_(cta), occurrences_(occurrences), work_(work), tables_(tables) {}

  // After sort_leaves(). Fewer than two symbols, or a tree that no description can hold, make no tree.
  BOBBIN_HD void build_tree(uint32_t num_leaves) {
    for (uint32_t s = 0; s < kLiteralSymbols; ++s) {
      cta_.store(tables_.codes, s, uint16_t{0});
    }
    uint32_t bytes = 0;
    if (num_leaves >= 2) {
      merge(num_leaves);
      const uint32_t longest = assign_codes(num_leaves);
      bytes = describe_tree(longest);
    }
    set(EncoderTables::kTreeBytes, bytes);
  }

  // Returns what the field's symbols and the description take, in 1/256 of a bit.
  BOBBIN_HD uint64_t build_field(uint32_t field, const DefaultCounts& defaults) {
    const uint32_t at = field * kMaxTableSymbols;
    const uint32_t num_symbols = FieldRules::num_symbols(field);
    uint32_t total = 0;
    uint32_t used = 0;
    uint32_t only = 0;
    for (uint32_t s = 0; s < num_symbols; ++s) {
      const uint32_t occurs = cta_.load(occurrences_.fields, at + s);
      total += occurs;
      used += occurs != 0 ? 1 : 0;
      only = occurs != 0 ? s : only;
    }
    if (used <= 1) {
      cta_.store(tables_.described, field * kMaxTableBytes, static_cast<uint8_t>(only));
      set_field(field, kRleTable, 0, 1);
      return uint64_t{1} << 11;
    }
    const uint32_t log = FseShares::choose_log(total, used, FieldRules::max_log(field));
    uint32_t last = FseShares::normalise(cta_, occurrences_.fields, at, num_symbols, log, work_.counts);
    ArrayBits<Cta, decltype(tables_.described)> bits{cta_, tables_.described, field * kMaxTableBytes};
    FseShares::describe(cta_, work_.counts, last, log, bits);
    const uint32_t bytes = bits.at - field * kMaxTableBytes;
    const uint64_t own = FseShares::cost(cta_, occurrences_.fields, at, last, log,
                                         [&](uint32_t s) { return cta_.load(work_.counts, s); }) +
                         (uint64_t{bytes} << 11);
    const uint32_t default_symbols = defaults.symbols[field];
    const uint64_t predefined = FseShares::cost(
        cta_, occurrences_.fields, at, last, defaults.log[field],
        [&](uint32_t s) -> int32_t { return s < default_symbols ? defaults.count[field][s] : 0; });
    if (predefined <= own) {
      for (uint32_t s = 0; s < default_symbols; ++s) {
        cta_.store(work_.counts, s, static_cast<int16_t>(defaults.count[field][s]));
      }
      last = default_symbols;
      set_field(field, kPredefinedTable, defaults.log[field], 0);
    } else {
      set_field(field, kDescribedTable, log, bytes);
    }
    build_states(field, last);
    return predefined <= own ? predefined : own;
  }

  // Uses counts that a decoder knows already, of a dictionary.
  template <class Count>
  BOBBIN_HD void repeat_field(uint32_t field, uint32_t log, uint32_t num_symbols, Count&& count_of) {
    for (uint32_t s = 0; s < num_symbols; ++s) {
      cta_.store(work_.counts, s, static_cast<int16_t>(count_of(s)));
    }
    set_field(field, kRepeatedTable, log, 0);
    build_states(field, num_symbols);
  }

 private:
  BOBBIN_HD void build_states(uint32_t field, uint32_t num_symbols) {
    field_coder(cta_, tables_, field).build(cta_, work_.counts, num_symbols, work_.spread, work_.first);
  }
  BOBBIN_HD void set(uint32_t which, uint32_t value) { cta_.store(tables_.shape, which, value); }
  BOBBIN_HD void set_field(uint32_t field, uint32_t mode, uint32_t log, uint32_t bytes) {
    set(EncoderTables::kMode + field, mode);
    set(EncoderTables::kLog + field, log);
    set(EncoderTables::kDescribedBytes + field, bytes);
  }

  // Package-merge: the best code lengths of at most kMaxHuffmanBits. An item of a level is a leaf, or a
  // package of two items of the level below; the first 2n - 2 items of the last level are taken, and a leaf's
  // length is how often it is among them or inside them. `taken` gets how many leaves each level has among
  // its taken items.
  BOBBIN_HD void merge(uint32_t n) {
    uint32_t below = 0;  // items of the level below
    for (uint32_t level = 0; level < kMaxHuffmanBits; ++level) {
      below = merge_level(n, level, below);
    }
    uint32_t taken = 2 * n - 2;
    for (uint32_t level = kMaxHuffmanBits; level-- > 0;) {
      uint32_t packages = 0;
      for (uint32_t i = 0; i < taken; i += 32) {
        const uint32_t flags = cta_.load(work_.packages, level * 16 + i / 32);
        packages += static_cast<uint32_t>(std::popcount(taken - i < 32 ? low_bits(flags, taken - i) : flags));
      }
      cta_.store(work_.taken, level, static_cast<uint16_t>(taken - packages));
      taken = 2 * packages;
    }
  }

  // Returns how many items the level has; only 2n - 2 of them can matter.
  BOBBIN_HD uint32_t merge_level(uint32_t n, uint32_t level, uint32_t below) {
    const uint32_t from = (level + 1) % 2 * 512;
    const uint32_t to = level % 2 * 512;
    uint32_t leaf = 0;
    uint32_t pair = 0;
    uint32_t size = 0;
    uint32_t flags = 0;
    uint32_t leaf_count = cta_.load(work_.leaves, 0);
    uint32_t pair_count = below < 2 ? UINT32_MAX : pair_sum(from);
    while ((leaf < n || pair + 1 < below) && size < 2 * n - 2) {
      const bool package = leaf >= n || leaf_count > pair_count;
      cta_.store(work_.items, to + size, package ? pair_count : leaf_count);
      flags |= static_cast<uint32_t>(package) << size % 32;
      if (package) {
        pair += 2;
        pair_count = pair + 1 < below ? pair_sum(from + pair) : UINT32_MAX;
      } else {
        leaf_count = ++leaf < n ? cta_.load(work_.leaves, leaf) : 0;
      }
      if (++size % 32 == 0) {
        cta_.store(work_.packages, level * 16 + size / 32 - 1, flags);
        flags = 0;
      }
    }
    if (size % 32 != 0) {
      cta_.store(work_.packages, level * 16 + size / 32, flags);
    }
    return size;
  }
  [[nodiscard]] BOBBIN_HD uint32_t pair_sum(uint32_t at) const {
    return cta_.load(work_.items, at) + cta_.load(work_.items, at + 1);
  }

  // Codes ascend with the weight, and with the symbol among equal weights. Returns the longest length.
  BOBBIN_HD uint32_t assign_codes(uint32_t n) {
    constexpr uint32_t kLengths = kMaxHuffmanBits + 1;
    uint32_t longest = 0;
    uint32_t number[kLengths] = {};
    for (uint32_t i = 0; i < n; ++i) {
      uint32_t length = 0;
      for (uint32_t level = 0; level < kMaxHuffmanBits; ++level) {
        length += i < cta_.load(work_.taken, level) ? 1 : 0;
      }
      longest = i == 0 ? length : longest;
      ++number[length];
      cta_.store(tables_.codes, cta_.load(work_.symbols, i), static_cast<uint16_t>(length << 11));
    }
    uint32_t next[kLengths] = {};
    uint32_t code = 0;
    for (uint32_t length = longest; length > 0; --length) {
      next[length] = code;
      code = (code + number[length]) >> 1;
    }
    for (uint32_t s = 0; s < kLiteralSymbols; ++s) {
      const uint32_t length = cta_.load(tables_.codes, s) >> 11;
      if (length != 0) {
        cta_.store(tables_.codes, s, static_cast<uint16_t>(length << 11 | next[length]++));
      }
    }
    return longest;
  }

  // Returns the description's size; 0: there is none.
  BOBBIN_HD uint32_t describe_tree(uint32_t longest) {
    uint32_t num_weights = 0;
    for (uint32_t s = 0; s < kLiteralSymbols; ++s) {
      const uint32_t length = cta_.load(tables_.codes, s) >> 11;
      cta_.store(work_.weights, s, static_cast<uint8_t>(length == 0 ? 0 : longest + 1 - length));
      num_weights = length != 0 ? s : num_weights;  // the last one is implied
    }
    uint32_t bytes = describe_by_fse(num_weights);
    const uint32_t nibbles = 1 + (num_weights + 1) / 2;
    if (num_weights <= kMaxNibbles && (bytes == 0 || nibbles < bytes)) {
      cta_.store(tables_.tree, 0, static_cast<uint8_t>(127 + num_weights));
      for (uint32_t i = 0; i < num_weights; i += 2) {
        const uint32_t second = i + 1 < num_weights ? cta_.load(work_.weights, i + 1) : 0;
        cta_.store(tables_.tree, 1 + i / 2,
                   static_cast<uint8_t>(uint32_t{cta_.load(work_.weights, i)} << 4 | second));
      }
      return nibbles;
    }
    for (uint32_t i = 0; i < bytes; ++i) {
      cta_.store(tables_.tree, i, cta_.load(work_.description, i));
    }
    return bytes;
  }

  // Weights by two interleaved FSE states; 0 where that cannot be.
  BOBBIN_HD uint32_t describe_by_fse(uint32_t num_weights) {
    for (uint32_t w = 0; w <= kMaxHuffmanBits; ++w) {
      cta_.store(work_.weight_counts, w, uint32_t{0});
    }
    for (uint32_t i = 0; i < num_weights; ++i) {
      const uint32_t w = cta_.load(work_.weights, i);
      cta_.store(work_.weight_counts, w, cta_.load(work_.weight_counts, w) + 1);
    }
    uint32_t used = 0;
    for (uint32_t w = 0; w <= kMaxHuffmanBits; ++w) {
      used += cta_.load(work_.weight_counts, w) != 0 ? 1 : 0;
    }
    if (used < 2 || num_weights < 3) {
      return 0;
    }
    const uint32_t log = FseShares::choose_log(num_weights, used, 6);
    const uint32_t last =
        FseShares::normalise(cta_, work_.weight_counts, 0, kMaxHuffmanBits + 1, log, work_.counts);
    ArrayBits<Cta, decltype(work_.description)> bits{cta_, work_.description, 1};
    FseShares::describe(cta_, work_.counts, last, log, bits);
    FseCoder<decltype(work_.weight_next), decltype(work_.weight_bits)> coder{
        work_.weight_next, work_.weight_bits, work_.weight_states, 0, 0, log};
    coder.build(cta_, work_.counts, last, work_.spread, work_.first);
    // Decoding alternates from the first weight on; encoding starts with the last two.
    uint32_t i = num_weights;
    uint32_t other = coder.start(cta_, cta_.load(work_.weights, i - 1));  // goes with i - 1, i - 3, ...
    uint32_t state = coder.start(cta_, cta_.load(work_.weights, i - 2));  // goes with i - 2, i - 4, ...
    for (i -= 2; i-- > 0;) {
      const uint32_t moved = coder.put(cta_, other, cta_.load(work_.weights, i), bits);
      other = state;
      state = moved;
    }
    // `state` is that of weight 0.
    coder.finish(other, bits);
    coder.finish(state, bits);
    bits.end_backward();
    cta_.store(work_.description, 0, static_cast<uint8_t>(bits.at - 1));
    return bits.at <= kMaxTreeBytes ? bits.at : 0;
  }

  static constexpr uint32_t kMaxNibbles = 128;

  Cta& cta_;
  const Occurrences& occurrences_;
  TableWork& work_;
  EncoderTables& tables_;
};

}  // namespace bobbin::zstd
