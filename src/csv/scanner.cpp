// SPDX-License-Identifier: Apache-2.0
#include "csv/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace bobbin::csv {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

// Whether a field begins with blanks and a quote.
bool opens_after_blanks(std::string_view text, const Marks& marks) {
  size_t at = 0;
  while (at < text.size() && marks.is_blank(text[at])) {
    ++at;
  }
  return marks.has_quote() && at > 0 && at < text.size() && text[at] == marks.quote;
}

}  // namespace

char* unescape(const RawField& field, const Marks& marks, char* out) {
  std::string_view text = field.text();
  if (marks.skips_blanks && !field.quoted && opens_after_blanks(text, marks)) {
    text.remove_prefix(text.find(marks.quote));
  }
  const bool opens = !field.quoted && marks.has_quote() && text.starts_with(marks.quote);
  bool inside = field.quoted || opens;
  for (size_t i = opens ? 1 : 0; i < text.size(); ++i) {
    if (marks.has_escape() && text[i] == marks.escape) {
      ++i;
    } else if (inside && marks.has_quote() && text[i] == marks.quote) {
      const bool doubled = i + 1 < text.size() && text[i + 1] == marks.quote;
      inside = doubled;
      ++i;  // to the second one, or past the closing one
    }
    if (i < text.size()) {
      *out++ = text[i];
    }
  }
  return out;
}

std::string_view unescaped(const RawField& field, const Marks& marks, std::string& scratch) {
  scratch.resize(field.size);
  scratch.resize(static_cast<size_t>(unescape(field, marks, scratch.data()) - scratch.data()));
  return scratch;
}

Scanner::Scanner(Source source, const Options& options) : options_(options), marks_(marks_of(options)) {
  sources_.push_back(std::move(source));
  reset();
}

Scanner::Scanner(std::vector<Source> sources, const Options& options)
    : sources_(std::move(sources)), options_(options), marks_(marks_of(options)) {
  reset();
}

bool Scanner::may_settle_encodings() const {
  return can_rewind() && std::ranges::any_of(sources_, &Source::may_settle);
}

Status Scanner::settle_encodings() {
  for (Source& source : sources_) {
    if (source.may_settle()) {
      BOBBIN_TRY(source.settle_encoding());
    }
  }
  return {};
}

std::vector<std::string> Scanner::encoding_notes() const {
  std::vector<std::string> notes;
  for (const Source& source : sources_) {
    if (!source.encoding_note().empty()) {
      notes.push_back((sources_.size() > 1 ? source.name() + ": " : "") + source.encoding_note());
    }
  }
  return notes;
}

Encoding Scanner::encoding() const {
  const Encoding first = sources_.front().encoding();
  const bool same = std::ranges::all_of(sources_, [&](const Source& s) { return s.encoding() == first; });
  return same ? first : Encoding::utf8;
}

bool Scanner::can_rewind() const {
  return std::ranges::all_of(sources_, &Source::can_rewind);
}

uint64_t Scanner::bytes_read() const {
  uint64_t bytes = 0;
  for (size_t i = 0; i <= current_; ++i) {
    bytes += sources_[i].offset();
  }
  return bytes;
}

uint64_t Scanner::raw_bytes_read() const {
  uint64_t bytes = 0;
  for (size_t i = 0; i <= current_; ++i) {
    bytes += sources_[i].raw_offset();
  }
  return bytes;
}

bool Scanner::next_source() {
  if (current_ + 1 == sources_.size()) {
    return false;
  }
  ++current_;
  sources_[current_].rewind();
  reset();
  return true;
}

void Scanner::keep_no_more() {
  std::ranges::for_each(sources_, &Source::keep_no_more);
}

void Scanner::reset() {
  size_ = indexed_ = 0;
  started_ = ended_ = false;
  state_ = State::plain;
  flags_ = 0;
  failure_.reset();
  num_ends_ = num_records_ = first_ = first_end_ = 0;
  escaped_ = 0;
  skip_lines_ = options_.skip_lines;
  line_ = 1;
  line_place_ = 0;
  has_marks_ = false;
  before_.clear();
  lost_before_ = current_ > 0;
  before_place_ = 0;
  has_padding_ = false;
  text_end_ = 0;
  ends_in_feed_ = false;
  dropped_ = false;
  make_room();
  begins_[0] = 0;
}

