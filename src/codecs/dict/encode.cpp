// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

#include "codecs/dict/dict.hpp"
#include "codecs/dict/value_table.hpp"
#include "codecs/registry.hpp"
#include "codecs/smallest.hpp"
#include "core/dispatch.hpp"
#include "core/portable.hpp"
#include "core/scalar.hpp"

namespace bobbin::codec::dict {
namespace {

// The number of every row's value; nothing if there are too many values. Table slots of later rows are
// prefetched.
template <class Bits>
std::optional<std::vector<uint32_t>> numbers_of(std::span<const Bits> values,
                                                ValueTable<NumberKey<Bits>>& table) {
  constexpr size_t kAhead = 16;
  std::vector<uint32_t> numbers(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (i + kAhead < values.size()) {
      table.prefetch({values[i + kAhead]});
    }
    const bool again = i > 0 && values[i] == values[i - 1];  // runs are common
    numbers[i] = again ? numbers[i - 1] : table.number_of({values[i]});
    if (numbers[i] == kNoNumber) {
      return std::nullopt;
    }
  }
  return numbers;
}

// Each entry's rank in the order.
std::vector<uint32_t> ranks_in(const std::vector<uint32_t>& order) {
  std::vector<uint32_t> ranks(order.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) {
    ranks[order[rank]] = rank;
  }
  return ranks;
}

OwnedValues codes_from(const std::vector<uint32_t>& numbers, const std::vector<uint32_t>& ranks) {
  const DType type = code_type(ranks.size());
  return visit_codes(type, [&]<class Code>(std::type_identity<Code>) {
    const NewBuffer made = make_buffer(numbers.size() * sizeof(Code));
    auto* const codes = reinterpret_cast<Code*>(made.data);
    std::ranges::transform(numbers, codes, [&](uint32_t number) { return static_cast<Code>(ranks[number]); });
    return OwnedValues{type, numbers.size(), made.buffer};
  });
}

Array node_of(DType type, uint64_t length) {
  return {.codec = CodecId::dict,
          .type = type,
          .length = length,
          .offset = 0,
          .metadata = {},
          .buffers = {},
          .children = {}};
}

// Counts, for codes of entries in ascending order, how often a code differs from the one before it but is not
// the next one; and how often that would be so if entries were numbered by their first row. Stops when the
// latter is clearly often.
template <class Code>
class Rounds {
 public:
  explicit Rounds(uint64_t entries) : number_(entries, kNoNumber) {}

  // Whether entries by first row are worth it: their order costs about as much as one jump for each entry.
  [[nodiscard]] bool are_found_in(std::span<const Code> codes) {
    order_.reserve(number_.size());
    uint32_t before = codes.empty() ? 0 : number_of(codes[0]);
    for (size_t i = 1; i < codes.size() && kShare * jumps_ <= changes_ + kSure; ++i) {
      if (codes[i] != codes[i - 1]) {
        const uint32_t number = number_of(codes[i]);
        ++changes_;
        sorted_jumps_ += codes[i] != codes[i - 1] + 1 ? 1 : 0;
        jumps_ += number != before + 1 ? 1 : 0;
        before = number;
      }
    }
    return kShare * jumps_ <= changes_ && sorted_jumps_ > jumps_ + 2 * number_.size() + codes.size() / kFew;
  }

  // Codes by number, and numbers by code.
  [[nodiscard]] const std::vector<uint32_t>& order() const { return order_; }
  [[nodiscard]] const std::vector<uint32_t>& numbers() const { return number_; }

 private:
  static constexpr uint64_t kShare = 8;  // at most one change of this many may be a jump
  static constexpr uint64_t kSure = 64;  // jumps of the first rounds may be chance
  static constexpr uint64_t kFew = 256;  // fewer jumps per row are not worth entries that are not sorted

  uint32_t number_of(Code code) {
    if (number_[code] == kNoNumber) {
      number_[code] = static_cast<uint32_t>(order_.size());
      order_.push_back(code);
    }
    return number_[code];
  }

