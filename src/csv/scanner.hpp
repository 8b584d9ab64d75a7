// SPDX-License-Identifier: Apache-2.0
// Splits text into records and fields, through a buffer that grows only to hold one record. Delimiters,
// quotes and line ends are found 64 bytes at a time; blocks without a quote, which are most, need no state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/blocks.hpp"
#include "csv/options.hpp"
#include "csv/source.hpp"

namespace bobbin::csv {

// A field as it is in the text, without its quotes unless it is odd.
struct RawField {
  const char* data = nullptr;
  size_t size = 0;
  bool quoted = false;
  bool escaped = false;  // needs unescape()

  // Not quoted and yet escaped: it has an escape outside of quotes, blanks before its opening quote, or text
  // after its closing quote, and still includes its quotes.
  [[nodiscard]] std::string_view text() const { return {data, size}; }
};

// The text of a field as it is between delimiters.
[[nodiscard]] inline std::string_view raw_text(const RawField& field) {
  const size_t quote = field.quoted ? 1 : 0;
  return {field.data - quote, field.size + 2 * quote};
}

// Writes an escaped field's value, which is never longer than the field; returns its end.
char* unescape(const RawField& field, const Marks& marks, char* out);
// The field's value: itself, or unescaped into `scratch`.
[[nodiscard]] std::string_view unescaped(const RawField& field, const Marks& marks, std::string& scratch);
[[nodiscard]] inline std::string_view value_of(const RawField& field, const Marks& marks,
                                               std::string& scratch) {
  return field.escaped ? unescaped(field, marks, scratch) : field.text();
}

class Scanner {
 public:
  Scanner(Source source, const Options& options);
  // Concatenated texts; a line end is assumed at the end of each.
  Scanner(std::vector<Source> sources, const Options& options);

  // If no record is left: reads until there is a complete one, or the text ends. A syntax error is returned
  // after all records before it are consumed, so that it does not depend on how much was read at a time.
  [[nodiscard]] Status fill();
  // To the first record of the first text.
  void rewind();
  // Moves to the next text after the end of one; false if there is none.
  [[nodiscard]] bool next_source();
  [[nodiscard]] bool is_first_source() const { return current_ == 0; }
  void keep_no_more();
  // Whether the texts' encodings could still turn out to be others.
  [[nodiscard]] bool may_settle_encodings() const;
  // Finds them from all of the text; then rewind() must be called.
  [[nodiscard]] Status settle_encodings();
  [[nodiscard]] std::vector<std::string> encoding_notes() const;
  // UTF-8 if they differ.
  [[nodiscard]] Encoding encoding() const;

  // Records that are available and not consumed.
  [[nodiscard]] size_t num_records() const { return num_records_ - first_; }
  [[nodiscard]] size_t num_fields(size_t record) const {
    return record_ends_[first_ + record] + size_t{1} - first_end_of(record);
  }
  [[nodiscard]] RawField field(size_t record, size_t index) const {
    const size_t end = first_end_of(record) + index;
    const uint32_t begin = index == 0 ? begins_[first_ + record] : (ends_[end - 1] & kPlace) + 1;
    return cut(buffer_.get(), begin, ends_[end], true);
  }
  // One field of each record, for loops over columns. All records have `fields` fields.
  class FieldColumn {
   public:
    [[nodiscard]] RawField operator[](size_t record) const {
      const uint32_t* const end = ends_ + record * fields_;
      const uint32_t begin = is_first_ ? begins_[record] : (end[-1] & kPlace) + 1;
      return cut(text_, begin, *end, is_last_);
    }

