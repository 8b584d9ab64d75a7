// SPDX-License-Identifier: Apache-2.0
// The two kinds of bit streams in a zstd block: table descriptions run forward, codes run backward.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/portable.hpp"

namespace bobbin::zstd {

// Little-endian on every machine Bobbin runs on.
template <class T>
[[nodiscard]] BOBBIN_INLINE T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Reads bits from the first byte's lowest one on. Bits after the end read as 0; overrun() reports them.
class ForwardBits {
 public:
  explicit ForwardBits(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // Up to 24 bits.
  [[nodiscard]] uint32_t peek(uint32_t count) const {
    uint32_t word = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const size_t at = position_ / 8 + i;
      word |= at < bytes_.size() ? uint32_t{bytes_[at]} << (8 * i) : 0;
    }
    return word >> (position_ % 8) & ((uint32_t{1} << count) - 1);
  }
  uint32_t read(uint32_t count) {
    const uint32_t value = peek(count);
    position_ += count;
    return value;
  }
  void skip(uint32_t count) { position_ += count; }
  [[nodiscard]] bool overrun() const { return position_ > 8 * bytes_.size(); }
  [[nodiscard]] size_t bytes_used() const { return (position_ + 7) / 8; }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t position_ = 0;
};

// Reads bits from the last byte's end mark down to the first byte's lowest bit. The position is how many bits
// are left; it goes below zero where more are read than there are, and the missing bits read as 0. A load may
// touch up to 7 bytes after the stream: the caller sees to it that they can be read.
class BackwardBits {
 public:
  // False where the stream is empty or has no end mark.
  [[nodiscard]] bool start(const uint8_t* bytes, size_t size) {
    if (size == 0 || bytes[size - 1] == 0) {
      return false;
    }
    bytes_ = bytes;
    position_ = static_cast<int64_t>(8 * size) - std::countl_zero(bytes[size - 1]) - 1;
    return true;
  }

  [[nodiscard]] int64_t position() const { return position_; }

  // Up to 56 bits.
  [[nodiscard]] BOBBIN_INLINE uint64_t read(uint32_t count) {
    position_ -= count;
    return bits_at(position_, count);
  }

  // `count` bits from bit `at` on, which may lie before the stream.
  [[nodiscard]] BOBBIN_INLINE uint64_t bits_at(int64_t at, uint32_t count) const {
    const uint64_t mask = (uint64_t{1} << count) - 1;
    if (at >= 0) [[likely]] {
      return load<uint64_t>(bytes_ + at / 8) >> (at % 8) & mask;
    }
    return at <= -64 ? 0 : load<uint64_t>(bytes_) << -at & mask;
  }

 private:
  const uint8_t* bytes_ = nullptr;
  int64_t position_ = 0;
};

// Appends bits to `out`, from a byte's lowest one on, and at most `max_bytes` of them.
class BitWriter {
 public:
  BitWriter(std::vector<uint8_t>& out, size_t max_bytes) : out_(&out) {
    const size_t size = out.size();
    out.resize(size + max_bytes + sizeof pending_);
    to_ = out.data() + size;
  }

  // Up to 56 bits; those above `count` must be 0. Whole bytes are stored each time: when there are enough of
  // them cannot be predicted.
  BOBBIN_INLINE void put(uint64_t value, uint32_t count) {
    pending_ |= value << filled_;
    filled_ += count;
    std::memcpy(to_, &pending_, sizeof pending_);
    to_ += filled_ / 8;
    pending_ >>= filled_ / 8 * 8;
    filled_ %= 8;
  }
  // Ends with zeros up to a whole byte.
  void end() {
    put(0, (8 - filled_) % 8);
    out_->resize(static_cast<size_t>(to_ - out_->data()));
  }
  // Ends with the mark from which a backward stream is read.
  void end_backward() {
    put(1, 1);
    end();
  }

 private:
  std::vector<uint8_t>* out_;
  uint8_t* to_;
  uint64_t pending_ = 0;
  uint32_t filled_ = 0;  // below 8
};

}  // namespace bobbin::zstd