  std::vector<uint32_t> number_;
  std::vector<uint32_t> order_;
  uint64_t changes_ = 0;
  uint64_t sorted_jumps_ = 0;
  uint64_t jumps_ = 0;
};

// Numbers the entries by their first row, if values come round in an order of their own: the names of months,
// or of the countries in each year's table. Codes then go up by one nearly everywhere. Returns the old code
// of each entry, or nothing.
std::vector<uint32_t> follow_rounds(OwnedValues& codes, uint64_t entries) {
  return visit_codes(codes.type, [&]<class Code>(std::type_identity<Code>) -> std::vector<uint32_t> {
    Rounds<Code> rounds(entries);
    const auto old = codes.view().as<Code>();
    if (!rounds.are_found_in(old)) {
      return {};
    }
    const NewBuffer made = make_buffer(old.size() * sizeof(Code));
    std::ranges::transform(old, reinterpret_cast<Code*>(made.data),
                           [&](Code code) { return static_cast<Code>(rounds.numbers()[code]); });
    codes.buffer = made.buffer;
    return rounds.order();
  });
}

// The same for a split into codes and entries in ascending order.
template <class T>
Split with_rounds(Split split) {
  OwnedValues& entries = split.children[1];
  const std::vector<uint32_t> order = follow_rounds(split.children[0], entries.length);
  if (!order.empty()) {
    const auto old = entries.view().template as<BitsOf<T>>();
    const NewBuffer made = make_buffer(entries.length * sizeof(T));
    std::ranges::transform(order, reinterpret_cast<BitsOf<T>*>(made.data),
                           [&](uint32_t code) { return old[code]; });
    entries.buffer = made.buffer;
  }
  return split;
}

// Keys are next to their numbers while they are sorted.
template <class T>
std::vector<uint32_t> order_of(const std::vector<NumberKey<BitsOf<T>>>& keys) {
  std::vector<std::pair<decltype(order_key(T{})), uint32_t>> sorted(keys.size());
  for (uint32_t number = 0; number < keys.size(); ++number) {
    sorted[number] = {order_key(std::bit_cast<T>(keys[number].value)), number};
  }
  std::ranges::sort(sorted);
  std::vector<uint32_t> order(keys.size());
  std::ranges::transform(sorted, order.begin(), [](const auto& pair) { return pair.second; });
  return order;
}

template <class T>
BOBBIN_INLINE std::pair<T, T> bounds_of(std::span<const T> values) {
  T low = values.empty() ? T{0} : values[0];
  T high = low;
  for (const T value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return {low, high};
}
template <class T>
BOBBIN_AVX2 std::pair<T, T> bounds_of_avx2(std::span<const T> values) {
  return bounds_of(values);
}

// For integers in a small range from `low` on: a table indexed by value finds which occur, and their ranks.
template <class T>
std::optional<Split> build_close(const Values& values, uint64_t max_entries, T low, uint64_t span) {
  using Bits = BitsOf<T>;
  const auto bits = values.as<Bits>();
  const auto place_of = [&](Bits value) { return static_cast<Bits>(value - static_cast<Bits>(low)); };
  std::vector<uint8_t> there(span + 1);
  for (const Bits value : bits) {
    there[place_of(value)] = 1;
  }
  const auto count = static_cast<uint64_t>(std::ranges::count(there, 1));
  if (count > max_entries) {
    return std::nullopt;
  }
  const NewBuffer entries = make_buffer(count * sizeof(T));
  std::vector<uint16_t> ranks(span + 1);
  for (uint64_t place = 0, rank = 0; place <= span; ++place) {
    if (there[place] != 0) {
      reinterpret_cast<Bits*>(entries.data)[rank] = static_cast<Bits>(static_cast<Bits>(low) + place);
      ranks[place] = static_cast<uint16_t>(rank++);
    }
  }
  const DType type = code_type(count);
  return visit_codes(type, [&]<class Code>(std::type_identity<Code>) {
    const NewBuffer codes = make_buffer(bits.size() * sizeof(Code));
    std::ranges::transform(bits, reinterpret_cast<Code*>(codes.data),
                           [&](Bits value) { return static_cast<Code>(ranks[place_of(value)]); });
    return with_rounds<T>({node_of(values.type, values.length),
                           {{type, values.length, codes.buffer}, {values.type, count, entries.buffer}}});
  });
}

template <class T>
std::optional<Split> build_numbers(const Values& values, uint64_t max_entries) {
  using Bits = BitsOf<T>;
  if constexpr (std::is_integral_v<T>) {
    constexpr uint64_t kMaxSpan = UINT16_MAX;  // ranks have 16 bits
    const auto [low, high] = have_avx2() ? bounds_of_avx2(values.as<T>()) : bounds_of(values.as<T>());
    const auto span = static_cast<Bits>(static_cast<Bits>(high) - static_cast<Bits>(low));
    if (span <= std::min(kMaxSpan, 2 * values.length)) {
      return build_close<T>(values, max_entries, low, span);
    }
  }
  const auto bits = values.as<Bits>();
  ValueTable<NumberKey<Bits>> table(max_entries);
  const auto numbers = numbers_of<Bits>(bits, table);
  if (!numbers.has_value()) {
    return std::nullopt;
  }
  const std::vector<uint32_t> order = order_of<T>(table.keys());
  const NewBuffer entries = make_buffer(order.size() * sizeof(T));
  std::ranges::transform(order, reinterpret_cast<Bits*>(entries.data),
                         [&](uint32_t number) { return table.keys()[number].value; });
  return with_rounds<T>(
      {node_of(values.type, values.length),
       {codes_from(*numbers, ranks_in(order)), {values.type, order.size(), entries.buffer}}});
}

// Compares strings bytewise.
std::vector<uint32_t> order_of(const std::vector<StringKey>& keys) {
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    const uint64_t both = std::min(keys[a].size, keys[b].size);
    const int sign = both == 0 ? 0 : std::memcmp(keys[a].bytes, keys[b].bytes, both);
    return sign != 0 ? sign < 0 : keys[a].size < keys[b].size;
  });
  return order;
}

// In ascending order a null, if any, is entry 0.
StringSplit split_of(const StringsView& strings, std::vector<uint32_t> numbers,
                     const std::vector<StringKey>& keys) {
  std::vector<uint32_t> order = order_of(keys);
  if (std::ranges::find(numbers, kNoNumber) != numbers.end()) {
    const auto null = static_cast<uint32_t>(keys.size());
    order.insert(order.begin(), null);
    std::ranges::replace(numbers, kNoNumber, null);
  }
  OwnedValues codes = codes_from(numbers, ranks_in(order));
  if (const std::vector<uint32_t> rounds = follow_rounds(codes, order.size()); !rounds.empty()) {
    std::vector<uint32_t> by_first_row;
    std::ranges::transform(rounds, std::back_inserter(by_first_row),
                           [&](uint32_t rank) { return order[rank]; });
    order = std::move(by_first_row);
  }
  Strings entries;
  entries.type = strings.type;
  for (const uint32_t number : order) {
    if (number == keys.size()) {
      entries.push_null();
    } else {
      entries.push_back({keys[number].bytes, static_cast<size_t>(keys[number].size)});
    }
  }
  return {node_of(strings.type, strings.length), {std::move(codes)}, std::move(entries)};
}

Status too_many(uint64_t max_entries) {
  return {StatusCode::unsupported, "dict: more than " + std::to_string(max_entries) + " different values"};
}

}  // namespace

