// SPDX-License-Identifier: Apache-2.0
// Changes of records that were found: lines without a value, and fields that are missing or too many at the
// end.
#include <algorithm>
#include <cstring>

#include "csv/scanner.hpp"

namespace bobbin::csv {

void Scanner::drop_blanks() {
  const uint32_t rest = begins_[num_records_];
  size_t records = first_;
  size_t ends = first_end_;
  size_t begin = first_end_;  // of the record's ends
  for (size_t from = first_; from < num_records_; ++from) {
    const size_t end = record_ends_[from] + size_t{1};
    const RawField only = cut(buffer_.get(), begins_[from], ends_[begin], true);
    if (end - begin > 1 || only.size > 0 || only.quoted) {
      std::copy(ends_.begin() + static_cast<ptrdiff_t>(begin), ends_.begin() + static_cast<ptrdiff_t>(end),
                ends_.begin() + static_cast<ptrdiff_t>(ends));
      begins_[records] = begins_[from];
      ends += end - begin;
      record_ends_[records++] = static_cast<uint32_t>(ends - 1);
    }
    begin = end;
  }
  std::copy(ends_.begin() + static_cast<ptrdiff_t>(begin), ends_.begin() + static_cast<ptrdiff_t>(num_ends_),
            ends_.begin() + static_cast<ptrdiff_t>(ends));
  num_ends_ -= begin - ends;
  num_records_ = records;
  begins_[records] = rest;
}

// The fields are empty and between adjacent bytes, starting at the line end.
void Scanner::pad_one(std::vector<uint32_t>& ends, size_t begin, size_t missing) const {
  uint32_t place = ends.back() & kPlace;
  if (buffer_[place] == '\n' && place > begin && buffer_[place - 1] == '\r') {
    ends.back() -= 1;
    --place;
  }
  for (size_t i = 1; i <= missing; ++i) {
    ends.push_back(static_cast<uint32_t>(place + i));
  }
}

void Scanner::pad_records(size_t fields) {
  std::vector<uint32_t> ends(ends_.begin(), ends_.begin() + static_cast<ptrdiff_t>(first_end_));
  size_t from = first_end_;
  for (size_t record = first_; record < num_records_; ++record) {
    const size_t to = record_ends_[record] + size_t{1};
    const bool has_room = record == first_ || ends.size() < first_end_ + kMaxFields;
    ends.insert(ends.end(), ends_.begin() + static_cast<ptrdiff_t>(from),
                ends_.begin() + static_cast<ptrdiff_t>(to));
    const RawField only = cut(buffer_.get(), begins_[record], ends_[from], true);
    const bool is_empty_line = to - from == 1 && only.size == 0 && !only.quoted;  // to be dropped
    if (to - from < fields && has_room && !is_empty_line) {
      const size_t begin = to - from == 1 ? begins_[record] : (ends[ends.size() - 2] & kPlace) + size_t{1};
      pad_one(ends, begin, fields - (to - from));
      has_padding_ = true;
    }
    record_ends_[record] = static_cast<uint32_t>(ends.size() - 1);
    from = to;
  }
  ends.insert(ends.end(), ends_.begin() + static_cast<ptrdiff_t>(from),
              ends_.begin() + static_cast<ptrdiff_t>(num_ends_));
  num_ends_ = ends.size();
  ends_ = std::move(ends);
  make_room();
  // Readers may access some bytes after a field's start.
  grow_buffer(size_ + fields + kBlockBytes);
  std::memset(buffer_.get() + size_, 0, fields + kBlockBytes);
}

bool Scanner::has_trailing(size_t record, size_t fields) const {
  if (num_fields(record) != fields + 1) {
    return false;
  }
  const RawField last = field(record, fields);
  return last.size == 0 && !last.quoted;
}

void Scanner::drop_trailing(size_t fields) {
  size_t ends = first_end_;
  size_t begin = first_end_;  // of the record's ends
  for (size_t record = first_; record < num_records_; ++record) {
    const size_t end = record_ends_[record] + size_t{1};
    const RawField last =
        cut(buffer_.get(), end - begin == 1 ? begins_[record] : (ends_[end - 2] & kPlace) + 1, ends_[end - 1],
            true);
    const bool drops = end - begin == fields + 1 && last.size == 0 && !last.quoted;
    const size_t kept = end - (drops ? 1 : 0);
    std::copy(ends_.begin() + static_cast<ptrdiff_t>(begin), ends_.begin() + static_cast<ptrdiff_t>(kept),
              ends_.begin() + static_cast<ptrdiff_t>(ends));
    ends += kept - begin;
    record_ends_[record] = static_cast<uint32_t>(ends - 1);
    begin = end;
  }
  std::copy(ends_.begin() + static_cast<ptrdiff_t>(begin), ends_.begin() + static_cast<ptrdiff_t>(num_ends_),
            ends_.begin() + static_cast<ptrdiff_t>(ends));
  num_ends_ -= begin - ends;
}

}  // namespace bobbin::csv
