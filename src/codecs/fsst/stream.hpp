// SPDX-License-Identifier: Apache-2.0
// Decodes a run of codes in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codecs/fsst/symbol_table.hpp"

namespace bobbin::codec::fsst {

// Tests whether any of eight bytes is at least some number: for codes, whether one is not a symbol.
struct SpecialBytes {
  uint64_t carry = 0;  // per byte, carries into its top bit if the lower seven are too large
  uint64_t upper = 0;  // 0x80 in each byte if all bytes from 0x80 on are too large

  static SpecialBytes from(uint32_t first) {
    constexpr uint64_t kOnes = 0x0101010101010101;
    return first > 128 ? SpecialBytes{(256 - first) * kOnes, 0}
                       : SpecialBytes{(128 - first) * kOnes, 128 * kOnes};
  }
  [[nodiscard]] bool any(uint64_t bytes) const {
    constexpr uint64_t kTops = 0x8080808080808080;
    const uint64_t carried = (bytes & ~kTops) + carry;
    return (((carried & (bytes | upper)) | (bytes & upper)) & kTops) != 0;
  }
};

// Decodes codes, checking every step against the ends of input and output.
class StreamDecoder {
 public:
  StreamDecoder(const SymbolTable& table, uint8_t* out, uint64_t room)
      : table_(table), special_(SpecialBytes::from(table.size())) {
    set_room(out, room);
  }

  void set_room(uint8_t* out, uint64_t room) {
    out_ = out;
    end_ = out + room;
  }
  void start_with_literal(bool literal) { literal_ = literal; }
  [[nodiscard]] bool literal_is_next() const { return literal_; }
  [[nodiscard]] uint8_t* position() const { return out_; }

  // Returns false if a code is invalid or the output is full.
  bool decode(const uint8_t* from, const uint8_t* const end) {
    while (from < end) {
      if (!literal_) {
        from = decode_runs(from, end);
        if (from == end) {
          return true;
        }
      }
      if (!decode_one(*from++)) {
        return false;
      }
    }
    return true;
  }

 private:
  // Decodes eight codes at a time while all are symbols: eight bytes are written per code, and the next code
  // overwrites those past its length.
  const uint8_t* decode_runs(const uint8_t* from, const uint8_t* const end) {
    constexpr ptrdiff_t kMost = 8 * kMaxSymbolBytes;
    uint8_t* out = out_;
    while (end - from >= 8 && end_ - out >= kMost) {
      uint64_t codes;
      std::memcpy(&codes, from, sizeof(codes));
      if (special_.any(codes)) {
        break;
      }
      for (uint32_t i = 0; i < 8; ++i) {
        const auto code = static_cast<uint8_t>(codes >> (8 * i));
        std::memcpy(out, &table_.symbols[code], kMaxSymbolBytes);
        out += table_.lengths[code];
      }
      from += 8;
    }
    out_ = out;
    return from;
  }

  bool decode_one(uint8_t code) {
    if (literal_) {
      literal_ = false;
      return put(code, 1);
    }
    if (code == kEscape) {
      literal_ = true;
      return true;
    }
    return table_.lengths[code] != 0 && put(table_.symbols[code], table_.lengths[code]);
  }
  bool put(uint64_t bytes, uint32_t length) {
    if (end_ - out_ >= kMaxSymbolBytes) {
      std::memcpy(out_, &bytes, sizeof(bytes));
    } else if (end_ - out_ >= static_cast<ptrdiff_t>(length)) {
      std::memcpy(out_, &bytes, length);
    } else {
      return false;
    }
    out_ += length;
    return true;
  }

  SymbolTable table_;
  SpecialBytes special_;
  bool literal_ = false;
  uint8_t* out_ = nullptr;
  uint8_t* end_ = nullptr;
};

}  // namespace bobbin::codec::fsst
