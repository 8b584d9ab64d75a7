// SPDX-License-Identifier: Apache-2.0
// Where a table's text comes from: a descriptor, or memory. gzip and zstd are decompressed, and other
// encodings converted to UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/io.hpp"
#include "bobbin/status.hpp"
#include "csv/encoding.hpp"
#include "csv/unpack.hpp"

namespace bobbin::csv {

class Source {
 public:
  static Result<Source> open(const std::string& path);
  // Reads from the descriptor's current position; the caller closes it. `name` is for error messages.
  static Source from_descriptor(int descriptor, std::string name);
  // The same, but data from a pipe is kept in a temporary file while it is read, so that it can be read
  // again. `begin`: what was read from the pipe already.
  static Result<Source> keeping(int descriptor, std::string name, std::string_view begin = {});
  // The caller must keep the text.
  static Source from_memory(std::string_view text, std::string name);
  // Text that has been read from another source: it is taken as it is, even if it begins like compressed
  // data.
  static Source of_text(std::string_view text);

  // Must be called before the first read.
  void set_encoding(Encoding encoding) { encoding_ = encoding; }
  // Finds the encoding, which is UTF-8 until then, and rewinds: from the beginning of the text if that is
  // UTF-8, otherwise from all of it. If it turns out later that not all is UTF-8: settle_encoding(). Requires
  // a source that can be read again.
  [[nodiscard]] Status detect_encoding();
  [[nodiscard]] Status settle_encoding();
  // Whether settle_encoding() could still change the encoding.
  [[nodiscard]] bool may_settle() const { return detects_ && !settled_; }
  // As far as it is known; once something was read, UTF-16 with its byte order.
  [[nodiscard]] Encoding encoding() const { return encoding_; }
  // What was found, for people; empty for UTF-8.
  [[nodiscard]] const std::string& encoding_note() const { return encoding_note_; }

  [[nodiscard]] const std::string& name() const { return name_; }
  // Who may use the file; nothing for a pipe or memory.
  [[nodiscard]] const std::optional<file::Access>& access() const { return access_; }
  // Whether it can be read a second time: a pipe cannot, unless it is kept.
  [[nodiscard]] bool can_rewind() const { return start_ >= 0 || keeps_; }
  // Whether all of it is there already: a file or memory.
  [[nodiscard]] bool never_waits() const { return in_memory_ || start_ >= 0; }
  void rewind();
  // It will not be rewound again.
  void keep_no_more() { keeps_ = false; }

  // Fills part of `out`, at least one byte; 0 at the end.
  [[nodiscard]] Result<size_t> read(std::span<char> out);
  // Bytes of text that were read, and of the input they came from.
  [[nodiscard]] uint64_t offset() const { return offset_; }
  [[nodiscard]] uint64_t raw_offset() const { return raw_offset_; }

 private:
  Source() = default;

  [[nodiscard]] Result<size_t> read_raw(std::span<char> out);
  [[nodiscard]] Result<size_t> read_kept(std::span<char> out);
  [[nodiscard]] Result<size_t> read_descriptor(std::span<char> out);
  [[nodiscard]] Status keep(std::span<const char> bytes);
  [[nodiscard]] Status begin();
  [[nodiscard]] Status fill_raw(size_t bytes);
  [[nodiscard]] Result<size_t> unpack(std::span<char> out);
  [[nodiscard]] Result<size_t> transcode(std::span<char> out);

  std::string name_;
  file::Descriptor descriptor_;
  std::optional<file::Access> access_;
  bool in_memory_ = false;
  bool as_it_is_ = false;
  std::string_view text_;
  int64_t start_ = -1;  // of a descriptor that can seek
  int64_t end_ = 0;     // of a file when it was opened
  file::Descriptor kept_;
  uint64_t kept_bytes_ = 0;
  bool keeps_ = false;

  Encoding encoding_ = Encoding::utf8;
  bool detects_ = false;
  bool settled_ = false;
  std::string encoding_note_;
  bool begun_ = false;
  std::unique_ptr<Unpacker> unpacker_;
  std::optional<Transcoder> transcoder_;
  std::vector<char> raw_;  // read, and not decompressed
  size_t raw_begin_ = 0;
  size_t raw_end_ = 0;
  std::string ready_;  // converted, and not returned yet
  size_t ready_begin_ = 0;
  uint64_t raw_offset_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace bobbin::csv
