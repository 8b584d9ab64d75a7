// SPDX-License-Identifier: Apache-2.0
// The decoder of a run of codes in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codecs/fsst/table.hpp"

namespace bobbin::codec::fsst {

// Decodes codes whose every step is held against the ends of both sides.
class StreamDecoder {
 public:
  StreamDecoder(const Table& table, uint8_t* out, uint64_t room)
      : table_(table), full_(table.size() == kMaxSymbols) {
    set_room(out, room);
  }

  void set_room(uint8_t* out, uint64_t room) {
    out_ = out;
    end_ = out + room;
  }
  void start_with_literal(bool literal) { literal_ = literal; }
  [[nodiscard]] bool literal_is_next() const { return literal_; }
  [[nodiscard]] uint8_t* position() const { return out_; }

  // False when a code means nothing or the output is full.
  bool decode(const uint8_t* from, const uint8_t* const end) {
    while (from < end) {
      if (full_ && !literal_) {
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
  // Eight codes at a time, as long as there is no escape among them: every code's eight bytes are written, of
  // which those past its length are written over by the next. Only for tables without unused codes.
  const uint8_t* decode_runs(const uint8_t* from, const uint8_t* const end) {
    constexpr uint64_t kOnes = 0x0101010101010101;
    constexpr ptrdiff_t kMost = 8 * kMaxSymbolBytes;
    uint8_t* out = out_;
    while (end - from >= 8 && end_ - out >= kMost) {
      uint64_t codes;
      std::memcpy(&codes, from, sizeof(codes));
      const uint64_t escapes =
          (~codes - kOnes) & codes & (kOnes << 7);  // a byte of all ones, or one above it
      if (escapes != 0) {
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

  Table table_;
  bool full_;
  bool literal_ = false;
  uint8_t* out_ = nullptr;
  uint8_t* end_ = nullptr;
};

}  // namespace bobbin::codec::fsst
