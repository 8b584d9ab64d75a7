// SPDX-License-Identifier: Apache-2.0
// Learning follows FSST (Boncz, Neumann, Leis, 2020): encode a sample with the current table, count symbols
// and pairs of neighbours, and build the next table from those that would save most; a few rounds, on a
// growing share of the sample.
#include "codecs/fsst/symbol_table.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>

namespace bobbin::codec::fsst {
namespace {

struct Symbol {
  uint64_t bytes = 0;
  uint32_t length = 0;

  [[nodiscard]] uint64_t mask() const { return ~uint64_t{0} >> (64 - 8 * length); }
  // Concatenates the two, truncated to 8 bytes.
  [[nodiscard]] Symbol then(const Symbol& next) const {
    const uint32_t both = std::min(length + next.length, kMaxSymbolBytes);
    Symbol joined{bytes | next.bytes << (8 * length), both};
    joined.bytes &= joined.mask();
    return joined;
  }
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// How much each symbol would save. Found by hashing with linear probing: there are tens of thousands.
class Gains {
 public:
  using Entry = std::pair<Symbol, uint64_t>;

  explicit Gains(size_t most) : places_(std::bit_ceil(2 * most + 1)) { entries_.reserve(most); }

  void add(const Symbol& s, uint64_t gain) {
    const size_t mask = places_.size() - 1;
    for (size_t h = hash(s) & mask;; h = (h + 1) & mask) {
      if (places_[h] == 0) {
        entries_.emplace_back(s, gain);
        places_[h] = static_cast<uint32_t>(entries_.size());
        return;
      }
      if (Entry& entry = entries_[places_[h] - 1]; entry.first == s) {
        entry.second += gain;
        return;
      }
    }
  }

  // The `most` best symbols, best first. Ties are broken by value, so that the result is deterministic.
  [[nodiscard]] std::span<const Entry> best(size_t most) {
    const auto key = [](const Entry& e) { return std::tuple(~e.second, e.first.bytes, e.first.length); };
    most = std::min(most, entries_.size());
    const auto middle = entries_.begin() + static_cast<ptrdiff_t>(most);
    std::ranges::nth_element(entries_, middle, {}, key);
    std::ranges::sort(entries_.begin(), middle, {}, key);
    return {entries_.data(), most};
  }

 private:
  static size_t hash(const Symbol& s) { return std::rotl((s.bytes + s.length) * 0x9e3779b97f4a7c15U, 27); }

  std::vector<Entry> entries_;
  std::vector<uint32_t> places_;  // indices of entries, plus 1; 0 is free
};

uint64_t load_word(const uint8_t* from, size_t bytes) {
  uint64_t word = 0;
  if (bytes >= sizeof(word)) {
    std::memcpy(&word, from, sizeof(word));  // a size known at compile time
  } else {
    std::memcpy(&word, from, bytes);
  }
  return word;
}

// A table under construction. Ids 0 to 255 are bytes without a symbol, the following ones are symbols.
class Draft {
 public:
  Draft() : shorts_(65536) {
    symbols_.reserve(256 + kMaxSymbols);
    for (uint32_t b = 0; b < 256; ++b) {
      symbols_.push_back({b, 1});
    }
  }

  // Removes all symbols: cheaper than a new draft, whose tables would have to be zeroed.
  void clear() {
    for (size_t id = 256; id < symbols_.size(); ++id) {
      *place_of(symbols_[id]) = kNone;
    }
    symbols_.resize(256);
  }

  [[nodiscard]] size_t num_symbols() const { return symbols_.size() - 256; }
  [[nodiscard]] const Symbol& symbol(uint32_t id) const { return symbols_[id]; }

  // Returns false if its slot is taken.
  bool add(const Symbol& s) {
    uint16_t* const place = place_of(s);
    if (s.length > 2 && *place != kNone) {
      return false;
    }
    *place = static_cast<uint16_t>(symbols_.size());
    symbols_.push_back(s);
    return true;
  }

  [[nodiscard]] uint32_t longest(uint64_t word, size_t rest) const {
    if (const uint16_t id = slots_[slot_of(static_cast<uint32_t>(word))]; id != kNone) {
      const Symbol& s = symbols_[id];
      if (s.length <= rest && (word & s.mask()) == s.bytes) {
        return id;
      }
    }
    if (const uint16_t id = shorts_[word & 0xffff]; id != kNone && rest >= 2) {
      return id;
    }
    const uint16_t id = ones_[word & 0xff];
    return id != kNone ? id : static_cast<uint32_t>(word & 0xff);
  }

  [[nodiscard]] SymbolTable finish() const;

 private:
  static constexpr uint16_t kNone = 0;  // the id of a byte, not of a symbol

