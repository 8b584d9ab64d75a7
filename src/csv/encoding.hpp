// SPDX-License-Identifier: Apache-2.0
// Converts other text encodings to UTF-8 and back, piece by piece, and finds out which one a text has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bobbin/csv.hpp"
#include "bobbin/status.hpp"

namespace bobbin::csv {

class Transcoder {
 public:
  explicit Transcoder(Encoding encoding) : encoding_(encoding) {}

  // Whether the text is passed through unchanged. Known after look_at_begin().
  [[nodiscard]] bool is_plain() const { return encoding_ == Encoding::utf8; }
  [[nodiscard]] Encoding encoding() const { return encoding_; }
  // Must be called once, with the text's first bytes: at least two, unless it is shorter. `detects`: UTF-16
  // is recognised without its byte order mark, too.
  void look_at_begin(std::string_view begin, bool detects);

  // Appends the UTF-8 of the next piece.
  [[nodiscard]] Status convert(std::string_view bytes, std::string& out);
  // There are no more pieces.
  [[nodiscard]] Status finish() const;

 private:
  [[nodiscard]] Status take_unit(uint16_t unit, std::string& out);

  Encoding encoding_;
  int half_ = -1;           // a unit's first byte
  uint16_t surrogate_ = 0;  // the first of a pair
};

// Appends UTF-8 in another encoding. An error if it has no such character, or the text is not UTF-8.
[[nodiscard]] Status encode(std::string_view text, Encoding encoding, std::string& out);

// Counts the bytes of a text that are not ASCII.
class EncodingSurvey {
 public:
  void add(std::string_view piece);
  // There are no more pieces.
  void finish();

  [[nodiscard]] bool is_utf8() const { return strays_ == 0; }
  // The encoding of western Europe that a text has if it is not UTF-8; nothing if it seems to be no text, or
  // one in another encoding.
  [[nodiscard]] std::optional<Encoding> western() const;
  // "not UTF-8 (byte 0xe9 at line 2): read as latin1 ...". Empty if the text is UTF-8.
  [[nodiscard]] std::string note() const;

 private:
  void take(uint8_t byte);
  void end_character();
  void end_run();
  [[nodiscard]] std::string_view why_not_western() const;

  uint64_t line_ = 1;
  uint64_t characters_ = 0;  // of UTF-8 that have several bytes
  uint64_t strays_ = 0;      // bytes that are not UTF-8
  uint8_t first_stray_ = 0;
  uint64_t first_stray_line_ = 0;
  uint64_t controls_ = 0;   // which no text has
  uint64_t undefined_ = 0;  // bytes that Windows-1252 lacks
  uint64_t windows_ = 0;    // bytes that Latin-1 lacks
  uint64_t high_ = 0;       // bytes that are not ASCII,
  uint64_t in_runs_ = 0;    // and those among them with two or more neighbours of their kind
  uint64_t run_ = 0;
  std::string character_;  // the bytes so far of one that may be UTF-8
};

}  // namespace bobbin::csv
