// SPDX-License-Identifier: Apache-2.0
// Strings outside of .bob files, in two forms: lines, each ended by a newline; and "strings", each a
// little-endian u32 length followed by that many bytes, with length 0xffffffff for a null.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bobbin/file.hpp"
#include "cli/io.hpp"

namespace bobbin::cli {

enum class StringForm : uint8_t { lines, strings };

[[nodiscard]] std::string_view to_string(StringForm form);
[[nodiscard]] std::optional<StringForm> parse_form(std::string_view name);

// Records a file's form in its metadata. `unterminated`: the last line had no newline.
[[nodiscard]] Status note_form(Writer& writer, StringForm form, bool unterminated);
// The form a file was made from; empty if not recorded.
[[nodiscard]] std::optional<StringForm> noted_form(const Reader& reader);
[[nodiscard]] bool last_line_is_unterminated(const Reader& reader);

// Splits an input into strings, block by block, so that memory holds little more than the longest string.
class StringSource {
 public:
  StringSource(const Input& input, StringForm form);

  // The next strings, valid until the next call; possibly none, even before the end.
  [[nodiscard]] Result<StringsView> next();
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] bool unterminated() const { return unterminated_; }
  [[nodiscard]] uint64_t bytes_read() const { return bytes_read_; }

 private:
  [[nodiscard]] Status read_block();
  [[nodiscard]] Status take_lines();
  [[nodiscard]] Status take_strings();
  [[nodiscard]] Status cut_short() const;

  const Input& input_;
  StringForm form_;
  std::vector<uint8_t> rest_;  // read and not yet returned
  Strings strings_;
  uint64_t strings_before_ = 0;
  uint64_t bytes_read_ = 0;
  bool ended_ = false;
  bool unterminated_ = false;
};

// Writes strings in a form. `first_row` is the number of the first one, for messages. The very last line may
// lack its newline.
[[nodiscard]] Status write_strings(const StringsView& strings, uint64_t first_row, StringForm form,
                                   bool leave_last_open, file::Output& output);

}  // namespace bobbin::cli