   private:
    friend class Scanner;
    const char* text_ = nullptr;
    const uint32_t* ends_ = nullptr;    // of the column's fields
    const uint32_t* begins_ = nullptr;  // of records
    size_t fields_ = 0;
    bool is_first_ = false;
    bool is_last_ = false;
  };
  [[nodiscard]] FieldColumn column(size_t index, size_t fields) const {
    FieldColumn column;
    column.text_ = buffer_.get();
    column.ends_ = ends_.data() + first_end_ + index;
    column.begins_ = begins_.data() + first_;
    column.fields_ = fields;
    column.is_first_ = index == 0;
    column.is_last_ = index + 1 == fields;
    return column;
  }
  // The number of records, from the first on, with this many fields.
  [[nodiscard]] size_t num_regular(size_t fields) const;
  // An empty line.
  [[nodiscard]] bool is_blank(size_t record) const;
  void drop_blanks();
  // Whether a record has an empty field after the given number of fields, and nothing else.
  [[nodiscard]] bool has_trailing(size_t record, size_t fields) const;
  // Removes such fields.
  void drop_trailing(size_t fields);
  // Pads records with too few fields: all records, or as many as reasonable memory allows.
  void pad_records(size_t fields);
  // The text of some records, including line ends.
  [[nodiscard]] std::string_view text_of(size_t records) const {
    return {buffer_.get() + begins_[first_], buffer_.get() + begins_[first_ + records]};
  }
  void consume(size_t records);
  // Consumes empty lines, which are then part of text_before() of what follows.
  void pass_over_blanks(size_t records);
  // The text of a record up to its line end.
  [[nodiscard]] std::string_view text_at(size_t record) const {
    return {buffer_.get() + begins_[first_ + record], buffer_.get() + end_of(record)};
  }
  // The text between a record and the one before it, or the beginning of the text; after the last record
  // when all are consumed. Nothing if it is not known: it is very long, the record before it was padded, or
  // the text is not the first one.
  [[nodiscard]] std::optional<std::string> text_before(size_t record) const;
  [[nodiscard]] std::optional<std::string> text_after() const;
  // Whether this text is between each of the records and the next.
  [[nodiscard]] bool are_apart_by(std::string_view text, size_t records) const;
  // Whether some records may contain a quote, an escape, or a line end within a field.
  [[nodiscard]] bool have_marks(size_t records) const;

  [[nodiscard]] const Marks& marks() const { return marks_; }
  [[nodiscard]] bool can_rewind() const;
  // Bytes of text, and of the input: compressed input has fewer.
  [[nodiscard]] uint64_t bytes_read() const;
  [[nodiscard]] uint64_t raw_bytes_read() const;
  [[nodiscard]] const std::string& name() const { return sources_[current_].name(); }

  // Whether the error that fill() returned is that the text ends inside of quotes.
  [[nodiscard]] bool ends_in_quotes() const { return failure_ && state_ == State::quoted && ended_; }

  // The line in which a record begins, counted from 1.
  [[nodiscard]] uint64_t line_of(size_t record) const;
  [[nodiscard]] uint64_t lines_between(size_t record, size_t later) const {
    return count_bytes(buffer_.get() + begins_[first_ + record], buffer_.get() + begins_[first_ + later],
                       marks_.line_end);
  }
  // "table.csv:17:3: reason": the line in which the record begins, and the byte within the record where the
  // field begins, both counted from 1.
  [[nodiscard]] Status error_in(size_t record, size_t index, const std::string& reason) const;

 private:
  // The end of a field: its position in the buffer, and in the two highest bits flags about its quotes.
  static constexpr uint32_t kQuoted = uint32_t{1} << 31;
  static constexpr uint32_t kEscaped = uint32_t{1} << 30;
  static constexpr uint32_t kPlace = kEscaped - 1;

  static constexpr size_t kRoom = kBlockBytes + 2;       // the most field ends that one block can add
  static constexpr size_t kMaxFields = size_t{1} << 20;  // per record

  enum class State : uint8_t { plain, quoted, closed, comment };
  struct Failure {
    size_t seen = 0;   // the byte at which it was detected
    size_t place = 0;  // the byte to report
    std::string reason;
  };