void Scanner::rewind() {
  if (current_ == 0 && !dropped_) {
    first_ = first_end_ = 0;  // all that was read is still there
    before_place_ = 0;
    before_.clear();
    lost_before_ = false;
    return;
  }
  current_ = 0;
  sources_[0].rewind();
  reset();
}

Status Scanner::fill() {
  if (num_records() > 0) {
    return {};
  }
  if (!ended_ && !failure_) {
    drop_consumed();
  }
  while (num_records() == 0 && !ended_ && !failure_) {
    BOBBIN_TRY(read_more());
    index_all();
    drop_skipped();
    check_limits();
  }
  if (num_records() == 0 && failure_) {
    return error_at(begins_[first_], failure_->place, failure_->reason);
  }
  return {};
}

// What is before the incomplete record, as long as it is not too long.
void Scanner::keep_text_before(size_t begin) {
  constexpr size_t kMost = size_t{1} << 16;
  const size_t more = begin - std::min(before_place_, begin);
  lost_before_ = lost_before_ || before_place_ > begin || before_.size() + more > kMost;
  if (!lost_before_ && more > 0) {
    before_.append(buffer_.get() + before_place_, more);
  }
  before_place_ = 0;
}

// Keeps the incomplete record, with its state.
void Scanner::drop_consumed() {
  const uint32_t begin = begins_[num_records_];
  dropped_ = dropped_ || begin > 0;
  keep_text_before(begin);
  const size_t ends = num_records_ == 0 ? 0 : record_ends_[num_records_ - 1] + size_t{1};
  line_ += count_bytes(buffer_.get() + line_place_, buffer_.get() + begin, marks_.line_end);
  line_place_ = 0;
  if (size_ != begin) {  // there may be no buffer yet
    std::memmove(buffer_.get(), buffer_.get() + begin, size_ - begin);
  }
  std::transform(ends_.begin() + static_cast<ptrdiff_t>(ends),
                 ends_.begin() + static_cast<ptrdiff_t>(num_ends_), ends_.begin(),
                 [&](uint32_t end) { return end - begin; });
  size_ -= begin;
  indexed_ -= begin;
  text_end_ -= std::min<size_t>(text_end_, begin);
  has_padding_ = false;
  const std::string_view rest(buffer_.get(), size_);
  has_marks_ = has_marks_ && (rest.find(marks_.quote) < size_ || rest.find(marks_.escape) < size_);
  close_ -= begin;  // wraps around if it is not set
  escaped_ -= std::min<size_t>(escaped_, begin);
  if (failure_) {
    failure_->place -= begin;
  }
  num_ends_ -= ends;
  num_records_ = first_ = first_end_ = 0;
  begins_[0] = 0;
}

// To at least this many bytes.
void Scanner::grow_buffer(size_t bytes) {
  if (buffer_bytes_ < bytes) {
    auto larger = std::make_unique_for_overwrite<char[]>(bytes);
    std::copy_n(buffer_.get(), size_, larger.get());
    buffer_ = std::move(larger);
    buffer_bytes_ = bytes;
  }
}

Status Scanner::read_more() {
  const size_t needed = size_ + options_.buffer_bytes + kBlockBytes + 2;
  if (buffer_bytes_ < needed) {
    // With room for an incomplete record, so that it does not have to grow again.
    grow_buffer(std::max(needed + needed / 16, 2 * size_));
  }
  const size_t end = size_ + options_.buffer_bytes;
  Source& source = sources_[current_];
  do {
    BOBBIN_ASSIGN(const size_t got, source.read({buffer_.get() + size_, end - size_}));
    size_ += got;
    ended_ = got == 0;
    // A file that fits into the buffer is read and split only once.
  } while (source.never_waits() && size_ < end && !ended_);
  std::memset(buffer_.get() + size_, 0, kBlockBytes + 2);
  return {};
}

// record_ends_ is as large as begins_.
bool Scanner::has_room() const {
  return ends_.size() >= num_ends_ + kRoom && begins_.size() >= num_records_ + kRoom;
}

void Scanner::make_room() {
  const auto grow = [](std::vector<uint32_t>& values, size_t used) {
    if (values.size() < used + kRoom) {
      values.resize(2 * (used + kRoom));
    }
  };
  grow(ends_, num_ends_);
  grow(record_ends_, num_records_);
  grow(begins_, num_records_);
}

