// SPDX-License-Identifier: Apache-2.0
// Numbers for different values, in the order in which they come: hash tables with open addressing, whose size
// is a power of two and which are at most half full.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace bobbin::codec::dict {

inline constexpr uint32_t kNoNumber = UINT32_MAX;

// The top bits of a product depend on all bits below: a table takes as many as it needs.
[[nodiscard]] constexpr uint64_t scramble(uint64_t word) {
  return (word ^ word >> 32) * 0x9e3779b97f4a7c15U;
}

// A string's bytes, eight at a time.
[[nodiscard]] inline uint64_t hash_of(std::span<const uint8_t> bytes) {
  uint64_t hash = scramble(bytes.size());
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    hash = scramble(std::rotl(hash, 27) ^ word);
  }
  uint64_t rest = 0;
  if (at < bytes.size()) {
    std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  }
  return scramble(std::rotl(hash, 27) ^ rest);
}

// What a table is over: how a key is hashed and told from others.
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
  [[nodiscard]] bool is(const StringKey& other) const {
    return hashed == other.hashed && size == other.size &&
           (size == 0 || std::memcmp(bytes, other.bytes, size) == 0);
  }
};

template <class Key>
class Table {
 public:
  explicit Table(uint64_t max_entries) : max_entries_(max_entries), slots_(size_t{1} << (64 - shift_)) {}

  // kNoNumber for a key that would be one too many.
  [[nodiscard]] uint32_t number_of(const Key& key) {
    Slot& slot = slot_of(key);
    return slot.number == kNoNumber ? add(key, slot) : slot.number;
  }
  // By number.
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  struct Slot {
    Key key{};
    uint32_t number = kNoNumber;
  };

  // Where the key is, or belongs.
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
  uint32_t shift_ = 64 - 10;  // of a hash, to the number of a slot
  std::vector<Slot> slots_;
  std::vector<Key> keys_;
};

}  // namespace bobbin::codec::dict