  // Where its id is stored.
  [[nodiscard]] uint16_t* place_of(const Symbol& s) {
    if (s.length > 2) {
      return &slots_[slot_of(static_cast<uint32_t>(s.bytes))];
    }
    return s.length == 2 ? &shorts_[s.bytes] : &ones_[s.bytes];
  }

  std::vector<Symbol> symbols_;
  std::array<uint16_t, kSlots> slots_{};
  std::vector<uint16_t> shorts_;
  std::array<uint16_t, 256> ones_{};
};

SymbolTable Draft::finish() const {
  std::vector<Symbol> sorted(symbols_.begin() + 256, symbols_.end());
  std::ranges::sort(sorted, {}, [](const Symbol& s) { return std::tuple(s.length, s.bytes); });
  SymbolTable table;
  for (size_t c = 0; c < sorted.size(); ++c) {
    table.symbols[c] = sorted[c].bytes;
    table.lengths[c] = static_cast<uint8_t>(sorted[c].length);
    ++table.counts[sorted[c].length - 1];
  }
  return table;
}

constexpr uint32_t kIds = 256 + kMaxSymbols;
constexpr uint32_t kAll = 128;  // shares of the sample are counted in this

struct Counts {
  std::array<uint32_t, kIds> one{};
  std::vector<uint16_t> two = std::vector<uint16_t>(size_t{kIds} * kIds);
  std::vector<uint32_t> pairs;  // pairs with a nonzero count in `two`, in order of first occurrence