void Scanner::index_all() {
  if (!started_) {
    if (size_ < kUtf8Mark.size() && !ended_) {
      return;
    }
    started_ = true;
    if (std::string_view(buffer_.get(), size_).starts_with(kUtf8Mark)) {
      begins_[0] = static_cast<uint32_t>(kUtf8Mark.size());
      indexed_ = kUtf8Mark.size();
    }
  }
  for (; indexed_ + kBlockBytes <= size_ && !failure_; indexed_ += kBlockBytes) {
    index_block(indexed_, look_at_block(buffer_.get() + indexed_, marks_));
  }
  if (ended_ && !failure_) {
    BlockMasks masks = look_at_block(buffer_.get() + indexed_, marks_);
    const uint64_t there = (uint64_t{1} << (size_ - indexed_)) - 1;
    masks.quotes &= there;
    masks.delimiters &= there;
    masks.line_ends &= there;
    masks.escapes &= there;
    index_block(indexed_, masks);
    indexed_ = size_;
    end_text();
  }
}

void Scanner::index_block(size_t base, const BlockMasks& masks) {
  if (!has_room()) {
    make_room();
  }
  const bool watches_lines = options_.comment != '\0' || skip_lines_ > 0;
  const uint64_t special = masks.quotes | masks.escapes;
  if (special == 0 && state_ == State::plain && !watches_lines && escaped_ < base && flags_ == 0) {
    index_plain(base, masks.delimiters | masks.line_ends, masks.line_ends);
  } else if (special != 0 || state_ != State::quoted) {
    index_quotes(base, masks);
  }
}

// No branch except the loop: what was written for the record is kept if there is a line end.
void Scanner::index_plain(size_t base, uint64_t fields, uint64_t line_ends) {
  uint32_t* const ends = ends_.data();
  uint32_t* const record_ends = record_ends_.data();
  uint32_t* const begins = begins_.data() + 1;
  size_t n = num_ends_;
  size_t records = num_records_;
  for (; fields != 0; fields &= fields - 1) {
    const auto bit = static_cast<uint32_t>(std::countr_zero(fields));
    const auto place = static_cast<uint32_t>(base + bit);
    const bool ends_record = (line_ends >> bit & 1) != 0;
    ends[n] = place;
    record_ends[records] = static_cast<uint32_t>(n);
    begins[records] = place + 1;
    records += ends_record ? 1 : 0;
    ++n;
  }
  num_ends_ = n;
  num_records_ = records;
}

void Scanner::index_quotes(size_t base, const BlockMasks& masks) {
  for (uint64_t bits = masks.quotes | masks.delimiters | masks.line_ends | masks.escapes;
       bits != 0 && !failure_; bits &= bits - 1) {
    const auto bit = static_cast<uint32_t>(std::countr_zero(bits));
    if (!pass_over(base + bit, (masks.line_ends >> bit & 1) != 0)) {
      see_mark(base, bit, masks);
    }
  }
}

bool Scanner::in_comment() const {
  if (options_.comment == '\0' || state_ != State::plain || !at_first_field()) {
    return false;
  }
  const size_t begin = begins_[num_records_];
  const size_t size = std::min<size_t>(size_ - begin, options_.max_record_bytes);
  return begins_comment({buffer_.get() + begin, size}, options_);
}

void Scanner::see_comment() {
  if (skip_lines_ == 0 && in_comment()) {
    state_ = State::comment;
  }
}

bool Scanner::skips_line() const {
  return skip_lines_ > 0 || state_ == State::comment;
}

// Marks without a meaning: escaped ones, and those in skipped lines.
bool Scanner::pass_over(size_t place, bool ends_line) {
  if (escaped_ == place && place > 0) {
    return true;
  }
  see_comment();
  if (!skips_line()) {
    return false;
  }
  if (ends_line) {
    begins_[num_records_] = static_cast<uint32_t>(place + 1);
    skip_lines_ -= state_ == State::comment ? 0 : 1;
    state_ = State::plain;
  }
  return true;
}

