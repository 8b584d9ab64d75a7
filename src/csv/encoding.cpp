// SPDX-License-Identifier: Apache-2.0
#include "csv/encoding.hpp"

namespace bobbin::csv {
namespace {

void put_character(std::string& out, uint32_t code) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

Status unpaired() {
  return {StatusCode::invalid_argument, "the text is not UTF-16: a surrogate without its pair"};
}

}  // namespace

std::optional<Encoding> parse_encoding(std::string_view name) {
  return name == "utf8" || name == "utf-8"       ? std::optional(Encoding::utf8)
         : name == "latin1" || name == "latin-1" ? std::optional(Encoding::latin1)
         : name == "utf16" || name == "utf-16"   ? std::optional(Encoding::utf16)
                                                 : std::nullopt;
}

void Transcoder::look_at_begin(std::string_view begin) {
  const bool little_mark = begin == "\xff\xfe";
  const bool big_mark = begin == "\xfe\xff";
  if (encoding_ == Encoding::utf8 && (little_mark || big_mark)) {
    encoding_ = Encoding::utf16;
  }
  big_endian_ = big_mark || (!little_mark && begin.starts_with('\0'));
}

Status Transcoder::take_unit(uint16_t unit, std::string& out) {
  const bool is_high = unit >= 0xd800 && unit < 0xdc00;
  const bool is_low = unit >= 0xdc00 && unit < 0xe000;
  if (is_low != (surrogate_ != 0)) {
    return unpaired();
  }
  if (is_high) {
    surrogate_ = unit;
  } else if (is_low) {
    put_character(out, 0x10000 + ((surrogate_ - 0xd800U) << 10) + (unit - 0xdc00U));
    surrogate_ = 0;
  } else {
    put_character(out, unit);  // a byte order mark becomes UTF-8's
  }
  return {};
}

Status Transcoder::convert(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (encoding_ == Encoding::latin1) {
      put_character(out, byte);
    } else if (encoding_ == Encoding::utf8) {
      out += c;
    } else if (half_ < 0) {
      half_ = byte;
    } else {
      const int unit = big_endian_ ? half_ << 8 | byte : byte << 8 | half_;
      half_ = -1;
      BOBBIN_TRY(take_unit(static_cast<uint16_t>(unit), out));
    }
  }
  return {};
}

Status Transcoder::finish() const {
  BOBBIN_RETURN_IF(half_ >= 0, StatusCode::invalid_argument,
                   "the text is not UTF-16: it ends within a character");
  return surrogate_ != 0 ? unpaired() : Status();
}

}  // namespace bobbin::csv
