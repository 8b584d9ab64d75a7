// SPDX-License-Identifier: Apache-2.0
// Numbers different values in order of first occurrence: hash tables with open addressing, whose size is a
// power of two and which are at most half full.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace bobbin::codec::dict {

inline constexpr uint32_t kNoNumber = UINT32_MAX;

// The top bits of the product depend on all lower bits; a table uses as many top bits as it needs.
[[nodiscard]] constexpr uint64_t scramble(uint64_t word) {
  return (word ^ word >> 32) * 0x9e3779b97f4a7c15U;
}

template <class T>
[[nodiscard]] T load(const uint8_t* bytes) {
  T word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Up to eight bytes as a word, by fixed-size loads that overlap. Injective for strings of the same size.
[[nodiscard]] inline uint64_t load_few(const uint8_t* bytes, size_t size) {
  if (size >= 4) {
    return load<uint32_t>(bytes) | uint64_t{load<uint32_t>(bytes + size - 4)} << 32;
  }
  return size == 0 ? 0 : bytes[0] | uint64_t{bytes[size / 2]} << 8 | uint64_t{bytes[size - 1]} << 16;
}

// Hashes a string, eight bytes at a time.
[[nodiscard]] inline uint64_t hash_of(std::span<const uint8_t> bytes) {
  constexpr size_t kWord = sizeof(uint64_t);
  uint64_t hash = scramble(bytes.size());
  if (bytes.size() <= kWord) {
    return scramble(std::rotl(hash, 27) ^ load_few(bytes.data(), bytes.size()));
  }
  for (size_t at = 0; at + kWord < bytes.size(); at += kWord) {
    hash = scramble(std::rotl(hash, 27) ^ load<uint64_t>(bytes.data() + at));
  }
  return scramble(std::rotl(hash, 27) ^ load<uint64_t>(bytes.data() + bytes.size() - kWord));
}

[[nodiscard]] inline bool are_equal(const uint8_t* a, const uint8_t* b, size_t size) {
  constexpr size_t kWord = sizeof(uint64_t);
  if (size <= kWord) {
    return load_few(a, size) == load_few(b, size);
  }
  if (size <= 2 * kWord) {
    return load<uint64_t>(a) == load<uint64_t>(b) &&
           load<uint64_t>(a + size - kWord) == load<uint64_t>(b + size - kWord);
  }
  return std::memcmp(a, b, size) == 0;
}

// Keys define how they are hashed and compared.
template <class T>
struct NumberKey {
  T value;

  [[nodiscard]] uint64_t hash() const { return scramble(value); }
  [[nodiscard]] bool is(const NumberKey& other) const { return value == other.value; }
};
struct StringKey {
  const uint8_t* bytes;
  uint64_t size;
  uint64_t hashed;

  explicit StringKey(std::span<const uint8_t> string)
      : bytes(string.data()), size(string.size()), hashed(hash_of(string)) {}
  StringKey() : bytes(nullptr), size(0), hashed(0) {}
  [[nodiscard]] uint64_t hash() const { return hashed; }
  // Whether it is a copy of the other key.
  [[nodiscard]] bool copies(const StringKey& other) const {
    return bytes == other.bytes && size == other.size;
  }
  [[nodiscard]] bool has(std::span<const uint8_t> string) const {
    return size == string.size() && are_equal(bytes, string.data(), string.size());
  }
  [[nodiscard]] bool is(const StringKey& other) const {
    return hashed == other.hashed && has({other.bytes, static_cast<size_t>(other.size)});
  }
};

template <class Key>
class ValueTable {
 public:
  explicit ValueTable(uint64_t max_entries) : max_entries_(max_entries), slots_(size_t{1} << (64 - shift_)) {}

  // Returns kNoNumber for a new key if the table is full.
  [[nodiscard]] uint32_t number_of(const Key& key) {
    Slot& slot = slot_of(key);
    return slot.number == kNoNumber ? add(key, slot) : slot.number;
  }
  // Prefetches the slot that number_of(key) reads first.
  void prefetch(const Key& key) const { __builtin_prefetch(&slots_[key.hash() >> shift_]); }
  // Keys by number.
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  struct Slot {
    Key key{};
    uint32_t number = kNoNumber;
  };

  // The slot of the key, or the free slot where it belongs.
  Slot& slot_of(const Key& key) {
    for (uint64_t at = key.hash() >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].number == kNoNumber || slots_[at].key.is(key)) {
        return slots_[at];
      }
    }
  }
  uint32_t add(const Key& key, Slot& slot) {
    if (keys_.size() == max_entries_) {
      return kNoNumber;
    }
    slot = {key, static_cast<uint32_t>(keys_.size())};
    keys_.push_back(key);
    if (2 * keys_.size() > slots_.size()) {
      grow();
    }
    return static_cast<uint32_t>(keys_.size() - 1);
  }
  void grow() {
    --shift_;
    slots_.assign(2 * slots_.size(), {});
    for (uint32_t number = 0; number < keys_.size(); ++number) {
      slot_of(keys_[number]) = {keys_[number], number};
    }
  }

  uint64_t max_entries_;
  uint32_t shift_ = 64 - 10;  // right shift from a hash to a slot index
  std::vector<Slot> slots_;
  std::vector<Key> keys_;
};

}  // namespace bobbin::codec::dict
