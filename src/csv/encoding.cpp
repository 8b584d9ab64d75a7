// SPDX-License-Identifier: Apache-2.0
#include "csv/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "bobbin/text.hpp"
#include "core/text.hpp"

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

// The characters of Windows-1252 from byte 0x80 on. The five bytes that it does not define stand for control
// characters, as in Latin-1, so that every byte comes back.
constexpr std::array<uint16_t, 32> kWindows{0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                            0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
                                            0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                            0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

bool is_undefined(uint8_t byte) {
  return byte >= 0x80 && byte < 0xa0 && kWindows[byte - 0x80U] == byte;
}

uint32_t decode_windows(uint8_t byte) {
  return byte >= 0x80 && byte < 0xa0 ? kWindows[byte - 0x80U] : byte;
}

std::optional<uint8_t> encode_windows(uint32_t code) {
  const auto* const found = std::ranges::find(kWindows, code);
  if (found != kWindows.end()) {
    return static_cast<uint8_t>(0x80 + (found - kWindows.begin()));
  }
  return code < 0x80 || (code >= 0xa0 && code < 0x100) ? std::optional(static_cast<uint8_t>(code))
                                                       : std::nullopt;
}

// The code of a well-formed character.
uint32_t code_of(std::string_view character) {
  const auto lead = static_cast<uint8_t>(character[0]);
  uint32_t code = character.size() == 1 ? lead : lead & (0x7fU >> character.size());
  for (const char c : character.substr(1)) {
    code = code << 6 | (static_cast<uint8_t>(c) & 0x3fU);
  }
  return code;
}

void put_unit(std::string& out, uint32_t unit, bool big_endian) {
  const char low = static_cast<char>(unit & 0xff);
  const char high = static_cast<char>(unit >> 8);
  out += big_endian ? high : low;
  out += big_endian ? low : high;
}

bool encode_one(uint32_t code, Encoding encoding, std::string& out) {
  const bool big_endian = encoding == Encoding::utf16be;
  if (encoding == Encoding::latin1 || encoding == Encoding::windows1252) {
    const bool is_latin = encoding == Encoding::latin1;
    const std::optional<uint8_t> byte = !is_latin      ? encode_windows(code)
                                        : code < 0x100 ? std::optional(static_cast<uint8_t>(code))
                                                       : std::nullopt;
    out += static_cast<char>(byte.value_or(0));
    return byte.has_value();
  }
  if (code >= 0x10000) {
    put_unit(out, 0xd800 + ((code - 0x10000) >> 10), big_endian);
    put_unit(out, 0xdc00 + ((code - 0x10000) & 0x3ff), big_endian);
  } else {
    put_unit(out, code, big_endian);
  }
  return true;
}

// UTF-16 of mostly ASCII characters: every other byte is NUL.
bool has_nul_at(std::string_view text, size_t parity) {
  constexpr size_t kLeastBytes = 8;
  size_t nuls = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i % 2 != parity && text[i] == '\0') {
      return false;
    }
    nuls += i % 2 == parity && text[i] == '\0' ? 1 : 0;
  }
  return text.size() >= kLeastBytes && 10 * nuls >= 4 * text.size();
}

struct EncodingName {
  std::string_view name;
  Encoding encoding;
};
// The first name of each is the one that is printed and stored.
constexpr EncodingName kEncodings[] = {{"utf8", Encoding::utf8},
                                       {"utf-8", Encoding::utf8},
                                       {"latin1", Encoding::latin1},
                                       {"latin-1", Encoding::latin1},
                                       {"windows1252", Encoding::windows1252},
                                       {"windows-1252", Encoding::windows1252},
                                       {"cp1252", Encoding::windows1252},
                                       {"utf16", Encoding::utf16},
                                       {"utf-16", Encoding::utf16},
                                       {"utf16be", Encoding::utf16be},
                                       {"utf-16be", Encoding::utf16be}};

}  // namespace

std::optional<Encoding> parse_encoding(std::string_view name) {
  const auto* const found = std::ranges::find(kEncodings, name, &EncodingName::name);
  return found == std::end(kEncodings) ? std::nullopt : std::optional(found->encoding);
}

std::string_view to_string(Encoding encoding) {
  return std::ranges::find(kEncodings, encoding, &EncodingName::encoding)->name;
}