  // Only a record's last field may end with a line end.
  [[nodiscard]] static RawField cut(const char* text, uint32_t begin, uint32_t end, bool may_be_last) {
    uint32_t place = end & kPlace;
    if (may_be_last && text[place] == '\n' && place > begin && text[place - 1] == '\r') {
      --place;
    }
    const uint32_t quote = end >> 31;
    return {text + begin + quote, place - begin - 2 * quote, quote != 0, (end & kEscaped) != 0};
  }
  [[nodiscard]] size_t first_end_of(size_t record) const {
    return first_ + record == 0 ? 0 : record_ends_[first_ + record - 1] + size_t{1};
  }
  // Whether the current field is the first of its record, and where it begins.
  [[nodiscard]] bool at_first_field() const {
    return num_ends_ == (num_records_ == 0 ? 0 : record_ends_[num_records_ - 1] + size_t{1});
  }
  [[nodiscard]] size_t field_begin() const {
    return at_first_field() ? begins_[num_records_] : (ends_[num_ends_ - 1] & kPlace) + size_t{1};
  }

  // Where the last field of a record ends.
  [[nodiscard]] size_t end_of(size_t record) const {
    const std::string_view last = raw_text(field(record, num_fields(record) - 1));
    return static_cast<size_t>(last.data() + last.size() - buffer_.get());
  }
  [[nodiscard]] std::optional<std::string> text_up_to(size_t end) const;

  void reset();
  [[nodiscard]] Status read_more();
  void grow_buffer(size_t bytes);
  void keep_text_before(size_t begin);
  void drop_consumed();
  [[nodiscard]] bool has_room() const;  // for one more block
  void make_room();
  void index_all();
  void index_block(size_t base, const BlockMasks& masks);
  void index_plain(size_t base, uint64_t fields, uint64_t line_ends);
  void index_quotes(size_t base, const BlockMasks& masks);
  [[nodiscard]] bool pass_over(size_t place, bool ends_line);
  [[nodiscard]] bool in_comment() const;
  void see_comment();
  [[nodiscard]] bool skips_line() const;
  void see_mark(size_t base, uint32_t bit, const BlockMasks& masks);
  void see_escape(size_t place);
  void see_quote(size_t place);
  void pad_one(std::vector<uint32_t>& ends, size_t begin, size_t missing) const;
  void see_end(size_t place, bool ends_record);
  void end_text();
  void drop_skipped();
  void check_limits();
  void fail(size_t seen, size_t place, std::string reason);
  void fail_too_large(size_t record, size_t seen);
  [[nodiscard]] Status error_at(size_t begin, size_t place, const std::string& reason) const;

  std::vector<Source> sources_;
  size_t current_ = 0;
  Options options_;
  Marks marks_;
  std::unique_ptr<char[]> buffer_;  // padded after the bytes read, so that whole blocks can be scanned
  size_t buffer_bytes_ = 0;
  size_t size_ = 0;       // bytes in the buffer
  size_t indexed_ = 0;    // bytes that were scanned
  bool started_ = false;  // the UTF-8 byte order mark, if any, was skipped
  bool ended_ = false;

  State state_ = State::plain;
  uint32_t flags_ = 0;  // of the current field
  size_t close_ = 0;    // the position of its closing quote
  size_t escaped_ = 0;  // the byte after an escape; 0: none
  uint64_t skip_lines_ = 0;
  std::optional<Failure> failure_;

  // The vectors are larger than needed; separate counts say how much is used.
  std::vector<uint32_t> ends_;         // of fields
  std::vector<uint32_t> record_ends_;  // for each record the index of its last field's end
  std::vector<uint32_t> begins_;       // where records begin, including the incomplete one
  size_t num_ends_ = 0;
  size_t num_records_ = 0;
  size_t first_ = 0;        // the first record that is not consumed
  size_t first_end_ = 0;    // its first field's end
  uint64_t line_ = 1;       // the line at ...
  size_t line_place_ = 0;   // ... this byte
  bool has_marks_ = false;  // a quote or an escape was seen in the buffer
  // The text since the last record that was consumed: what is not in the buffer any more, then from this
  // place on.
  std::string before_;
  bool lost_before_ = false;  // its beginning is not known
  size_t before_place_ = 0;
  bool has_padding_ = false;   // of records in the buffer, whose ends are then not known
  size_t text_end_ = 0;        // when all is read
  bool ends_in_feed_ = false;  // an LF at its end that is not a line end is not in the buffer
  bool dropped_ = false;       // records from the text's start are not in the buffer any more
};

}  // namespace bobbin::csv