void Scanner::see_mark(size_t base, uint32_t bit, const BlockMasks& masks) {
  if ((masks.escapes >> bit & 1) != 0) {
    see_escape(base + bit);
  } else if ((masks.quotes >> bit & 1) != 0) {
    see_quote(base + bit);
  } else if (state_ != State::quoted) {
    see_end(base + bit, (masks.line_ends >> bit & 1) != 0);
  }
}

void Scanner::see_escape(size_t place) {
  has_marks_ = true;
  if (state_ != State::closed) {
    escaped_ = place + 1;
    flags_ |= kEscaped;
  }
}

void Scanner::see_quote(size_t place) {
  has_marks_ = true;
  if (state_ == State::quoted) {
    state_ = State::closed;
    close_ = place;
  } else if (state_ == State::closed) {
    if (place != close_ + 1) {
      // It is ambiguous which quotes belong to the field.
      const bool after_backslash = close_ > 0 && buffer_[close_ - 1] == '\\';
      fail(place + 1, close_ + 1,
           std::string("text and another quote after a closing quote") +
               (after_backslash ? " (--escape '\\' reads \\\" as a quote)" : ""));
      return;
    }
    state_ = State::quoted;
    flags_ |= kEscaped;
  } else if (const size_t begin = field_begin(); place == begin) {
    state_ = State::quoted;
    flags_ = kQuoted;
  } else if (marks_.skips_blanks && opens_after_blanks({buffer_.get() + begin, place + 1 - begin}, marks_)) {
    state_ = State::quoted;
    flags_ = kEscaped;  // an odd field, which still includes its quotes
  }                     // any other is an ordinary character
}

void Scanner::see_end(size_t place, bool ends_record) {
  if (state_ == State::closed && place != close_ + 1) {
    const bool after_return = ends_record && place == close_ + 2 && buffer_[close_ + 1] == '\r';
    // Text after a closing quote belongs to the field, as in other readers.
    flags_ = after_return ? flags_ : kEscaped;
  }
  ends_[num_ends_] = static_cast<uint32_t>(place) | flags_;
  if (ends_record) {
    record_ends_[num_records_++] = static_cast<uint32_t>(num_ends_);
    begins_[num_records_] = static_cast<uint32_t>(place + 1);
  }
  ++num_ends_;
  state_ = State::plain;
  flags_ = 0;
}

// The last record may lack a line end. A CR there is data, unless it follows a quoted field: it is doubled,
// because one would be taken for part of the line end. An LF after lines that end in CR is what editors add.
void Scanner::end_text() {
  text_end_ = size_;
  see_comment();
  if (skips_line()) {
    begins_[num_records_] = static_cast<uint32_t>(size_);
  }
  if (marks_.line_end == '\r' && state_ != State::quoted && begins_[num_records_] < size_ &&
      buffer_[size_ - 1] == '\n' && escaped_ != size_ - 1) {
    text_end_ = --size_;
    ends_in_feed_ = true;
  }
  if (failure_ || begins_[num_records_] == size_) {
    return;
  }
  if (state_ == State::quoted) {
    fail(size_, field_begin(), "a quoted field is not closed");
    return;
  }
  if (state_ == State::plain && marks_.line_end == '\n' && buffer_[size_ - 1] == '\r') {
    buffer_[size_++] = '\r';
  }
  buffer_[size_] = marks_.line_end;
  see_end(size_, true);
  indexed_ = ++size_;
}

// Skipped lines and comments take little room, however long they are. Whether a line is a comment may show
// after many blanks, which are looked at once.
void Scanner::drop_skipped() {
  if (indexed_ - begins_[num_records_] > options_.max_record_bytes) {
    see_comment();
  }
  if (failure_ || !skips_line()) {
    return;
  }
  begins_[num_records_] = static_cast<uint32_t>(indexed_);
  if (num_records() == 0) {
    drop_consumed();
  }
}

// Whether a record is too large must not depend on how much is read at a time: complete records are measured,
// and for the last one the bytes that are known to belong to it.
void Scanner::check_limits() {
  if (size_ - begins_[0] <= options_.max_record_bytes && num_ends_ <= kMaxFields) {
    return;
  }
  for (size_t record = 0; record < num_records_; ++record) {
    const size_t end = ends_[record_ends_[record]] & kPlace;
    if (end - begins_[record] > options_.max_record_bytes || num_fields(record) > kMaxFields) {
      fail_too_large(record, end);
      return;
    }
  }
  const size_t seen = failure_ ? failure_->seen : indexed_;
  const bool too_long = seen > begins_[num_records_] + options_.max_record_bytes;
  if (too_long || num_ends_ - first_end_of(num_records_) > kMaxFields) {
    fail_too_large(num_records_, seen);
  }
}