std::optional<Split> build(const Values& values, uint64_t max_entries) {
  return visit_type(values.type,
                    [&]<class T>(std::type_identity<T>) { return build_numbers<T>(values, max_entries); });
}

// Processes rows in batches: table slots are prefetched for a whole batch before its first lookup. A string
// equal to the previous one, which is common, reuses its key.
Result<StringSplit> split(const StringsView& strings, uint64_t most_entries) {
  constexpr uint64_t kRows = 32;
  const uint64_t most = std::min(most_entries, kMaxStrings);
  ValueTable<StringKey> table(most);
  bool full = false;
  bool has_null = false;
  std::vector<uint32_t> numbers(strings.length, kNoNumber);
  std::array<StringKey, kRows> keys;
  for (uint64_t first = 0; first < strings.length && !full; first += kRows) {
    const uint64_t end = std::min(first + kRows, strings.length);
    for (uint64_t i = first; i < end; ++i) {
      const auto string = strings.string(i);
      const StringKey& before = keys[(i - first + kRows - 1) % kRows];
      if (i > 0 && before.has(string)) {
        keys[i - first] = before;
      } else {
        keys[i - first] = StringKey(string);
        table.prefetch(keys[i - first]);
      }
    }
    for (uint64_t i = first; i < end && !full; ++i) {
      if (strings.is_null(i)) {
        has_null = true;
      } else if (i > first && numbers[i - 1] != kNoNumber && keys[i - first].copies(keys[i - first - 1])) {
        numbers[i] = numbers[i - 1];
      } else {
        numbers[i] = table.number_of(keys[i - first]);
        full = numbers[i] == kNoNumber;
      }
      full = full || table.keys().size() + (has_null ? 1 : 0) > most;
    }
  }
  return full ? Result<StringSplit>(too_many(most)) : split_of(strings, std::move(numbers), table.keys());
}

Result<Split> split(const Values& values) {
  std::optional<Split> made = build(values, kMaxEntries);
  return made.has_value() ? Result<Split>(std::move(*made)) : too_many(kMaxEntries);
}

// The previous chunk does not help: every chunk has its own dictionary.
Result<Array> encode(const StringsView& strings, const Array* /*previous*/) {
  BOBBIN_ASSIGN(StringSplit parts, split(strings, kMaxStrings));
  BOBBIN_ASSIGN(Array array, encode_split({std::move(parts.node), std::move(parts.children)}));
  BOBBIN_ASSIGN(Array dictionary, find_codec(CodecId::fsst)->strings->encode(parts.strings.view(), nullptr));
  array.children.push_back(std::move(dictionary));
  return array;
}

}  // namespace bobbin::codec::dict
