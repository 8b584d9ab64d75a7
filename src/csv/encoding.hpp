// SPDX-License-Identifier: Apache-2.0
// Converts other text encodings to UTF-8, piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bobbin/csv.hpp"
#include "bobbin/status.hpp"

namespace bobbin::csv {

class Transcoder {
 public:
  explicit Transcoder(Encoding encoding) : encoding_(encoding) {}

  // Whether the text is passed through unchanged. Known after the first two bytes.
  [[nodiscard]] bool is_plain() const { return encoding_ == Encoding::utf8; }
  // Must be called once, with the text's first two bytes, or fewer if it is shorter.
  void look_at_begin(std::string_view begin);

  // Appends the UTF-8 of the next piece.
  [[nodiscard]] Status convert(std::string_view bytes, std::string& out);
  // There are no more pieces.
  [[nodiscard]] Status finish() const;

 private:
  [[nodiscard]] Status take_unit(uint16_t unit, std::string& out);

  Encoding encoding_;
  bool big_endian_ = false;
  int half_ = -1;           // a unit's first byte
  uint16_t surrogate_ = 0;  // the first of a pair
};

}  // namespace bobbin::csv