void Scanner::fail(size_t seen, size_t place, std::string reason) {
  failure_ = Failure{seen, place, std::move(reason)};
}

void Scanner::fail_too_large(size_t record, size_t seen) {
  fail(seen, begins_[record],
       fmt::format("a record of more than {} bytes or {} fields", options_.max_record_bytes, kMaxFields));
  num_records_ = record;  // and none after it
}

size_t Scanner::num_regular(size_t fields) const {
  size_t expected = first_end_ + fields - 1;
  size_t record = first_;
  while (record < num_records_ && record_ends_[record] == expected) {
    ++record;
    expected += fields;
  }
  return record - first_;
}

bool Scanner::is_blank(size_t record) const {
  const RawField only = field(record, 0);
  return num_fields(record) == 1 && only.size == 0 && !only.quoted;
}

void Scanner::consume(size_t records) {
  if (records > 0) {
    before_place_ = end_of(records - 1);
    before_.clear();
    lost_before_ = has_padding_;
  }
  pass_over_blanks(records);
}

void Scanner::pass_over_blanks(size_t records) {
  first_ += records;
  first_end_ = first_end_of(0);
}

std::optional<std::string> Scanner::text_up_to(size_t end) const {
  if (lost_before_ || before_place_ > end) {
    return std::nullopt;
  }
  return before_ + std::string(buffer_.get() + before_place_, buffer_.get() + end);
}

std::optional<std::string> Scanner::text_before(size_t record) const {
  const size_t begin = begins_[first_ + record];
  if (record == 0) {
    return text_up_to(begin);
  }
  if (has_padding_) {
    return std::nullopt;
  }
  return std::string(buffer_.get() + end_of(record - 1), buffer_.get() + begin);
}

std::optional<std::string> Scanner::text_after() const {
  std::optional<std::string> text = text_up_to(text_end_);
  if (text && ends_in_feed_) {
    *text += '\n';
  }
  return text;
}

bool Scanner::are_apart_by(std::string_view text, size_t records) const {
  for (size_t r = 0; r + 1 < records && !has_padding_; ++r) {
    const size_t end = end_of(r);
    const size_t begin = begins_[first_ + r + 1];
    if (end + text.size() != begin || text != std::string_view(buffer_.get() + end, text.size())) {
      return false;
    }
  }
  return !has_padding_;
}

bool Scanner::have_marks(size_t records) const {
  const std::string_view text = text_of(records);
  if (has_marks_ || marks_.line_end == '\r') {
    return true;
  }
  // Without quotes, a CR in a field is one that does not end a line.
  if (text.find('\r') == std::string_view::npos) {
    return false;
  }
  size_t ends = 0;
  for (size_t r = 0; r < records; ++r) {
    const uint32_t place = ends_[record_ends_[first_ + r]] & kPlace;
    ends += place > begins_[first_ + r] && buffer_[place - 1] == '\r' ? 1 : 0;
  }
  return count_bytes(text.data(), text.data() + text.size(), '\r') != ends;
}

uint64_t Scanner::line_of(size_t record) const {
  return line_ +
         count_bytes(buffer_.get() + line_place_, buffer_.get() + begins_[first_ + record], marks_.line_end);
}

Status Scanner::error_at(size_t begin, size_t place, const std::string& reason) const {
  const uint64_t line =
      line_ + count_bytes(buffer_.get() + line_place_, buffer_.get() + begin, marks_.line_end);
  return {StatusCode::invalid_argument, fmt::format("{}:{}:{}: {}", name(), line, place - begin + 1, reason)};
}

Status Scanner::error_in(size_t record, size_t index, const std::string& reason) const {
  const RawField named = field(record, index);
  const auto place = static_cast<size_t>(named.data - buffer_.get()) - (named.quoted ? 1 : 0);
  return error_at(begins_[first_ + record], place, reason);
}

}  // namespace bobbin::csv