  void add(uint32_t first, uint32_t second) {
    uint16_t& count = two[size_t{first} * kIds + second];
    if (count == 0) {
      pairs.push_back(first * kIds + second);
    }
    count = static_cast<uint16_t>(count + (count != UINT16_MAX ? 1 : 0));
  }
  // Clears only pairs that occurred: all of them are half a MiB, and there may be many short columns.
  void clear() {
    one.fill(0);
    for (const uint32_t pair : pairs) {
      two[pair] = 0;
    }
    pairs.clear();
  }
};

// Encodes a piece and counts. A symbol also counts for its first byte, which may deserve its own code.
void count_piece(const Draft& draft, std::span<const uint8_t> piece, bool with_pairs, Counts& counts) {
  constexpr uint32_t kNone = UINT32_MAX;
  uint32_t before = kNone;
  for (size_t at = 0; at < piece.size();) {
    const size_t rest = piece.size() - at;
    const uint32_t id = draft.longest(load_word(piece.data() + at, rest), rest);
    const uint32_t length = draft.symbol(id).length;
    const uint8_t first = piece[at];
    ++counts.one[id];
    if (length != 1) {
      ++counts.one[first];
    }
    if (with_pairs && before != kNone) {
      counts.add(before, id);
      if (length != 1) {
        counts.add(before, first);
      }
    }
    before = id;
    at += length;
  }
}

// Selects the pieces of a round: a share of them, different in each round.
bool takes_part(size_t piece, uint32_t share) {
  const uint64_t h = (piece + 1) * 0x9e3779b97f4a7c15U ^ uint64_t { share } * 0xc2b2ae3d27d4eb4fU;
  return (h >> 57) < share;
}

void count(const Draft& draft, const Pieces& pieces, uint32_t share, Counts& counts) {
  counts.clear();
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (share >= kAll || takes_part(i, share)) {
      count_piece(draft, pieces[i], share < kAll, counts);
    }
  }
}

// Fills `next` with the symbols, and pairs of symbols, that save most.
void improve(const Draft& draft, const Counts& counts, uint32_t share, Draft& next) {
  const auto ids = static_cast<uint32_t>(256 + draft.num_symbols());
  Gains gains(ids + counts.pairs.size());
  const auto consider = [&](const Symbol& s, uint64_t times) {
    if (times > 0 && times >= 5 * share / kAll) {
      gains.add(s, times * s.length);
    }
  };
  for (uint32_t id = 0; id < ids; ++id) {
    // A byte without a symbol costs two codes, so symbols of one byte save more than their length.
    const Symbol& s = draft.symbol(id);
    consider(s, uint64_t{counts.one[id]} * (s.length == 1 ? 8 : 1));
  }
  for (const uint32_t pair : counts.pairs) {
    const Symbol& first = draft.symbol(pair / kIds);
    if (first.length < kMaxSymbolBytes) {
      consider(first.then(draft.symbol(pair % kIds)), counts.two[pair]);
    }
  }
  next.clear();
  // Twice as many candidates as a table holds suffice: few conflict with each other.
  for (const Gains::Entry& entry : gains.best(2 * kMaxSymbols)) {
    if (next.num_symbols() == kMaxSymbols) {
      break;
    }
    next.add(entry.first);
  }
}

// Memory for learning, most of a MiB. Kept from one table to the next: there may be many short columns, for
// which zeroing it would take longer than learning.
struct Scratch {
  std::array<Draft, 2> drafts;
  Counts counts;
};

}  // namespace

uint32_t SymbolTable::symbol_bytes() const {
  uint32_t bytes = 0;
  for (uint32_t l = 0; l < kMaxSymbolBytes; ++l) {
    bytes += counts[l] * (l + 1);
  }
  return bytes;
}

SymbolTable SymbolTable::parse(std::span<const uint8_t, kMaxSymbolBytes> counts, const std::byte* symbols) {
  SymbolTable table;
  std::ranges::copy(counts, table.counts.begin());
  uint32_t code = 0;
  for (uint32_t l = 1; l <= kMaxSymbolBytes; ++l) {
    for (uint32_t i = 0; i < counts[l - 1]; ++i, ++code, symbols += l) {
      std::memcpy(&table.symbols[code], symbols, l);
      table.lengths[code] = static_cast<uint8_t>(l);
    }
  }
  return table;
}

std::vector<std::byte> SymbolTable::serialize() const {
  std::vector<std::byte> bytes(symbol_bytes());
  std::byte* to = bytes.data();
  for (uint32_t c = 0; c < size(); ++c) {
    std::memcpy(to, &symbols[c], lengths[c]);
    to += lengths[c];
  }
  return bytes;
}

std::vector<Window> sample_windows(uint64_t total) {
  if (total <= uint64_t{kWindows} * kWindowBytes) {
    return {{0, static_cast<uint32_t>(total)}};
  }
  std::vector<Window> windows;
  for (uint64_t w = 0; w < kWindows; ++w) {
    // Avoids overflow: divides by kWindows first, then adds what that drops.
    windows.push_back({total / kWindows * w + total % kWindows * w / kWindows, kWindowBytes});
  }
  return windows;
}

Pieces sample(const StringsView& strings) {
  Pieces pieces;
  if (strings.length == 0) {
    return pieces;
  }
  const uint64_t base = strings.offset(0);
  for (const Window& window : sample_windows(strings.offset(strings.length) - base)) {
    uint64_t at = base + window.begin;
    const uint64_t end = at + window.bytes;
    for (uint64_t i = strings.containing(at); at < end; ++i) {
      const uint64_t stop = std::min(end, strings.offset(i + 1));
      if (stop > at) {
        pieces.emplace_back(strings.bytes + at, stop - at);
        at = stop;
      }
    }
  }
  return pieces;
}

SymbolTable learn(const Pieces& pieces) {
  thread_local const std::unique_ptr<Scratch> scratch = std::make_unique<Scratch>();
  auto& [drafts, counts] = *scratch;
  drafts[0].clear();
  uint32_t now = 0;
  const auto improve_with = [&](uint32_t share) {
    count(drafts[now], pieces, share, counts);
    improve(drafts[now], counts, share, drafts[1 - now]);
    now = 1 - now;
  };
  for (uint32_t share = 8; share < kAll; share += 30) {
    improve_with(share);
  }
  improve_with(kAll);  // once more without pairs, to drop symbols that are not used any more
  return drafts[now].finish();
}

bool could_be_learnt(const SymbolTable& table) {
  std::vector<bool> slots(kSlots);
  for (uint32_t c = 0; c < table.size(); ++c) {
    if (c > 0 && table.lengths[c] == table.lengths[c - 1] && table.symbols[c] <= table.symbols[c - 1]) {
      return false;
    }
    if (table.lengths[c] > 2) {
      const uint32_t slot = slot_of(static_cast<uint32_t>(table.symbols[c]));
      if (slots[slot]) {
        return false;
      }
      slots[slot] = true;
    }
  }
  return true;
}

Matcher::Matcher(const SymbolTable& table) {
  for (uint32_t i = 0; i < kSlots; ++i) {
    slots_[i].symbol = slot_of(0) == i ? 1 : 0;
    slots_[i].shift = 40;
  }
  static_assert(slot_of(0) != slot_of(1));
  for (uint32_t c = 0; c < table.size(); ++c) {
    if (table.lengths[c] == 1) {
      ones_[table.symbols[c]] = Match::of(c, 1);
    }
  }
  shorts_.reserve(65536);
  for (uint32_t second = 0; second < 256; ++second) {
    shorts_.insert(shorts_.end(), ones_.begin(), ones_.end());
  }
  for (uint32_t c = 0; c < table.size(); ++c) {
    const uint32_t length = table.lengths[c];
    if (length == 2) {
      shorts_[table.symbols[c]] = Match::of(c, 2);
    } else if (length > 2) {
      slots_[slot_of(static_cast<uint32_t>(table.symbols[c]))] = {
          table.symbols[c], static_cast<uint16_t>(64 - 8 * length), Match::of(c, length)};
    }
  }
}

}  // namespace bobbin::codec::fsst