void Transcoder::look_at_begin(std::string_view begin, bool detects) {
  const bool little_mark = begin.starts_with("\xff\xfe");
  const bool big_mark = begin.starts_with("\xfe\xff");
  const bool is_little = little_mark || (detects && has_nul_at(begin, 1));
  const bool is_big = big_mark || (detects && has_nul_at(begin, 0));
  if (encoding_ == Encoding::utf8 && (is_little || is_big)) {
    encoding_ = Encoding::utf16;
  }
  if (encoding_ == Encoding::utf16 && (is_big || (!little_mark && begin.starts_with('\0')))) {
    encoding_ = Encoding::utf16be;
  }
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
    } else if (encoding_ == Encoding::windows1252) {
      put_character(out, decode_windows(byte));
    } else if (encoding_ == Encoding::utf8) {
      out += c;
    } else if (half_ < 0) {
      half_ = byte;
    } else {
      const int unit = encoding_ == Encoding::utf16be ? half_ << 8 | byte : byte << 8 | half_;
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

Status encode(std::string_view text, Encoding encoding, std::string& out) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, character_length(text, at));
    BOBBIN_RETURN_IF(!is_utf8(character) || !encode_one(code_of(character), encoding, out),
                     StatusCode::invalid_argument,
                     fmt::format("{} cannot be written as {} (--encoding utf8 writes UTF-8)",
                                 quoted_text(character), to_string(encoding)));
    at += character.size();
  }
  return {};
}

void EncodingSurvey::add(std::string_view piece) {
  for (const char c : piece) {
    take(static_cast<uint8_t>(c));
  }
}

void EncodingSurvey::finish() {
  end_character();
  end_run();
}

void EncodingSurvey::take(uint8_t byte) {
  constexpr uint8_t kFixedBlank = 0xa0;  // several of them indent lines
  constexpr std::string_view kWhite = "\t\n\v\f\r";
  const bool is_control =
      byte == 0x7f || (byte < ' ' && kWhite.find(static_cast<char>(byte)) == std::string::npos);
  if (byte < 0x80) {
    end_character();
    end_run();
    line_ += byte == '\n' ? 1 : 0;
    controls_ += is_control ? 1 : 0;
    return;
  }
  ++high_;
  run_ += byte == kFixedBlank ? 0 : 1;
  undefined_ += is_undefined(byte) ? 1 : 0;
  windows_ += byte < 0xa0 ? 1 : 0;
  if (byte >= 0xc0) {
    end_character();
  }
  character_ += static_cast<char>(byte);
  if (bobbin::is_utf8(character_)) {
    ++characters_;
    character_.clear();
  } else if (character_.size() >= 4) {
    end_character();
  }
}

// Whatever is left is not a character.
void EncodingSurvey::end_character() {
  if (!character_.empty() && strays_ == 0) {
    first_stray_ = static_cast<uint8_t>(character_[0]);
    first_stray_line_ = line_;
  }
  strays_ += character_.size();
  character_.clear();
}

void EncodingSurvey::end_run() {
  constexpr uint64_t kLeast = 3;
  in_runs_ += run_ >= kLeast ? run_ : 0;
  run_ = 0;
}

// Bytes that happen to be UTF-8 are rare in other texts, as are words that consist of accented letters.
std::string_view EncodingSurvey::why_not_western() const {
  return controls_ > 0                ? "it has control characters"
         : 10 * characters_ > strays_ ? "some of it is UTF-8"
         : undefined_ > 0             ? "it has bytes that these lack"
         : 2 * in_runs_ > high_       ? "most bytes above 0x7f follow one another"
                                      : "";
}

std::optional<Encoding> EncodingSurvey::western() const {
  if (is_utf8() || !why_not_western().empty()) {
    return std::nullopt;
  }
  return windows_ > 0 ? Encoding::windows1252 : Encoding::latin1;
}

std::string EncodingSurvey::note() const {
  if (is_utf8()) {
    return "";
  }
  const std::string begin =
      fmt::format("not UTF-8 (byte {:#04x} at line {})", first_stray_, first_stray_line_);
  const std::optional<Encoding> found = western();
  return found ? fmt::format("{}: read as {} (--encoding utf8 keeps the bytes)", begin, to_string(*found))
               : fmt::format(
                     "{}, and not Latin-1 or Windows-1252, because {}: columns with such bytes are "
                     "binary (--encoding NAME reads them as text)",
                     begin, why_not_western());
}

}  // namespace bobbin::csv
